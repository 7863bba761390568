//! The filters, one file each.
//!
//! The file of a filter holds its label, reference, definition and code. Its page under
//! `docs/labels` holds prose and the cases that test it. `testkit::oracle` implements every
//! definition a second time, naively, and tests compare the two on random traces.

mod commuting;
mod framework_only;
mod inside_atomic_region;
mod late_handler;
mod lazy_init;
mod lock_protected;
mod object_reuse;
mod only_local_reads;
mod readystate;
mod same_value;
mod uninitialised;
mod unload;

use crate::evidence::{Evidence, RacyLocation};
use crate::filter::{Filter, Scope};
use crate::label::Label;

/// Every filter, in the order of the labels.
pub static FILTERS: &[&Filter] = &[
    &same_value::FILTER,
    &only_local_reads::FILTER,
    &late_handler::FILTER,
    &lazy_init::FILTER,
    &commuting::FILTER,
    &unload::FILTER,
    &framework_only::FILTER,
    &object_reuse::FILTER,
    &lock_protected::FILTER,
    &inside_atomic_region::FILTER,
    &uninitialised::FILTER,
    &readystate::FILTER,
];

/// Returns the labels of every race, by race id, each list in the order of the labels.
pub(crate) fn labels(evidence: &Evidence<'_>) -> Vec<Vec<Label>> {
    labels_by(evidence, |_| true)
}

/// Like `labels`, by the filters that the accesses of the races alone decide.
pub(crate) fn labels_in_one_pass(evidence: &Evidence<'_>) -> Vec<Vec<Label>> {
    labels_by(evidence, |filter| filter.one_pass)
}

fn labels_by(evidence: &Evidence<'_>, applies: fn(&Filter) -> bool) -> Vec<Vec<Label>> {
    let mut labels: Vec<Vec<Label>> = vec![Vec::new(); evidence.races.races.len()];
    for location in evidence.locations() {
        label(&location, applies, &mut labels);
    }
    labels
}

/// Labels the races of one location. The likely-harmful filters come last and skip the races that
/// the likely-harmless filters have ruled out (EventRacer, §5.4).
fn label(location: &RacyLocation<'_>, applies: fn(&Filter) -> bool, labels: &mut [Vec<Label>]) {
    let mut location_flagged = false;
    let mut race_flagged = vec![false; location.races.len()];
    for filter in FILTERS.iter().filter(|filter| applies(filter)) {
        for id in (filter.select)(location) {
            let at = location.races.partition_point(|race| race.id < id);
            if filter.label.is_harmful() && (location_flagged || race_flagged[at]) {
                continue;
            }
            labels[id.0 as usize].push(filter.label);
            match filter.scope {
                Scope::Location => location_flagged = true,
                Scope::Race => race_flagged[at] = true,
                Scope::Aside => {}
            }
        }
    }
}
