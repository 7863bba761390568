//! Checks that all formats and the threshold agree on what is open. Compares them with the
//! definition in `testkit::verdict` on random traces of every model, with random suppressions,
//! baselines and `--show`.
//!
//! `INTERLOPER_TRACES` sets the number of reports; CI runs the default.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use analysis::{ModelChoice, Request, Source};
use codec::{Completeness, Format, Loaded};
use order::{MODELS, Model};
use races::PairMode;
use report::Report;
use report::baseline::Baseline;
use report::standing::Threshold;
use report::suppress::{Date, Matcher, Pattern, Suppression, apply};
use report::text::{TextOptions, render};
use serde_json::{Value, json};
use testkit::verdict::{self, Decisions, Expected, Stated};
use trace::Trace;
use triage::{Label, Lists};

use crate::{NoSources, json_of, sarif_of};

fn reports() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(1500)
}

/// Returns the report on a trace, with every race in full if `in_full`.
fn report_of(trace: &Trace, model: &'static Model, pairs: PairMode, in_full: bool) -> Report {
    let loaded = Loaded {
        trace: trace.clone(),
        diagnostics: Vec::new(),
        completeness: Completeness::whole(),
        origin: None,
    };
    let lists = Lists::builtin();
    let model = ModelChoice { model: Some(model), ..ModelChoice::default() };
    let request = Request { model, pairs, ..Request::new(&lists) };
    let source = Source::loaded(Format::Text, loaded);
    let analysis = analysis::run(source, &request, &|_| ControlFlow::Continue(()));
    let analysis = analysis.expect("a trace can be analysed");
    if in_full { Report::in_full(&analysis) } else { Report::of(&analysis) }
}

/// Applies the decisions through the real interfaces, in the order of `check`.
fn decide(report: &mut Report, decisions: &Decisions) {
    let suppression = |location: &String| Suppression {
        matcher: Matcher { location: Some(Pattern::new(location)), ..Matcher::default() },
        reason: "known".to_owned(),
        expires: None,
        origin: "interloper.toml:1".to_owned(),
    };
    let suppressions: Vec<_> = decisions.suppressed.iter().map(suppression).collect();
    apply(report, &suppressions, Date { year: 2026, month: 1, day: 1 });
    let shown: Vec<Label> =
        decisions.shown.iter().map(|name| Label::named(name).expect("a label")).collect();
    report.show(&shown);
    if let Some(known) = &decisions.baseline {
        let races: Vec<Value> =
            known.iter().map(|f| json!({ "fingerprint": f, "title": "known" })).collect();
        let file = json!({ "schema": "interloper-baseline/1", "races": races }).to_string();
        Baseline::read(file.as_bytes()).expect("a baseline").compare(report);
    }
}

/// Compares every format and every threshold with the definition.
fn compare(report: &Report, expected: &Expected, limit: usize, what: &str) {
    let all = &expected.open;
    let read: Value = serde_json::from_str(&json_of(report)).expect("JSON");
    assert_eq!(&Expected::in_json(&read), all, "{what}, json");
    let again = Report::from_json(json_of(report).as_bytes()).expect("a report");
    assert_eq!(again.summary.open_races, all.races, "{what}, read back");
    let sarif: Value = serde_json::from_str(&sarif_of(report)).expect("JSON");
    assert_eq!(&expected.in_sarif(&sarif), all, "{what}, sarif");
    assert_eq!(&Stated::in_junit(&report::junit::render(report)), all, "{what}, junit");
    assert_eq!(&Stated::in_html(&report::html::render(report, None)), all, "{what}, html");
    let github = Stated::in_github(&report::github::render(report));
    assert_eq!(github, expected.limited(10), "{what}, github");
    let markdown = report::markdown::render(report, limit);
    assert_eq!(Stated::in_markdown(&markdown), expected.limited(limit), "{what}, markdown");
    let options =
        TextOptions { sources: &NoSources, groups: limit, styled: false, order_command: None };
    let text = render(report, &options);
    assert_eq!(Stated::in_text(&text), expected.limited(limit), "{what}, text:\n{text}");
    let thresholds = [Threshold::Harmful, Threshold::Uncovered, Threshold::Any, Threshold::Never];
    for (threshold, fails) in thresholds.into_iter().zip(expected.fails) {
        assert_eq!(report.fails(threshold), fails, "{what}, {threshold:?}");
    }
}

#[test]
fn formats_and_exit_status_agree_on_what_is_open() {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for seed in 0..reports() {
        let model = MODELS[(seed / 5) as usize % MODELS.len()];
        let pairs = if seed % 3 == 0 { PairMode::All } else { PairMode::Candidates };
        let trace = verdict::trace(seed);
        let plain = report_of(&trace, model, pairs, true);
        let plain: Value = serde_json::from_str(&json_of(&plain)).expect("JSON");
        let decisions = Decisions::drawn(seed, &plain);
        let mut report = report_of(&trace, model, pairs, !decisions.shown.is_empty());
        decide(&mut report, &decisions);
        let expected = Expected::new(&plain, &decisions);
        let limit = if seed % 2 == 0 { usize::MAX } else { 1 + seed as usize % 4 };
        let what = format!("seed {seed}, model {}, {decisions:?}", model.name);
        compare(&report, &expected, limit, &what);

        let mut note = |holds: bool, case| {
            if holds {
                seen.insert(case);
            }
        };
        let before = Expected::new(&plain, &Decisions::default());
        let summary = &report.summary;
        note(expected.fails == [false; 4] && summary.races > 0, "races, none of which counts");
        note(expected.fails[2] && !expected.fails[1], "any fails alone");
        note(expected.fails[1] && !expected.fails[0], "uncovered fails, harmful does not");
        note(expected.fails[0], "harmful fails");
        note(expected.open.races == 0 && summary.uncovered_races > 0, "uncovered, not open");
        note(expected.open.races > before.open.races, "shown");
        note(expected.open.races < before.open.races, "set aside");
        note(expected.open.groups > limit, "more than the limit");
        note(expected.open.groups > 10, "more than GitHub annotates");
    }
    assert_eq!(seen.len(), 9, "only {seen:?}");
}
