//! Closing model `droidracer` with the crate of that tool.

use droidracer::base::OpId;
use droidracer::closure::Explainer;
use droidracer::execution::Execution;

use crate::model::{DROIDRACER, RuleSet};
use crate::path::Step;
use crate::rule::{Derive, Rule};
use crate::rules;

/// Returns the tool's switches for `rules`. The tool's rule for the start of the process is no rule of
/// the model and is always on.
pub fn rules(rules: &RuleSet) -> droidracer::rules::RuleSet {
    let off = DROIDRACER.rules.iter().filter(|(rule, _)| !rules.contains(rule));
    off.fold(droidracer::rules::RuleSet::ALL, |set, (rule, _)| match rule.derive {
        Derive::DroidRacer(rule) => set.without(rule),
        _ => set,
    })
}

/// The rule of the model that is `rule` of the tool.
fn named(rule: droidracer::rules::Rule) -> Option<&'static Rule> {
    let found = DROIDRACER.rules.iter().find(|(r, _)| r.name == rule.name());
    found.map(|&(rule, _)| rule)
}

/// Returns how many base edges each rule made. What the closure derives is not counted.
pub(crate) fn counters(execution: &Execution) -> Vec<(&'static Rule, usize)> {
    let of = |rule: &'static Rule| {
        let edges = execution.base.edges().iter();
        (rule, edges.filter(|edge| edge.rule.name() == rule.name).count())
    };
    DROIDRACER.rules.iter().map(|&(rule, _)| of(rule)).collect()
}

/// Returns the steps from `a` to `b`, which are ordered. Operations of the graph that the trace does
/// not contain are skipped: the step across such an operation has the rule of the step out of it.
pub(crate) fn path(execution: &Execution, a: trace::OpId, b: trace::OpId) -> Vec<Step> {
    let (from, to) = (execution.op(a), execution.op(b));
    if from == to {
        return vec![Step { from: a, to: b, rule: &rules::droidracer::PO }];
    }
    let explainer = Explainer::new(&execution.base);
    let why = explainer.why(from, to).expect("only ordered operations are explained");
    let place = |op: OpId| if op == to { Some(b) } else { execution.position(op) };
    let mut at = a;
    let mut steps = Vec::with_capacity(why.len());
    for step in why {
        if let (Some(to), Some(rule)) = (place(step.to), named(step.rule)) {
            steps.push(Step { from: at, to, rule });
            at = to;
        }
    }
    steps
}
