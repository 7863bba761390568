//! Binder events, by the speculative rule IPC-HANDLE (§5.3), which implies IPC-ASYNC.
//!
//! An event follows the ended events of its queue that the same process sent before it, unless it was
//! sent synchronously and the other was not. Ended events that were sent before everything that still
//! waits are merged.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use trace::{ProcessId, QueueId};

use super::clocks::Time;

#[derive(Default)]
struct Binder {
    /// The numbers of the sends of events that wait.
    waiting: BTreeSet<u64>,
    /// The events that ended, by the number of their send.
    ended: BTreeMap<u64, (bool, Time)>,
    /// The merged ends of synchronous events, and of the others.
    merged: [Time; 2],
}

/// All pairs of binder queues and sending processes.
#[derive(Default)]
pub(super) struct Binders(HashMap<(QueueId, ProcessId), Binder>);

/// An event of a binder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sender {
    pub(super) queue: QueueId,
    pub(super) process: ProcessId,
    /// The number of the send.
    pub(super) number: u64,
    /// Whether the sender waits.
    pub(super) sync: bool,
}

impl Binders {
    pub(super) fn send(&mut self, sender: Sender) {
        let binder = self.0.entry((sender.queue, sender.process)).or_default();
        binder.waiting.insert(sender.number);
    }

    /// An event begins: `time` inherits its predecessors.
    pub(super) fn begin(&mut self, sender: Sender, time: &mut Time) {
        let binder = self.0.entry((sender.queue, sender.process)).or_default();
        binder.waiting.remove(&sender.number);
        time.join(&binder.merged[1]);
        if !sender.sync {
            time.join(&binder.merged[0]);
        }
        for (sync, end) in binder.ended.range(..sender.number).map(|(_, ended)| ended) {
            if *sync || !sender.sync {
                time.join(end);
            }
        }
    }

    pub(super) fn end(&mut self, sender: Sender, time: &Time) {
        let binder = self.0.entry((sender.queue, sender.process)).or_default();
        binder.ended.insert(sender.number, (sender.sync, time.clone()));
        let first = binder.waiting.first().copied().unwrap_or(u64::MAX);
        while let Some(entry) = binder.ended.first_entry()
            && *entry.key() < first
        {
            let (sync, end) = entry.remove();
            binder.merged[usize::from(sync)].join(&end);
        }
    }

    /// A message was removed from its queue.
    pub(super) fn remove(&mut self, sender: Sender) {
        if let Some(binder) = self.0.get_mut(&(sender.queue, sender.process)) {
            binder.waiting.remove(&sender.number);
        }
    }

    pub(super) fn times(&mut self) -> impl Iterator<Item = &mut Time> {
        self.0.values_mut().flat_map(|binder| {
            binder.merged.iter_mut().chain(binder.ended.values_mut().map(|(_, time)| time))
        })
    }
}
