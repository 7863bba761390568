//! Merges the reports on several recordings of one program, such as one for each test class.
//!
//! Races with equal fingerprints are one race. The first recording in which the race has its best
//! standing shows it. Groups that share a race are one group. Ranks keep the order within each
//! report: the first races of all reports come first. Everything that has a place in a recording
//! names it.
//!
//! The cost is linear in the number of races, up to sorting.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{GroupEntry, RaceEntry, Report, Summary, Word};

impl Report {
    /// Merges the reports on several recordings, each with the name of its file. Returns `None` if
    /// there are none. The reports must be of one model, and no suppression or baseline may have
    /// been applied.
    pub fn merge(reports: Vec<(String, Report)>) -> Option<Report> {
        let mut merged = Merged::default();
        let mut whole: Option<Report> = None;
        for (name, mut report) in reports {
            merged.add(&name, std::mem::take(&mut report.races));
            for diagnostic in &mut report.diagnostics {
                diagnostic.at = format!("{name}: {}", diagnostic.at);
            }
            if let Some(loss) = &mut report.input.loss {
                loss.at = format!("{name}: {}", loss.at);
            }
            match &mut whole {
                None => whole = Some(report),
                Some(whole) => whole.absorb(report),
            }
        }
        let mut whole = whole?;
        (whole.races, whole.groups) = merged.finish();
        whole.summary = summary(&whole.races, whole.groups.len(), whole.summary.pairs);
        whole.recount();
        Some(whole)
    }

    /// Adds the counts and diagnostics of another recording.
    fn absorb(&mut self, other: Report) {
        let (sum, more) = (&mut self.trace, &other.trace);
        sum.operations += more.operations;
        sum.events += more.events;
        sum.threads += more.threads;
        sum.locations += more.locations;
        sum.accesses += more.accesses;
        self.summary.pairs += other.summary.pairs;
        self.diagnostics.extend(other.diagnostics);
        let is_worse = (!other.input.judged, other.input.loss.is_some())
            > (!self.input.judged, self.input.loss.is_some());
        if is_worse {
            self.input = other.input;
        }
    }
}

/// The races and groups so far. Ids are positions.
#[derive(Default)]
struct Merged {
    races: Vec<RaceEntry>,
    ids: BTreeMap<String, u32>,
    /// For each group, the group that it was united with, or itself.
    united: Vec<u32>,
}

impl Merged {
    fn add(&mut self, recording: &str, races: Vec<RaceEntry>) {
        let mut groups: BTreeMap<u32, u32> = BTreeMap::new();
        let mut new_ids: BTreeMap<u32, u32> = BTreeMap::new();
        let mut added: Vec<u32> = Vec::new();
        for mut race in races {
            let known = self.ids.get(&race.fingerprint).copied();
            let group = match (known, groups.get(&race.group).copied()) {
                (None, None) => self.new_group(),
                (None, Some(group)) => group,
                (Some(id), None) => self.races[id as usize].group,
                (Some(id), Some(group)) => self.unite(self.races[id as usize].group, group),
            };
            groups.insert(race.group, group);
            let id = known.unwrap_or(u32::try_from(self.races.len()).expect("fewer races"));
            new_ids.insert(race.id, id);
            race.group = group;
            race.id = id;
            race.recording = Some(recording.to_owned());
            match known {
                None => {
                    self.ids.insert(race.fingerprint.clone(), id);
                    self.races.push(race);
                    added.push(id);
                }
                Some(id) if race.standing() < self.races[id as usize].standing() => {
                    self.races[id as usize] = race;
                    added.push(id);
                }
                Some(_) => {}
            }
        }
        for id in added {
            let covered_by = &mut self.races[id as usize].covered_by;
            for cover in covered_by.iter_mut() {
                *cover = new_ids.get(cover).copied().unwrap_or(id);
            }
        }
    }

    fn new_group(&mut self) -> u32 {
        let group = u32::try_from(self.united.len()).expect("fewer groups than races");
        self.united.push(group);
        group
    }

    fn root(&self, mut group: u32) -> u32 {
        while self.united[group as usize] != group {
            group = self.united[group as usize];
        }
        group
    }

