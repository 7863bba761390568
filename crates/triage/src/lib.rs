//! Which races to read first: labels, fingerprints, groups and ranks.
//!
//! Triage labels and ranks; it never deletes. What a label hides by default is still in the report
//! and counted.

mod fingerprint;
mod label;

pub use fingerprint::Fingerprint;
pub use label::Label;

use races::{Race, RaceId, Races};
use trace::Trace;

/// What triage says about one race.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Everything that makes it likely harmless or likely harmful.
    pub labels: Vec<Label>,
    /// Its place in the order of reading; 1 is first.
    pub rank: u32,
    /// The group it belongs to.
    pub group: GroupId,
    /// What stays equal when the same race shows up in another recording.
    pub fingerprint: Fingerprint,
}

impl Verdict {
    /// Whether a label takes the race out of what is shown by default.
    pub fn is_hidden(&self) -> bool {
        self.labels.iter().any(|l| l.hides())
    }
}

/// A group: its position in the list of groups, which is by rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

/// Races with one fingerprint: the same two pieces of code and the same kind of location.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its number.
    pub id: GroupId,
    /// Its races, by rank.
    pub races: Vec<RaceId>,
}

/// The verdicts on all races, by race id, and the groups, by rank.
pub struct Triage {
    /// One verdict for each race.
    pub verdicts: Vec<Verdict>,
    /// The groups; the first is to be read first.
    pub groups: Vec<Group>,
}

/// Judges the races of `trace`.
pub fn triage(trace: &Trace, races: &Races) -> Triage {
    rank(trace, races, races.races.iter().map(Label::all_of).collect())
}

/// Ranks and groups the races of `trace`, which have these labels.
pub fn rank(trace: &Trace, races: &Races, labels: Vec<Vec<Label>>) -> Triage {
    let mut verdicts: Vec<Verdict> = races
        .races
        .iter()
        .zip(labels)
        .map(|(race, labels)| Verdict {
            labels,
            rank: 0,
            group: GroupId(0),
            fingerprint: Fingerprint::of(trace, race),
        })
        .collect();
    let mut reading: Vec<&Race> = races.races.iter().collect();
    reading.sort_by_key(|race| {
        let hidden = verdicts[race.id.0 as usize].is_hidden();
        (hidden, race.is_covered(), race.id)
    });
    let mut groups: Vec<Group> = Vec::new();
    let mut known: std::collections::HashMap<Fingerprint, GroupId> =
        std::collections::HashMap::new();
    for (i, race) in reading.iter().enumerate() {
        let verdict = &mut verdicts[race.id.0 as usize];
        verdict.rank = i as u32 + 1;
        verdict.group = *known.entry(verdict.fingerprint).or_insert_with(|| {
            let id = GroupId(groups.len() as u32);
            groups.push(Group { id, races: Vec::new() });
            id
        });
        groups[verdict.group.0 as usize].races.push(race.id);
    }
    Triage { verdicts, groups }
}
