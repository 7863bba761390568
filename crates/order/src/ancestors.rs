//! The last common ancestors of two operations in a model that orders whole events.
//!
//! By definition these are the operations before both that no other such operation follows; `path::common_events`
//! computes them by testing each event. Here the edges are searched backwards, from the events of both operations in
//! turn, and events that the clocks know to be before the other operation are not searched further. The search that
//! ends first is complete: an ancestor that it does not reach is followed by one that it has reached.
//!
//! An ancestor that is found stands for its own ancestors only if those had ended before its last operation. So for each
//! event the latest end among its ancestors is kept, and the search goes on behind an event that one of them outlasts.
//! Events that never end would outlast all others; they are few, and are tested one by one. So are silent tasks, which
//! no edge leads out of.
//!
//! Cost: the events that are before one of the two operations and not before the other, where that is less; once for a
//! trace, O(events + edges), and 8 bytes for each event and 4 for each edge.

use hashbrown::HashSet;
use trace::{EventId, Id, OpId, Trace};

use crate::HappensBefore;
use crate::engine::events::EventEdge;

/// The edges of an order of whole events by their targets, and what cannot be found along edges.
pub(crate) struct Ancestors {
    /// Where the sources of each event's edges begin in `sources`; one more at the end.
    starts: Vec<u32>,
    sources: Vec<EventId>,
    /// For each event one past the latest end among the events that lead to it; 0 if there is none.
    outlasts: Vec<u32>,
    /// Events that never end, and events of silent tasks.
    apart: Vec<EventId>,
}

impl Ancestors {
    /// Indexes edges, which lead to events that begin later.
    pub(crate) fn new(
        trace: &Trace,
        edges: &[EventEdge],
        is_silent: impl Fn(EventId) -> bool,
    ) -> Self {
        let events = trace.events().len();
        let mut starts = vec![0u32; events + 1];
        for edge in edges {
            starts[edge.to.index() + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut sources = vec![EventId(0); edges.len()];
        for edge in edges {
            let place = &mut next[edge.to.index()];
            sources[*place as usize] = edge.from;
            *place += 1;
        }
        let mut begun: Vec<(OpId, EventId)> =
            trace.events().filter_map(|(id, event)| Some((event.begin?, id))).collect();
        begun.sort_unstable();
        let is_apart = |event| trace.event(event).end.is_none() || is_silent(event);
        let apart = begun.iter().map(|&(_, event)| event).filter(|&event| is_apart(event));
        let mut index = Self { starts, sources, outlasts: next, apart: apart.collect() };
        index.outlasts.fill(0);
        index.outlasts.truncate(events);
        for &(_, event) in &begun {
            let latest = index.sources(event).iter().map(|&source| {
                let end = trace.event(source).end.map_or(0, |end| end.0 + 1);
                end.max(index.outlasts[source.index()])
            });
            index.outlasts[event.index()] = latest.max().unwrap_or(0);
        }
        index
    }

    fn sources(&self, event: EventId) -> &[EventId] {
        let (from, to) = (self.starts[event.index()], self.starts[event.index() + 1]);
        &self.sources[from as usize..to as usize]
    }

    /// Returns the operations before both that no other such operation follows, in the order of the trace.
    pub(crate) fn common(
        &self,
        order: &dyn HappensBefore,
        trace: &Trace,
        a: OpId,
        b: OpId,
    ) -> Vec<OpId> {
        let (Some(t), Some(u)) = (trace.event_of(a), trace.event_of(b)) else { return Vec::new() };
        let asked = Asked { order, trace, a, b };
        let mut sides = [Side::new(t, u), Side::new(u, t)];
        let mut found = 'done: loop {
            for side in &mut sides {
                if !side.advance(self, &asked) {
                    break 'done std::mem::take(&mut side.found);
                }
            }
        };
        let is_before = |event, other| event == other || order.event_before(event, other);
        let apart = self.apart.iter().filter(|&&event| is_before(event, t) && is_before(event, u));
        found.extend(apart.filter_map(|&event| asked.last_of(event)));
        found.sort_unstable();
        found.dedup();
        let mut nearest: Vec<OpId> = Vec::new();
        for op in found.into_iter().rev() {
            if !nearest.iter().any(|&kept| order.before(op, kept)) {
                nearest.push(op);
            }
        }
        nearest.reverse();
        nearest
    }
}

/// Two operations whose common ancestors are searched.
struct Asked<'a> {
    order: &'a dyn HappensBefore,
    trace: &'a Trace,
    a: OpId,
    b: OpId,
}

impl Asked<'_> {
    /// Returns the last operation of a common ancestor that happens before both, if there is one.
    fn last_of(&self, event: EventId) -> Option<OpId> {
        last_before(self.trace, event, self.a.min(self.b))
            .filter(|&op| self.order.before(op, self.a) && self.order.before(op, self.b))
    }
}

/// Returns the last operation of an event before another operation.
pub(crate) fn last_before(trace: &Trace, event: EventId, limit: OpId) -> Option<OpId> {
    let row = trace.event(event);
    let begin = row.begin.filter(|&begin| begin < limit)?;
    let last = row.end.filter(|&end| end < limit).map_or(limit.0, |end| end.0 + 1);
    (begin.0..last).rev().map(OpId).find(|&op| trace.event_of(op) == Some(event))
}

/// The search from one of the two events.
struct Side {
    other: EventId,
    open: Vec<EventId>,
    seen: HashSet<EventId>,
    found: Vec<OpId>,
}

impl Side {
    fn new(from: EventId, other: EventId) -> Self {
        Self { other, open: vec![from], seen: HashSet::from([from]), found: Vec::new() }
    }

    /// Looks at one more event. Returns whether there was one.
    fn advance(&mut self, index: &Ancestors, asked: &Asked<'_>) -> bool {
        let Some(event) = self.open.pop() else { return false };
        let is_common = event == self.other || asked.order.event_before(event, self.other);
        let last = is_common.then(|| asked.last_of(event)).flatten();
        self.found.extend(last);
        if last.is_none_or(|last| index.outlasts[event.index()] > last.0 + 1) {
            let news = index.sources(event).iter().filter(|&&source| self.seen.insert(source));
            self.open.extend(news);
        }
        true
    }
}
