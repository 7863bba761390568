//! Explanations: why two operations are ordered, or which operations both depend on last.

use std::collections::{HashMap, VecDeque};

use trace::{EventId, Id, OpId, Trace};

use crate::ancestors::last_before;
use crate::engine::droidracer;
use crate::engine::events::EventEdge;
use crate::engine::oracle::{Closure, Edge};
use crate::rule::Rule;
use crate::{HappensBefore, Oracle, rules};

/// One step of a path: `from` ≺ `to` by `rule` alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The earlier operation.
    pub from: OpId,
    /// The later operation.
    pub to: OpId,
    /// The rule that orders them.
    pub rule: &'static Rule,
}

/// How two operations relate.
#[derive(Clone, Debug, PartialEq)]
pub enum Explanation {
    /// They are the same operation.
    Same,
    /// The first happens before the second, along these steps.
    Before(Vec<Step>),
    /// The second happens before the first, along these steps.
    After(Vec<Step>),
    /// Nothing orders them.
    Unordered {
        /// The operations before both that no other such operation follows.
        nearest_common_ancestors: Vec<OpId>,
    },
}

/// How `a` and `b` relate under `order`, given paths and common ancestors.
pub(crate) fn explain(
    order: &dyn HappensBefore,
    a: OpId,
    b: OpId,
    path: &dyn Fn(OpId, OpId) -> Vec<Step>,
    common_ancestors: &dyn Fn(OpId, OpId) -> Vec<OpId>,
) -> Explanation {
    if a == b {
        Explanation::Same
    } else if order.before(a, b) {
        Explanation::Before(path(a, b))
    } else if order.before(b, a) {
        Explanation::After(path(b, a))
    } else {
        Explanation::Unordered { nearest_common_ancestors: common_ancestors(a, b) }
    }
}

impl Oracle<'_> {
    /// Returns how `a` and `b` relate, and why. O(conclusions) for a path, O(n²) at worst for ancestors.
    pub fn explain(&self, a: OpId, b: OpId) -> Explanation {
        let ancestors = |a, b| common_ancestors(self, self.trace, a, b);
        explain(self, a, b, &|a, b| self.path(a, b), &ancestors)
    }

    fn path(&self, a: OpId, b: OpId) -> Vec<Step> {
        match &*self.closure {
            Closure::Operations { edges, .. } => {
                merge_program_order(shortest(edges, self.trace.len(), a, b))
            }
            Closure::Events(events) => {
                let edges = EdgeIndex::new(&events.edges, self.trace.events().len());
                let paths = EventPaths {
                    order: self,
                    trace: self.trace,
                    edges: &events.edges,
                    index: &edges,
                };
                paths.path((&|_, _| None, None), a, b)
            }
            Closure::DroidRacer(execution) => {
                merge_program_order(droidracer::path(execution, a, b))
            }
        }
    }
}

/// Returns the operations before both that no other such operation follows, by testing each operation
/// of the trace.
pub(crate) fn common_ancestors(
    order: &dyn HappensBefore,
    trace: &Trace,
    a: OpId,
    b: OpId,
) -> Vec<OpId> {
    let mut nearest: Vec<OpId> = Vec::new();
    // Descending: an operation before one already kept is not nearest. Only DroidRacer orders
    // against the trace, so only there can one kept precede one that comes later.
    for op in trace.ops().rev() {
        if order.before(op, a)
            && order.before(op, b)
            && !nearest.iter().any(|&kept| order.before(op, kept))
        {
            nearest.retain(|&kept| !order.before(kept, op));
            nearest.push(op);
        }
    }
    nearest.reverse();
    nearest
}

