//! The graph engine, as the other crates see it.

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;

use droidracer::execution::Execution;
use trace::{EventId, Op, OpId, Trace};

use crate::ancestors::Ancestors;
use crate::engine::droidracer as tool;
use crate::engine::events::{self, EventEdge};
use crate::engine::graph::{EventClocks, Operations};
use crate::facts::Facts;
use crate::model::{Closure, RuleSet};
use crate::path::{self, EdgeIndex, EventPaths, Explanation, Floor};
use crate::rule::Rule;
use crate::rules;
use crate::{Cursor, HappensBefore, Places};

/// The order of a trace under a model: the relation that [`crate::Oracle`] computes, by vector clocks
/// and without the full matrix.
///
/// Model `droidracer` has an engine of its own, in the crate of that tool. [`crate::Oracle`] uses it
/// too.
#[derive(Clone)]
pub struct Graph<'t> {
    pub(crate) trace: &'t Trace,
    closed: Closed,
    counters: Arc<[(&'static Rule, usize)]>,
}

/// The closed relation. Copies share it.
#[derive(Clone)]
enum Closed {
    Operations(Arc<Operations>),
    Events {
        clocks: Arc<EventClocks>,
        edges: Arc<[EventEdge]>,
        /// Made when a path is first asked for.
        index: Arc<OnceLock<EdgeIndex>>,
        /// Made when common ancestors are first asked for.
        ancestors: Arc<OnceLock<Ancestors>>,
        within_events: bool,
    },
    DroidRacer(Arc<Execution>),
}

/// The size of a graph, and what closing it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphStats {
    /// Operations, or events, that order others.
    pub nodes: usize,
    /// Chains that the nodes lie on.
    pub chains: usize,
    /// Sweeps over the trace.
    pub passes: usize,
    /// Bytes of clocks and lists.
    pub bytes: usize,
}

impl<'t> Graph<'t> {
    /// Closes `trace` under `rules`.
    pub fn new(trace: &'t Trace, rules: &RuleSet) -> Self {
        match rules.model().closure {
            Closure::Operations => {
                let operations = Operations::new(trace, rules);
                let counters = operations.counters(rules);
                let closed = Closed::Operations(Arc::new(operations));
                Self { trace, closed, counters: counters.into() }
            }
            Closure::Events => {
                let facts = Facts::new(trace);
                let (mut edges, mut counters) = events::conclude(&facts, rules);
                let stated = edges.len();
                let clocks = Arc::new(EventClocks::new(&facts, rules, &mut edges));
                for edge in &edges[stated..] {
                    let counter = counters.iter_mut().find(|(rule, _)| *rule == edge.rule);
                    counter.expect("every rule that is on is counted").1 += 1;
                }
                let within_events = rules.contains(&rules::EVENT_ORDER);
                let closed = Closed::Events {
                    clocks,
                    edges: edges.into(),
                    index: Arc::default(),
                    ancestors: Arc::default(),
                    within_events,
                };
                Self { trace, closed, counters: counters.into() }
            }
            Closure::DroidRacer => {
                let execution = droidracer::generic::execution(trace, tool::rules(rules));
                Self::of_execution(trace, execution)
            }
        }
    }

    /// The order of `trace` that DroidRacer closed, as `execution` states it.
    pub fn of_execution(trace: &'t Trace, execution: Execution) -> Self {
        let counters = tool::counters(&execution).into();
        Self { trace, closed: Closed::DroidRacer(Arc::new(execution)), counters }
    }

    /// Returns DroidRacer's execution, if the model is that tool's.
    pub fn execution(&self) -> Option<&Execution> {
        match &self.closed {
            Closed::DroidRacer(execution) => Some(execution),
            _ => None,
        }
    }

