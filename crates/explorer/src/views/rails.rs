//! Rails: how two operations are ordered, or where their histories part.
//!
//! Rows are operations in the order of the trace, which is a topological order, so nothing is laid out. Two
//! ordered operations have one rail, with a row for each step of the path between them. Two unordered ones have
//! two, from the last operation that happens before both.

use order::{Explanation, Step};
use report::describe;
use report::story::Explains;
use serde::Serialize;
use trace::OpId;

use crate::session::Analysed;

/// The rails of two operations.
#[derive(Serialize)]
pub(crate) struct Rails {
    relation: &'static str,
    rows: Vec<Row>,
    /// How many other operations are last before both.
    other_ancestors: usize,
    /// The rules that came nearest to ordering two unordered operations.
    misses: Vec<MissView>,
}

/// A rule that might have ordered two operations.
#[derive(Serialize)]
struct MissView {
    rule: &'static str,
    /// The premise that fails, in a sentence that the rule's name starts.
    text: String,
}

/// The largest number of misses in an answer.
const MISSES: usize = 3;

/// One operation.
#[derive(Serialize)]
struct Row {
    op: u32,
    event: Option<u32>,
    /// What it is: the noun for its event, and the operation itself.
    text: String,
    line: String,
    /// The rail: 0 is the shared past, 1 leads to the first operation, 2 to the second.
    rail: u8,
    /// The rule that orders the operation after the one above it on its rail.
    rule: Option<&'static str>,
}

/// Returns the rails of two operations, given by number.
pub(crate) fn rails(run: &Analysed, a: u32, b: u32) -> Option<Rails> {
    let (relation, other_ancestors, mut rows) = match run.explain(a, b)? {
        Explanation::Same => ("same", 0, vec![row(run, number(run, a)?, 1, None)]),
        Explanation::Before(steps) => ("before", 0, path(run, &steps, 1)),
        Explanation::After(steps) => ("after", 0, path(run, &steps, 2)),
        Explanation::Unordered { nearest_common_ancestors: ancestors } => {
            let rows = match ancestors.last() {
                None => [(a, 1), (b, 2)]
                    .into_iter()
                    .filter_map(|(op, rail)| Some(row(run, number(run, op)?, rail, None)))
                    .collect(),
                Some(&fork) => forked(run, fork, (a, b)),
            };
            ("unordered", ancestors.len().saturating_sub(1), rows)
        }
    };
    rows.sort_by_key(|row| row.op);
    let misses = if relation == "unordered" { misses(run, a, b) } else { Vec::new() };
    Some(Rails { relation, rows, other_ancestors, misses })
}

fn misses(run: &Analysed, a: u32, b: u32) -> Vec<MissView> {
    let (Some(a), Some(b), Some(order)) = (number(run, a), number(run, b), run.order()) else {
        return Vec::new();
    };
    let misses = order::misses(&*order, (run.trace(), run.index()), &run.analysis().rules, a, b);
    let view = |miss: &order::Miss| MissView {
        rule: miss.rule.name,
        text: describe::miss(run.trace(), miss),
    };
    order::nearest(&misses, MISSES).iter().map(view).collect()
}

fn number(run: &Analysed, op: u32) -> Option<OpId> {
    run.trace().numbered(op)
}

/// Returns the rows of two paths that start at `fork`.
fn forked(run: &Analysed, fork: OpId, (a, b): (u32, u32)) -> Vec<Row> {
    let start = run.trace().number(fork);
    let mut rows = vec![row(run, fork, 0, None)];
    for (op, rail) in [(a, 1), (b, 2)] {
        if let Some(Explanation::Before(steps)) = run.explain(start, op) {
            rows.extend(steps.iter().map(|step| row(run, step.to, rail, Some(step.rule.name))));
        }
    }
    rows
}

fn path(run: &Analysed, steps: &[Step], rail: u8) -> Vec<Row> {
    let first = steps.first().map(|step| row(run, step.from, rail, None));
    let rest = steps.iter().map(|step| row(run, step.to, rail, Some(step.rule.name)));
    first.into_iter().chain(rest).collect()
}

fn row(run: &Analysed, op: OpId, rail: u8, rule: Option<&'static str>) -> Row {
    let trace = run.trace();
    let event = trace.event_of(op);
    let text = match event {
        Some(event) => describe::event(trace, run.model(), event),
        None => {
            format!("thread {}", report::name::text(trace.names().threads.get(trace.thread_of(op))))
        }
    };
    Row {
        op: trace.number(op),
        event: event.map(|event| event.0),
        text,
        line: super::operations::line(trace, op),
        rail,
        rule,
    }
}
