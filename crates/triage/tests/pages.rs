//! Every label has a page under `docs/labels` and every hint one under `docs/hints`, which document
//! them and test them.
//!
//! Each `##` section with a block tagged `trace` is a case. It is analysed under the trace's own
//! model with the shipped lists and the candidate pairs. Its block tagged `expect` holds lines
//! `label LOCATION FIRST SECOND LABEL` and `hint LOCATION FIRST SECOND HINT`. A line that starts
//! with `no` states that the race exists without the label or hint.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use order::{Model, Oracle};
use races::PairMode;
use testkit::page::{blocks, check_numbers};
use trace::Escaped;
use triage::{FILTERS, HINTS, Lists, REPLAYED, Scope, triage};

/// A page with the label or hint that it documents.
struct Page {
    kind: &'static str,
    name: &'static str,
    text: &'static str,
}

fn pages() -> Vec<Page> {
    let labels = FILTERS.iter().map(|f| Page { kind: "label", name: f.label.name(), text: f.page });
    let hints = HINTS.iter().map(|h| Page { kind: "hint", name: h.name, text: h.page });
    labels.chain(hints).collect()
}

fn docs(kind: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/{kind}s"))
}

/// One mini-trace: the races found in it with their labels and hints, and the expected lines.
struct Case {
    place: String,
    /// `label x 1 4 same-value`, `hint x 1 4 lost-update`, and `race x 1 4` for every race.
    found: BTreeSet<String>,
    expect: String,
}

impl Case {
    fn new(place: String, trace: &str, expect: String) -> Self {
        let trace = codec::text::read(trace.as_bytes());
        let trace = trace.unwrap_or_else(|error| panic!("{place}: {error}")).trace;
        let model = trace.model().and_then(Model::named).expect("a case names its model");
        let (order, lists) = (Oracle::new(&trace, &model.default_rules()), Lists::builtin());
        let mode = PairMode::Candidates;
        let mut races = races::find(&trace, &order, model, mode);
        triage::cover(&trace, &order, model, None, &mut races, &lists);
        let verdicts = triage(&trace, &order, model, &races, &lists).verdicts;
        let mut found = BTreeSet::new();
        for (race, verdict) in races.races.iter().zip(&verdicts) {
            let location = Escaped(trace.names().locations.get(race.location));
            let spelled = format!("{location} {} {}", race.first.0, race.second.0);
            found.insert(format!("race {spelled}"));
            let labels =
                verdict.labels.iter().map(|label| format!("label {spelled} {}", label.name()));
            let hints =
                verdict.hints.iter().map(|given| format!("hint {spelled} {}", given.hint.name));
            found.extend(labels.chain(hints));
        }
        Self { place, found, expect }
    }

    fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for line in self.expect.lines() {
            let claim = line.strip_prefix("no ").unwrap_or(line);
            let words: Vec<&str> = claim.split_whitespace().collect();
            let known = matches!(words[..], ["label" | "hint", _, _, _, _]);
            let race = format!("race {}", words.get(1..4).unwrap_or_default().join(" "));
            let holds = self.found.contains(claim) == (claim == line);
            if !known || !self.found.contains(&race) || !holds {
                failures.push(format!("{}: {line}, but {:?}", self.place, self.found));
            }
        }
        failures
    }

    fn says(&self, line_end: &str, positive: bool) -> bool {
        self.expect
            .lines()
            .any(|line| line.ends_with(line_end) && line.starts_with("no ") != positive)
    }
}

fn cases(page: &Page) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut trace = None;
    for block in blocks(page.text) {
        let place = format!("{}.md:{}: {}", page.name, block.line, block.heading);
        match block.tag {
            "trace" => {
                assert!(block.introduced, "{place}: no sentence introduces the case");
                check_numbers(&place, &block.text);
                trace = Some(block.text);
            }
            "expect" => {
                let trace = trace.take().unwrap_or_else(|| panic!("{place}: no trace block"));
                cases.push(Case::new(place, &trace, block.text));
            }
            _ => {}
        }
    }
    cases
}

