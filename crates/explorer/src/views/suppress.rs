//! A suppression for a race: its keys, and the races that it matches.

use report::model::RaceEntry;
use report::suppress::{Matcher, Pattern};
use serde::Serialize;

use crate::session::Run;
use crate::views::events::RaceLink;

/// A suppression that the page shows, to copy into the configuration.
#[derive(Serialize)]
pub(crate) struct SuppressionView {
    /// The keys that the race has, each with its value.
    keys: Vec<Key>,
    /// The lines of the chosen keys, in TOML.
    lines: Vec<String>,
    /// How many races match all chosen keys, and some of them.
    count: usize,
    races: Vec<RaceLink>,
}

/// A key of a suppression.
#[derive(Serialize)]
struct Key {
    name: &'static str,
    value: String,
    chosen: bool,
}

/// The largest number of races in an answer.
const MOST: usize = 100;

/// Returns the suppression of a race by some keys, of which at least one must be a key of the race.
pub(crate) fn view(run: &Run, number: u32, chosen: &[&str]) -> Option<SuppressionView> {
    let races = &run.report.races;
    let race = run.with_id(number)?;
    let keys: Vec<Key> = values(race)
        .into_iter()
        .map(|(name, value)| Key { name, value, chosen: chosen.contains(&name) })
        .collect();
    let matcher = matcher(&keys);
    if matcher.is_empty() {
        return None;
    }
    // A fingerprint leaves few races to look at.
    let is_chosen = |key: &Key| key.chosen && key.name == "fingerprint";
    let found: Vec<&RaceEntry> = if keys.iter().any(is_chosen) {
        run.alike(&race.fingerprint).filter(|race| matcher.matches(race)).collect()
    } else {
        races.iter().filter(|race| matcher.matches(race)).collect()
    };
    let line = |key: &Key| format!("{} = {}", key.name, toml(&key.value));
    Some(SuppressionView {
        lines: keys.iter().filter(|key| key.chosen).map(line).collect(),
        count: found.len(),
        races: found.iter().take(MOST).map(|race| RaceLink::new(run, race)).collect(),
        keys,
    })
}

/// Returns the keys of a race with their values: of function, file and event those of the first access that has one.
fn values(race: &RaceEntry) -> Vec<(&'static str, String)> {
    let sides = [&race.first, &race.second];
    let function = sides.iter().find_map(|side| side.stack.first()).map(|frame| &frame.function);
    let file = sides.iter().find_map(|side| side.source.as_ref()).map(|source| &source.file);
    let event = sides.iter().find_map(|side| side.event.as_ref());
    [
        ("location", Some(&race.location)),
        ("function", function),
        ("file", file),
        ("event", event),
        ("fingerprint", Some(&race.fingerprint)),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?.clone())))
    .collect()
}

fn matcher(keys: &[Key]) -> Matcher {
    let value = |name| keys.iter().find(|key| key.chosen && key.name == name).map(|key| &key.value);
    let pattern = |name| value(name).map(Pattern::new);
    Matcher {
        location: pattern("location"),
        function: pattern("function"),
        file: pattern("file"),
        event: pattern("event"),
        fingerprint: value("fingerprint").cloned(),
    }
}

/// Returns text as a string of TOML.
fn toml(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("a string");
    // JSON lets the character delete stand, TOML does not.
    quoted.replace('\u{7f}', "\\u007f")
}
