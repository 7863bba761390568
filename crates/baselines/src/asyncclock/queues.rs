//! The queues: their kinds, their input events, and their sent-at-front lists (§5.3).

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use trace::{Id, QueueId, QueueKind, ThreadId};

use super::clocks::{Epoch, Time, VectorClock};
use super::event::{EventRef, Phase};

/// An event that was sent to the front and has ended.
struct Front {
    sent: Epoch,
    /// The time at the send.
    at_send: VectorClock,
    event: EventRef,
}

#[derive(Default)]
struct Queue {
    kind: Option<QueueKind>,
    /// The join of the ends of the input events.
    input: Time,
    /// The events of all sent-at-front lists. The list of a message starts at the number that the message
    /// remembers, and the first event here has the number `first`.
    fronts: VecDeque<Front>,
    first: u64,
    /// The starts of the lists of the messages that wait, each with how many start there.
    starts: BTreeMap<u64, u32>,
}

/// All queues.
#[derive(Default)]
pub(super) struct Queues {
    queues: Vec<Queue>,
    attached: BTreeMap<ThreadId, QueueId>,
}

impl Queues {
    fn queue(&mut self, queue: QueueId) -> &mut Queue {
        if self.queues.len() <= queue.index() {
            self.queues.resize_with(queue.index() + 1, Queue::default);
        }
        &mut self.queues[queue.index()]
    }

    /// States the kind of a queue, unless it is known.
    pub(super) fn declare(&mut self, queue: QueueId, kind: QueueKind) {
        self.queue(queue).kind.get_or_insert(kind);
    }

    /// A thread attaches a queue, which makes it a looper.
    pub(super) fn attach(&mut self, thread: ThreadId, queue: QueueId) {
        self.attached.entry(thread).or_insert(queue);
        self.declare(queue, QueueKind::Looper);
    }

    /// The queue that a thread attached first.
    pub(super) fn attached(&self, thread: ThreadId) -> Option<QueueId> {
        self.attached.get(&thread).copied()
    }

    pub(super) fn kind(&self, queue: QueueId) -> QueueKind {
        let known = self.queues.get(queue.index()).and_then(|queue| queue.kind);
        known.unwrap_or(QueueKind::Pool)
    }

    /// Whether a queue is a looper, or may turn out to be one.
    pub(super) fn may_loop(&self, queue: QueueId) -> bool {
        let known = self.queues.get(queue.index()).and_then(|queue| queue.kind);
        known.is_none_or(|kind| kind == QueueKind::Looper)
    }

    pub(super) fn input(&mut self, queue: QueueId) -> &mut Time {
        &mut self.queue(queue).input
    }

    /// A message is sent. Returns the start of its sent-at-front list.
    pub(super) fn wait(&mut self, queue: QueueId) -> u64 {
        let queue = self.queue(queue);
        let start = queue.first + queue.fronts.len() as u64;
        *queue.starts.entry(start).or_default() += 1;
        start
    }

    /// A message no longer waits: no list starts at `start` for it.
    pub(super) fn leave(&mut self, queue: QueueId, start: u64) {
        let queue = self.queue(queue);
        if let Some(count) = queue.starts.get_mut(&start) {
            *count -= 1;
            if *count == 0 {
                queue.starts.remove(&start);
            }
        }
        let needed = queue.starts.first_key_value().map_or(u64::MAX, |(&start, _)| start);
        while queue.first < needed && queue.fronts.pop_front().is_some() {
            queue.first += 1;
        }
    }

    /// An event that was sent to the front has ended: it is added to the lists of all that wait.
    pub(super) fn executed(&mut self, queue: QueueId, event: &EventRef) {
        let queue = self.queue(queue);
        if let (Some(sent), false) = (event.sent, queue.starts.is_empty()) {
            let at_send = event.at_send.borrow().clone();
            queue.fronts.push_back(Front { sent: sent.at, at_send, event: Rc::clone(event) });
        }
    }

    /// Applies ATFRONT to an event that was sent at `sent`, with the list from `start`: `time`, which is
    /// that of its begin, inherits the ends of the events in the list that were sent after it and before
    /// its begin. Returns whether there was anything new.
    pub(super) fn overtake(
        &self,
        queue: QueueId,
        (sent, start): (Epoch, u64),
        (time, ends): (&mut Time, &mut Vec<u32>),
    ) -> bool {
        let queue = &self.queues[queue.index()];
        let mut gained = false;
        let skipped = start.saturating_sub(queue.first) as usize;
        for front in queue.fronts.iter().skip(skipped) {
            if let Phase::Ended(ended) = &*front.event.phase.borrow()
                && front.at_send.covers(sent)
                && time.vector.covers(front.sent)
                && !time.vector.covers(ended.at)
            {
                time.join(&ended.time);
                ends.push(ended.at.chain);
                gained = true;
            }
        }
        gained
    }

    pub(super) fn fronts(&self) -> impl Iterator<Item = &EventRef> {
        self.queues.iter().flat_map(|queue| &queue.fronts).map(|front| &front.event)
    }

    pub(super) fn times(&mut self) -> impl Iterator<Item = &mut Time> {
        self.queues.iter_mut().map(|queue| &mut queue.input)
    }
}
