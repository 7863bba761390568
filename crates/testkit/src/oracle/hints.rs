//! The hints of triage by their definitions, each a predicate over one race that quantifies over
//! the whole trace. Nothing is shared with `triage`.

use std::collections::BTreeSet;

use trace::{EventId, FunctionId, LocationId, Op, OpId, Trace};

use super::facts::{Facts, is_initialised};
use super::{Model, Order, Race};

/// The data from which hints are decided.
pub struct Hints<'a> {
    trace: &'a Trace,
    facts: Facts,
    model: Model,
    order: &'a Order,
    /// Functions that end lives, as exact names.
    destroys: &'a [&'a str],
}

impl<'a> Hints<'a> {
    /// Hints at races under `order`.
    pub fn new(trace: &'a Trace, model: Model, order: &'a Order, destroys: &'a [&'a str]) -> Self {
        Self { trace, facts: Facts::of(trace), model, order, destroys }
    }

    /// The hints at a race.
    pub fn of(&self, race: Race) -> BTreeSet<&'static str> {
        let (a, b) = (race.first, race.second);
        let held = [
            ("null-dereference", self.may_find_nothing(a, b)),
            ("use-after-destroy", self.ends_life(a, b) || self.ends_life(b, a)),
            ("lost-update", self.loses(a, b) || self.loses(b, a)),
            ("stale-response", self.are_responses(a, b)),
        ];
        held.into_iter().filter(|&(_, holds)| holds).map(|(hint, _)| hint).collect()
    }

    /// `read` found something to follow, nothing orders a write of the location before it, and the
    /// location is not known to have a value from the start.
    fn may_find_nothing(&self, write: OpId, read: OpId) -> bool {
        let plain = self.value(read).is_some_and(|value| {
            let text = String::from_utf8_lossy(value);
            ["undefined", "null", "true", "false"].contains(&&*text) || text.parse::<f64>().is_ok()
        });
        let mut writes = self.accesses(self.location(read)).filter(|&w| self.writes(w) && w < read);
        self.writes(write)
            && !self.writes(read)
            && !plain
            && !is_initialised(self.trace, self.location(read))
            && writes.all(|w| !self.order.holds(w, read))
    }

    /// `end` clears what `usage` reads, or runs in a destructor and `usage` does not.
    fn ends_life(&self, end: OpId, usage: OpId) -> bool {
        let nothing = |op| matches!(self.value(op), Some(b"undefined" | b"null"));
        let something = self.value(usage).is_some() && !nothing(usage);
        let clears = nothing(end) && !self.writes(usage) && something;
        self.writes(end) && (clears || self.destroys(end) && !self.destroys(usage))
    }

    /// Both write, and the nearest event on the way to that of `write` that read the location
    /// before did so at a read that nothing orders with `other`; the event itself did not read it.
    fn loses(&self, write: OpId, other: OpId) -> bool {
        let reads_before = |event: EventId| {
            self.accesses(self.location(write))
                .find(|&r| !self.writes(r) && self.facts.event(r) == Some(event))
                .filter(|&read| read < write)
        };
        let Some(event) = self.facts.event(write) else { return false };
        let parent = |event: EventId| self.facts.event(self.facts.enqueue(event)?);
        let mut above = parent(event);
        let mut seen = BTreeSet::from([event]);
        let mut read = None;
        while let Some(event) = above.filter(|&event| seen.insert(event)) {
            read = read.or_else(|| reads_before(event));
            above = parent(event);
        }
        let free = |read| !self.order.holds(read, other) && !self.order.holds(other, read);
        self.writes(write)
            && self.writes(other)
            && reads_before(event).is_none()
            && read.is_some_and(free)
    }

    /// Both write, under the same functions, in events that are both responses, and not one value.
    fn are_responses(&self, a: OpId, b: OpId) -> bool {
        let functions = |op| -> Vec<FunctionId> {
            let stack = self.trace.stack_of(op);
            self.trace.stacks().frames(stack).map(|frame| frame.function).collect()
        };
        let equal = self.value(a).is_some() && self.value(a) == self.value(b);
        self.writes(a)
            && self.writes(b)
            && !equal
            && !functions(a).is_empty()
            && functions(a) == functions(b)
            && self.is_response(a)
            && self.is_response(b)
    }

    fn is_response(&self, op: OpId) -> bool {
        let Some(event) = self.facts.event(op) else { return false };
        let event_type = self.facts.task_type(op, self.model);
        let typed =
            matches!(event_type, Some(b"readystatechange" | b"response" | b"load" | b"message"));
        let posted_from = self.facts.enqueue(event).map(|enqueue| self.facts.thread(enqueue));
        typed || posted_from.is_some_and(|thread| thread != self.facts.thread(op))
    }

    fn destroys(&self, op: OpId) -> bool {
        let names = &self.trace.names().functions;
        let stack = self.trace.stack_of(op);
        let mut frames = self.trace.stacks().frames(stack);
        frames.any(|frame| {
            self.destroys.iter().any(|name| name.as_bytes() == names.get(frame.function))
        })
    }

    fn accesses(&self, x: LocationId) -> impl Iterator<Item = OpId> {
        self.facts.ops().filter(move |&op| {
            self.facts.op(op).access().is_some_and(|(location, _)| location == x)
        })
    }

    fn location(&self, op: OpId) -> LocationId {
        self.facts.op(op).access().expect("races are between accesses").0
    }

    fn writes(&self, op: OpId) -> bool {
        matches!(self.facts.op(op), Op::Write(_))
    }

    fn value(&self, op: OpId) -> Option<&[u8]> {
        self.trace.attributes(op).value.map(|value| self.trace.text(value))
    }
}
