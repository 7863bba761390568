//! AsyncClock (Hsiao et al., ASPLOS'17): happens-before and races in one pass, without a graph.
//!
//! The algorithm closes the rules of model `asyncclock`. Every task keeps its logical time, which is
//! a vector clock with an entry for each chain (§2.4), and its *AsyncClocks* (§3.2): for each queue and
//! each chain, the event of the last send to that queue in that chain that happens before. An event
//! inherits the AsyncClocks of its send. When it begins, the events in the AsyncClock of its queue have
//! ended, and it inherits the times of their ends (`resolve`). The parts of the paper are:
//!
//! | paper | here |
//! |---|---|
//! | §3.2, §3.3 AsyncClocks, their join, and the reduction after a send | `clocks`, [`AsyncClock::pass`] |
//! | §3.4 FastTrack | `cells` |
//! | §4.1 reference counting, multi-path reduction | `event`, `reclaim` |
//! | §4.1 time window approximation | `window` |
//! | §4.2 sparse vectors, garbage collection | `clocks`, `reclaim` |
//! | §2.4, §4.2 greedy and FIFO chain decomposition | `chains` |
//! | §5.2, §5.3 generalised AsyncClocks, async-before lists, sent-at-front lists | `resolve`, `queues` |
//! | §5.3 binder events | `binder` |
//!
//! # Where it deviates from the paper
//!
//! - Sparse vectors are sorted arrays instead of hash tables, so that a join is a merge. Vector clocks are
//!   shared until they are changed. AsyncClocks are not, because their entries are the references that
//!   are counted.
//! - The paper takes an event in an AsyncClock to have ended when its successor begins. In a trace that nests
//!   events, or that contradicts its queues, it may still wait or run. The successor has then *missed* it:
//!   the search goes on to the events that the reduction had removed at its send, and later successors also
//!   ask for what their predecessors missed. A message that was removed from its queue is a case of this
//!   (§5.3, Event Removal).
//! - Multi-path reduction (§4.1) argues that whatever inherits the end of an event also follows its send. That
//!   does not hold for LOOPEND, INPUT and the rules of binders. So their joins count as references, and are
//!   made before the reduction.
//! - The reduction after a send applies to messages without delay only: a message does not stand for one
//!   with a shorter delay that was sent before it.
//! - LOOPEND needs the ends of all events of a looper, of which the paper does not speak. Each looper joins
//!   them as they come. In the same way INPUT joins the ends of input events.
//! - Reference counts do not free cycles, and ATOMIC makes them: an event has the message that it sent to
//!   another looper in its AsyncClock, and that message has the begin of its sender. Garbage collection also
//!   frees cycles that nothing else refers to.
//!
//! # What is exact
//!
//! [`Options::as_printed`] makes the second and the third assumption; the order is then not exact, with
//! smallest witnesses in `tests/asyncclock.rs`.
//!
//! Without a window the order is that of `order::Graph`, with all that is reclaimed (`tests/asyncclock.rs`),
//! except that one pass cannot apply a rule whose conclusion comes before its premise: a message that begins
//! before it is posted. Nor is a message known that begins after it was removed. Both are counted
//! ([`Stats::contradictions`]).
//!
//! With a window, an event that ended longer ago than the window happens before the events of *its own*
//! looper that begin now. Rule WINDOW of `order` is coarser: everything so old happens before every new event.
//!
//! # Cost
//!
//! A begin joins the times of its predecessors, each in the number of chains. An event that is held has a
//! vector clock of all chains, so memory is quadratic in the worst case. [`Stats`] counts what is held.

mod binder;
mod cells;
mod chains;
mod clocks;
mod dispatch;
mod event;
mod pass;
mod queues;
mod reclaim;
mod resolve;
mod window;

use std::collections::HashMap;

use trace::{
    CallbackId, EventId, HandleId, LocationId, Op, ProcessId, QueueId, QueueKind, ThreadId,
};

use binder::{Binders, Sender};
use cells::Cells;
use chains::Chains;
use clocks::Time;
pub use clocks::{Epoch, VectorClock};
use event::{EventRef, Ledger, Registry};
use queues::Queues;
use window::Windows;

/// What is reclaimed, and how chains are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each switches a part of the paper")]
pub struct Options {
    /// Whether heirless events are reclaimed (§4.1).
    pub reclaim: bool,
    /// Whether multi-path reduction finds more heirless events.
    pub multi_path: bool,
    /// The length of the time window in nanoseconds (§4.1).
    pub window: Option<u64>,
    /// Whether chains follow FIFO chain decomposition (§4.2). Otherwise all are greedy.
    pub fifo_chains: bool,
    /// The number of events between two garbage collections.
    pub collect_after: u64,
    /// Whether an event in an AsyncClock is taken to have ended when its successor begins, and multi-path
    /// reduction takes every successor of an end to follow its send, as the paper does. Neither is exact.
    pub as_printed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reclaim: true,
            multi_path: true,
            window: None,
            fifo_chains: true,
            collect_after: 4096,
            as_printed: false,
        }
    }
}

