//! The time of an event, when it begins (§3.2, §5.3).

use std::collections::HashSet;
use std::rc::Rc;

use trace::{Posting, QueueId};

use super::clocks::{AsyncClocks, Entry, Epoch, Key, Time, Tracked, VectorClock};
use super::event::{Event, EventRef, Phase, Sent};

/// The predecessors of an event by rule PRIORITY, which subsumes FIFO.
#[derive(Default)]
pub(super) struct Predecessors {
    /// Those that ended, and are not known to precede another one.
    ended: Vec<EventRef>,
    /// The joined ends of lists of events that were sent to the front.
    fronts: Vec<Time>,
    /// Those that have not ended.
    pub(super) missed: Vec<EventRef>,
    seen: HashSet<*const Event>,
    as_printed: bool,
}

impl Predecessors {
    /// Finds the predecessors of an event in the AsyncClocks at its send. `as_printed` states that events in
    /// AsyncClocks are taken to have ended, unless they were removed.
    pub(super) fn find(
        clocks: &AsyncClocks,
        queue: QueueId,
        sent: &Sent,
        as_printed: bool,
    ) -> Self {
        let mut found = Self { as_printed, ..Self::default() };
        for entry in clocks.of_queue(queue) {
            let passes = |is_async: bool| is_async || !sent.is_async;
            match (entry.key.tracked, sent.posting) {
                (Tracked::Fifo { is_async }, Posting::Delayed(delay))
                    if delay >= 0 && passes(is_async) =>
                {
                    found.visit(&entry.event, entry.key);
                }
                (Tracked::Delayed { is_async }, Posting::Delayed(_))
                | (Tracked::AtTime { is_async }, Posting::AtTime(_))
                    if passes(is_async) =>
                {
                    found.walk(&entry.event, sent.time());
                }
                (Tracked::Front { is_async }, Posting::Delayed(_) | Posting::AtTime(_))
                    if passes(is_async) =>
                {
                    found.fronts(&entry.event);
                }
                _ => {}
            }
        }
        found
    }

    /// Visits a message without delay, whose send reduced its AsyncClock. If it has not ended, the events
    /// that its send removed are visited in its place.
    fn visit(&mut self, event: &EventRef, key: Key) {
        let mut pending = vec![Rc::clone(event)];
        while let Some(event) = pending.pop() {
            if !self.seen.insert(Rc::as_ptr(&event)) {
                continue;
            }
            match &*event.phase.borrow() {
                Phase::Old => continue,
                Phase::Ended(ended) => {
                    self.ended.push(Rc::clone(&event));
                    pending.extend(ended.missed.iter().map(Rc::clone));
                    continue;
                }
                Phase::Waiting(time) => pending.extend(events(time.clocks.of(key))),
                Phase::Running { .. } if self.as_printed => continue,
                Phase::Running { reduced, missed } => {
                    pending.extend(missed.iter().chain(reduced).map(Rc::clone));
                }
            }
            self.missed.push(event);
        }
    }

    /// Walks an async-before list backwards. It ends after an event with the same time, and after one that
    /// follows all events before it in the list.
    fn walk(&mut self, newest: &EventRef, time: i64) {
        let mut next = Some(Rc::clone(newest));
        while let Some(event) = next {
            let own = event.sent.map_or(0, |sent| sent.time());
            if own <= time {
                self.add(&event);
                let is_last = own == time || event.longest_before.is_none_or(|max| max <= own);
                if is_last && event.is_settled() {
                    break;
                }
            }
            next = event.previous.borrow().as_ref().map(Rc::clone);
        }
    }

