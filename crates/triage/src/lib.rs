//! Decides which races to read first, by labels, hints, fingerprints, groups and ranks.
//!
//! Triage labels and ranks races; it never deletes any. Races that a label hides by default are
//! still counted and part of the report. Only the reading of [`Lists`] can fail.
//!
//! Cost: linear in accesses and races, except for logarithms, stack depths and the bounds that the
//! filters and hints state. `tests/many_races.rs` checks this.

mod code;
mod cover;
mod evidence;
mod filter;
mod filters;
mod fingerprint;
mod group;
mod hint;
mod hints;
mod label;
mod lists;
mod lost;
mod name;
mod page;
mod rank;
mod replayed;
mod visibility;

pub use cover::cover;
pub use filter::{Filter, Scope};
pub use filters::FILTERS;
pub use fingerprint::Fingerprint;
pub use hint::{Given, Hint};
pub use hints::HINTS;
pub use label::Label;
pub use lists::{ListError, Lists};
pub use rank::Reason;
pub use replayed::{REPLAYED, Replayed};
pub use visibility::{Visibility, visibility};

use order::{HappensBefore, Model};
use races::{RaceId, Races};
use trace::{LocationId, Trace};

use crate::evidence::Evidence;
use crate::group::Grouping;
use crate::rank::Ranking;

/// The result of triage for one race.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The reasons why the race is likely harmless or likely harmful.
    pub labels: Vec<Label>,
    /// Whether a label hides the race by default.
    pub hidden: bool,
    /// Guesses at what goes wrong in the other order.
    pub hints: Vec<Given>,
    /// The position of the race in the order of reading, from 1.
    pub rank: u32,
    /// The reasons for the rank.
    pub reasons: Vec<Reason>,
    /// The group of the race.
    pub group: GroupId,
    /// The fingerprint, which is equal for the same race in other recordings.
    pub fingerprint: Fingerprint,
}

/// The index of a group in the list of groups, which is sorted by rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

/// Races that are one problem to a reader: the same kinds of event source, the same calling
/// contexts.
#[derive(Clone, Debug)]
pub struct Group {
    /// The index of this group.
    pub id: GroupId,
    /// The races of this group, by rank.
    pub races: Vec<RaceId>,
}

/// The verdicts on all races, by race id, and the groups, by rank.
pub struct Triage {
    /// One verdict for each race.
    pub verdicts: Vec<Verdict>,
    /// The groups, in the order of reading.
    pub groups: Vec<Group>,
}

/// Judges the races of `trace`, which were found under `order`. `order` was closed under the rules
/// of `model`, and [`cover`] decided their coverage.
pub fn triage(
    trace: &Trace,
    order: &dyn HappensBefore,
    model: &Model,
    races: &Races,
    lists: &Lists,
) -> Triage {
    let mut evidence = Evidence::new(trace, order, model, races, lists);
    let labels = filters::labels(&mut evidence);
    judge(&evidence, labels, hints::hints(&evidence), Label::hides)
}

/// Returns whether the accesses of a location decide labels of other locations, in model `web`. A trace that
/// leaves out accesses must keep them.
pub fn decides_others(trace: &Trace, location: LocationId) -> bool {
    page::element_of_attribute(trace.names().locations.get(location)).is_some()
        || visibility(trace, location) > Visibility::Internal
}

/// Like [`triage`], for races whose labels another tool decided. These labels hide no race, because
/// the report shows what that tool shows.
pub fn rank(
    trace: &Trace,
    order: &dyn HappensBefore,
    model: &Model,
    races: &Races,
    lists: &Lists,
    labels: Vec<Vec<Label>>,
) -> Triage {
    let evidence = Evidence::new(trace, order, model, races, lists);
    judge(&evidence, labels, hints::hints(&evidence), |_| false)
}

/// Like [`triage`], for races that engine `stream` found, in a trace that need not contain other
/// accesses than theirs. It applies the filters that those decide ([`Filter::one_pass`]), and gives no
/// hints.
pub fn triage_in_one_pass(
    trace: &Trace,
    order: &dyn HappensBefore,
    model: &Model,
    races: &Races,
    lists: &Lists,
) -> Triage {
    let mut evidence = Evidence::new(trace, order, model, races, lists);
    let hints = vec![Vec::new(); races.races.len()];
    let labels = filters::labels_in_one_pass(&mut evidence);
    judge(&evidence, labels, hints, Label::hides)
}

/// Like [`triage`], for races whose order is not known: ranks them, without labels or hints.
pub fn rank_unordered(
    trace: &Trace,
    order: &dyn HappensBefore,
    model: &Model,
    races: &Races,
    lists: &Lists,
) -> Triage {
    let none = races.races.len();
    let evidence = Evidence::new(trace, order, model, races, lists);
    judge(&evidence, vec![Vec::new(); none], vec![Vec::new(); none], |_| false)
}

fn judge(
    evidence: &Evidence<'_>,
    labels: Vec<Vec<Label>>,
    hints: Vec<Vec<Given>>,
    hides: fn(Label) -> bool,
) -> Triage {
    let given = labels.into_iter().zip(hints);
    let races = &evidence.races.races;
    let ranking = Ranking::new(evidence);
    let mut verdicts: Vec<Verdict> = races
        .iter()
        .zip(given)
        .map(|(race, (labels, hints))| {
            let mut verdict = Verdict {
                hidden: labels.iter().any(|&label| hides(label)),
                labels,
                hints,
                rank: 0,
                reasons: Vec::new(),
                group: GroupId(0),
                fingerprint: Fingerprint::of(evidence.trace, race),
            };
            verdict.reasons = ranking.reasons(race, &verdict);
            verdict
        })
        .collect();
    let groups = rank_and_group(evidence, &mut verdicts);
    Triage { verdicts, groups }
}

/// Assigns ranks and groups to the races.
fn rank_and_group(evidence: &Evidence<'_>, verdicts: &mut [Verdict]) -> Vec<Group> {
    let races = &evidence.races.races;
    let mut reading: Vec<RaceId> = races.iter().map(|race| race.id).collect();
    reading.sort_by_key(|id| rank::key(&verdicts[id.0 as usize], &races[id.0 as usize]));
    let mut grouping = Grouping::new(evidence);
    let mut groups: Vec<Group> = Vec::new();
    for (rank, &id) in (1..).zip(&reading) {
        let group = grouping.group(&races[id.0 as usize]);
        if group.0 as usize == groups.len() {
            groups.push(Group { id: group, races: Vec::new() });
        }
        groups[group.0 as usize].races.push(id);
        let verdict = &mut verdicts[id.0 as usize];
        (verdict.rank, verdict.group) = (rank, group);
    }
    groups
}
