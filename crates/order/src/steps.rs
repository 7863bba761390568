//! Steps whose transitive closure is happens-before, for programs that answer questions without an engine.
//!
//! The vertices are the events of a model that orders whole events, and the operations of any other. A step leads
//! from the last vertex on a chain that happens before another to that vertex, and steps that others imply are left
//! out. So each step is the conclusion of one rule.
//!
//! Cost: where all conclusions are edges between events, one question about the order for each two edges into an event;
//! else one for each chain and each vertex, and a table of chains².

use hashbrown::HashMap;
use trace::{EventId, OpId};

use crate::engine::events::EventEdge;
use crate::rule::Rule;
use crate::{Graph, HappensBefore};

/// The steps of an order.
pub struct Steps {
    /// Whether the vertices are events, and not operations.
    pub of_events: bool,
    /// Whether operations of one event follow the trace; meant for vertices that are events.
    pub within_events: bool,
    /// From a vertex to a later one, with the rule, sorted by targets. A vertex is the number of an event, or the
    /// position of an operation.
    pub steps: Vec<(u32, u32, &'static Rule)>,
}

/// What is known of one chain.
#[derive(Default)]
struct Chain {
    /// Its vertices so far.
    vertices: Vec<u32>,
    /// How many vertices of each chain its last vertex follows.
    known: Vec<u32>,
}

/// The largest number of chains. A table of as many squared is kept.
const CHAINS: usize = 4000;

impl Graph<'_> {
    /// Returns the steps of the order. Returns none if that takes more than `most` questions, or if the
    /// closure of steps would not be the order, as in model `droidracer`.
    pub fn steps(&self, most: usize) -> Option<Steps> {
        if self.execution().is_some() {
            return None;
        }
        if let Some(edges) = self.complete_edges() {
            return self.reduced(edges, most);
        }
        let rules = self.event_rules();
        let of_events = rules.is_some();
        let vertices = Vertices { order: self, of_events };
        let (mut chains, mut numbers): (Vec<Chain>, HashMap<u32, usize>) = Default::default();
        let (mut steps, mut asked) = (Vec::new(), 0);
        for u in vertices.in_order() {
            let fresh = chains.len();
            let own = match self.chain(vertices.op(u)) {
                Some(chain) => *numbers.entry(chain).or_insert(fresh),
                None => fresh,
            };
            if own == fresh {
                chains.push(Chain::default());
            }
            asked += chains.len();
            if chains.len() > CHAINS || asked > most {
                return None;
            }
            for t in vertices.last_before(u, own, &mut chains) {
                let rule = match &rules {
                    Some(rules) => rules(EventId(t), EventId(u)),
                    None => self.rule_between(OpId(t), OpId(u)),
                };
                steps.push((t, u, rule));
            }
        }
        Some(Steps { of_events, within_events: self.orders_within_events(), steps })
    }
}

impl Graph<'_> {
    /// Returns the edges, whose closure is the order, without those that others imply. Where several rules conclude
    /// the same, the first one is kept.
    fn reduced(&self, edges: &[EventEdge], most: usize) -> Option<Steps> {
        let begin = |event: EventId| self.trace.event(event).begin;
        let mut edges: Vec<(EventId, EventId, &'static Rule)> =
            edges.iter().map(|edge| (edge.to, edge.from, edge.rule)).collect();
        edges.sort_by_key(|&(to, from, _)| (begin(to), begin(from)));
        edges.dedup_by_key(|&mut (to, from, _)| (to, from));
        let (mut steps, mut asked) = (Vec::with_capacity(edges.len()), 0);
        for into in edges.chunk_by(|a, b| a.0 == b.0) {
            asked += into.len() * (into.len() - 1) / 2;
            if asked > most {
                return None;
            }
            for (i, &(to, from, rule)) in into.iter().enumerate() {
                // What implies an edge from an event is an edge from a later one.
                if !into[i + 1..].iter().any(|&(_, later, _)| self.event_before(from, later)) {
                    steps.push((from.0, to.0, rule));
                }
            }
        }
        Some(Steps { of_events: true, within_events: self.orders_within_events(), steps })
    }
}

/// The vertices of an order.
struct Vertices<'a> {
    order: &'a Graph<'a>,
    of_events: bool,
}

impl Vertices<'_> {
    /// Returns the vertices in the order of the trace; of events, those that have begun.
    fn in_order(&self) -> Vec<u32> {
        let trace = self.order.trace;
        if !self.of_events {
            return trace.ops().map(|op| op.0).collect();
        }
        let begun = trace.events().filter_map(|(id, event)| Some((event.begin?, id.0)));
        let mut begun: Vec<(OpId, u32)> = begun.collect();
        begun.sort_unstable();
        begun.into_iter().map(|(_, event)| event).collect()
    }

    fn op(&self, vertex: u32) -> OpId {
        if !self.of_events {
            return OpId(vertex);
        }
        let begin = self.order.trace.event(EventId(vertex)).begin;
        begin.expect("only events that have begun are vertices")
    }

    fn before(&self, t: u32, u: u32) -> bool {
        if self.of_events {
            self.order.event_before(EventId(t), EventId(u))
        } else {
            self.order.before(OpId(t), OpId(u))
        }
    }

    /// Returns the vertices before `u` that no other such vertex follows, and appends `u` to its chain.
    fn last_before(&self, u: u32, own: usize, chains: &mut [Chain]) -> Vec<u32> {
        let last = chains[own].vertices.last().copied().filter(|&last| self.before(last, u));
        let mut known = std::mem::take(&mut chains[own].known);
        known.resize(chains.len(), 0);
        let mut gained: Vec<u32> = Vec::new();
        for (chain, reach) in chains.iter().zip(&mut known) {
            let news = &chain.vertices[*reach as usize..];
            let more = news.iter().take_while(|&&t| self.before(t, u)).count();
            if more > 0 {
                gained.push(news[more - 1]);
                *reach += more as u32;
            }
        }
        gained.extend(last.filter(|last| !gained.contains(last)));
        chains[own].vertices.push(u);
        known[own] = chains[own].vertices.len() as u32;
        chains[own].known = known;
        let is_last = |t: &u32| !gained.iter().any(|&other| other != *t && self.before(*t, other));
        gained.iter().copied().filter(is_last).collect()
    }
}
