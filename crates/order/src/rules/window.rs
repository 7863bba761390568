//! What is older than the window happens before every new event.
//!
//! Off by default: it orders what another run could reorder, so races between old and new events are
//! lost. It bounds the memory of engine `stream`.

use std::collections::VecDeque;

use trace::{Id, Op, OpId, Trace};

use crate::engine::graph::{EventMechanism, Mechanism};
use crate::rule::{Conclusions, Derive, EventConclusions, EventPremises, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "WINDOW",
    reference: "AsyncClock, §4.1",
    logic: "γ = begin(m) ≤ β, time(γ) + window ≤ time(β), α ≤ γ, β a begin or outside events ⊢ α ≺ β",
    speculative: true,
    page: include_str!("../../../../docs/rules/window.md"),
    misses: |p| p.in_window(),
    derive: Derive::Operations(derive, &[Mechanism::Window]),
};

/// In models that order whole events: what ended before the last event that began so long ago.
pub(crate) static IN_EVENTS: Rule =
    Rule { derive: Derive::EventsInOrder(derive_events, EventMechanism::Window), ..RULE };

/// The floor, at an operation of a trace that is read from its start.
struct Floor {
    length: u64,
    time: u64,
    begins: VecDeque<(u64, OpId)>,
    /// The last begin that is old.
    last: Option<OpId>,
}

impl Floor {
    fn new(length: u64) -> Self {
        Self { length, time: 0, begins: VecDeque::new(), last: None }
    }

    /// Moves to an operation. Returns its floor, the last begin that is old there, and whether it
    /// begins an event.
    fn pass(&mut self, trace: &Trace, beta: OpId) -> (Option<OpId>, bool) {
        let op = trace.op(beta);
        if !matches!(op, Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave) {
            self.time = self.time.max(trace.attributes(beta).at.unwrap_or(0));
        }
        let (length, time) = (self.length, self.time);
        let is_old = |&mut (at, _): &mut (u64, OpId)| length.saturating_add(at) <= time;
        while let Some((_, begin)) = self.begins.pop_front_if(is_old) {
            self.last = Some(begin);
        }
        let begins = matches!(op, Op::Begin(event) if trace.event(event).begin == Some(beta));
        if begins {
            self.begins.push_back((self.time, beta));
        }
        (self.last, begins)
    }
}

/// Returns for each event the last begin that is older than a window of so many nanoseconds when the
/// event begins.
pub(crate) fn floors(trace: &Trace, length: u64) -> Vec<Option<OpId>> {
    let mut floors = vec![None; trace.names().events.len()];
    let mut at = Floor::new(length);
    for op in trace.ops() {
        if let (floor, true) = at.pass(trace, op)
            && let Op::Begin(event) = trace.op(op)
        {
            floors[event.index()] = floor;
        }
    }
    floors
}

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let Some(length) = p.rules.window() else { return };
    let trace = p.facts.trace;
    let mut at = Floor::new(length);
    for beta in trace.ops() {
        let (floor, begins) = at.pass(trace, beta);
        if begins || trace.event_of(beta).is_none() {
            for alpha in floor.into_iter().flat_map(|OpId(floor)| (0..=floor).map(OpId)) {
                if !p.before(alpha, beta) {
                    out.order(alpha, beta);
                }
            }
        }
    }
}

fn derive_events(p: &EventPremises<'_>, out: &mut EventConclusions) {
    let Some(length) = p.rules.window() else { return };
    let floors = floors(p.facts.trace, length);
    for u in &p.facts.events {
        let Some(floor) = floors[u.event.index()] else { continue };
        for t in p.facts.events.iter().filter(|t| t.end.is_some_and(|end| end < floor)) {
            out.order(p.facts.trace, t.event, u.event);
        }
    }
}
