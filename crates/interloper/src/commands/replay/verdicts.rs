//! The verdicts of replays, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use replay::Verdict;
use report::Report;
use report::model::RaceEntry;
use report::name::printable;
use report::replay::ReplayEntry;
use serde_json::{Value, json};

use super::playwright::Shown;
use crate::replays::Found;

/// The races that were replayed, each with its evidence, those that are read first in front.
pub(super) struct Verdicts<'r> {
    races: Vec<(&'r RaceEntry, &'r ReplayEntry)>,
    found: &'r Found,
}

impl<'r> Verdicts<'r> {
    pub(super) fn new(report: &'r Report, found: &'r Found) -> Self {
        let race = |id: &u32| {
            let at = report.races.binary_search_by_key(id, |race| race.id).ok()?;
            Some((&report.races[at], found.evidence.get(id)?))
        };
        let mut races: Vec<_> = found.replayed.iter().filter_map(race).collect();
        races.sort_by_key(|(_, replay)| replay.place());
        Self { races, found }
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.races.iter().filter(|(_, replay)| replay.verdict == verdict.name()).count()
    }

    /// The races that were shown to be harmful by holding something, the worst first.
    pub(super) fn shown(&self) -> Vec<Shown<'_>> {
        let shown = self.races.iter().filter_map(|(race, replay)| {
            let harm = self.found.harms.get(&race.id)?;
            let title = if race.headline.is_empty() { &race.location } else { &race.headline };
            Some(Shown {
                race: race.id,
                fingerprint: &race.fingerprint,
                location: &race.location,
                headline: title,
                harm: replay.lines().into_iter().nth(1)?,
                hold: &harm.hold,
                differences: &harm.differences,
            })
        });
        shown.collect()
    }

    /// The exit status.
    pub(super) fn status(&self) -> u8 {
        let undecided = [Verdict::Diverged, Verdict::Unstable, Verdict::Untried];
        match () {
            () if self.count(Verdict::Harmful) > 0 => 1,
            () if undecided.iter().any(|&verdict| self.count(verdict) > 0) => 3,
            () => 0,
        }
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for (race, replay) in &self.races {
            let title = if race.headline.is_empty() { &race.location } else { &race.headline };
            let mut lines = replay.lines().into_iter();
            let verdict = lines.next().unwrap_or_default();
            let _ = writeln!(out, "race {}: {verdict}: {}", race.id, printable(title));
            for line in lines {
                let _ = writeln!(out, "  = {line}");
            }
            out.push('\n');
        }
        if let Some(first) = self.found.missing.first() {
            let _ = writeln!(
                out,
                "note: the recording has no answer to {} (and {} more); replays are approximate",
                printable(first),
                self.found.missing.len() - 1
            );
        }
        let counts = Verdict::ALL.map(|verdict| (self.count(verdict), verdict.name()));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts.map(|(count, word)| format!("{count} {word}")).collect();
        let counts = if counts.is_empty() { "no open race".to_owned() } else { counts.join(", ") };
        let _ = writeln!(out, "replayed: {counts}");
        out
    }

    pub(super) fn json(&self, path: &Path) -> Value {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, replay) in &self.races {
            *counts.entry(&replay.verdict).or_default() += 1;
        }
        let race = |(race, replay): &(&RaceEntry, &ReplayEntry)| {
            json!({
                "id": race.id, "fingerprint": race.fingerprint, "location": race.location,
                "headline": race.headline, "replay": replay,
            })
        };
        json!({
            "schema": "interloper-replay/1",
            "recording": path.display().to_string(),
            "summary": { "replay": counts },
            "missing": self.found.missing,
            "races": self.races.iter().map(race).collect::<Vec<_>>(),
        })
    }
}
