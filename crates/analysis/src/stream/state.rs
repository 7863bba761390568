//! What a pass states about itself in a report.

use order::{NotStreamable, RuleSet};
use trace::{Diagnostic, Place};

use super::Pass;
use crate::error::{Error, Unsuitable};

trace::codes! {
    WINDOW_APPLIED = "window-applied", Info,
        "Rule WINDOW orders what is older than the window before every new event. The report is approximate: races between old and new events are not found.";
    DECIDED_EARLY = "decided-early", Warning,
        "Engine stream reads the trace once, and had to decide something before it could know it: the kind of a queue that a thread attaches only after an event of it began, or the post of a message that was read after its begin. Some verdicts may differ from those of engine graph.";
    LABELS_LEFT_OUT = "labels-left-out", Info,
        "Engine stream keeps only the accesses that race. It does not give the labels that depend on other accesses of the location, and no hints.";
    INTERRUPTED = "interrupted", Warning,
        "The analysis was stopped before the end of the input. The report is on the operations that were read until then.";
    NUMBERS_EXHAUSTED = "numbers-exhausted", Error,
        "Operations have numbers of 32 bits. The report is on the operations below 4,294,967,295.";
}

/// Returns the error for rules that cannot be closed in one pass.
pub(super) fn unsuitable(rules: &RuleSet, why: NotStreamable) -> Error {
    match why {
        NotStreamable::Model => Unsuitable::StreamModel(rules.model().name),
        NotStreamable::Off(rule) => Unsuitable::StreamRule(rule),
        NotStreamable::On(rule) => Unsuitable::StreamRuleOn(rule),
    }
    .into()
}

pub(super) fn interrupted(operations: u64) -> Diagnostic {
    let message = format!("operations 0..{operations} were read");
    Diagnostic::new(&INTERRUPTED, Place::Whole, message)
}

pub(super) fn too_many(operations: u64) -> Diagnostic {
    let message = format!("the input has at least {operations} operations");
    Diagnostic::new(&NUMBERS_EXHAUSTED, Place::Whole, message)
}

/// Returns the diagnostics that state what the pass left out.
pub(super) fn statement(rules: &RuleSet, pass: &Pass) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut state = |code, message| diagnostics.push(Diagnostic::new(code, Place::Whole, message));
    if let Some(length) = rules.window() {
        let (dropped, window) = (pass.stream.dropped(), pass.detector.window());
        let message = format!(
            "window of {} s; {} events, {} lists and {} accesses were dropped; {} comparisons were with accesses older than the window, at most so many races were lost",
            length / 1_000_000_000,
            dropped.events,
            dropped.lists,
            window.dropped,
            window.decided
        );
        state(&WINDOW_APPLIED, message);
    }
    if pass.stream.approximations() > 0 {
        state(&DECIDED_EARLY, format!("{} times", pass.stream.approximations()));
    }
    if !pass.listed.is_empty() {
        let left_out = triage::FILTERS.iter().filter(|filter| !filter.one_pass);
        let names: Vec<&str> = left_out.map(|filter| filter.label.name()).collect();
        state(&LABELS_LEFT_OUT, names.join(", "));
    }
    diagnostics
}
