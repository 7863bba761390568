//! Phrases about a race, which all formats for people share.
//!
//! All text is [`printable`]: one line, of bounded length, without control characters. Each format
//! still escapes it in its own way.

use std::collections::BTreeMap;
use std::fmt::Write;

use codec::Extent;
use order::Model;
use triage::Label;

use crate::event::{Platform, noun};
use crate::model::{
    AccessEntry, CauseEntry, FrameEntry, HintEntry, KnownRace, RaceEntry, Report, SourceEntry,
};
use crate::name::{middle, printable};
use crate::replay::Evidence;
use crate::standing::{Problem, Standing};

/// Returns the kinds of the two accesses.
pub(crate) fn kinds(race: &RaceEntry) -> &'static str {
    match (&*race.first.kind, &*race.second.kind) {
        ("write", "write") => "two writes",
        ("write", _) => "a write and a read",
        _ => "a read and a write",
    }
}

/// Returns the title of a race.
pub(crate) fn title(race: &RaceEntry) -> String {
    if !race.headline.is_empty() {
        return race.headline.clone();
    }
    let kinds = kinds(race);
    format!("{kinds} of {} may come in either order", printable(&race.location))
}

/// Describes an access: what it does, in which event, and on which thread if there are several.
pub(crate) fn access(access: &AccessEntry, wording: Wording) -> String {
    let mut out = access.kind.to_string();
    if let Some(value) = &access.value {
        let _ = write!(out, " of {}", printable(value));
    }
    if let Some(event) = &access.event {
        let event = wording.noun(access.event_type.as_deref(), event);
        let _ = write!(out, " in {event}");
    }
    if wording.names_threads {
        let _ = write!(out, " on thread {}", printable(&access.thread));
    }
    out
}

/// The properties of a report that affect its wording.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wording {
    /// Whether accesses and posts name their thread: only if the trace has several threads.
    pub(crate) names_threads: bool,
    platform: Platform,
}

impl Wording {
    pub(crate) fn of(report: &Report) -> Self {
        let is_page = Model::named(report.model.as_bytes()).is_some_and(|model| model.in_browser);
        let platform = if is_page { Platform::Page } else { Platform::Other };
        Self { names_threads: report.trace.threads > 1, platform }
    }

    /// Returns the noun phrase for an event, printable.
    fn noun(self, kind: Option<&str>, name: &str) -> String {
        noun(self.platform, kind.map(printable).as_deref(), &printable(name))
    }
}

/// Describes an access and its causes, in a few lines.
pub(crate) fn access_in_full(entry: &AccessEntry, wording: Wording) -> String {
    let mut out = access(entry, wording);
    if let Some(source) = &entry.source {
        let _ = write!(out, "\nat     {}", position(source));
    }
    for (i, frame) in entry.stack.iter().enumerate() {
        let head = if i == 0 { "stack  " } else { "       " };
        let _ = write!(out, "\n{head}{}", stack_frame(frame));
    }
    // Everything in a page starts with its HTML, so a chain with another cause does not end with
    // that.
    let is_start =
        |cause: &CauseEntry| cause.op.is_none() && cause.of_type.as_deref() == Some("parse");
    let links = match entry.causes.as_slice() {
        [links @ .., last] if !links.is_empty() && is_start(last) => links,
        links => links,
    };
    for (i, cause) in links.iter().enumerate() {
        let head = if i == 0 { "from   " } else { "       " };
        let _ = write!(out, "\n{head}{}", cause_line(cause, wording));
    }
    out
}

/// Returns everything known about a race, as plain text of several lines.
pub(crate) fn evidence(race: &RaceEntry, wording: Wording) -> String {
    let mut out = String::new();
    let mut parts = vec![
        ("first", access_in_full(&race.first, wording)),
        ("second", access_in_full(&race.second, wording)),
        ("why", sentence(&race.why)),
    ];
    parts.extend(replay(race));
    parts.extend(race.hints.iter().map(|given| ("hint", hint(given))));
    parts.push(("rank", rank(race)));
    for (name, text) in parts {
        for (i, line) in text.lines().enumerate() {
            let _ = writeln!(out, "{:<8}{line}", if i == 0 { name } else { "" });
        }
    }
    out
}

/// Returns what replays have shown of a race, with the word that introduces it.
pub(crate) fn replay(race: &RaceEntry) -> Option<(&'static str, String)> {
    let replay = race.replay.as_ref()?;
    let name = if replay.is_harmful() { "shown" } else { "replay" };
    Some((name, replay.lines().join("\n")))
}

/// Returns what replays have shown of all races, in a sentence.
pub(crate) fn evidence_of_replays(report: &Report) -> Option<String> {
    let Evidence { shown, undecided, set_aside } = report.evidence()?;
    let shown = count(shown, "race");
    Some(format!("{shown} shown harmful, {undecided} undecided, {set_aside} set aside."))
}

