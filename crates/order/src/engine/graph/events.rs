//! Closing a model that orders whole events: clocks over events, in the order of their begins.
//!
//! Every conclusion t ≼ u leads to an event that begins later, and what a rule presumes of the order
//! is about events that began before u. So one sweep closes all rules: at the begin of an event
//! everything that precedes it is computed, once.
//!
//! Rules that the trace alone decides come as edges; those whose premises mention the order are
//! computed here: queues that keep order ([`queued`]) and, last of all, the
//! microtasks and listeners' calls that precede by their causes ([`parts`]). Tasks that nothing but their
//! own queue waits for are no part of clocks ([`silent`]).

mod maxima;
mod parts;
mod plan;
mod planes;
mod queued;
mod silent;
mod waiting;
mod window;

use trace::{EventId, Id, OpId, Trace};

use super::clock::{Clock, Clocks};
use crate::engine::events::EventEdge;
use crate::facts::{Dispatched, Facts};
use crate::model::RuleSet;
use crate::rule::Rule;
use parts::Parts;
use plan::EventPlan;
pub(crate) use plan::{Delay, EventMechanism};
use planes::Area;
use queued::Queued;
use silent::Silent;
use window::Window;

#[derive(Clone, Copy)]
struct Row {
    chain: u32,
    /// From 1; 0 for a message that never began.
    position: u32,
    clock: Clock,
}

/// The closed order of events.
pub(crate) struct EventClocks {
    clocks: Clocks,
    rows: Vec<Row>,
    chains: usize,
    silent: Option<Silent>,
    window: Option<Window>,
}

/// What an event that is about to begin follows.
struct Sources {
    clock: Clock,
    /// The area of silent tasks that it follows.
    area: Area,
    /// The chain it can go on, if any.
    follows: Option<u32>,
    /// The events that it follows directly, each with the rule. Events that it followed already are
    /// left out.
    direct: Vec<(EventId, &'static Rule)>,
}

impl Sources {
    /// Returns the sources of an event that follows nothing.
    fn none() -> Self {
        Self { clock: Clock::EMPTY, area: Area::default(), follows: None, direct: Vec::new() }
    }
}

/// The order so far, and where its chains stand.
struct Sweep<'a> {
    trace: &'a Trace,
    closed: EventClocks,
    /// The events of each chain.
    by_chain: Vec<Vec<EventId>>,
}

impl EventClocks {
    /// Closes `edges`, which are sorted by the begins of their targets, under the other rules of
    /// `rules`; what those conclude joins the edges.
    pub(crate) fn new(facts: &Facts<'_>, rules: &RuleSet, edges: &mut Vec<EventEdge>) -> Self {
        let trace = facts.trace;
        let plan = EventPlan::new(rules);
        let none = Row { chain: 0, position: 0, clock: Clock::EMPTY };
        let rows = vec![none; trace.names().events.len()];
        let (mut queued, silent) = Queued::new(facts, &plan, edges).unzip();
        let mut window = plan.window.map(|length| Window::new(facts, length));
        let closed = Self { clocks: Clocks::new(), rows, chains: 0, silent, window: None };
        let mut sweep = Sweep { trace, closed, by_chain: Vec::new() };
        let mut parts = Parts::new(facts, &plan, edges);
        let mut found = Vec::new();
        let mut rest = edges.as_slice();
        for event in &facts.events {
            let own = rest.iter().take_while(|edge| edge.to == event.event).count();
            let (into, later) = rest.split_at(own);
            rest = later;
            let mut sources = Sources::none();
            for edge in into {
                sweep.learn(&mut sources, event, edge.from, edge.rule);
            }
            let stated = sources.direct.len();
            if let Some(window) = &mut window {
                sources.clock = window.join(&mut sweep.closed, sources.clock, event.event);
            }
            if let Some(queued) = &mut queued {
                queued.add_sources(&mut sweep, &mut sources, event);
            }
            if let Some(parts) = &mut parts {
                parts.add_sources(&mut sweep, &mut sources, event);
            }
            let to = event.event;
            let news =
                sources.direct[stated..].iter().map(|&(from, rule)| EventEdge { from, to, rule });
            found.extend(news);
            sweep.place(event.event, &sources);
            if let Some(queued) = &mut queued {
                queued.list(&mut sweep, event.event);
            }
        }
        edges.extend(found);
        let mut closed = sweep.closed;
        closed.chains = sweep.by_chain.len();
        closed.window = window;
        closed
    }

    /// t ≼ u, t ≠ u.
    pub(crate) fn before(&self, t: EventId, u: EventId) -> bool {
        let is_row = |event: EventId| self.rows[event.index()].position > 0;
        let by_silence = |silent: &Silent| is_row(t) && is_row(u) && silent.before(self, t, u);
        self.knows(t, u) || self.silent.as_ref().is_some_and(by_silence)
    }

    /// The first step of a path from t to u, t ≼ u, if t is of a silent task and u of another.
    pub(crate) fn silent_step(&self, t: EventId, u: EventId) -> Option<(EventId, &'static Rule)> {
        self.silent.as_ref().filter(|_| !self.knows(t, u))?.step(self, t, u)
    }