/// Like [`common_ancestors`], for a model that orders whole events, by testing each event. The last
/// operation of an event before both is the nearest one that it contains.
pub(crate) fn common_events(
    order: &dyn HappensBefore,
    trace: &Trace,
    a: OpId,
    b: OpId,
) -> Vec<OpId> {
    let (Some(t), Some(u)) = (trace.event_of(a), trace.event_of(b)) else { return Vec::new() };
    let limit = a.min(b);
    let is_before = |event, other| event == other || order.event_before(event, other);
    let mut common: Vec<(OpId, EventId)> = trace
        .events()
        .filter(|(_, row)| row.begin.is_some_and(|begin| begin < limit))
        .filter(|&(event, _)| is_before(event, t) && is_before(event, u))
        .filter_map(|(event, _)| {
            let op = last_before(trace, event, limit)?;
            (order.before(op, a) && order.before(op, b)).then_some((op, event))
        })
        .collect();
    common.sort_unstable();
    let mut nearest: Vec<(OpId, EventId)> = Vec::new();
    for (op, event) in common.into_iter().rev() {
        if !nearest.iter().any(|&(kept, _)| order.before(op, kept)) {
            nearest.push((op, event));
        }
    }
    nearest.into_iter().rev().map(|(op, _)| op).collect()
}

/// Returns the first step of a path between two events that no edge shows.
type FirstStep<'a> = dyn Fn(EventId, EventId) -> Option<(EventId, &'static Rule)> + 'a;

/// Returns the last begin below the floor of an event.
pub(crate) type Floor<'a> = &'a dyn Fn(EventId) -> Option<OpId>;

