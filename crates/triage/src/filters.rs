//! The filters, one file each.
//!
//! The file of a filter holds its label, reference, definition and code. Its page under
//! `docs/labels` holds prose and the cases that test it. `testkit::oracle` implements every
//! definition a second time, naively, and tests compare the two on random traces.

mod brief;
mod cancelled;
mod commuting;
mod enabled;
mod focus_read;
mod framework_only;
mod immediate;
mod inside_atomic_region;
mod late_handler;
mod layout;
mod lazy_init;
mod library;
mod lock_protected;
mod object_reuse;
mod only_local_reads;
mod readystate;
mod restored;
mod same_value;
mod settled;
mod tested_only;
mod unchanged;
mod uninitialised;
mod unload;
mod unseen;

use std::collections::BTreeSet;

use trace::LocationId;

use crate::evidence::{Evidence, RacyLocation};
use crate::filter::{Filter, Scope};
use crate::label::Label;

/// Every filter, in the order of the labels.
pub static FILTERS: &[&Filter] = &[
    &same_value::FILTER,
    &only_local_reads::FILTER,
    &late_handler::FILTER,
    &immediate::FILTER,
    &lazy_init::FILTER,
    &tested_only::FILTER,
    &restored::FILTER,
    &unchanged::FILTER,
    &cancelled::FILTER,
    &enabled::FILTER,
    &layout::FILTER,
    &focus_read::FILTER,
    &brief::FILTER,
    &settled::FILTER,
    &unseen::FILTER,
    &commuting::FILTER,
    &unload::FILTER,
    &framework_only::FILTER,
    &library::FILTER,
    &object_reuse::FILTER,
    &lock_protected::FILTER,
    &inside_atomic_region::FILTER,
    &uninitialised::FILTER,
    &readystate::FILTER,
];

/// Returns the labels of every race, by race id, each list in the order of the labels.
pub(crate) fn labels(evidence: &mut Evidence<'_>) -> Vec<Vec<Label>> {
    labels_by(evidence, |_| true)
}

/// Like `labels`, by the filters that the accesses of the races alone decide.
pub(crate) fn labels_in_one_pass(evidence: &mut Evidence<'_>) -> Vec<Vec<Label>> {
    labels_by(evidence, |filter| filter.one_pass)
}

/// Returns the labels of every race that are not likely harmful. In model `web` they do not depend on
/// coverage.
pub(crate) fn harmless(evidence: &Evidence<'_>) -> Vec<Vec<Label>> {
    Flags::of(evidence, |_| true).labels
}

fn labels_by(evidence: &mut Evidence<'_>, applies: fn(&Filter) -> bool) -> Vec<Vec<Label>> {
    let mut flags = Flags::of(evidence, applies);
    evidence.set_labels(&flags.labels);
    for location in evidence.locations() {
        for filter in FILTERS.iter().filter(|filter| filter.label.is_harmful() && applies(filter)) {
            for id in (filter.select)(&location) {
                if !flags.locations.contains(&location.id) && !flags.races[id.0 as usize] {
                    flags.labels[id.0 as usize].push(filter.label);
                }
            }
        }
    }
    flags.labels
}

/// The labels that are not likely harmful, and what they rule out: the likely harmful filters skip the
/// locations and races that the likely harmless ones flag (EventRacer, §5.4).
struct Flags {
    labels: Vec<Vec<Label>>,
    locations: BTreeSet<LocationId>,
    races: Vec<bool>,
}

impl Flags {
    fn of(evidence: &Evidence<'_>, applies: fn(&Filter) -> bool) -> Self {
        let none = evidence.races.races.len();
        let (labels, races) = (vec![Vec::new(); none], vec![false; none]);
        let mut flags = Self { labels, locations: BTreeSet::new(), races };
        for location in evidence.locations() {
            for filter in FILTERS.iter().filter(|f| !f.label.is_harmful() && applies(f)) {
                flags.add(&location, filter);
            }
        }
        flags
    }

    fn add(&mut self, location: &RacyLocation<'_>, filter: &Filter) {
        for id in (filter.select)(location) {
            self.labels[id.0 as usize].push(filter.label);
            match filter.scope {
                Scope::Location => {
                    self.locations.insert(location.id);
                }
                Scope::Race => self.races[id.0 as usize] = true,
                Scope::Aside => {}
            }
        }
    }
}
