//! Multi-path reduction (§4.1) and garbage collection (§4.2).

use std::collections::HashSet;
use std::rc::Rc;

use super::clocks::{Time, Tracked, VectorClock};
use super::event::{Event, EventRef, Phase};
use super::resolve::step_back;

/// Multi-path reduction when F' ends with `time`: an event E in its AsyncClocks that was sent before F'
/// was, and to which nothing else points, is heirless. E may also become so later; the entry remembers that
/// it was sent before. Returns the number of entries that are removed.
pub(super) fn reduce(time: &mut Time, at_send: &VectorClock) -> u64 {
    for entry in time.clocks.entries_mut() {
        let sent = entry.event.sent.filter(|_| entry.key.tracked != Tracked::Begins);
        entry.is_doubled = sent.is_some_and(|sent| at_send.covers(sent.at));
    }
    drop_doubled(time)
}

fn drop_doubled(time: &mut Time) -> u64 {
    let before = time.clocks.entries().len();
    time.clocks.retain(|entry| !entry.is_doubled || Event::references(&entry.event) > 1);
    (before - time.clocks.entries().len()) as u64
}

/// Removes null pointers from AsyncClocks.
pub(super) fn sweep(time: &mut Time) {
    let vector = VectorClock::default();
    time.clocks.retain(|entry| step_back(entry, &vector));
}

/// Sweeps the AsyncClocks that an event holds, and repeats multi-path reduction. Returns the number of
/// entries that the latter removes.
pub(super) fn sweep_event(event: &EventRef, multi_path: bool) -> u64 {
    let mut time = match &mut *event.phase.borrow_mut() {
        Phase::Waiting(time) => std::mem::take(time),
        Phase::Ended(ended) => std::mem::take(&mut ended.time),
        Phase::Running { .. } | Phase::Old => return 0,
    };
    sweep(&mut time);
    let reduced = if multi_path { drop_doubled(&mut time) } else { 0 };
    match &mut *event.phase.borrow_mut() {
        Phase::Waiting(own) => *own = time,
        Phase::Ended(ended) => ended.time = time,
        Phase::Running { .. } | Phase::Old => {}
    }
    reduced
}

/// Finds the events that can be reached from others.
#[derive(Default)]
pub(super) struct Marks {
    reached: HashSet<*const Event>,
    pending: Vec<EventRef>,
}

impl Marks {
    pub(super) fn add(&mut self, event: &EventRef) {
        if self.reached.insert(Rc::as_ptr(event)) {
            self.pending.push(Rc::clone(event));
        }
    }

    pub(super) fn add_time(&mut self, time: &Time) {
        for entry in time.clocks.entries() {
            self.add(&entry.event);
        }
    }

    /// Relinquishes those of the events that cannot be reached, which form cycles. Returns how many.
    pub(super) fn collect(mut self, held: &[EventRef]) -> u64 {
        while let Some(event) = self.pending.pop() {
            event.for_each_pointer(|other| self.add(other));
        }
        let mut collected = 0;
        for event in held.iter().filter(|event| !self.reached.contains(&Rc::as_ptr(event))) {
            event.invalidate();
            event.joined.take();
            collected += 1;
        }
        collected
    }
}
