//! What replays have shown of races: the evidence, and how it changes ranks, labels and standings.
//!
//! A verdict beats a guess. A race that was shown to be harmful is open, whatever labels or covering
//! races say, and it is read first; among equals, races come last for which something brief was held, such as
//! the HTML parser. Races whose verdict is `harmless` or `infeasible` get a label that
//! hides them. All others keep their places, and a race whose input was `answered` comes after them.
//!
//! Weighing costs O(n log n) for n races.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use triage::Label;

use crate::event::{Platform, noun};
use crate::model::{GroupEntry, RaceEntry, Report, Word};
use crate::name::printable;
use crate::standing::Standing;

/// What the replays of a race have shown.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReplayEntry {
    /// `harmful`, `harmless`, `infeasible`, `diverged`, `unstable` or `untried`.
    pub verdict: Word,
    /// What is harmful: `error`, `lost`, `state`, `requests`, `picture` or `answered`.
    #[serde(default)]
    pub kind: Option<Word>,
    /// Which order shows the harm: `flip` or `recorded`.
    #[serde(default)]
    pub bad: Option<Word>,
    /// The paths of the two events.
    #[serde(default)]
    pub pair: Option<[String; 2]>,
    /// What was held back.
    #[serde(default)]
    pub held: Option<HeldEntry>,
    /// Whether the second event ran without its racing access when it came first.
    #[serde(default)]
    pub guarded: bool,
    /// What differs.
    #[serde(default)]
    pub diff: DiffEntry,
    /// What the page shows in both orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pictures: Option<PicturesEntry>,
    /// How many differences are noise, because replays in the recorded order show them as well.
    #[serde(default)]
    pub masked: usize,
    /// Remarks, each a clause.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The replays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunEntry>,
}

/// What was held back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HeldEntry {
    /// What was held.
    pub at: String,
    /// The path of the event that it waited for.
    pub until: String,
    /// How long it was held, in milliseconds.
    #[serde(default)]
    pub ms: Option<u64>,
    /// Whether what was held takes less time than a person needs to act: the HTML parser, which mostly parses a
    /// document without a pause, or a timer with a short delay.
    #[serde(default)]
    pub brief: bool,
}

/// What differs between the recorded order and the other one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DiffEntry {
    /// Errors.
    #[serde(default)]
    pub errors: Vec<DifferenceEntry>,
    /// Inputs that called fewer listeners, and typed text that is gone.
    #[serde(default)]
    pub lost: Vec<DifferenceEntry>,
    /// Elements, attributes and fields.
    #[serde(default)]
    pub dom: Vec<DifferenceEntry>,
    /// Texts of elements.
    #[serde(default)]
    pub text: Vec<DifferenceEntry>,
    /// Requests.
    #[serde(default)]
    pub requests: Vec<DifferenceEntry>,
    /// Storage, cookies, the address, the title and the focus.
    #[serde(default)]
    pub storage: Vec<DifferenceEntry>,
}

/// One difference.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DifferenceEntry {
    /// What differs.
    pub path: String,
    /// What the recorded order shows.
    pub recorded: Option<String>,
    /// What the other order shows.
    pub flipped: Option<String>,
}

/// Pictures of the page at the end of two replays, as addresses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PicturesEntry {
    /// The page in the recorded order.
    pub recorded: String,
    /// The page in the other order.
    pub flipped: String,
    /// The parts that differ: left, top, width and height in pixels.
    #[serde(default)]
    pub changed: Vec<[u32; 4]>,
}

/// One replay.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunEntry {
    /// `recorded` or `flip`.
    pub order: Word,
    /// The file with the trace, if it was kept.
    #[serde(default)]
    pub trace: Option<String>,
    /// The file with the schedule, if it was kept.
    #[serde(default)]
    pub schedule: Option<String>,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

/// The worst verdict on the races of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupReplay {
    /// The verdict.
    pub verdict: Word,
    /// What is harmful.
    #[serde(default)]
    pub kind: Option<Word>,
}

/// Where evidence puts a race in the order of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "kinds and verdicts")]
pub enum Place {
    Error,
    Lost,
    State,
    Requests,
    Picture,
    Undecided,
    Answered,
    SetAside,
}

