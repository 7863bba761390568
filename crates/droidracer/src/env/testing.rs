//! Mini-logs for the tests of the rules.

use super::model;
use crate::base::Base;
use crate::log::{Sink, parse};
use crate::rules::{Rule, RuleSet};

/// Returns the base of a log given as operation lines.
pub(super) fn base(lines: &str) -> Base {
    base_under(RuleSet::ALL, lines)
}

fn base_under(rules: RuleSet, lines: &str) -> Base {
    let (log, diagnostics) = parse(lines.as_bytes()).expect("the mini-log parses");
    let is_flawed = |code: &trace::Code| code.severity == trace::Severity::Error;
    assert!(!diagnostics.iter().any(|found| is_flawed(found.code)), "{diagnostics:?}");
    model(&log, rules, &mut Sink::default())
}

/// Returns the edges of `rule` in that log, by operation number, sorted. Program order is off
/// unless it is `rule`, because otherwise it would claim edges that also follow from `rule`.
pub(super) fn edges(rule: Rule, lines: &str) -> Vec<(u64, u64)> {
    let base = base_under(RuleSet::ALL.without(Rule::ProgramOrder).with(rule), lines);
    let source = |op| base.op(op).source;
    let of_rule = base.edges().iter().filter(|edge| edge.rule == rule);
    let mut edges: Vec<_> = of_rule.map(|edge| (source(edge.from), source(edge.to))).collect();
    edges.sort_unstable();
    edges
}

/// Returns the lines of a task that `src` posts as operation `first` and thread 1 runs. The lines
/// of `body` have no numbers.
pub(super) fn task(first: u64, src: u32, message: u32, body: &[&str]) -> String {
    let end = first + 2 + body.len() as u64;
    let mut lines = vec![
        format!("{first} POST src:{src} msg:{message} dest:-1 delay:0\n"),
        format!("{} CALL tid:1 msg:{message}\n", first + 1),
    ];
    lines.extend((first + 2..).zip(body).map(|(number, line)| format!("{number} {line}\n")));
    lines.push(format!("{end} RET tid:1 msg:{message}\n"));
    lines.concat()
}