/// Which of some edges between events begin in each event.
pub(crate) struct EdgeIndex {
    /// Where the edges of each event begin in `edges`; one more at the end.
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl EdgeIndex {
    /// Indexes edges. O(events + edges).
    pub(crate) fn new(edges: &[EventEdge], events: usize) -> Self {
        let mut starts = vec![0u32; events + 1];
        for edge in edges {
            starts[edge.from.index() + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let (mut next, mut sorted) = (starts.clone(), vec![0u32; edges.len()]);
        for (i, edge) in (0u32..).zip(edges) {
            let place = &mut next[edge.from.index()];
            sorted[*place as usize] = i;
            *place += 1;
        }
        Self { starts, edges: sorted }
    }

    /// Returns the positions of the edges that begin in an event, in ascending order.
    fn of(&self, event: EventId) -> &[u32] {
        let (from, to) = (self.starts[event.index()], self.starts[event.index() + 1]);
        &self.edges[from as usize..to as usize]
    }
}

/// The edges of an order of whole events, in which paths are searched.
pub(crate) struct EventPaths<'a> {
    pub(crate) order: &'a dyn HappensBefore,
    pub(crate) trace: &'a Trace,
    pub(crate) edges: &'a [EventEdge],
    pub(crate) index: &'a EdgeIndex,
}

impl EventPaths<'_> {
    /// Returns a path through events, each step of which leads to the begin of the next event. The first
    /// step is the one that `first_step` returns, or else along one of the edges. `floor` is given if there
    /// is a window, whose conclusions are not among the edges. O(edges between the two events).
    pub(crate) fn path(
        &self,
        (first_step, floor): (&FirstStep<'_>, Option<Floor<'_>>),
        a: OpId,
        b: OpId,
    ) -> Vec<Step> {
        let trace = self.trace;
        let within = |from, to| Step { from, to, rule: &rules::EVENT_ORDER };
        let (Some(t), Some(u)) = (trace.event_of(a), trace.event_of(b)) else {
            return Vec::new();
        };
        if t == u {
            return vec![within(a, b)];
        }
        let mut steps = Vec::new();
        let mut at = a;
        let first = first_step(t, u);
        let above = AboveFloors::new(trace, floor);
        let rest = self.shortest(above, first.map_or(t, |(event, _)| event), u);
        for (event, rule) in first.into_iter().chain(rest) {
            let begin = trace.event(event).begin.expect("an ordered event has begun");
            // An event forked by one that goes on may begin before the operation asked about.
            if at < begin {
                steps.push(Step { from: at, to: begin, rule });
                at = begin;
            }
        }
        if at != b {
            steps.push(within(at, b));
        }
        steps
    }

    /// Returns the events after `t` on a path to `u` with the fewest edges, each with the rule of the edge
    /// into it. Only events that lead to `u` are visited.
    fn shortest(
        &self,
        mut above: AboveFloors<'_>,
        t: EventId,
        u: EventId,
    ) -> Vec<(EventId, &'static Rule)> {
        let mut previous: HashMap<EventId, (EventId, &'static Rule)> = HashMap::new();
        let mut queue = VecDeque::from([t]);
        while let Some(at) = queue.pop_front() {
            if at == u {
                break;
            }
            let by_edges = self.index.of(at).iter().map(|&edge| {
                let edge = &self.edges[edge as usize];
                (edge.to, edge.rule)
            });
            let by_window = above.take(at).into_iter().map(|to| (to, &rules::WINDOW_IN_EVENTS));
            for (to, rule) in by_edges.chain(by_window) {
                if to == u || self.order.event_before(to, u) {
                    previous.entry(to).or_insert_with(|| {
                        queue.push_back(to);
                        (at, rule)
                    });
                }
            }
        }
        let mut path = Vec::new();
        let mut at = u;
        while at != t {
            let (from, rule) = previous[&at];
            path.push((at, rule));
            at = from;
        }
        path.reverse();
        path
    }
}

/// A path with the fewest steps, searched backwards from `b`.
fn shortest(edges: &[Edge], n: usize, a: OpId, b: OpId) -> Vec<Step> {
    let mut next: Vec<Option<&Edge>> = vec![None; n];
    let mut queue = VecDeque::from([b]);
    while let Some(at) = queue.pop_front() {
        if at == a {
            break;
        }
        let first = edges.partition_point(|e| e.to < at);
        for edge in edges[first..].iter().take_while(|e| e.to == at) {
            if edge.from >= a && next[edge.from.index()].is_none() {
                next[edge.from.index()] = Some(edge);
                queue.push_back(edge.from);
            }
        }
    }
    let mut steps = Vec::new();
    let mut at = a;
    while at != b {
        let edge = next[at.index()].expect("a path exists between ordered operations");
        steps.push(Step { from: edge.from, to: edge.to, rule: edge.rule });
        at = edge.to;
    }
    steps
}

/// Joins runs of one program-order rule: its premises are transitive, so the joined step is an
/// instance of the rule too.
pub(crate) fn merge_program_order(steps: Vec<Step>) -> Vec<Step> {
    let mut merged: Vec<Step> = Vec::new();
    for step in steps {
        match merged.last_mut() {
            Some(last) if last.rule == step.rule && step.rule.is_program_order() => {
                last.to = step.to;
            }
            _ => merged.push(step),
        }
    }
    merged
}

/// The events that follow others by a window, in the order of their begins and floors.
struct AboveFloors<'a> {
    trace: &'a Trace,
    events: Vec<(OpId, EventId, OpId)>,
    /// Those from here on were taken.
    taken: usize,
}

impl<'a> AboveFloors<'a> {
    fn new(trace: &'a Trace, floor: Option<Floor<'_>>) -> Self {
        let of = |floor: Floor<'_>| {
            let events = trace.events().filter_map(|(id, row)| Some((row.begin?, id, floor(id)?)));
            events.collect()
        };
        let mut events: Vec<(OpId, EventId, OpId)> = floor.map(of).unwrap_or_default();
        events.sort_unstable();
        let taken = events.len();
        Self { trace, events, taken }
    }

    /// Takes the events that follow `event` by the window and were not taken before.
    fn take(&mut self, event: EventId) -> Vec<EventId> {
        let Some(end) = self.trace.event(event).end else { return Vec::new() };
        let first = self.events.partition_point(|&(_, _, floor)| floor < end);
        let upto = self.taken;
        self.taken = first.min(upto);
        self.events[self.taken..upto].iter().map(|&(_, event, _)| event).collect()
    }
}