    /// The last begin below the floor of a window when an event begins.
    pub(crate) fn floor(&self, event: EventId) -> Option<OpId> {
        self.window.as_ref()?.floor(event)
    }

    /// Whether there is a window, whose conclusions are not among the edges.
    pub(crate) fn has_window(&self) -> bool {
        self.window.is_some()
    }

    /// Returns whether t ≼ u, t ≠ u, by the clocks alone: without what is known of silent tasks.
    fn knows(&self, t: EventId, u: EventId) -> bool {
        let (from, to) = (self.rows[t.index()], self.rows[u.index()]);
        if from.position == 0 || to.position == 0 {
            return false;
        }
        if from.chain == to.chain {
            return from.position < to.position;
        }
        self.clocks.get(to.clock, from.chain) >= from.position
    }

    /// The chain of an event that began.
    pub(crate) fn chain(&self, event: EventId) -> u32 {
        self.rows[event.index()].chain
    }

    /// The chain of an event that began, its position there, and its clock.
    pub(crate) fn place(&self, event: EventId) -> Option<(u32, u32, Clock)> {
        let row = self.rows[event.index()];
        (row.position > 0).then_some((row.chain, row.position, row.clock))
    }

    pub(crate) fn entry(&self, clock: Clock, chain: u32) -> u32 {
        self.clocks.get(clock, chain)
    }

    /// Whether an event is of a silent task, so that clocks do not contain it.
    pub(crate) fn is_silent(&self, event: EventId) -> bool {
        self.silent.as_ref().is_some_and(|silent| silent.quiet(event).is_some())
    }

    /// Calls `each(chain, in_a, in_b)` for every chain of which `b` has more than `a`.
    pub(crate) fn gained(&self, a: Clock, b: Clock, each: &mut impl FnMut(u32, u32, u32)) {
        self.clocks.gained(a, b, each);
    }

    /// Calls `each` for every chain that `clock` knows, with how far.
    fn each_known(&self, clock: Clock, mut each: impl FnMut(u32, u32)) {
        self.clocks.gained(Clock::EMPTY, clock, &mut |chain, _, position| each(chain, position));
    }

    pub(crate) fn chains(&self) -> usize {
        self.chains
    }

    pub(crate) fn bytes(&self) -> usize {
        let silent = self.silent.as_ref().map_or(0, |silent| silent.planes.bytes());
        self.clocks.bytes() + silent + self.rows.len() * std::mem::size_of::<Row>()
    }
}

impl Sweep<'_> {
    /// Lets `event`, which is about to begin, follow `from`.
    ///
    /// A chain goes on only with an event that begins after the last one ended: so the operations
    /// of a chain are ordered as the trace orders them.
    fn learn(
        &mut self,
        sources: &mut Sources,
        event: &Dispatched,
        from: EventId,
        rule: &'static Rule,
    ) {
        let row = self.closed.rows[from.index()];
        if self.closed.clocks.get(sources.clock, row.chain) < row.position {
            let clock = self.closed.clocks.join(sources.clock, row.clock);
            sources.clock = self.closed.clocks.with(clock, row.chain, row.position);
            sources.direct.push((from, rule));
            if let Some(silent) = &mut self.closed.silent {
                sources.area = silent.planes.join(sources.area, silent.areas[from.index()]);
            }
        }
        let ended = self.trace.event(from).end.is_some_and(|end| end < event.begin);
        if ended && self.by_chain[row.chain as usize].len() == row.position as usize {
            sources.follows.get_or_insert(row.chain);
        }
    }

    /// Whether `event` is among what is known.
    fn knows(&self, sources: &Sources, event: EventId) -> bool {
        self.is_in(sources.clock, event)
    }

    /// Whether `clock` knows `event`.
    fn is_in(&self, clock: Clock, event: EventId) -> bool {
        let row = self.closed.rows[event.index()];
        row.position > 0 && self.closed.clocks.get(clock, row.chain) >= row.position
    }

    /// Calls `each` for every event that the clock `after` knows and the clock `before` does not.
    fn each_gained(&self, before: Clock, after: Clock, mut each: impl FnMut(EventId)) {
        self.closed.clocks.gained(before, after, &mut |chain, from, to| {
            let events = &self.by_chain[chain as usize];
            events[from as usize..to as usize].iter().for_each(|&event| each(event));
        });
    }

    /// The silent tasks, which there are if queues keep order.
    fn silent_mut(&mut self) -> &mut Silent {
        self.closed.silent.as_mut().expect("there are queues that keep order")
    }

    fn place(&mut self, event: EventId, sources: &Sources) {
        let mut follows = sources.follows;
        if let Some(silent) = &mut self.closed.silent {
            silent.areas[event.index()] = sources.area;
            // Nobody follows it there, and another may follow what it would stand behind.
            follows.take_if(|_| silent.starts(event));
        }
        let chain = follows.unwrap_or_else(|| {
            self.by_chain.push(Vec::new());
            self.by_chain.len() as u32 - 1
        });
        let on_chain = &mut self.by_chain[chain as usize];
        on_chain.push(event);
        let position = on_chain.len() as u32;
        self.closed.rows[event.index()] = Row { chain, position, clock: sources.clock };
    }
}
