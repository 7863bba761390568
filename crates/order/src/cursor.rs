//! What each task knows while the trace is read once, from its start.

use trace::{EventId, OpId, ThreadId, Trace};

use crate::engine::graph::{Clock, EventClocks, Operations};

/// Where an access stands: its task, and what happens before it.
///
/// An access a happens before a later one b if both are of one task, or if b [knows](Cursor::known)
/// the task of a up to `a.next`.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The task: what it does is in order.
    pub task: u32,
    /// The position, on the chain of the task, from which on everything follows the access;
    /// `u32::MAX` if nothing outside the task does.
    pub next: u32,
    chain: u32,
    /// How far its own chain happens before it.
    position: u32,
    clock: Clock,
}

/// The tasks of a trace, at one of its operations.
pub struct Cursor<'g> {
    over: Over<'g>,
}

enum Over<'g> {
    Operations {
        graph: &'g Operations,
        trace: &'g Trace,
        /// The first node that is still to come.
        next_node: usize,
        /// How many nodes of each task have come by.
        passed: Vec<u32>,
    },
    Events(&'g EventClocks),
}

impl<'g> Cursor<'g> {
    pub(crate) fn of_operations(graph: &'g Operations, trace: &'g Trace) -> Self {
        let passed = vec![0; graph.tasks()];
        Self { over: Over::Operations { graph, trace, next_node: 0, passed } }
    }

    pub(crate) fn of_events(clocks: &'g EventClocks) -> Self {
        Self { over: Over::Events(clocks) }
    }

    /// Moves past an operation. Accesses and calls may be left out.
    pub fn pass(&mut self, op: OpId) {
        if let Over::Operations { graph, trace, next_node, passed } = &mut self.over {
            while let Some(task) = graph.node_at(trace, *next_node, op) {
                passed[task as usize] += 1;
                *next_node += 1;
            }
        }
    }

    /// Where an access on `thread`, in `event`, stands; none where nothing orders it by its task.
    pub fn moment(&self, thread: ThreadId, event: Option<EventId>) -> Option<Moment> {
        match &self.over {
            Over::Operations { graph, passed, .. } => {
                let task = graph.task_of(thread, event)?;
                let (chain, position, next, clock) = graph.place(task, passed[task as usize]);
                Some(Moment { task, next, chain, position, clock })
            }
            Over::Events(_) => self.moment_in(event?),
        }
    }

    /// Where all of an event stands, where whole events are ordered.
    fn moment_in(&self, event: EventId) -> Option<Moment> {
        let Over::Events(clocks) = &self.over else { return None };
        let (chain, position, clock) = clocks.place(event)?;
        Some(Moment { task: event.0, next: position, chain, position, clock })
    }

    /// A moment of the past, by its task and `next`.
    pub fn moment_of(&self, task: u32, next: u32) -> Option<Moment> {
        match &self.over {
            Over::Operations { graph, .. } => {
                let (chain, position, next, clock) = graph.place_before(task, next);
                Some(Moment { task, next, chain, position, clock })
            }
            Over::Events(_) => self.moment_in(EventId(task)),
        }
    }

    /// How far `task`, another one, is known at `moment`: what stood at `next` in it happens before the
    /// moment if that is no larger.
    pub fn known(&self, moment: &Moment, task: u32) -> u32 {
        match &self.over {
            Over::Operations { graph, .. } => {
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

    /// The chain of a task: of two tasks of a chain, whoever follows the later at `next` follows the
    /// earlier.
    pub fn chain(&self, task: u32) -> u32 {
        match &self.over {
            Over::Operations { graph, .. } => graph.chain_of(task),
            Over::Events(clocks) => clocks.chain(EventId(task)),
        }
    }

    /// How many tasks there are.
    pub fn tasks(&self) -> usize {
        match &self.over {
            Over::Operations { passed, .. } => passed.len(),
            Over::Events(clocks) => clocks.len(),
        }
    }
}