impl ReplayEntry {
    /// Whether the race was shown to be harmful.
    pub fn is_harmful(&self) -> bool {
        self.verdict == "harmful"
    }

    /// The label that the verdict gives.
    fn label(&self) -> Option<Label> {
        match &*self.verdict {
            "harmless" => Some(Label::ReplayedHarmless),
            "infeasible" => Some(Label::ReplayedOrdered),
            _ => None,
        }
    }

    /// The place of the evidence in the order of reading.
    pub fn place(&self) -> Place {
        match (&*self.verdict, self.kind.as_deref()) {
            ("harmful", Some("error")) => Place::Error,
            ("harmful", Some("lost")) => Place::Lost,
            ("harmful", Some("requests")) => Place::Requests,
            ("harmful", Some("picture")) => Place::Picture,
            ("harmful", Some("answered")) => Place::Answered,
            ("harmful", _) => Place::State,
            ("harmless" | "infeasible", _) => Place::SetAside,
            _ => Place::Undecided,
        }
    }

    /// The differences, the worst first, each with the word for its kind.
    pub fn differences(&self) -> impl Iterator<Item = (&'static str, &DifferenceEntry)> {
        let DiffEntry { errors, lost, dom, text, requests, storage } = &self.diff;
        let kinds = [
            ("error", errors),
            ("lost", lost),
            ("text", text),
            ("document", dom),
            ("state", storage),
            ("requests", requests),
        ];
        kinds.into_iter().flat_map(|(kind, list)| list.iter().map(move |one| (kind, one)))
    }

    /// Whether what was held takes less time than a person needs to act.
    fn holds_briefly(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.brief)
    }

    /// What was held back until when, for people.
    pub fn held_back(&self) -> Option<String> {
        let held = self.held.as_ref()?;
        Some(format!("held: {} until {} was over", printable(&held.at), task(&held.until)))
    }

    /// What was shown, in lines for people: the verdict with the first differences.
    pub fn lines(&self) -> Vec<String> {
        let kind = self.kind.as_deref().map(|kind| format!(", {kind}")).unwrap_or_default();
        let mut lines = vec![format!("{}{kind}", self.verdict)];
        lines.extend(self.differences().take(SHOWN).map(|(kind, one)| difference(kind, one)));
        let more = self.differences().count().saturating_sub(SHOWN);
        if more > 0 {
            lines.push(format!("and {more} more differences"));
        }
        lines.extend(self.held_back().filter(|_| self.is_harmful()));
        if let Some(pictures) = &self.pictures
            && !pictures.recorded.starts_with("data:")
        {
            let (recorded, flipped) = (printable(&pictures.recorded), printable(&pictures.flipped));
            lines.push(format!("pictures: {recorded}, {flipped}"));
        }
        lines.extend(self.notes.iter().map(|note| printable(note)));
        lines
    }
}

/// How many differences are printed.
const SHOWN: usize = 3;
/// The longest text of a value that is printed, in characters.
const LONGEST: usize = 120;

