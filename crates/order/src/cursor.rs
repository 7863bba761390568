//! The pass over a trace that the graph engine has closed.

use trace::{EventId, OpId, ThreadId, Trace};

use crate::engine::graph::{Clock, EventClocks, Operations};
use crate::timeline::{Timeline, View};

/// The moment of an access: its task, and what happens before it.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    task: u32,
    /// See [`crate::Node::position`].
    next: u32,
    chain: u32,
    /// The position up to which its own chain happens before it.
    position: u32,
    clock: Clock,
}

/// The tasks of a trace, at one of its operations.
pub struct Cursor<'g> {
    view: GraphView<'g>,
    trace: &'g Trace,
    /// The first node that is still to come, where operations are ordered.
    next_node: usize,
    /// How many nodes of each task the pass has passed, where operations are ordered.
    passed: Vec<u32>,
}

/// The view of a closed order, which compares moments of a pass.
#[derive(Clone, Copy)]
pub struct GraphView<'g> {
    over: Over<'g>,
}

#[derive(Clone, Copy)]
enum Over<'g> {
    Operations(&'g Operations),
    Events(&'g EventClocks),
}

impl<'g> Cursor<'g> {
    pub(crate) fn of_operations(graph: &'g Operations, trace: &'g Trace) -> Self {
        let view = GraphView { over: Over::Operations(graph) };
        Self { view, trace, next_node: 0, passed: vec![0; graph.tasks()] }
    }

    pub(crate) fn of_events(clocks: &'g EventClocks, trace: &'g Trace) -> Self {
        let view = GraphView { over: Over::Events(clocks) };
        Self { view, trace, next_node: 0, passed: Vec::new() }
    }
}

impl<'g> Timeline for Cursor<'g> {
    type Moment = Moment;
    type View = GraphView<'g>;

    fn pass(&mut self, op: OpId) {
        if let Over::Operations(graph) = self.view.over {
            while let Some(task) = graph.node_at(self.trace, self.next_node, op) {
                self.passed[task as usize] += 1;
                self.next_node += 1;
            }
        }
    }

    fn moment(&mut self, thread: ThreadId, event: Option<EventId>) -> Option<Moment> {
        match self.view.over {
            Over::Operations(graph) => {
                let task = graph.task_of(thread, event)?;
                let (chain, position, next, clock) = graph.place(task, self.passed[task as usize]);
                Some(Moment { task, next, chain, position, clock })
            }
            Over::Events(clocks) => moment_in(clocks, event?),
        }
    }

    fn view(&self) -> GraphView<'g> {
        self.view
    }
}

/// Returns the moment of all accesses of an event, where whole events are ordered.
fn moment_in(clocks: &EventClocks, event: EventId) -> Option<Moment> {
    let (chain, position, clock) = clocks.place(event)?;
    Some(Moment { task: event.0, next: position, chain, position, clock })
}

impl View for GraphView<'_> {
    type Moment = Moment;

    #[inline]
    fn task(&self, moment: &Moment) -> u32 {
        moment.task
    }

    #[inline]
    fn position(&self, moment: &Moment) -> u32 {
        moment.next
    }

    fn moment_of(&self, task: u32, next: u32) -> Option<Moment> {
        match self.over {
            Over::Operations(graph) => {
                let (chain, position, next, clock) = graph.place_before(task, next);
                Some(Moment { task, next, chain, position, clock })
            }
            Over::Events(clocks) => moment_in(clocks, EventId(task)),
        }
    }

    fn reach(&self, moment: &Moment, task: u32) -> u32 {
        match self.over {
            Over::Operations(graph) => {
                let chain = graph.chain_of(task);
                let is_own = chain == moment.chain;
                if is_own { moment.position } else { graph.entry(moment.clock, chain) }
            }
            Over::Events(clocks) => {
                let before = clocks.before(EventId(task), EventId(moment.task));
                if before { u32::MAX } else { 0 }
            }
        }
    }

    fn chain(&self, task: u32) -> u32 {
        match self.over {
            Over::Operations(graph) => graph.chain_of(task),
            Over::Events(clocks) => clocks.chain(EventId(task)),
        }
    }
}
