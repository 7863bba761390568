//! Time window approximation (§4.1).
//!
//! An event is old when another one began after its end, and that was longer ago than the window. So the
//! orders that a window adds are among those of rule WINDOW of `order`, which also counts begins.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::{Rc, Weak};

use trace::QueueId;

use super::clocks::{Time, VectorClock};
use super::event::{Event, EventRef, Phase};

/// An event that ended within the window.
struct Recent {
    /// The number of events that had begun at the end.
    ended: u64,
    chain: u32,
    vector: VectorClock,
    /// The metadata, unless the event turned out to be heirless.
    event: Weak<Event>,
}

/// The sliding window of one looper.
#[derive(Default)]
struct Window {
    recent: VecDeque<Recent>,
    /// The time window clock TC: the join of the ends of all old events.
    clock: Time,
    /// The chains that ended with an old event, and may be free.
    chains: BTreeSet<u32>,
}

/// The windows of all loopers.
#[derive(Default)]
pub(super) struct Windows {
    of_loopers: HashMap<QueueId, Window>,
    /// The number of begins that are old, and the times of those that are not.
    old: u64,
    begins: VecDeque<u64>,
}

impl Windows {
    /// An event of a looper has ended.
    pub(super) fn end(&mut self, looper: QueueId, event: &EventRef) {
        if let Phase::Ended(ended) = &*event.phase.borrow() {
            self.of_loopers.entry(looper).or_default().recent.push_back(Recent {
                ended: self.old + self.begins.len() as u64,
                chain: ended.at.chain,
                vector: ended.time.vector.clone(),
                event: Rc::downgrade(event),
            });
        }
    }

    /// An event begins.
    pub(super) fn pass(&mut self, now: u64, length: u64) {
        let is_old = |&mut at: &mut u64| at.saturating_add(length) <= now;
        while self.begins.pop_front_if(is_old).is_some() {
            self.old += 1;
        }
        self.begins.push_back(now);
    }

    /// The event that begins belongs to a looper: `time` inherits the window clock. Returns how many events
    /// became old.
    pub(super) fn begin(
        &mut self,
        looper: QueueId,
        (time, ends): (&mut Time, &mut Vec<u32>),
    ) -> u64 {
        let begun = self.old;
        let window = self.of_loopers.entry(looper).or_default();
        let mut old = 0;
        while let Some(recent) = window.recent.pop_front_if(|recent| recent.ended < begun) {
            old += 1;
            if let Some(event) = recent.event.upgrade() {
                if let Phase::Ended(ended) = &*event.phase.borrow() {
                    window.clock.join(&ended.time);
                }
                event.invalidate();
            } else {
                window.clock.join_vector(&recent.vector);
            }
            window.chains.insert(recent.chain);
        }
        time.join(&window.clock);
        ends.extend(&window.chains);
        old
    }

    pub(super) fn times(&mut self) -> impl Iterator<Item = &mut Time> {
        self.of_loopers.values_mut().map(|window| &mut window.clock)
    }
}
