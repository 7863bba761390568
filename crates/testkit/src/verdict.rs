//! The open races and the exit status, by the definition in docs/configuration.md, and the
//! statements of each printed format about them.
//!
//! This module shares no code with `report::standing` or the printers. [`Expected`] applies the
//! definition to the JSON report of a run without suppressions, baseline or `--show`; [`Stated`]
//! has the numbers that a reader of one format finds in it.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use serde_json::Value;
use trace::Trace;

use crate::generate::{Knobs, Profile, attachments, generate, idioms, page};

/// The values of `--fail-on`.
pub const THRESHOLDS: [&str; 4] = ["harmful", "uncovered", "any", "never"];

/// The labels that hide a race. `inside-atomic-region` only informs.
const HIDING: [&str; 21] = [
    "same-value",
    "only-local-reads",
    "late-handler",
    "immediate",
    "lazy-init",
    "tested-only",
    "restored",
    "unchanged",
    "cancelled",
    "enabled",
    "layout",
    "focus-read",
    "brief",
    "settled",
    "unseen",
    "commuting",
    "unload",
    "framework-only",
    "library",
    "object-reuse",
    "lock-protected",
];

/// The labels that call a race likely harmful.
const HARMFUL: [&str; 2] = ["uninitialised", "readystate"];

/// A random trace with plain names, so that no reader mistakes one for a sentence of the report.
pub fn trace(seed: u64) -> Trace {
    let operations = 20 + (seed as usize * 7) % 100;
    let profile = match seed % 5 {
        0 => return idioms(seed),
        1 => return attachments(seed),
        2 => return page(seed, operations),
        3 => Profile::Realistic,
        _ => Profile::Wild,
    };
    let mut knobs = Knobs::drawn(seed, profile, operations);
    knobs.locations = 1 + seed as usize % 6;
    knobs.odd_names = false;
    generate(seed, &knobs)
}

/// The user's decisions about the races of a report.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// Locations whose races are suppressed.
    pub suppressed: BTreeSet<String>,
    /// The fingerprints that the baseline knows, if there is a baseline.
    pub baseline: Option<BTreeSet<String>>,
    /// The labels that `--show` names.
    pub shown: BTreeSet<String>,
}

impl Decisions {
    /// Decisions about a report, the same for the same seed: often none of a kind, seldom about
    /// every race.
    pub fn drawn(seed: u64, report: &Value) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x6f70_656e);
        let (suppress, baseline, show) = (rng.u8(0..4), rng.u8(0..4), rng.u8(0..3));
        let mut decisions = Self::default();
        let mut known = BTreeSet::new();
        for race in races(report) {
            if suppress == 3 && rng.u8(0..4) == 0 {
                decisions.suppressed.insert(text(race, "location").to_owned());
            }
            if rng.u8(0..3) == 0 {
                known.insert(text(race, "fingerprint").to_owned());
            }
            for label in labels(race) {
                if show > 0 && rng.u8(0..4) == 0 {
                    decisions.shown.insert(label.to_owned());
                }
            }
        }
        decisions.baseline = (baseline >= 2).then_some(known);
        decisions
    }
}

/// The result of applying the definition to a report under decisions.
#[derive(Debug)]
pub struct Expected {
    /// The statement that every format should make.
    pub open: Stated,
    /// Whether the status is 1, for each of [`THRESHOLDS`].
    pub fails: [bool; 4],
    /// The rank of the leading race of each group, where that race is open.
    leads: BTreeMap<u64, u64>,
}

/// The statement of a format about open races.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// How many races are open.
    pub races: usize,
    /// How many groups have an open race.
    pub groups: usize,
    /// The rank of the best-ranked open race of each of these groups, by rank of the group.
    pub ranks: Vec<u64>,
}