/// Returns a hint with its name.
pub(crate) fn hint(hint: &HintEntry) -> String {
    sentence(&format!("{}: {}", hint.kind, hint.message))
}

/// Returns the rank of a race with its reasons.
pub(crate) fn rank(race: &RaceEntry) -> String {
    let reasons: Vec<String> = race.rank_reasons.iter().map(|reason| printable(reason)).collect();
    if reasons.is_empty() {
        return race.rank.to_string();
    }
    format!("{}: {}", race.rank, reasons.join(", "))
}

/// Describes a frame of a call stack.
pub(crate) fn stack_frame(frame: &FrameEntry) -> String {
    let mut out = printable(&frame.function);
    if let Some(source) = &frame.source {
        let _ = write!(out, " at {}", position(source));
    }
    if frame.kind.as_deref() == Some("framework") {
        out.push_str(" [framework]");
    }
    out
}

/// Describes the cause of an event or a thread, with its position in the source.
pub(crate) fn cause_line(cause: &CauseEntry, wording: Wording) -> String {
    let mut out = self::cause(cause, wording);
    if let Some(source) = &cause.source {
        let _ = write!(out, " at {}", position(source));
    }
    out
}

/// Describes the cause of an event or a thread.
pub(crate) fn cause(cause: &CauseEntry, wording: Wording) -> String {
    let kind = cause.of_type.as_deref();
    let within = cause.event_type.as_deref();
    let is_page = wording.platform == Platform::Page;
    let (of, event) = ends_of(cause, wording);
    let (Some(_), Some(thread)) = (cause.op, &cause.thread) else {
        return format!("{of}, {}", without_post(kind.filter(|_| is_page)));
    };
    if is_page && cause.posting.as_deref() == Some("input") {
        return format!("{of}, by the user");
    }
    if is_page && (kind, within) == (Some("script"), Some("parse")) {
        return format!("{of}, from the page's own HTML");
    }
    let is_same_event = cause.event.as_ref() == Some(&cause.of);
    if is_page && is_same_event && within == Some("response") {
        return format!("{of}, its body read");
    }
    let verb = verb(cause, wording);
    let mut out = format!("{of}, {verb}");
    if let Some(event) = event {
        let _ = write!(out, " in {event}");
    }
    if wording.names_threads {
        let _ = write!(out, " on thread {}", printable(thread));
    }
    if let Some(posting) = cause.posting.as_deref().filter(|&p| p != "delay=0") {
        let _ = write!(out, " [{}]", printable(posting));
    }
    out
}

/// Returns the participle for how an event or a thread came about, such as `requested` or `set`.
pub(crate) fn verb(cause: &CauseEntry, wording: Wording) -> &'static str {
    let is_page = wording.platform == Platform::Page;
    match cause.of_type.as_deref().filter(|_| is_page) {
        _ if cause.kind == "fork" => "forked",
        Some("response" | "frame" | "idle") => "requested",
        Some("timer") => "set",
        Some("script") => "inserted",
        Some("message") => "sent",
        _ => "posted",
    }
}

/// Returns the noun phrase for what a cause brought about, and the one for the event in which that happened.
pub(crate) fn ends_of(cause: &CauseEntry, wording: Wording) -> (String, Option<String>) {
    let of = match &*cause.kind {
        "fork" => format!("thread {}", printable(&cause.of)),
        _ => wording.noun(cause.of_type.as_deref(), &cause.of),
    };
    let within = cause.event.as_ref();
    (of, within.map(|event| wording.noun(cause.event_type.as_deref(), event)))
}

/// Describes the cause of an event of type `kind` whose post the trace does not contain.
fn without_post(kind: Option<&str>) -> &'static str {
    match kind {
        Some("parse") => "from the page's own HTML",
        Some("script") => "run by the HTML parser",
        Some("document" | "DOMContentLoaded" | "load" | "error") => "dispatched by the browser",
        _ => "whose post the trace does not contain",
    }
}

/// The largest number of characters of a path in text for people.
const LONGEST_PATH: usize = 100;

/// Returns a position in a source file.
pub(crate) fn position(source: &SourceEntry) -> String {
    let column = source.column.map_or_else(String::new, |c| format!(":{c}"));
    format!("{}:{}{column}", middle(&source.file, LONGEST_PATH), source.line)
}

/// Returns a sentence of the product with names from the trace in it, on one line of any length.
pub(crate) fn one_line(sentence: &str) -> String {
    sentence.split(' ').map(printable).collect::<Vec<_>>().join(" ")
}

/// Returns a sentence of the product with names from the trace in it, wrapped at moderate length.
pub(crate) fn sentence(sentence: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in sentence.split(' ').map(printable) {
        let length = word.chars().count();
        if width > 0 {
            let breaks = width + 1 + length > WRAP;
            out.push(if breaks { '\n' } else { ' ' });
            width = if breaks { 0 } else { width + 1 };
        }
        out.push_str(&word);
        width += length;
    }
    out
}

