//! Checks the page of every rule under `docs/rules`, which documents and tests the rule.
//!
//! A page is Markdown. Each `##` section with a block tagged `trace` is a case, and its block
//! tagged `expect` states the expected results, in the language of [`expectation`]. A block tagged
//! `abc_log` is a log of DroidRacer, and numbers in its `expect` block are those of its accesses.
//! The source, models and default that a page states are compared with the rule itself.

mod expectation;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use codec::Loaded;
use expectation::{Expectation, Failure};
use order::{HappensBefore, MODELS, MissIndex, Model, Premise, Rule, RuleSet, misses};
use races::PairMode;
use testkit::page::{blocks, check_numbers};
use trace::{Id, OpId, Trace};

/// One mini-trace of a page, with its expected results.
struct Case {
    page: &'static str,
    heading: String,
    loaded: Loaded,
    expect: String,
    expectation: Expectation,
    models: Vec<&'static Model>,
    /// The line of the page after which its `expect` block starts.
    expect_line: usize,
}

impl Case {
    fn place(&self, failure: &Failure) -> String {
        let line = self.expect_line + failure.line.map_or(0, |line| line + 1);
        let quoted = failure.line.and_then(|line| self.expect.lines().nth(line)).unwrap_or("");
        format!("{}:{line}: {}: {quoted} {}", self.page, self.heading, failure.message)
    }

    /// Returns whether one of its lines states that it depends on `rule`.
    fn names(&self, rule: &Rule) -> bool {
        let reasons = [format!("by {}", rule.name), format!("with {}", rule.name)];
        self.expect.lines().any(|line| reasons.iter().any(|reason| line.ends_with(reason)))
    }

    fn is_of(&self, model: &Model) -> bool {
        self.models.iter().any(|m| m.name == model.name)
    }

    fn fails_without(&self, model: &'static Model, rule: &Rule) -> bool {
        !self.expectation.failures(&self.loaded, model, Some(rule.name)).is_empty()
    }

    /// Returns the rules of `model`, switched as the case says.
    fn rules(&self, model: &'static Model) -> RuleSet {
        let mut rules = model.default_rules();
        let switches = self.expect.lines().filter_map(|line| line.strip_prefix("rules "));
        for switch in switches.flat_map(str::split_whitespace) {
            rules.switch(&switch[1..], switch.starts_with('+')).expect("a rule of the model");
        }
        rules
    }

    /// Returns the pairs of operations that the case expects to be unordered.
    fn unordered(&self) -> Vec<(OpId, OpId)> {
        let pair = |line: &str| {
            let (a, b) = line.split_once(" || ")?;
            Some((OpId(a.parse().ok()?), OpId(b.parse().ok()?)))
        };
        self.expect.lines().filter_map(pair).collect()
    }

    /// Returns the number of races under `model`, with `without` switched off if given.
    fn races(&self, model: &'static Model, without: Option<&Rule>) -> usize {
        let mut rules = self.rules(model);
        if let Some(rule) = without {
            rules.switch(rule.name, false).expect("a rule of the model");
        }
        let oracle = expectation::oracle(&self.loaded, &rules);
        let (trace, pairs) = (&self.loaded.trace, PairMode::All);
        analysis::detect(trace, &oracle, model, pairs, &|_| true).races.len()
    }
}

/// Returns every rule once, in the order of the models.
fn rules() -> Vec<&'static Rule> {
    let mut rules: Vec<&Rule> = Vec::new();
    for &(rule, _) in MODELS.iter().flat_map(|model| model.rules) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

/// Returns the models that have `rule`, each with its own variant and whether it is on by default.
fn models_of(rule: &Rule) -> Vec<(&'static Model, &'static Rule, bool)> {
    let of = |model: &'static Model| {
        model.rules.iter().filter(|(r, _)| *r == rule).map(move |&(r, on)| (model, r, on))
    };
    MODELS.iter().flat_map(|&model| of(model)).collect()
}

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules")
}

fn file_name(rule: &Rule) -> String {
    format!("{}.md", rule.name.to_lowercase())
}

/// Returns the first paragraph of a page, on one line.
fn summary(rule: &Rule) -> String {
    let paragraph = rule.page.split("\n\n").nth(1).unwrap_or_default();
    paragraph.lines().collect::<Vec<_>>().join(" ")
}

