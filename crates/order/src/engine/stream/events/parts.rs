//! MICROTASK-ORDER and CHECKPOINT: parts of tasks precede what their causes precede.
//!
//! The search is that of the graph engine: a part p precedes an event u of its thread if all causes of p
//! precede u; if u is a microtask, if they precede causes of u. The *base* of a settled event x is its
//! past, if x is no microtask, and else the past of its causes. A part whose causes are all in the base of
//! x runs before x and precedes it. So for an event u that follows x on its thread, only parts count that
//! wait for an event outside the base of x. A part that runs later than its queue promises is *late*, and
//! is looked at every time; so is one of which a cause was dropped. Parts that wait for the same event
//! form runs, of which each follows the one before it.

use trace::{Id, ThreadId};

use super::state::{Base, Cause, Event, Slot};
use super::{EventStream, Needed};
use crate::engine::graph::Clock;
use crate::rules::causes::Kind;

/// What an event follows, while it is computed.
#[derive(Clone, Copy)]
pub(super) struct Following {
    pub(super) clock: Clock,
    /// Whether everything that the clock was made of is final.
    pub(super) is_final: bool,
}

impl EventStream {
    /// Lets an event follow the parts that precede it. Returns its base.
    pub(super) fn follow_parts(&mut self, slot: Slot, following: &mut Following) -> Option<Base> {
        match self.events[slot].kind {
            Kind::Microtask => self.plan.microtasks.then(|| self.order_microtask(slot, following)),
            Kind::Task | Kind::Listener | Kind::Module => {
                self.plan.checkpoint.then(|| self.order_checkpoint(slot, following))
            }
        }
    }

    /// The largest base among those of settled `events` on `thread`.
    fn largest(&self, thread: ThreadId, events: &[Slot]) -> Base {
        let events = events.iter().map(|&slot| &self.events[slot]);
        events
            .filter(|event| event.thread == thread && event.is_settled)
            .filter_map(|event| event.base)
            .max_by_key(|base| base.size)
            .unwrap_or_default()
    }

    fn knows(&self, clock: Clock, cause: &Cause) -> bool {
        self.clocks.get(clock, cause.chain) >= cause.position
    }

    fn order_microtask(&mut self, slot: Slot, following: &mut Following) -> Base {
        let causes = self.events[slot].causes.clone();
        let by: Vec<Slot> =
            causes.iter().filter_map(|cause| self.events.slot(cause.event)).collect();
        let mut past = Clock::EMPTY;
        for &cause in &by {
            self.refresh(cause);
            past = self.clocks.join(past, self.events[cause].clock);
        }
        let thread = self.events[slot].thread;
        let base = self.largest(thread, &by);
        let runs = self.events[slot].end == super::state::NEVER;
        let is_there = |stream: &Self, part: &Event| {
            part.causes.iter().all(|c| {
                stream.knows(past, c)
                    || causes.iter().any(|d| {
                        // A call that is not known yet may become known as long as the microtask runs.
                        c.event == d.event
                            && match (c.call, d.call) {
                                (Some(first), Some(second)) => first <= second,
                                (Some(_), None) => !runs,
                                (None, _) => true,
                            }
                    })
            })
        };
        let mut news = by;
        self.each_gained(base.clock, past, |event| news.push(event));
        let found = self.search(&news, slot, following.clock, is_there);
        self.follow_all(following, found);
        Base { clock: past, size: base.size + news.len() as u32 }
    }

    fn order_checkpoint(&mut self, slot: Slot, following: &mut Following) -> Base {
        let thread = self.events[slot].thread;
        let mut base = self.largest(thread, &self.events[slot].sources);
        let mut seen = base.clock;
        let mut size = base.size;
        loop {
            let mut news = Vec::new();
            self.each_gained(seen, following.clock, |event| news.push(event));
            seen = following.clock;
            size += news.len() as u32;
            let is_there = |stream: &Self, part: &Event| {
                part.causes.iter().all(|cause| stream.knows(seen, cause))
            };
            let found = self.search(&news, slot, following.clock, is_there);
            let tried = found.clone();
            self.follow_all(following, found);
            if following.clock == seen {
                return Base { clock: seen, size };
            }
            // A part may have one cause in this base and another that only this event knew so far.
            let larger = self.largest(thread, &tried);
            if larger.size > base.size {
                base = larger;
                seen = base.clock;
                size = base.size;
            }
        }
    }

    fn follow_all(&mut self, following: &mut Following, mut found: Vec<Slot>) {
        found.sort_unstable_by_key(|&part| std::cmp::Reverse(self.events[part].begin));
        for part in found {
            following.is_final &= self.events[part].is_settled;
            following.clock = self.follow(following.clock, part);
        }
    }