/// The column at which sentences are wrapped.
const WRAP: usize = 84;

/// Returns a number with its noun, in the singular or plural.
pub(crate) fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Returns a race as baselines and comparisons keep it. Nothing in it changes when lines move.
pub(crate) fn known(race: &RaceEntry) -> KnownRace {
    let title = format!("{} race on {}", printable(&race.class), printable(&race.location));
    KnownRace { fingerprint: race.fingerprint.clone(), title }
}

/// Returns the conclusion of a report, in a sentence.
pub(crate) fn conclusion(report: &Report, open: &[Problem<'_>]) -> String {
    let s = &report.summary;
    let races = count(s.races, "race");
    let locations = count(s.locations, "location");
    let found = if s.races == 0 {
        "No races".to_owned()
    } else if open.is_empty() {
        format!("Nothing to read: no open races, out of {races} on {locations}")
    } else {
        let open_races = count(s.open_races, "open race");
        let groups = count(open.len(), "group");
        format!("{open_races} in {groups}, out of {races} on {locations}")
    };
    match report.caveat() {
        None => format!("{found}."),
        Some(_) if report.input.completeness == Extent::Nothing => {
            let verdict = if report.input.judged { "" } else { "No verdict. " };
            format!("{verdict}No operation could be read.")
        }
        Some(caveat) if caveat.is_error => format!("No verdict. {found} in what could be read."),
        Some(_) => format!("{found} in what could be read."),
    }
}

/// Returns the number of other races of a group and how many of them are open, if there are others.
pub(crate) fn others(report: &Report, problem: &Problem<'_>) -> Option<String> {
    let is_other = |race: &&RaceEntry| race.id != problem.lead.id;
    let others = report.races_of(problem.group).filter(is_other).count() + problem.group.left_out;
    let open =
        report.races_of(problem.group).filter(is_other).filter(|race| race.is_open()).count();
    let id = problem.group.id;
    (others > 0).then(|| format!("{} in group {id}, {open} open", count(others, "more race")))
}

/// States how many open groups a format for people leaves out.
pub(crate) fn left_out(left_out: usize) -> String {
    format!("{} with open races", count(left_out, "more group"))
}

/// Returns the reasons why races are not open, each with the number of races. A race counts under
/// the reason of its [`Standing`]. A race that several labels hide counts under each of them,
/// because each `--show` shows it.
pub(crate) fn set_aside(report: &Report) -> Vec<String> {
    let (mut covered, mut hidden, mut baselined, mut suppressed) = (0, 0, 0, 0);
    let mut labelled: BTreeMap<Label, usize> = BTreeMap::new();
    for race in &report.races {
        match race.standing() {
            Standing::Open => {}
            Standing::Covered => covered += 1,
            Standing::Hidden => {
                hidden += 1;
                for label in race.hiding_labels() {
                    *labelled.entry(label).or_default() += 1;
                }
            }
            Standing::Baselined => baselined += 1,
            Standing::Suppressed => suppressed += 1,
        }
    }
    let mut lines = Vec::new();
    if covered > 0 {
        lines.push(format!("{covered} covered by other races"));
    }
    if hidden > 0 {
        let labels = labelled.iter().map(|(label, n)| format!("{} {n}", label.name()));
        let labels = labels.collect::<Vec<_>>().join(", ");
        lines.push(format!("{hidden} hidden by labels ({labels}), shown by --show LABEL"));
    }
    if suppressed > 0 {
        lines.push(format!("{suppressed} suppressed"));
    }
    if baselined > 0 {
        lines.push(format!("{baselined} known from the baseline"));
    }
    let s = &report.summary;
    if s.pairs > s.races {
        lines.push(format!("{} further pairs counted but not listed", s.pairs - s.races));
    }
    lines
}

/// Returns the problems with suppressions and the baseline, and what to do about them.
pub(crate) fn upkeep(report: &Report) -> Vec<String> {
    let suppressions = report.suppressions.iter().filter(|s| s.state != "used").map(|s| {
        let origin = printable(&s.origin);
        let matches = printable(&s.matches);
        match s.expires.as_deref().filter(|_| s.state == "expired") {
            Some(day) => {
                let day = printable(day);
                let races = count(s.races, "race");
                format!(
                    "{origin}: the suppression of {matches} expired after {day}; it matches {races}"
                )
            }
            None => format!("{origin}: the suppression of {matches} matches nothing; remove it"),
        }
    });
    let gone =
        report.baseline.iter().filter(|baseline| !baseline.gone.is_empty()).map(|baseline| {
            let (races, them) = match baseline.gone.len() {
                1 => ("1 race that is".to_owned(), "it"),
                n => (format!("{n} races that are"), "them"),
            };
            format!(
                "the baseline knows {races} not in this report; --write-baseline leaves {them} out"
            )
        });
    suppressions.chain(gone).collect()
}
