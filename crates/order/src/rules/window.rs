//! What is older than the window happens before every new event.
//!
//! Off by default: it orders what another run could reorder, so races between old and new events are
//! lost. It bounds the memory of engine `stream`.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::{Op, OpId};

pub(crate) static RULE: Rule = Rule {
    name: "WINDOW",
    reference: "AsyncClock, §4.1",
    logic: "γ = begin(m) ≤ β, time(γ) + window ≤ time(β), α ≤ γ, β a begin or outside events ⊢ α ≺ β",
    speculative: true,
    page: include_str!("../../../../docs/rules/window.md"),
    derive: Derive::Operations(derive, &[Mechanism::Window]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let Some(length) = p.rules.window() else { return };
    let trace = p.facts.trace;
    let (mut time, mut floor) = (0, None);
    let mut begins = std::collections::VecDeque::new();
    for beta in trace.ops() {
        let op = trace.op(beta);
        if !matches!(op, Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave) {
            time = time.max(trace.attributes(beta).at.unwrap_or(0));
        }
        while let Some((_, begin)) =
            begins.pop_front_if(|&mut (at, _): &mut (u64, OpId)| length.saturating_add(at) <= time)
        {
            floor = Some(begin);
        }
        let begun = matches!(op, Op::Begin(event) if trace.event(event).begin == Some(beta));
        if begun || trace.event_of(beta).is_none() {
            for alpha in floor.into_iter().flat_map(|OpId(floor)| (0..=floor).map(OpId)) {
                if !p.before(alpha, beta) {
                    out.order(alpha, beta);
                }
            }
        }
        if begun {
            begins.push_back((time, beta));
        }
    }
}
