//! The numbers that the tool prints about a log and its races.

use std::collections::BTreeSet;
use std::fmt;

use hashbrown::HashSet;

use crate::base::Base;
use crate::classes::Category;
use crate::log::{AbcLog, OpKind};
use crate::memory::Memory;
use crate::races::Races;

/// The counters of the tool's race log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The length of the trace as the tool counts it: (largest operation number + 1) +
    /// (accesses + 1) − (sets of accesses + 1).
    pub trace: u64,
    /// Threads without a queue.
    pub threads: u64,
    /// Threads with a queue.
    pub queues: u64,
    /// Tasks that were posted and ran.
    pub tasks: u64,
    /// User events.
    pub events: u64,
    /// Fields, counted by class.
    pub fields: u64,
    /// Locations with multi-threaded races.
    pub multi_threaded: u64,
    /// Fields with races within a thread, counted by class.
    pub async_fields: u64,
    /// Locations with delayed races.
    pub delayed: u64,
    /// Locations with cross-posted races.
    pub cross_posted: u64,
    /// Locations of widgets with co-enabled races.
    pub co_enabled_ui: u64,
    /// Other locations with co-enabled races.
    pub co_enabled_other: u64,
}

impl Counters {
    /// Computes the counters.
    pub fn new(log: &AbcLog, base: &Base, memory: &Memory, races: &Races) -> Self {
        let count = |matches: fn(OpKind) -> bool| {
            log.operations.iter().filter(|op| matches(op.kind)).count() as u64
        };
        let in_class =
            |class| races.printed.iter().filter(|race| race.category == class).count() as u64;
        let queues = count(|kind| matches!(kind, OpKind::AttachQ { .. }));
        let fields: BTreeSet<_> =
            memory.locations().map(|(_, at)| (at.class(), at.field)).collect();
        let accesses = log.accesses.len() as u64;
        let trace = log.max_operation.saturating_add(1).saturating_add(accesses + 1);
        Self {
            trace: trace.saturating_sub(log.access_sets + 1),
            threads: count(|kind| kind == OpKind::ThreadInit).saturating_sub(queues),
            queues,
            tasks: base.tasks().iter().filter(|task| task.post.is_some()).count() as u64,
            events: count(|kind| matches!(kind, OpKind::TriggerEvent { .. })),
            fields: fields.len() as u64,
            multi_threaded: in_class(Category::MultiThreaded),
            async_fields: races.async_fields.len() as u64,
            delayed: in_class(Category::Delayed),
            cross_posted: in_class(Category::CrossPosted),
            co_enabled_ui: in_class(Category::CoEnabledUi),
            co_enabled_other: in_class(Category::CoEnabledOther),
        }
    }
}

/// Prints the counters as the tool's race log does after its two times.
impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#trace: {}  ", self.trace)?;
        write!(f, "#thread: {}  #mq: {}  ", self.threads, self.queues)?;
        write!(f, "#async: {}  #event-depth: {}  ", self.tasks, self.events)?;
        write!(f, "#field: {}  ", self.fields)?;
        write!(f, "#multi-thread-races: {}  ", self.multi_threaded)?;
        write!(f, "#asyncRaces: {}  ", self.async_fields)?;
        write!(f, "#delay-races: {}  ", self.delayed)?;
        write!(f, "#cross-post-races: {}  ", self.cross_posted)?;
        write!(f, "#co-enabled-uiRaces: {}  ", self.co_enabled_ui)?;
        write!(f, "co-enabled-non-ui-races: {}", self.co_enabled_other)
    }
}

/// The sizes of the tool's own tables, which are at the end of its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSizes {
    /// Operations in the graph.
    pub operations: usize,
    /// Tasks.
    pub tasks: usize,
    /// Accesses.
    pub accesses: usize,
    /// Threads that have not exited.
    pub threads: usize,
    /// Locks.
    pub locks: usize,
}

impl TableSizes {
    /// Computes the sizes.
    pub fn new(log: &AbcLog, base: &Base) -> Self {
        let mut threads = HashSet::new();
        let mut locks = HashSet::new();
        for op in &log.operations {
            match (op.kind, op.thread) {
                (OpKind::ThreadInit | OpKind::NativeEntry, Some(thread)) => {
                    threads.insert(thread);
                }
                (OpKind::ThreadExit, Some(thread)) => {
                    threads.remove(&thread);
                }
                (OpKind::Lock { object }, _) => {
                    locks.insert(object);
                }
                _ => {}
            }
        }
        Self {
            operations: base.len(),
            tasks: base.tasks().len(),
            accesses: log.accesses.len(),
            threads: threads.len(),
            locks: locks.len(),
        }
    }
}
