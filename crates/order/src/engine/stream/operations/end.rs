//! The end of an event.

use trace::{EventId, Id, Posting, QueueId, ThreadId};

use super::held::Held;
use super::state::{Class, Slot};
use super::{OperationStream, Row, Task};

/// How many ended events of each class are remembered.
const RECENT: usize = 4;

/// How many ended events of each looper are remembered.
const LATEST: usize = 8;

impl OperationStream {
    pub(super) fn end_if_open(&mut self, row: &Row, event: EventId) {
        if row.event == Some(event)
            && let Some(slot) = self.events.slot(event).filter(|&slot| self.is_open(slot))
        {
            self.end(slot, row.thread);
        }
    }

    pub(super) fn end(&mut self, slot: Slot, thread: ThreadId) {
        let node = self.node(Task::Event(slot));
        self.chains.free(node.chain, self.epoch);
        let event = &mut self.events[slot];
        (event.task, event.has_ended, event.end_epoch) = (node, true, self.epoch);
        let (looper, begin_thread) = (event.looper, event.begin_thread);
        self.thread(begin_thread).open.retain(|&open| open != slot);
        if self.plan.exit_last.is_some() {
            self.thread(thread).ends.add(node);
        }
        if let Some(looper) = looper {
            let queue = &mut self.queues[looper.index()];
            queue.open.retain(|&open| open != slot);
            queue.latest.truncate(LATEST - 1);
            queue.latest.push_front(slot);
            if self.plan.end_exit.is_some() {
                self.thread(begin_thread).looper_ends.add(node);
            }
            if self.plan.atomic_from_operation.is_some() {
                self.close_for_open(looper, slot, node);
            }
        }
        if let Some(watched) = self.watched.get_mut(&self.events[slot].id) {
            (watched.end, watched.epoch) = (Some((node.chain, node.position)), self.epoch);
        }
        self.log_end(slot, node);
        self.tell_of_end(slot, node);
        self.window.ended(slot);
        self.ends_since_look += 1;
    }

    /// Applies ATOMIC to the open events of a looper when an event that overlaps them ends.
    fn close_for_open(&mut self, looper: QueueId, slot: Slot, end: Held) {
        let Some(begin) = self.events[slot].begin else { return };
        for other in self.queues[looper.index()].open.clone() {
            let held = self.running(Task::Event(other));
            if held.covers(&self.clocks, begin.chain, begin.position) {
                self.learn(Task::Event(other), end);
            }
        }
    }

    /// Logs the end of an event for the messages that follow it.
    fn log_end(&mut self, slot: Slot, node: Held) {
        let Some(post) = self.events[slot].post else { return };
        let is_overtaken = self.events[slot].is_overtaken;
        let class = Class::of(&post);
        let queue = &mut self.queues[post.enqueue.queue.index()];
        let kind = queue.kind();
        if self.plan.native(post.posting, kind).is_some() {
            queue.native[usize::from(post.posting == Posting::Display)].add(node);
        }
        if post.posting == Posting::Ipc && self.plan.ipc_handle_at(kind).is_some() {
            let calls = queue.calls.entry((post.process, post.enqueue.sync)).or_default();
            calls.ended.push((post.held.number, node));
        }
        if is_overtaken {
            queue.overtaken.push(slot);
        }
        if let Some(class) = class {
            let recent = queue.recent.entry(class).or_default();
            recent.truncate(RECENT - 1);
            recent.insert(0, slot);
        }
    }
}