    /// Visits all events of a list of events that were sent to the front, or the joined times of a part.
    fn fronts(&mut self, newest: &EventRef) {
        let mut list = Vec::new();
        let mut next = Some(Rc::clone(newest));
        while let Some(event) = next {
            next = event.previous.borrow().as_ref().map(Rc::clone);
            let is_joined = event.joined.borrow().is_some();
            list.push(event);
            if is_joined {
                break;
            }
        }
        let mut joined: Option<Time> = Some(Time::default());
        for event in list.iter().rev() {
            if let (Some(time), true) = (&mut joined, event.joined.borrow().is_none()) {
                match &*event.phase.borrow() {
                    Phase::Ended(ended) => time.join(&ended.time),
                    Phase::Old => {}
                    _ => joined = None,
                }
            } else if let Some(time) = &*event.joined.borrow() {
                joined = Some(time.clone());
            }
            match &joined {
                Some(time) if event.joined.borrow().is_none() => {
                    event.joined.replace(Some(time.clone()));
                    event.previous.take();
                }
                Some(_) => {}
                None => self.add(event),
            }
        }
        let known = list.iter().find_map(|event| event.joined.borrow().clone());
        self.fronts.extend(known);
    }

    /// Adds an event, and what it missed.
    fn add(&mut self, event: &EventRef) {
        if !self.seen.insert(Rc::as_ptr(event)) {
            return;
        }
        match &*event.phase.borrow() {
            Phase::Old => {}
            Phase::Ended(ended) => {
                for other in &ended.missed {
                    self.add(other);
                }
                self.ended.push(Rc::clone(event));
            }
            Phase::Waiting(_) | Phase::Running { .. } => self.missed.push(Rc::clone(event)),
        }
    }

    /// Joins the ends of the predecessors into the time of the begin. Appends the chains that they are on.
    pub(super) fn inherit(&self, time: &mut Time, ends: &mut Vec<u32>) {
        for fronts in &self.fronts {
            time.join(fronts);
        }
        for event in &self.ended {
            join_end(event, time, ends);
        }
    }
}

/// Joins the end of an event, if it ended and is not known. Returns whether it was new.
pub(super) fn join_end(event: &EventRef, time: &mut Time, ends: &mut Vec<u32>) -> bool {
    if let Phase::Ended(ended) = &*event.phase.borrow()
        && !time.vector.covers(ended.at)
    {
        time.join(&ended.time);
        ends.push(ended.at.chain);
        return true;
    }
    false
}

/// Applies ATOMIC at an operation of an event of `looper`: its time inherits the ends of the events of the
/// looper whose begins it knows. Returns whether there was anything new.
pub(super) fn stay_atomic(looper: QueueId, time: &mut Time, ends: &mut Vec<u32>) -> bool {
    let key = Key { queue: looper, tracked: Tracked::Begins };
    let mut gained = false;
    loop {
        let unknown =
            |entry: &&Entry| entry.event.end().is_some_and(|end| !time.vector.covers(end));
        let Some(event) = time.clocks.of(key).iter().find(unknown) else { return gained };
        let event = Rc::clone(&event.event);
        gained |= join_end(&event, time, ends);
    }
}

/// Removes the events of a queue from AsyncClocks whose ends are known (§3.3, Event Begin).
pub(super) fn forget_known(queue: QueueId, time: &mut Time) {
    let vector = time.vector.clone();
    time.clocks.retain(|entry| entry.key.queue != queue || step_back(entry, &vector));
}

/// Replaces the event of an entry by the newest of its async-before list that is not known. Returns whether
/// there is one.
pub(super) fn step_back(entry: &mut Entry, vector: &VectorClock) -> bool {
    if entry.key.tracked == Tracked::Begins {
        return match &*entry.event.phase.borrow() {
            Phase::Old => false,
            Phase::Ended(ended) => !vector.covers(ended.at),
            _ => true,
        };
    }
    while entry.event.is_known(vector) {
        let earlier = entry.event.previous.borrow().as_ref().map(Rc::clone);
        let Some(earlier) = earlier else { return false };
        entry.gamma = earlier.sent.map_or(entry.gamma, |sent| sent.at);
        entry.event = earlier;
    }
    true
}

/// The events of some entries.
pub(super) fn events(entries: &[Entry]) -> Vec<EventRef> {
    entries.iter().map(|entry| Rc::clone(&entry.event)).collect()
}

/// The entry of an event in the AsyncClock about begins.
pub(super) fn begun(looper: QueueId, at: Epoch, event: &EventRef) -> Entry {
    let key = Key { queue: looper, tracked: Tracked::Begins };
    Entry { key, gamma: at, event: Rc::clone(event), is_doubled: false }
}