    /// Finds the last part of each run that waits for one of `news`, has ended when the event begins,
    /// and whose causes are all there, unless `clock` knows it; and late parts.
    fn search(
        &self,
        news: &[Slot],
        slot: Slot,
        clock: Clock,
        is_there: impl Fn(&Self, &Event) -> bool,
    ) -> Vec<Slot> {
        let (thread, begin) = (self.events[slot].thread, self.events[slot].begin);
        let mut found = Vec::new();
        for &from in news {
            for run in &self.events[from].runs {
                for &(id, at) in run.iter().rev() {
                    let Some(part) = self.events.get((id, at)) else { continue };
                    if part.thread != thread || part.is_settled && self.is_in(clock, at) {
                        break;
                    }
                    if part.end < begin && is_there(self, part) {
                        found.push(at);
                        break;
                    }
                }
            }
        }
        let late = self.threads.get(thread.index()).map_or(&[][..], |thread| &thread.late);
        found.extend(late.iter().copied().filter(|&at| {
            let part = &self.events[at];
            part.end < begin && !self.is_in(clock, at) && is_there(self, part)
        }));
        found
    }

    /// Lists an event that has ended among what has run.
    pub(super) fn list_part(&mut self, slot: Slot) {
        self.resolve_calls(slot);
        let event = &self.events[slot];
        let (id, thread, clock) = (event.id, event.thread, event.clock);
        let last_cause = event.causes.iter().map(|cause| cause.begin).max();
        if last_cause.is_some() && (self.plan.microtasks || self.plan.checkpoint) {
            let causes: Vec<_> = event.causes.iter().map(|cause| cause.event).collect();
            let mut all_kept = true;
            for cause in causes {
                let Some(cause) = self.events.slot(cause) else {
                    all_kept = false;
                    continue;
                };
                let runs = &self.events[cause].runs;
                let last = runs.last().and_then(|run| run.last()).copied();
                let follows = last.is_some_and(|last| {
                    let kept = self.events.get(last);
                    kept.is_some_and(|part| part.thread == thread) && self.is_in(clock, last.1)
                });
                let runs = &mut self.events[cause].runs;
                match runs.last_mut().filter(|_| follows) {
                    Some(run) => run.push((id, slot)),
                    None => runs.push(vec![(id, slot)]),
                }
            }
            if !all_kept || self.is_late(slot, last_cause.unwrap_or(0)) {
                self.note_late(slot);
            }
        }
        let event = &self.events[slot];
        let latest = match event.kind {
            Kind::Microtask => last_cause,
            Kind::Task | Kind::Listener | Kind::Module => Some(event.begin),
        };
        let of_thread = self.thread(thread);
        of_thread.latest = of_thread.latest.max(latest);
    }

    pub(super) fn note_late(&mut self, slot: Slot) {
        let is_new = !std::mem::replace(&mut self.events[slot].is_late, true);
        if is_new && self.parts.has(Needed::LateParts) {
            let thread = self.events[slot].thread;
            self.thread(thread).late.push(slot);
        }
    }

    fn is_in_base(&self, part: &Event, base: Base) -> bool {
        part.causes.iter().all(|cause| self.knows(base.clock, cause))
    }

    /// Whether a settled event of the thread that began before the part ended has all causes of the part
    /// in its base. `last_cause` is when the last cause began.
    fn is_late(&self, slot: Slot, last_cause: u64) -> bool {
        let part = &self.events[slot];
        let of_thread = &self.threads[part.thread.index()];
        if part.is_overlapped {
            return true;
        }
        let events = of_thread.events.iter().rev().filter_map(|&entry| self.events.get(entry));
        let mut later = events.take_while(|event| event.begin > last_cause);
        of_thread.latest > Some(last_cause)
            && later.any(|event| {
                event.is_settled && event.base.is_some_and(|base| self.is_in_base(part, base))
            })
    }

    /// Finds the parts that are late because of an event that is settled only after they ended.
    pub(super) fn find_late(&mut self, slot: Slot) {
        let event = &self.events[slot];
        let (Some(base), begin) = (event.base, event.begin) else { return };
        let of_thread = &self.threads[event.thread.index()];
        let entries = of_thread.events.iter().rev();
        let later = entries
            .filter_map(|&entry| Some((entry.1, self.events.get(entry)?)))
            .take_while(|(_, part)| part.begin > begin);
        let late: Vec<Slot> = later
            .filter(|(_, part)| !part.causes.is_empty() && !part.is_open() && !part.is_late)
            .filter(|(_, part)| self.is_in_base(part, base))
            .map(|(slot, _)| slot)
            .collect();
        for part in late {
            self.note_late(part);
        }
    }

    /// Finds for each cause the last call that queues the part.
    pub(super) fn resolve_calls(&mut self, slot: Slot) {
        let event = &mut self.events[slot];
        for cause in &mut event.causes {
            let calls = event.calls.iter().filter(|&&(by, _)| by == cause.event);
            cause.call = calls.map(|&(_, call)| call).max();
        }
    }
}