impl Expected {
    /// Applies the definition to the JSON report `plain`, which was made without decisions.
    pub fn new(plain: &Value, decisions: &Decisions) -> Self {
        let all: Vec<&Value> = races(plain).collect();
        let is_suppressed = |race: &Value| decisions.suppressed.contains(text(race, "location"));
        let is_known = |race: &Value| {
            let baseline = decisions.baseline.as_ref();
            baseline.is_some_and(|known| known.contains(text(race, "fingerprint")))
        };
        let is_hidden = |race: &Value| {
            let labels: BTreeSet<&str> = labels(race).collect();
            let hides = HIDING.iter().any(|label| labels.contains(label));
            let is_shown =
                |label: &&str| labels.contains(label) && decisions.shown.contains(*label);
            let shown = if labels.contains("lock-protected") {
                is_shown(&"lock-protected")
            } else {
                HIDING.iter().any(is_shown)
            };
            hides && !shown
        };
        let is_covered =
            |race: &Value| race["covered"] == true && race["class"] != "multi-threaded";
        let is_aside = |race: &Value| is_suppressed(race) || is_known(race);
        let is_open = |race: &Value| !is_covered(race) && !is_hidden(race) && !is_aside(race);
        let is_harmful = |race: &Value| labels(race).any(|label| HARMFUL.contains(&label));
        let is_protected =
            |race: &Value| is_hidden(race) && labels(race).any(|label| label == "lock-protected");
        let fails = [
            all.iter().any(|race| is_open(race) && is_harmful(race)),
            all.iter().any(|race| is_open(race)),
            all.iter().any(|race| !is_aside(race) && !is_protected(race)),
            false,
        ];
        let mut groups: Vec<&Value> = array(&plain["groups"]).collect();
        groups.sort_by_key(|group| number(group, "rank"));
        let mut leads = BTreeMap::new();
        let mut ranks = Vec::new();
        for group in groups {
            let members = array(&group["races"]).map(|id| find(&all, id));
            let open = members.filter(|race| is_open(race)).map(|race| number(race, "rank"));
            if let Some(rank) = open.min() {
                leads.insert(number(group, "id"), rank);
                ranks.push(rank);
            }
        }
        let races = all.iter().filter(|race| is_open(race)).count();
        Self { open: Stated { races, groups: ranks.len(), ranks }, fails, leads }
    }

    /// The statement of a format that lists at most `limit` groups.
    pub fn limited(&self, limit: usize) -> Stated {
        let mut stated = self.open.clone();
        stated.ranks.truncate(limit);
        stated
    }

    /// Reads a report of the decided run. Its races state where they stand, and its summary agrees.
    pub fn in_json(report: &Value) -> Stated {
        let is_open = |race: &&Value| {
            (race["covered"] == false || race["class"] == "multi-threaded")
                && race["hidden"] == false
                && race["suppressed"].is_null()
                && race["baseline"] != "unchanged"
        };
        let mut best: BTreeMap<u64, u64> = BTreeMap::new();
        for race in races(report).filter(is_open) {
            let (group, rank) = (number(race, "group"), number(race, "rank"));
            best.entry(group).and_modify(|best| *best = rank.min(*best)).or_insert(rank);
        }
        let mut groups: Vec<&Value> = array(&report["groups"]).collect();
        groups.sort_by_key(|group| number(group, "rank"));
        let ranks = groups.iter().filter_map(|group| best.get(&number(group, "id")).copied());
        Stated {
            races: number(&report["summary"], "open_races") as usize,
            groups: best.len(),
            ranks: ranks.collect(),
        }
    }

    /// Reads SARIF as a service does: a result counts unless it is suppressed, unchanged, or a
    /// note.
    pub fn in_sarif(&self, log: &Value) -> Stated {
        let run = &log["runs"][0];
        let counts = |result: &&Value| {
            let by_standards = array(&result["suppressions"]).next().is_none()
                && result["baselineState"] != "unchanged"
                && result["level"] != "note";
            let by_us = result["properties"]["standing"] == "open";
            assert_eq!(by_standards, by_us, "{result:#}");
            by_us
        };
        let groups = array(&run["results"]).filter(counts);
        // A group that should not be open has no leading race, and gets a rank that no race has.
        let ranks: Vec<u64> = groups
            .map(|result| number(&result["properties"], "group"))
            .map(|group| self.leads.get(&group).copied().unwrap_or(u64::MAX))
            .collect();
        let races = number(&run["properties"], "openRaces") as usize;
        Stated { races, groups: ranks.len(), ranks }
    }
}