    /// Returns the order over `trace`. The trace that was closed must be its skeleton: all of its
    /// operations except accesses and calls. No copy of the graph may exist.
    #[must_use]
    pub fn over(mut self, trace: &Trace) -> Graph<'_> {
        if let Closed::Operations(graph) = &mut self.closed {
            Arc::get_mut(graph).expect("the order is not shared").rebase(trace);
        }
        self.detached().over(trace)
    }

    /// Returns the order without its trace.
    pub(crate) fn detached(self) -> DetachedGraph {
        DetachedGraph { closed: self.closed, counters: self.counters }
    }

    /// Returns how many operations of `trace` the engine closes, and about how many bytes that takes.
    /// The bytes for each operation are the most that the synthetic traces of AsyncClock's
    /// applications took.
    pub fn estimate(trace: &Trace) -> (usize, usize) {
        const BYTES: usize = 640;
        let calls = |op: &OpId| matches!(trace.op(*op), Op::Enter(_) | Op::Leave);
        let operations = trace.len() - trace.accesses() - trace.ops().filter(calls).count();
        (operations, operations * BYTES)
    }

    /// Returns how many conclusions of each rule nothing before them implied.
    pub fn counters(&self) -> &[(&'static Rule, usize)] {
        &self.counters
    }

    /// The size of a graph, and what closing it took.
    pub fn stats(&self) -> GraphStats {
        match &self.closed {
            Closed::Operations(graph) => GraphStats {
                nodes: graph.nodes(),
                chains: graph.chains(),
                passes: graph.passes(),
                bytes: graph.bytes(),
            },
            Closed::Events { clocks, .. } => GraphStats {
                nodes: self.trace.events().len(),
                chains: clocks.chains(),
                passes: 1,
                bytes: clocks.bytes(),
            },
            Closed::DroidRacer(_) => GraphStats {
                nodes: self.trace.len(),
                chains: 0,
                passes: 1,
                bytes: Execution::bytes_needed(self.trace.len()),
            },
        }
    }

    /// Returns how `a` and `b` relate, and why. O(edges) for a path; for ancestors as `ancestors` states, or
    /// O(nodes + chains²).
    pub fn explain(&self, a: OpId, b: OpId) -> Explanation {
        path::explain(self, a, b, &|a, b| self.path(a, b), &|a, b| self.common_ancestors(a, b))
    }

    fn path(&self, a: OpId, b: OpId) -> Vec<path::Step> {
        match &self.closed {
            Closed::Operations(graph) => path::merge_program_order(graph.path(self.trace, a, b)),
            Closed::Events { clocks, edges, index, .. } => {
                let step = |t, u| clocks.silent_step(t, u);
                let floor = |event| clocks.floor(event);
                let floor: Option<Floor<'_>> = clocks.has_window().then_some(&floor);
                let (order, trace) = (self, self.trace);
                let index = index.get_or_init(|| EdgeIndex::new(edges, trace.events().len()));
                EventPaths { order, trace, edges, index }.path((&step, floor), a, b)
            }
            Closed::DroidRacer(execution) => path::merge_program_order(tool::path(execution, a, b)),
        }
    }

    /// Returns the rule of the step between two operations that no operation separates.
    pub(crate) fn rule_between(&self, a: OpId, b: OpId) -> &'static Rule {
        let steps = self.path(a, b);
        let step = steps.iter().find(|step| !step.rule.is_program_order());
        step.or(steps.first()).expect("ordered operations have a path").rule
    }

    /// Returns, for a model that orders whole events, the rule of the step between two events that no
    /// event separates.
    pub(crate) fn event_rules(&self) -> Option<impl Fn(EventId, EventId) -> &'static Rule + '_> {
        let Closed::Events { clocks, edges, .. } = &self.closed else { return None };
        let mut rules: HashMap<(EventId, EventId), &'static Rule> = HashMap::new();
        for edge in edges.iter() {
            rules.entry((edge.from, edge.to)).or_insert(edge.rule);
        }
        Some(move |t, u| match rules.get(&(t, u)) {
            Some(rule) => *rule,
            None => clocks.silent_step(t, u).map_or(&rules::WINDOW_IN_EVENTS, |(_, rule)| rule),
        })
    }

    /// Returns edges between events whose closure is the order: none if a window or silent tasks order events too.
    pub(crate) fn complete_edges(&self) -> Option<&[EventEdge]> {
        match &self.closed {
            Closed::Events { clocks, edges, .. } if !clocks.has_window() => {
                let mut events = self.trace.events();
                events.all(|(event, _)| !clocks.is_silent(event)).then_some(&**edges)
            }
            _ => None,
        }
    }

    /// Whether operations of one event follow the trace, in a model that orders whole events.
    pub(crate) fn orders_within_events(&self) -> bool {
        matches!(self.closed, Closed::Events { within_events: true, .. })
    }

    fn common_ancestors(&self, a: OpId, b: OpId) -> Vec<OpId> {
        match &self.closed {
            // What is older than a window may precede an operation without being known to its task.
            Closed::Operations(graph) if !graph.has_window() => {
                graph.common_ancestors(self.trace, a, b)
            }
            Closed::Events { clocks, edges, ancestors, .. } if !clocks.has_window() => {
                let is_silent = |event| clocks.is_silent(event);
                let ancestors =
                    ancestors.get_or_init(|| Ancestors::new(self.trace, edges, is_silent));
                ancestors.common(self, self.trace, a, b)
            }
            Closed::Events { .. } => path::common_events(self, self.trace, a, b),
            _ => path::common_ancestors(self, self.trace, a, b),
        }
    }
}