fn cases_of(rule: &'static Rule) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut pending: Option<Loaded> = None;
    for block in blocks(rule.page) {
        let place = format!("{}:{}", file_name(rule), block.line);
        match block.tag {
            "trace" => {
                assert!(block.introduced, "{place}: no sentence introduces the case");
                check_numbers(&place, &block.text);
                let loaded = codec::text::read(block.text.as_bytes());
                let loaded = loaded.unwrap_or_else(|error| panic!("{place}: {error}"));
                assert!(pending.replace(loaded).is_none(), "{place}: no expect block before it");
            }
            "abc_log" => {
                assert!(block.introduced, "{place}: no sentence introduces the case");
                let loaded = codec::droidracer::read(block.text.as_bytes());
                let loaded = loaded.unwrap_or_else(|error| panic!("{place}: {error}"));
                assert!(pending.replace(loaded).is_none(), "{place}: no expect block before it");
            }
            "expect" => {
                let loaded = pending.take().unwrap_or_else(|| panic!("{place}: no trace block"));
                let text = if loaded.origin.is_some() {
                    by_position(&loaded.trace, &block.text)
                } else {
                    block.text.clone()
                };
                let read = Expectation::parse(&text).and_then(|expectation| {
                    let models = expectation.models(&loaded.trace)?;
                    Ok((expectation, models))
                });
                let (expectation, models) =
                    read.unwrap_or_else(|f| panic!("{place}: {:?}: {}", f.line, f.message));
                cases.push(Case {
                    page: rule.name,
                    heading: block.heading.to_owned(),
                    loaded,
                    expect: block.text,
                    expectation,
                    models,
                    expect_line: block.line,
                });
            }
            _ => {}
        }
    }
    assert!(pending.is_none(), "{}: a trace block without an expect block", rule.name);
    cases
}

