//! The verdicts of replays, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use replay::{Control, Difference, Differences, Hold, Kind, Plan, Verdict};
use report::model::RaceEntry;
use report::name::printable;
use serde_json::{Value, json};

use super::run::Ran;

/// The longest text of a value that is printed, in characters.
const LONGEST: usize = 120;
/// How many differences of a race are printed.
const SHOWN: usize = 3;

/// A race that was replayed, and what that showed.
pub(super) struct Replayed {
    id: u32,
    fingerprint: String,
    location: String,
    headline: String,
    verdict: Verdict,
    kind: Option<Kind>,
    pair: Option<[String; 2]>,
    held: Option<Hold>,
    differences: Differences,
    masked: usize,
    note: Option<String>,
    /// What the page showed in both orders, as PNG.
    pictures: Option<(Vec<u8>, Vec<u8>)>,
}

impl Replayed {
    /// A race that could not be replayed.
    pub(super) fn untried(race: &RaceEntry, why: &str) -> Self {
        Self {
            id: race.id,
            fingerprint: race.fingerprint.clone(),
            location: race.location.clone(),
            headline: race.headline.clone(),
            verdict: Verdict::Untried,
            kind: None,
            pair: None,
            held: None,
            differences: Differences::default(),
            masked: 0,
            note: Some(why.to_owned()),
            pictures: None,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of a verdict")]
    pub(super) fn new(
        race: &RaceEntry,
        plan: &Plan,
        held: Option<Hold>,
        verdict: Verdict,
        kind: Option<Kind>,
        differences: Differences,
        masked: usize,
        pictures: Option<(Vec<u8>, Vec<u8>)>,
    ) -> Self {
        Self {
            verdict,
            kind,
            pair: Some([plan.first.clone(), plan.second.clone()]),
            held,
            differences,
            masked,
            note: None,
            pictures,
            ..Self::untried(race, "")
        }
    }

    fn text(&self, out: &mut String) {
        let word = self.verdict.name();
        let kind = self.kind.map(|kind| format!(", {}", kind.name())).unwrap_or_default();
        let title = if self.headline.is_empty() { &self.location } else { &self.headline };
        let _ = writeln!(out, "race {}: {word}{kind}: {}", self.id, printable(title));
        if let Some(hold) = &self.held {
            let _ = writeln!(
                out,
                "  held: {} until {} was over",
                printable(&control(&hold.control)),
                printable(&hold.until)
            );
        }
        let Differences { errors, lost, document, requests, storage } = &self.differences;
        let all = errors.iter().map(|one| ("error", one));
        let all = all.chain(lost.iter().map(|one| ("lost", one)));
        let all = all.chain(document.iter().map(|one| ("document", one)));
        let all = all.chain(storage.iter().map(|one| ("state", one)));
        let all = all.chain(requests.iter().map(|one| ("requests", one)));
        for (kind, one) in all.take(SHOWN) {
            let _ = writeln!(out, "  = shown: {}", difference(kind, one));
        }
        let more = self.differences.len().saturating_sub(SHOWN);
        if more > 0 {
            let _ = writeln!(out, "  = and {more} more differences");
        }
        if let Some(note) = self.note.as_ref().filter(|note| !note.is_empty()) {
            let _ = writeln!(out, "  = {}", printable(note));
        }
        out.push('\n');
    }

    fn json(&self) -> Value {
        let list = |list: &[Difference]| {
            let one = |one: &Difference| json!({ "path": one.what, "recorded": one.recorded, "flipped": one.flipped });
            list.iter().map(one).collect::<Vec<_>>()
        };
        let Differences { errors, lost, document, requests, storage } = &self.differences;
        json!({
            "id": self.id, "fingerprint": self.fingerprint, "location": self.location,
            "headline": self.headline,
            "replay": {
                "verdict": self.verdict.name(),
                "kind": self.kind.map(Kind::name),
                "pair": self.pair,
                "held": self.held.as_ref().map(|hold| {
                    json!({ "at": control(&hold.control), "until": hold.until })
                }),
                "diff": {
                    "errors": list(errors), "lost": list(lost), "dom": list(document),
                    "requests": list(requests), "storage": list(storage),
                },
                "masked": self.masked,
                "notes": self.note.iter().filter(|note| !note.is_empty()).collect::<Vec<_>>(),
            },
        })
    }
}

/// All verdicts.
#[derive(Default)]
pub(super) struct Verdicts {
    races: Vec<Replayed>,
    /// Requests of the replays in the recorded order that the recording cannot answer.
    missing: Vec<String>,
}

impl Verdicts {
    pub(super) fn new(recorded: &[Ran]) -> Self {
        let missing = recorded.first().map(|ran| ran.missing.clone()).unwrap_or_default();
        Self { races: Vec::new(), missing }
    }

    pub(super) fn add(&mut self, race: Replayed) {
        self.races.push(race);
    }

    fn count(&self, is_it: impl Fn(Verdict) -> bool) -> usize {
        self.races.iter().filter(|race| is_it(race.verdict)).count()
    }

    /// The exit status.
    pub(super) fn status(&self) -> u8 {
        let undecided =
            |verdict| matches!(verdict, Verdict::Diverged | Verdict::Unstable | Verdict::Untried);
        match () {
            () if self.count(|verdict| verdict == Verdict::Harmful) > 0 => 1,
            () if self.count(undecided) > 0 => 3,
            () => 0,
        }
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let mut races: Vec<_> = self.races.iter().collect();
        races.sort_by_key(|race| (race.verdict, race.kind));
        for race in races {
            race.text(&mut out);
        }
        if let Some(first) = self.missing.first() {
            let _ = writeln!(
                out,
                "note: the recording has no answer to {} (and {} more); replays are approximate",
                printable(first),
                self.missing.len() - 1
            );
        }
        let counts = Verdict::ALL.map(|verdict| (self.count(|one| one == verdict), verdict.name()));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts.map(|(count, word)| format!("{count} {word}")).collect();
        let counts = if counts.is_empty() { "no open race".to_owned() } else { counts.join(", ") };
        let _ = writeln!(out, "replayed: {counts}");
        out
    }

    pub(super) fn json(&self, path: &Path) -> Value {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for race in &self.races {
            *counts.entry(race.verdict.name()).or_default() += 1;
        }
        let races: Vec<_> = self.races.iter().map(Replayed::json).collect();
        json!({
            "schema": "interloper-replay/1",
            "recording": path.display().to_string(),
            "summary": { "replay": counts },
            "missing": self.missing,
            "races": races,
        })
    }

    /// Writes the pictures of the races that were shown to be harmful.
    pub(super) fn draw(&self, folder: &Path) -> Result<()> {
        let place = || format!("cannot write to {}", folder.display());
        fs::create_dir_all(folder).with_context(place)?;
        for race in &self.races {
            let Some((recorded, flipped)) = &race.pictures else { continue };
            for (name, picture) in [("recorded", recorded), ("flipped", flipped)] {
                let file = folder.join(format!("{}-{name}.png", race.id));
                fs::write(file, picture).with_context(place)?;
            }
        }
        Ok(())
    }
}

/// What is held, in words.
fn control(control: &Control) -> String {
    match control {
        Control::Answer { method, url, nth } if *nth == 0 => {
            format!("the answer to {method} {url}")
        }
        Control::Answer { method, url, nth } => {
            format!("answer {} to {method} {url}", nth + 1)
        }
        Control::Inline { document, nth } => format!("inline script {} of {document}", nth + 1),
        Control::Task(path) => path.clone(),
        Control::Step(step) => format!("step {}", step + 1),
    }
}

fn difference(kind: &str, one: &Difference) -> String {
    let value = |value: &Option<String>| match value {
        Some(text) => {
            let cut: String = text.chars().take(LONGEST).collect();
            let dots = if cut.len() < text.len() { "…" } else { "" };
            format!("\"{}{dots}\"", printable(&cut))
        }
        None => "nothing".to_owned(),
    };
    let what = printable(&one.what);
    match (kind, &one.recorded) {
        ("error", None) => format!("the error {what}"),
        ("error", Some(_)) => format!("the error {what}, in the recorded order"),
        ("lost", _) => {
            let (recorded, flipped) = (value(&one.recorded), value(&one.flipped));
            format!("lost: {what}: {recorded} in the recorded order, {flipped} in the other")
        }
        _ => {
            let (recorded, flipped) = (value(&one.recorded), value(&one.flipped));
            format!("{what}: {recorded} in the recorded order, {flipped} in the other")
        }
    }
}
