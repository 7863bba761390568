//! Orders that a recorder states: `arc M N`, with the kind of order in `by=`.

use trace::{Op, Trace};

use crate::facts::Facts;
use crate::rule::EventConclusions;

/// The kinds of order that have a rule of their own in model `web`.
const CAUSES: [&[u8]; 9] = [
    b"parser",
    b"load",
    b"network",
    b"interval",
    b"script",
    b"target",
    b"learned",
    b"step",
    b"wait",
];

/// Returns every arc with its kind of order, the value of `by=`.
fn arcs(trace: &Trace) -> impl Iterator<Item = (Op, Option<&[u8]>)> {
    trace.ops().filter_map(|op| match trace.op(op) {
        arc @ Op::Arc(..) => Some((arc, trace.attributes(op).event_type.map(|t| trace.text(t)))),
        _ => None,
    })
}

fn conclude(facts: &Facts<'_>, out: &mut EventConclusions, wanted: impl Fn(Option<&[u8]>) -> bool) {
    for (arc, cause) in arcs(facts.trace) {
        if let Op::Arc(from, to) = arc
            && wanted(cause)
        {
            out.order(facts.trace, from, to);
        }
    }
}

/// Orders by every arc.
pub(super) fn all(facts: &Facts<'_>, out: &mut EventConclusions) {
    conclude(facts, out, |_| true);
}

/// Orders by the arcs whose kind is `cause`.
pub(super) fn by(facts: &Facts<'_>, cause: &[u8], out: &mut EventConclusions) {
    conclude(facts, out, |given| given == Some(cause));
}

/// Orders by the arcs whose kind has no rule of its own.
pub(super) fn by_others(facts: &Facts<'_>, out: &mut EventConclusions) {
    conclude(facts, out, |given| given.is_none_or(|cause| !CAUSES.contains(&cause)));
}