/// Returns a task by its path, in words: what began the chain of posts, and the queues through which it came.
pub fn task(path: &str) -> String {
    let (place, path) = path.split_once('|').map_or(("", path), |(place, path)| (place, path));
    let place = if place.is_empty() { String::new() } else { format!(" in {}", printable(place)) };
    // Names may contain slashes; a link ends with its number.
    let ends =
        |at: &usize| path[..*at].rsplit_once('#').is_some_and(|(_, number)| is_number(number));
    let end = path.match_indices('/').map(|(at, _)| at).find(ends).unwrap_or(path.len());
    let (root, links) = path.split_at(end);
    let links = links.split('/').filter(|link| !link.is_empty());
    let root = root.rsplit_once('#').map_or(root, |(root, _)| root);
    let (kind, name) = root.split_once(':').unwrap_or((root, ""));
    let root = noun(Platform::Page, Some(&printable(kind)), &printable(name));
    let links = links.rev().fold(String::new(), |text, link| format!("{text}{} of ", posted(link)));
    format!("{links}{root}{place}")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a link of a path in words: what the queue delivers, and which of several it is (`timers#2`). A chain of
/// posts through one queue (`timers#1*3`) is called what its first post is.
fn posted(link: &str) -> String {
    let (link, _) = link.split_once('*').unwrap_or((link, ""));
    let (queue, number) = link.rsplit_once('#').unwrap_or((link, "1"));
    let what = match queue {
        "network" => "answer",
        "timers" => "timer",
        "frame" => "animation frame",
        "idle" => "idle callback",
        "scripts" => "script",
        "parser" => "part of the document",
        "observers" => "call of an observer",
        other => return format!("{}#{}", printable(other), printable(number)),
    };
    if number == "1" {
        format!("the first {what}")
    } else {
        format!("{what} {}", printable(number))
    }
}

fn difference(kind: &str, one: &DifferenceEntry) -> String {
    let value = |value: &Option<String>| match value {
        Some(text) => {
            let cut: String = text.chars().take(LONGEST).collect();
            let dots = if cut.len() < text.len() { "…" } else { "" };
            format!("\"{}{dots}\"", printable(&cut))
        }
        None => "nothing".to_owned(),
    };
    let path = printable(&one.path);
    let (recorded, flipped) = (value(&one.recorded), value(&one.flipped));
    match (kind, &one.recorded) {
        ("error", None) => format!("the error {path}"),
        ("error", Some(_)) => format!("the error {path}, in the recorded order"),
        ("lost", _) if path.ends_with(')') && path.contains(" (number ") => {
            let times = |count: &Option<String>| count.as_deref().map_or("0".to_owned(), printable);
            let (more, less) = (times(&one.recorded), times(&one.flipped));
            format!("lost: {path} called {less} of {more} listeners")
        }
        ("lost", _) => {
            format!("lost: {path}: {recorded} in the recorded order, {flipped} in the other")
        }
        _ => format!("{path}: {recorded} in the recorded order, {flipped} in the other"),
    }
}

impl RaceEntry {
    /// Whether a replay has shown that the race is harmful.
    pub fn is_shown(&self) -> bool {
        self.replay.as_ref().is_some_and(|replay| replay.is_harmful())
    }

    fn place(&self) -> Place {
        self.replay.as_ref().map_or(Place::Undecided, |replay| replay.place())
    }

    fn holds_briefly(&self) -> bool {
        self.replay.as_ref().is_some_and(|replay| replay.holds_briefly())
    }
}

/// How many groups replays have decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Groups that were shown to be harmful.
    pub shown: usize,
    /// Open groups of which nothing is known.
    pub undecided: usize,
    /// Groups that are not open.
    pub set_aside: usize,
}

impl Report {
    /// Weighs the evidence of replays, by the ids of the races.
    pub fn weigh(&mut self, mut evidence: BTreeMap<u32, ReplayEntry>) {
        let represented = self.represented(&evidence);
        for race in &mut self.races {
            let Some(found) = evidence.remove(&race.id) else { continue };
            if let Some(label) = found.label() {
                race.labels.push(label.name().into());
                race.hidden = true;
                *self.summary.labels.entry(label.name().into()).or_default() += 1;
                *self.summary.hidden.entry(label.name().into()).or_default() += 1;
            }
            // Nobody gives an input in so short a time.
            let late_handler = Label::LateHandler.name();
            let is_early = found.holds_briefly() && race.labels.iter().any(|l| l == late_handler);
            if found.is_harmful() && !is_early && !represented.contains(&race.id) {
                race.hidden = false;
                race.rank_reasons.insert(0, "shown-harmful".into());
            }
            race.replay = Some(Box::new(found));
        }
        self.rank_again();
        self.recount();
        let groups = self.groups.iter().filter_map(|group| group.replay.as_ref());
        let mut counts: BTreeMap<Word, usize> = BTreeMap::new();
        for replay in groups {
            *counts.entry(replay.verdict.clone()).or_default() += 1;
        }
        self.summary.replay = Some(counts);
    }

    /// Returns the races that a label hides and whose two tasks another race has in common with them: the replays of
    /// both are the same, so the harm that they show is that of the race which is open, or else ranked first.
    fn represented(&self, evidence: &BTreeMap<u32, ReplayEntry>) -> BTreeSet<u32> {
        let shown = self.races.iter().filter_map(|race| {
            let found = evidence.get(&race.id).filter(|found| found.is_harmful())?;
            Some((race, found.pair.as_ref()?))
        });
        let mut shown: Vec<_> = shown.collect();
        shown.sort_by_key(|(race, _)| (race.hidden, race.rank));
        let mut pairs = BTreeSet::new();
        let repeats = shown.into_iter().filter(|(_, pair)| !pairs.insert(*pair));
        repeats.filter(|(race, _)| race.hidden).map(|(race, _)| race.id).collect()
    }