    /// Makes one group of two, and returns it: the older one.
    fn unite(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.root(a), self.root(b));
        let (older, newer) = (a.min(b), a.max(b));
        self.united[newer as usize] = older;
        older
    }

    /// Returns the races with their ranks, and the groups by rank.
    fn finish(mut self) -> (Vec<RaceEntry>, Vec<GroupEntry>) {
        let mut by_rank: Vec<usize> = (0..self.races.len()).collect();
        by_rank.sort_by_key(|&id| (self.races[id].standing(), self.races[id].rank, id));
        let mut groups: Vec<GroupEntry> = Vec::new();
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        for (rank, id) in by_rank.into_iter().enumerate() {
            let root = self.root(self.races[id].group);
            let race = &mut self.races[id];
            race.rank = u32::try_from(rank + 1).expect("fewer races");
            let number = *numbers.entry(root).or_insert_with(|| {
                let id = u32::try_from(groups.len()).expect("fewer groups than races");
                let title = format!("{} race on {}", race.class, race.location);
                let races = Vec::new();
                groups.push(GroupEntry {
                    id,
                    title,
                    rank: id + 1,
                    races,
                    left_out: 0,
                    replay: None,
                });
                id
            });
            race.group = number;
            groups[number as usize].races.push(race.id);
        }
        (self.races, groups)
    }
}

/// Counts over merged races.
fn summary(races: &[RaceEntry], groups: usize, pairs: usize) -> Summary {
    let mut counts = Summary { pairs, races: races.len(), groups, ..Summary::default() };
    let mut classes: BTreeMap<Word, BTreeSet<&str>> = BTreeMap::new();
    let mut uncovered = BTreeSet::new();
    for race in races {
        classes.entry(race.class.clone()).or_default().insert(&race.location);
        for label in &race.labels {
            *counts.labels.entry(label.clone()).or_insert(0) += 1;
        }
        for label in race.hiding_labels() {
            *counts.hidden.entry(label.name().into()).or_insert(0) += 1;
        }
        if !race.covered && !race.is_lock_protected() {
            counts.uncovered_races += 1;
            uncovered.insert(race.location.as_str());
        }
    }
    counts.uncovered_locations = uncovered.len();
    counts.locations = races.iter().map(|race| &race.location).collect::<BTreeSet<_>>().len();
    counts.classes = classes.into_iter().map(|(class, all)| (class, all.len())).collect();
    counts
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use analysis::{Request, Source};

    use super::*;

    fn report(notation: &str) -> Report {
        let text = format!("interloper-trace 1\nmodel android\n{notation}");
        let lists = triage::Lists::builtin();
        let source = Source::pipe(text.as_bytes(), None);
        let analysis = analysis::run(source, &Request::new(&lists), &|_| ControlFlow::Continue(()));
        Report::of(&analysis.expect("a trace"))
    }

    fn merged(traces: &[&str]) -> Report {
        let named = |(at, trace): (usize, &&str)| (format!("{at}.ilt"), report(trace));
        Report::merge(traces.iter().enumerate().map(named).collect()).expect("some")
    }

    const X: &str = "a enter f\na write x\nb enter g\nb write x\n";
    const Y: &str = "a enter f\na write y\nb enter h\nb read y\n";

    #[test]
    fn nothing_has_no_report() {
        assert!(Report::merge(Vec::new()).is_none());
    }

    #[test]
    fn equal_races_are_one_and_new_ones_are_added() {
        let report = merged(&[X, X, &[Y, X].concat()]);
        let shown: Vec<_> =
            report.races.iter().map(|r| (r.location.as_str(), r.recording.as_deref())).collect();
        assert_eq!(shown, [("x", Some("0.ilt")), ("y", Some("2.ilt"))]);
        assert_eq!((report.summary.races, report.summary.open_races), (2, 2));
        assert_eq!(report.trace.operations, 4 + 4 + 8);
        let ranks: Vec<u32> = report.races.iter().map(|r| r.rank).collect();
        assert_eq!(ranks, [1, 2]);
    }

    #[test]
    fn ids_groups_and_ranks_are_consistent() {
        let report = merged(&[Y, X, &[X, Y].concat()]);
        for (at, race) in report.races.iter().enumerate() {
            assert_eq!(race.id as usize, at);
            let group = &report.groups[race.group as usize];
            assert!(group.races.contains(&race.id));
        }
        let listed: usize = report.groups.iter().map(|group| group.races.len()).sum();
        assert_eq!(listed, report.races.len());
    }

    #[test]
    fn the_recording_with_the_best_standing_shows_a_race() {
        let locked = "a enter f\na lock l\na write x\na unlock l\n\
                      b enter g\nb lock l\nb write x\nb unlock l\n";
        let report = merged(&[locked, X]);
        assert_eq!(report.races.len(), 1);
        assert_eq!(report.races[0].recording.as_deref(), Some("1.ilt"));
        assert_eq!(report.summary.open_races, 1);
    }
}