/// A graph without its trace.
#[derive(Clone)]
pub(crate) struct DetachedGraph {
    closed: Closed,
    counters: Arc<[(&'static Rule, usize)]>,
}

impl DetachedGraph {
    /// The graph over a trace that equals the one it was detached from.
    pub(crate) fn over(self, trace: &Trace) -> Graph<'_> {
        Graph { trace, closed: self.closed, counters: self.counters }
    }
}

impl HappensBefore for Graph<'_> {
    fn before(&self, a: OpId, b: OpId) -> bool {
        match &self.closed {
            Closed::Operations(graph) => graph.before(self.trace, a, b),
            Closed::Events { clocks, within_events, .. } => {
                match (self.trace.event_of(a), self.trace.event_of(b)) {
                    (Some(t), Some(u)) if t == u => *within_events && a < b,
                    (Some(t), Some(u)) => a < b && clocks.before(t, u),
                    _ => false,
                }
            }
            Closed::DroidRacer(execution) => execution.before(a, b),
        }
    }

    fn event_before(&self, t: EventId, u: EventId) -> bool {
        match &self.closed {
            Closed::Events { clocks, .. } => clocks.before(t, u),
            Closed::Operations(_) | Closed::DroidRacer(_) => {
                match (self.trace.event(t).end, self.trace.event(u).begin) {
                    (Some(end), Some(begin)) => self.before(end, begin),
                    _ => false,
                }
            }
        }
    }

    fn chain(&self, op: OpId) -> Option<u32> {
        match &self.closed {
            Closed::Operations(graph) => graph.chain(self.trace, op),
            Closed::Events { clocks, within_events, .. } => {
                self.trace.event_of(op).filter(|_| *within_events).map(|e| clocks.chain(e))
            }
            Closed::DroidRacer(_) => None,
        }
    }

    fn cursor(&self) -> Option<Cursor<'_>> {
        match &self.closed {
            Closed::Operations(graph) => {
                graph.has_tasks_only().then(|| Cursor::of_operations(graph, self.trace))
            }
            Closed::Events { clocks, within_events, .. } => {
                within_events.then(|| Cursor::of_events(clocks, self.trace))
            }
            Closed::DroidRacer(_) => None,
        }
    }

    fn places(&self) -> Option<Places<'_>> {
        match &self.closed {
            Closed::Operations(graph) => {
                let is_by_clocks = graph.has_tasks_only() && !graph.has_window();
                is_by_clocks.then(|| Places::of_operations(graph, self.trace))
            }
            Closed::Events { clocks, .. } => Some(Places::of_events(clocks)),
            Closed::DroidRacer(_) => None,
        }
    }
}