    /// Puts races and groups in the order of reading that the evidence asks for.
    fn rank_again(&mut self) {
        let mut by_rank: Vec<usize> = (0..self.races.len()).collect();
        by_rank.sort_by_key(|&at| {
            let race = &self.races[at];
            (race.place(), race.holds_briefly(), race.rank)
        });
        for (rank, &at) in (1..).zip(&by_rank) {
            self.races[at].rank = rank;
        }
        let races = &self.races;
        let of =
            |id: &u32| races.binary_search_by_key(id, |race| race.id).ok().map(|at| &races[at]);
        for group in &mut self.groups {
            group.races.sort_by_key(|id| of(id).map(|race| race.rank));
            group.replay = worst(group, of);
        }
        let first = |group: &GroupEntry| {
            let ranks = group.races.iter().filter_map(of);
            ranks.map(|race| race.rank).min()
        };
        self.groups.sort_by_key(|group| (first(group), group.rank));
        for (rank, group) in (1..).zip(&mut self.groups) {
            group.rank = rank;
        }
    }

    /// Counts the groups by what replays have shown; `None` if nothing was replayed.
    pub fn evidence(&self) -> Option<Evidence> {
        self.summary.replay.as_ref()?;
        let mut counts = Evidence::default();
        for problem in self.problems() {
            match problem.standing {
                Standing::Open if problem.lead.is_shown() => counts.shown += 1,
                Standing::Open => counts.undecided += 1,
                _ => counts.set_aside += 1,
            }
        }
        Some(counts)
    }
}

