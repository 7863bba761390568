//! Reproduces the original EventRacer's verdicts on one of its logs literally: its races under its
//! ids, its coverage, its tags as labels, its levels.
//!
//! Labels apply to the location, so every race of the location has them, covered or not. An
//! initialisation race counts as one even if a tag marks the location as harmless.

use std::collections::BTreeMap;

use eventracer::Analysis;
use eventracer::compat::RaceState;
use eventracer::connectivity::ChainDecomposition;
use eventracer::import::Origin;
use eventracer::levels::{Level, Verdict};
use eventracer::tags::Tag;
use races::{Class, Race, RaceId, Races};
use trace::Trace;
use triage::Label;

/// The original's verdicts.
pub(crate) struct EventRacer {
    pub(crate) races: Races,
    /// The labels of each race.
    pub(crate) labels: Vec<Vec<Label>>,
    /// The number of locations at each level or above, by the number of the level.
    pub(crate) levels: BTreeMap<&'static str, usize>,
}

impl EventRacer {
    /// Analyses the log from which `trace` was imported, as the original does.
    pub(crate) fn new(trace: &Trace, origin: &Origin) -> Self {
        let order = ChainDecomposition::new(&origin.prepared.graph);
        let analysis = Analysis::new(&origin.prepared, &order);
        let found = analysis.detection.races.iter().zip(&analysis.coverage.states);
        let races: Vec<Race> = (0..)
            .zip(found)
            .map(|(id, (race, state))| {
                let (first, second) = (origin.position(race.first), origin.position(race.second));
                let access = trace.op(first).access();
                Race {
                    id: RaceId(id),
                    location: access.expect("a race is between accesses").0,
                    first,
                    second,
                    class: Class::of_kinds(trace, first, second),
                    lock_protected: false,
                    separately_locked: false,
                    covered_by: covered_by(state),
                }
            })
            .collect();
        let mut labels = vec![Vec::new(); races.len()];
        for verdict in &analysis.verdicts {
            for race in &verdict.races {
                labels[race.index()] = labels_of(verdict);
            }
        }
        let level = |(name, level)| (name, analysis.count_from(level));
        let levels = [
            ("2", Level::Covered),
            ("3", Level::Tagged),
            ("4", Level::Normal),
            ("5", Level::HighRisk),
        ];
        let levels = levels.into_iter().map(level).collect();
        Self { races: Races { pairs: races.len(), races }, labels, levels }
    }
}

fn covered_by(state: &RaceState) -> Vec<RaceId> {
    let id = |by: &eventracer::ids::RaceId| RaceId(by.index() as u32);
    match state {
        RaceState::Uncovered => Vec::new(),
        RaceState::Covered(by) => vec![id(by)],
        RaceState::MultiCovered(path) => path.iter().map(id).collect(),
    }
}

fn labels_of(verdict: &Verdict) -> Vec<Label> {
    let tags = verdict.tags.iter().map(|tag| match tag {
        Tag::WriteSameValue => Label::SameValue,
        Tag::OnlyLocalWrite => Label::OnlyLocalReads,
        Tag::LateEventAttach | Tag::NoEventAttached => Label::LateHandler,
        Tag::MaybeLazyInit => Label::LazyInit,
        Tag::RaceWithUnload => Label::Unload,
        Tag::CookieOrClassname => Label::Commuting,
    });
    let mut labels: Vec<Label> = tags
        .chain(verdict.initialization.then_some(Label::Uninitialised))
        .chain(verdict.network.then_some(Label::Readystate))
        .collect();
    labels.sort_unstable();
    labels
}