impl Stated {
    /// Reads the report for terminals.
    pub fn in_text(output: &str) -> Self {
        let ranks = output.lines().filter_map(|line| line.trim_start().strip_prefix("= rank: "));
        let last = output.rfind(" under model ").expect("the last line");
        let summary = output[..last].lines().rev().find_map(conclusion);
        Self::of(summary, ranks)
    }

    /// Reads JUnit XML.
    pub fn in_junit(output: &str) -> Self {
        let attribute = |text: &str, before: &str| -> usize {
            let (_, rest) = text.split_once(before).expect(before);
            rest.split('"').next().and_then(|n| n.parse().ok()).expect(before)
        };
        let races = attribute(output, "name=\"open_races\" value=\"");
        let failures = attribute(output, " failures=\"");
        let ranks = output.lines().filter_map(|line| line.strip_prefix("rank    "));
        assert_eq!(output.matches("<failure ").count(), failures);
        assert_eq!(output.contains("name=\"no open race\""), failures == 0);
        Self::of(Some((races, failures)), ranks)
    }

    /// Reads workflow commands of GitHub.
    pub fn in_github(output: &str) -> Self {
        let annotations = output.lines().filter(|line| !line.starts_with("::notice"));
        let ranks = annotations.map(|line| line.rsplit_once("%0Arank    ").expect("a rank").1);
        let notice =
            output.lines().find_map(|line| line.strip_prefix("::notice title=interloper::"));
        let first = notice.and_then(|notice| notice.split("%0A").next());
        Self::of(first.and_then(conclusion), ranks)
    }

    /// Reads Markdown.
    pub fn in_markdown(output: &str) -> Self {
        let ranks = output.lines().filter_map(|line| line.strip_prefix("rank    "));
        assert_eq!(output.matches("<details>").count(), ranks.clone().count());
        Self::of(output.lines().nth(2).and_then(conclusion), ranks)
    }

    /// Reads HTML.
    pub fn in_html(output: &str) -> Self {
        let between = |start: &'static str, end: &'static str| {
            output.split(start).skip(1).map(move |rest| rest.split(end).next().expect("a part"))
        };
        let sentence = between("<p class=\"conclusion\">", "</p>").next().expect("a conclusion");
        let stated = conclusion(&sentence.replace('\n', " "));
        let fact = between("<dt>open</dt><dd>", "</dd>").next().and_then(|n| n.parse().ok());
        assert_eq!(fact, stated.map(|(races, _)| races), "the sentence and the table agree");
        Self::of(stated, between("<p class=\"rank\">Rank ", "</p>"))
    }

    fn of<'a>(stated: Option<(usize, usize)>, ranks: impl Iterator<Item = &'a str>) -> Self {
        let (races, groups) = stated.expect("a sentence that states what is open");
        let leading = |text: &str| -> u64 {
            let digits = text.split(|c: char| !c.is_ascii_digit()).next();
            digits.and_then(|digits| digits.parse().ok()).expect("a rank")
        };
        Self { races, groups, ranks: ranks.map(leading).collect() }
    }
}

/// The open races and groups that a sentence states, if it is the one that concludes a report.
fn conclusion(sentence: &str) -> Option<(usize, usize)> {
    if sentence == "No races." || sentence.starts_with("Nothing to read: no open races, out of ") {
        return Some((0, 0));
    }
    let (counts, _) = sentence.split_once(", out of ")?;
    match *counts.split(' ').collect::<Vec<_>>() {
        [races, "open", "race" | "races", "in", groups, "group" | "groups"] => {
            Some((races.parse().ok()?, groups.parse().ok()?))
        }
        _ => None,
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("an array").iter()
}

/// The listed race with a number.
fn find<'a>(races: &[&'a Value], id: &Value) -> &'a Value {
    races.iter().find(|race| race["id"] == *id).expect("groups list races of the report")
}

fn races(report: &Value) -> impl Iterator<Item = &Value> {
    array(&report["races"])
}

fn labels(race: &Value) -> impl Iterator<Item = &str> {
    array(&race["labels"]).map(|label| label.as_str().expect("a label"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect(key)
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().expect(key)
}