/// The worst verdict on the races of a group.
fn worst<'r>(
    group: &GroupEntry,
    of: impl Fn(&u32) -> Option<&'r RaceEntry>,
) -> Option<GroupReplay> {
    let replays = group.races.iter().filter_map(|id| of(id)?.replay.as_deref());
    let worst = replays.min_by_key(|replay| replay.place())?;
    Some(GroupReplay { verdict: worst.verdict.clone(), kind: worst.kind.clone() })
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use analysis::{Request, Source};

    use super::*;
    use crate::standing::Threshold;

    /// Three locations that two events race on; the first race covers the others.
    const PAGE: &str = "interloper-trace 1\nmodel web\n\
        location %23a.childList kind=dom\nlocation %23b.childList kind=dom\n\
        main begin one type=response\nmain write %23a.childList value=1\nmain end one\n\
        main begin two type=response\nmain write %23a.childList value=2\nmain end two\n\
        main begin three type=response\nmain write %23b.childList value=1\nmain end three\n\
        main begin four type=response\nmain write %23b.childList value=2\nmain end four\n";

    fn report() -> Report {
        let lists = triage::Lists::builtin();
        let source = Source::pipe(PAGE.as_bytes(), None);
        let analysis = analysis::run(source, &Request::new(&lists), &|_| ControlFlow::Continue(()));
        Report::of(&analysis.expect("a trace"))
    }

    fn entry(verdict: &'static str, kind: Option<&'static str>) -> ReplayEntry {
        ReplayEntry {
            verdict: verdict.into(),
            kind: kind.map(Into::into),
            ..ReplayEntry::default()
        }
    }

    fn weighed(verdicts: &[(u32, ReplayEntry)]) -> Report {
        let mut report = report();
        report.weigh(verdicts.iter().cloned().collect());
        report
    }

    #[test]
    fn what_is_shown_comes_first_and_what_is_harmless_is_hidden() {
        let plain = report();
        let ranked: Vec<u32> = plain.open_problems().iter().map(|p| p.lead.id).collect();
        let [first, second] = ranked[..] else { panic!("{ranked:?}") };
        assert_eq!(plain.evidence(), None);
        let report = weighed(&[(second, entry("harmful", Some("lost")))]);
        let open: Vec<u32> = report.open_problems().iter().map(|p| p.lead.id).collect();
        assert_eq!(open, [second, first]);
        let ranks: Vec<u32> = report.groups.iter().map(|group| group.rank).collect();
        assert!(ranks.is_sorted(), "{ranks:?}");
        assert!(report.fails(Threshold::Shown));
        let counts = Evidence { shown: 1, undecided: 1, set_aside: 0 };
        assert_eq!(report.evidence(), Some(counts));
        let report =
            weighed(&[(first, entry("harmless", None)), (second, entry("diverged", None))]);
        let open: Vec<u32> = report.open_problems().iter().map(|p| p.lead.id).collect();
        assert_eq!(open, [second]);
        assert!(!report.fails(Threshold::Shown));
        assert_eq!(report.summary.hidden["replayed-harmless"], 1);
        let counts = Evidence { shown: 0, undecided: 1, set_aside: 1 };
        assert_eq!(report.evidence(), Some(counts));
    }

    #[test]
    fn harm_that_an_open_race_shows_opens_no_hidden_race_of_the_same_tasks() {
        let same = |verdict| {
            let pair = Some(["click:a#1".to_owned(), "click:b#1".to_owned()]);
            ReplayEntry { pair, ..entry(verdict, Some("state")) }
        };
        let open = |verdict| {
            let mut report = report();
            report.races[1].hidden = true;
            report.weigh(BTreeMap::from([(0, same(verdict)), (1, same("harmful"))]));
            report.open_problems().iter().map(|p| p.lead.id).collect::<Vec<u32>>()
        };
        assert_eq!(open("harmful"), [0]);
        assert_eq!(open("harmless"), [1]);
    }

    #[test]
    fn an_answered_input_comes_after_what_is_undecided() {
        let report = weighed(&[(0, entry("harmful", Some("answered")))]);
        let open: Vec<u32> = report.open_problems().iter().map(|p| p.lead.id).collect();
        assert_eq!(open.last(), Some(&0));
        assert_eq!(report.summary.replay.as_ref().map(|counts| counts["harmful"]), Some(1));
    }

    #[test]
    fn a_verdict_beats_a_guess_and_a_cover() {
        let mut report = report();
        report.races[0].hidden = true;
        report.races[1].covered = true;
        assert!(report.open_problems().is_empty());
        let shown = || entry("harmful", Some("state"));
        report.weigh(BTreeMap::from([(0, shown()), (1, shown())]));
        assert_eq!(report.open_problems().len(), 2);
        assert_eq!(report.summary.open_races, 2);
    }

    #[test]
    fn a_click_within_a_brief_time_stays_hidden() {
        let held = |brief| HeldEntry { at: String::new(), until: String::new(), ms: None, brief };
        for (brief, open) in [(true, 1), (false, 2)] {
            let mut report = report();
            report.races[0].hidden = true;
            report.races[0].labels = vec!["late-handler".into()];
            let shown = ReplayEntry { held: Some(held(brief)), ..entry("harmful", Some("lost")) };
            report.weigh(BTreeMap::from([(0, shown)]));
            assert_eq!(report.open_problems().len(), open, "{brief}");
        }
    }

    #[test]
    fn text_from_the_page_is_printable_and_short() {
        let difference = |path: &str, recorded: &str| DifferenceEntry {
            path: path.into(),
            recorded: Some(recorded.into()),
            flipped: None,
        };
        let mut entry = entry("harmful", Some("lost"));
        entry.diff.lost = vec![difference("click on \x1b[2J (number 1)", "2")];
        entry.diff.text = vec![difference("p#a text", &"x".repeat(500))];
        entry.held = Some(HeldEntry {
            at: "the answer to GET /a".into(),
            until: "click:button#b#1/timers#2".into(),
            ms: None,
            brief: false,
        });
        let lines = entry.lines();
        assert!(lines.iter().all(|line| !line.contains('\x1b') && line.len() < 250), "{lines:?}");
        assert!(lines[1].ends_with("called 0 of 2 listeners"), "{lines:?}");
        assert_eq!(
            lines[3],
            "held: the answer to GET /a until timer 2 of the click on `button#b` was over"
        );
        assert_eq!(task("document 6|click:a#1"), "the click on `a` in document 6");
        assert_eq!(
            task("click:a#1/network#1*2/timers#1"),
            "the first timer of the first answer of the click on `a`"
        );
        assert_eq!(task("script:/a/b.js#1/timers#1"), "the first timer of the script `/a/b.js`");
    }
}
