//! What a sweep knows of each event, thread and queue.

use std::collections::{BTreeSet, HashMap};

use trace::{EventId, OpId, ProcessId};

use super::accumulator::ListId;
use super::barriers::Barriers;
use super::begin_log::BeginLog;
use super::nodes::NodeId;
use super::post_log::PostLog;
use crate::engine::graph::clock::Clock;

/// The state of all events. The lists are indexed by event.
pub(crate) struct EventStates {
    /// The node of the event's begin, once the sweep has passed it.
    pub(crate) begin: Vec<Option<NodeId>>,
    /// The node of the event's end, once the sweep has passed it.
    pub(crate) end: Vec<Option<NodeId>>,
    /// The node of the event's post, once the sweep has passed it.
    pub(crate) post: Vec<Option<NodeId>>,
    /// For a message of a class, the clock of its post: of the posts in it, and of the earlier posts
    /// on its chain, the event followed all that it had to when it began.
    pub(crate) taken: Vec<Clock>,
    /// Messages some of whose predecessors had not ended when they began.
    pub(crate) irregular: BTreeSet<EventId>,
    /// For an event that runs, the part of its knowledge in which it follows the end of everything
    /// that began.
    pub(crate) checked: HashMap<EventId, Clock>,
}

impl EventStates {
    pub(crate) fn new(events: usize) -> Self {
        Self {
            begin: vec![None; events],
            end: vec![None; events],
            post: vec![None; events],
            taken: vec![Clock::EMPTY; events],
            irregular: BTreeSet::new(),
            checked: HashMap::new(),
        }
    }

    /// How many events the trace names.
    pub(crate) fn len(&self) -> usize {
        self.begin.len()
    }
}

/// The nodes of one thread that others follow, by what they are.
#[derive(Clone, Copy, Default)]
pub(crate) struct ThreadLists {
    pub(crate) forks: ListId,
    pub(crate) inits: ListId,
    pub(crate) exits: ListId,
    /// What is over on the thread: ends of events, and operations that stand alone.
    pub(crate) over: ListId,
    pub(crate) looper_ends: ListId,
}

/// The state of one thread.
#[derive(Clone, Default)]
pub(crate) struct ThreadState {
    pub(crate) lists: ThreadLists,
    /// The events that have begun on the thread and have not ended.
    pub(crate) open: Vec<EventId>,
}

/// Inter-process messages from one process to one queue that have ended, in the order of their ends.
#[derive(Default)]
pub(crate) struct IpcList {
    /// The post, the end, and the latest post up to this entry.
    pub(crate) ended: Vec<(OpId, NodeId, OpId)>,
    pub(crate) list: ListId,
}

/// How many ends are added before the older half of [`QueueState::late_ends`] is dropped.
const LATE_ENDS: usize = 32;

/// The state of one queue.
#[derive(Default)]
pub(crate) struct QueueState {
    pub(crate) posts: PostLog,
    pub(crate) barriers: Barriers,
    /// The begins of its events, if it is a Looper.
    pub(crate) begins: BeginLog,
    /// The events that have begun and have not ended, if it is a Looper.
    pub(crate) open: Vec<EventId>,
    /// The ends of some of its latest events, if it is a Looper.
    pub(crate) late_ends: Vec<NodeId>,
    /// The ends of its input events and of its display events.
    pub(crate) native: [ListId; 2],
    /// Inter-process messages, by the process that posts them and whether it waits.
    pub(crate) ipc: HashMap<(ProcessId, bool), IpcList>,
}

impl QueueState {
    /// Notes that an event of the Looper ended.
    pub(crate) fn close(&mut self, event: EventId, end: NodeId) {
        self.open.retain(|&other| other != event);
        if self.late_ends.len() == LATE_ENDS {
            self.late_ends.drain(..LATE_ENDS / 2);
        }
        self.late_ends.push(end);
    }
}