/// Fails with all messages at once, if there are any.
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_case_holds() {
    let all = pages();
    let wrong: Vec<String> = all.iter().flat_map(cases).flat_map(|case| case.failures()).collect();
    assert_none(&wrong);
}

#[test]
fn every_page_has_a_true_case_and_a_near_miss() {
    let mut wrong = Vec::new();
    for page in pages() {
        let end = format!(" {}", page.name);
        let cases = cases(&page);
        if !cases.iter().any(|case| case.says(&end, true)) {
            wrong.push(format!("{}: no true case", page.name));
        }
        if !cases.iter().any(|case| case.says(&end, false) && !case.says(&end, true)) {
            wrong.push(format!("{}: no near miss", page.name));
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_page_states_what_it_is_about() {
    let mut wrong = Vec::new();
    let mut lacks = |name: &str, page: &str, text: String| {
        if !page.contains(&text) {
            wrong.push(format!("{name}.md lacks: {text}"));
        }
    };
    for filter in FILTERS {
        let (name, page) = (filter.label.name(), filter.page);
        lacks(name, page, format!("# {name}\n\n"));
        lacks(name, page, format!("- **From:** {}\n", filter.reference));
        lacks(name, page, format!("\n```text\n{}\n```\n", filter.definition));
        let about = if filter.scope == Scope::Location { "the location" } else { "the race" };
        lacks(name, page, format!("- **Speaks about:** {about}\n"));
        let covers = if filter.label.withdraws_covering() {
            "no, in model `web`"
        } else if filter.label.withdraws_unless_meant() {
            "no, in model `web`, unless another label says that the race may be synchronisation"
        } else {
            "yes"
        };
        lacks(name, page, format!("- **Covers other races:** {covers}\n"));
        let one_pass = if filter.one_pass { "yes" } else { "no" };
        lacks(name, page, format!("- **In one pass:** {one_pass}\n"));
        lacks(
            name,
            page,
            match (filter.label.hides(), filter.label.is_harmful()) {
                (true, _) => {
                    format!("- **Says:** likely harmless; hidden, `--show {name}` shows them\n")
                }
                (_, true) => "- **Says:** likely harmful; read first\n".to_owned(),
                _ => "- **Says:** set apart; shown\n".to_owned(),
            },
        );
    }
    for hint in HINTS {
        lacks(hint.name, hint.page, format!("# {}\n\n", hint.name));
        lacks(hint.name, hint.page, format!("\nUsual fix: {}\n", hint.fix));
        lacks(hint.name, hint.page, format!("\n```text\n{}\n```\n", hint.definition));
    }
    assert_none(&wrong);
}

#[test]
fn every_label_has_one_filter_or_comes_from_replays() {
    let filtered = FILTERS.iter().map(|filter| filter.label);
    let replayed = REPLAYED.iter().map(|replayed| replayed.label);
    let all: Vec<triage::Label> = filtered.chain(replayed).collect();
    assert_eq!(all, triage::Label::ALL);
}

#[test]
fn every_page_is_listed_and_belongs_to_something() {
    let mut wrong = Vec::new();
    for kind in ["label", "hint"] {
        let mut table = format!("| {kind} | in one line |\n|---|---|\n");
        let mut known = BTreeSet::from(["README.md".to_owned()]);
        let replayed = REPLAYED
            .iter()
            .map(|r| Page { kind: "label", name: r.label.name(), text: r.page })
            .filter(|page| page.kind == kind);
        let paged: Vec<Page> = pages().into_iter().filter(|page| page.kind == kind).collect();
        for page in paged.into_iter().chain(replayed) {
            let summary = page.text.split("\n\n").nth(1).unwrap_or_default();
            writeln!(table, "| [{0}]({0}.md) | {summary} |", page.name).expect("a string");
            known.insert(format!("{}.md", page.name));
        }
        let entries = fs::read_dir(docs(kind)).expect("the folder can be listed");
        let found: BTreeSet<String> = entries
            .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        assert_eq!(found, known);
        let index = fs::read_to_string(docs(kind).join("README.md")).expect("the index");
        if !index.contains(&table) {
            wrong.push(format!("docs/{kind}s/README.md should contain:\n{table}"));
        }
    }
    assert_none(&wrong);
}