/// Returns an expectation in which the number of each access is replaced by its position in the
/// trace.
fn by_position(trace: &Trace, expect: &str) -> String {
    let place = |word: &str| {
        let id: u64 = word.parse().ok()?;
        let is_it = |op: &OpId| {
            trace.op(*op).access().is_some() && trace.attributes(*op).source_id == Some(id)
        };
        Some(trace.ops().find(is_it)?.index().to_string())
    };
    let line = |line: &str| {
        let words = line.split(' ').map(|word| place(word).unwrap_or_else(|| word.to_owned()));
        words.collect::<Vec<_>>().join(" ")
    };
    expect.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn cases() -> Vec<Case> {
    rules().into_iter().flat_map(cases_of).collect()
}

/// Fails with all messages at once, if there are any.
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_case_holds() {
    let mut wrong = Vec::new();
    for case in cases() {
        for &model in &case.models {
            let failures = case.expectation.failures(&case.loaded, model, None);
            wrong.extend(failures.iter().map(|f| format!("[{model:?}] {}", case.place(f))));
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_rule_fires_and_holds_back_on_its_page() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let cases = cases_of(rule);
        for (model, ..) in models_of(rule) {
            let of_model = || cases.iter().filter(|case| case.is_of(model));
            let mut fires = of_model().filter(|case| case.names(rule));
            if !fires.clone().any(|case| case.fails_without(model, rule)) {
                wrong.push(format!("{}: no case of {model:?} shows it at work", rule.name));
            }
            if !fires.any(|c| c.races(model, None) != c.races(model, Some(rule))) {
                wrong.push(format!("{}: no case of {model:?} shows a race it decides", rule.name));
            }
            let near_miss = |case: &&Case| {
                let unmoved = !case.names(rule) && !case.fails_without(model, rule);
                unmoved && case.expect.contains(" || ") && case.expect.contains("race ")
            };
            if !of_model().any(|case| near_miss(&case)) {
                wrong.push(format!("{}: no near miss in {model:?}", rule.name));
            }
        }
    }
    assert_none(&wrong);
}

/// A near miss of a rule is a miss, and the premise that is said to fail does fail.
#[test]
fn every_near_miss_is_a_miss() {
    let mut wrong = Vec::new();
    let mut found = 0;
    // Refinements order nothing themselves, and traces lack what rules about logs are about.
    for rule in rules().into_iter().filter(|rule| !rule.is_refinement() && !rule.needs_log()) {
        for case in cases_of(rule).iter().filter(|case| case.heading.starts_with("Near miss")) {
            let models = models_of(rule).into_iter().map(|(model, ..)| model);
            for model in models.filter(|model| case.is_of(model)) {
                let rules = case.rules(model);
                let order = expectation::oracle(&case.loaded, &rules);
                let trace = &case.loaded.trace;
                let index = MissIndex::new(trace);
                for (a, b) in case.unordered() {
                    let all = misses(&order, (trace, &index), &rules, a, b);
                    let place = format!("{} [{model:?}] {} {a:?} {b:?}", rule.name, case.heading);
                    found += 1;
                    if !all.iter().any(|miss| *miss.rule == *rule) {
                        wrong.push(format!("{place}: not among {all:?}"));
                    }
                    for miss in &all {
                        if let Premise::Before(x, y) = miss.premise
                            && (x == y || order.before(x, y))
                        {
                            wrong.push(format!("{place}: {x:?} is before {y:?}, but {miss:?}"));
                        }
                    }
                }
            }
        }
    }
    assert!(found > 100, "only {found} near misses");
    assert_none(&wrong);
}

/// The mutation check: a rule that is lost from a model makes a page fail.
#[test]
fn switching_any_rule_off_breaks_a_case() {
    let cases = cases();
    let mut table = String::new();
    let mut wrong = Vec::new();
    for &model in MODELS {
        for &(rule, _) in model.rules {
            let died = cases.iter().filter(|c| c.is_of(model) && c.fails_without(model, rule));
            let pages: BTreeSet<&str> = died.map(|case| case.page).collect();
            let pages: Vec<&str> = pages.into_iter().collect();
            writeln!(table, "{model:?} -{}: {}", rule.name, pages.join(" ")).expect("a string");
            if pages.is_empty() {
                wrong.push(format!("{model:?} without {} passes every case", rule.name));
            }
        }
    }
    println!("{table}");
    assert_none(&wrong);
}

#[test]
fn every_page_states_what_its_rule_is() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let mut lacks = |text: &str| {
            if !rule.page.contains(text) {
                wrong.push(format!("{} lacks: {text}", file_name(rule)));
            }
        };
        lacks(&format!("# {}\n\n", rule.name));
        lacks(&format!("\n```text\n{}\n```\n", rule.logic));
        let mut references: Vec<&str> = Vec::new();
        for (_, variant, _) in models_of(rule) {
            if !references.contains(&variant.reference) {
                references.push(variant.reference);
            }
        }
        lacks(&format!("- **From:** {}\n", references.join("; ")));
        let models: Vec<String> =
            models_of(rule).iter().map(|(model, ..)| format!("`{}`", model.name)).collect();
        lacks(&format!("- **Models:** {}\n", models.join(", ")));
        let nature = if rule.speculative {
            "speculative: observed, not promised"
        } else {
            "follows from how the platform works"
        };
        lacks(&format!("- **Nature:** {nature}\n"));
        let (default, switch) = if models_of(rule)[0].2 {
            ("on", "off with `--rule -")
        } else {
            ("off", "on with `--rule +")
        };
        lacks(&format!("- **Default:** {default}; switch it {switch}{}`\n", rule.name));
    }
    assert_none(&wrong);
}

#[test]
fn every_page_belongs_to_a_rule() {
    let known: BTreeSet<String> =
        rules().into_iter().map(file_name).chain(["README.md".to_owned()]).collect();
    let entries = fs::read_dir(docs()).expect("docs/rules can be listed");
    let found: BTreeSet<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(found, known);
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    for rule in rules() {
        for link in rule.page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !docs().join(link).exists() {
                wrong.push(format!("{}: no {link}", file_name(rule)));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn the_index_lists_every_rule_of_every_model() {
    let index = fs::read_to_string(docs().join("README.md")).expect("the index can be read");
    let mut wrong = Vec::new();
    for model in MODELS {
        let mut section = format!("## Model `{}`\n\n{}.\n\n", model.name, model.summary);
        section.push_str("| rule | in one line |\n|---|---|\n");
        for &(rule, on) in model.rules {
            let off = if on { "" } else { " (off by default)" };
            let (file, summary) = (file_name(rule), summary(rule));
            writeln!(section, "| [{}]({file}){off} | {summary} |", rule.name).expect("a string");
        }
        if !index.contains(&section) {
            wrong.push(format!("docs/rules/README.md should contain:\n{section}"));
        }
    }
    assert_none(&wrong);
}