/// Counts of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The chains that were made.
    pub chains: usize,
    /// The events that began.
    pub events: u64,
    /// The events whose metadata is held.
    pub held: u64,
    /// The largest number of events held at once.
    pub most_held: u64,
    /// The events that the window has passed.
    pub old: u64,
    /// The events in cycles of pointers, which garbage collection freed.
    pub in_cycles: u64,
    /// The entries that multi-path reduction removed.
    pub multi_path: u64,
    /// The messages that began before they were posted, or after they were removed.
    pub contradictions: u64,
}

/// An operation that synchronises, as it is read.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The number of the operation in the trace.
    pub number: u64,
    /// The thread.
    pub thread: ThreadId,
    /// The event that the operation runs in; a begin and an end that count run in their own event.
    pub event: Option<EventId>,
    /// The operation.
    pub op: Op,
    /// The time of the operation in nanoseconds.
    pub at: Option<u64>,
}

/// An event that runs, or the part of a thread outside events.
#[derive(Default)]
struct Task {
    chain: u32,
    time: Time,
}

impl Task {
    fn here(&self) -> Epoch {
        Epoch { chain: self.chain, time: self.time.vector.get(self.chain) }
    }

    /// Passes to the next time of the chain, because others may know the current one.
    fn advance(&mut self) {
        let Epoch { chain, time } = self.here();
        self.time.vector.set(Epoch { chain, time: time + 1 });
    }
}

#[derive(Default)]
struct Thread {
    /// The part outside events, once it has begun.
    task: Option<Task>,
    process: Option<ProcessId>,
    forks: Time,
    inits: Time,
    /// The join of the ends of the events that ran on the thread, if it is a looper.
    ends: Time,
    exits: Time,
}

impl Thread {
    fn times(&mut self) -> impl Iterator<Item = &mut Time> {
        let task = self.task.as_mut().map(|task| &mut task.time);
        let lists = [&mut self.forks, &mut self.inits, &mut self.ends, &mut self.exits];
        task.into_iter().chain(lists)
    }
}

/// A message that waits, or an event that runs.
struct Message {
    event: EventRef,
    /// The start of its sent-at-front list. None once it was removed from its queue.
    start: Option<u64>,
    sender: Option<Sender>,
    looper: Option<QueueId>,
    /// The task, once the event runs.
    task: Option<Task>,
}

/// What is known about a message for the rest of the trace.
#[derive(Clone, Copy, Default)]
struct Seen {
    posted: bool,
    begun: bool,
}

/// The AsyncClock algorithm over a trace that is read once.
pub struct AsyncClock {
    options: Options,
    queues: Queues,
    chains: Chains,
    binders: Binders,
    windows: Windows,
    cells: Cells,
    ledger: Ledger,
    registry: Registry,
    threads: Vec<Thread>,
    handles: HashMap<HandleId, Time>,
    callbacks: HashMap<CallbackId, Time>,
    messages: HashMap<EventId, Message>,
    seen: Vec<Seen>,
    now: u64,
    stats: Stats,
    /// All events, if none are reclaimed.
    kept: Vec<EventRef>,
}

impl AsyncClock {
    /// Starts a pass.
    pub fn new(options: Options) -> Self {
        let mut chains = Chains::default();
        chains.greedy_only = !options.fifo_chains;
        Self {
            options,
            queues: Queues::default(),
            chains,
            binders: Binders::default(),
            windows: Windows::default(),
            cells: Cells::default(),
            ledger: Ledger::default(),
            registry: Registry::default(),
            threads: Vec::new(),
            handles: HashMap::new(),
            callbacks: HashMap::new(),
            messages: HashMap::new(),
            seen: Vec::new(),
            now: 0,
            stats: Stats::default(),
            kept: Vec::new(),
        }
    }

    /// States the kind of a queue. Without this, a queue is a looper from its first attach on, and a binder
    /// from the first inter-process message on.
    pub fn declare(&mut self, queue: QueueId, kind: QueueKind) {
        self.queues.declare(queue, kind);
    }

    /// States that a thread attaches a queue, before the pass comes to it.
    pub fn attach(&mut self, thread: ThreadId, queue: QueueId) {
        self.queues.attach(thread, queue);
    }

    /// States the process of a thread.
    pub fn assign_process(&mut self, thread: ThreadId, process: ProcessId) {
        self.thread(thread).process = Some(process);
    }

    /// Compares an access with those before it.
    pub fn access(
        &mut self,
        (thread, event): (ThreadId, Option<EventId>),
        location: LocationId,
        is_write: bool,
    ) {
        let mut cells = std::mem::take(&mut self.cells);
        let task = self.task(thread, event);
        cells.access(location, is_write, (task.here(), &task.time.vector));
        self.cells = cells;
    }

    /// The locations with a race, in the order in which the races were found.
    pub fn racy(&self) -> &[LocationId] {
        self.cells.racy()
    }

    /// The counts so far.
    pub fn stats(&self) -> Stats {
        Stats { chains: self.chains.len(), held: self.ledger.held(), ..self.stats }
    }
}
