//! Rules that reach back: LOOPER-ATOMIC, and what follows from it.
//!
//! By LOOPER-ATOMIC, an event that comes to follow the begin of an earlier event of its looper must
//! begin after that one's end. Its begin lies in the past: it *gains* that end, and so does
//! everything that follows the begin ([`held`](super::held)). What gained is asked again, until nothing
//! does: posts of events that began, by the rules of queues; begins, by MSG-BEGIN-2 and
//! LOOPER-ATOMIC; ends, by LOOPER-ATOMIC; removals, by MSG-REMOVE. All of these stand between the begin
//! and the current operation. Every gain is sound and monotone, so their order does not matter.
//!
//! An event of a looper is *unsettled* while it runs, and after that as long as its end covers the
//! begin of an unsettled event. Only begins of unsettled events, and what covers them, can still gain.

use trace::QueueId;

use super::held::Held;
use super::state::Slot;
use super::{Needed, Now, OperationStream};
use crate::engine::graph::Clock;

/// Something that is asked again when it gains, in the order of the trace.
pub(super) struct Told {
    number: u64,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Post(Slot),
    Begin(Slot),
    End(Slot),
    /// The removal of a message that began but whose post was not known to precede the removal.
    Removal(Slot, Held),
}

/// Nodes of the past, each with a node that it is to follow.
type Work = Vec<(Held, Held)>;

/// How many events end before the unsettled ones are determined again.
const ENDS: u32 = 32;

impl OperationStream {
    fn reaches_back(&self) -> bool {
        self.plan.atomic_from_begin.is_some()
    }

    fn tell_of(&mut self, number: u64, what: What) {
        if self.reaches_back() {
            self.told.push_back(Told { number, what });
        }
    }

    pub(super) fn tell_of_post(&mut self, slot: Slot, node: Held) {
        self.tell_of(node.number, What::Post(slot));
    }

    pub(super) fn tell_of_begin(&mut self, slot: Slot, node: Held) {
        self.tell_of(node.number, What::Begin(slot));
    }

    pub(super) fn tell_of_end(&mut self, slot: Slot, node: Held) {
        self.tell_of(node.number, What::End(slot));
    }

    pub(super) fn tell_of_removal(&mut self, slot: Slot, node: Held) {
        self.tell_of(node.number, What::Removal(slot, node));
    }

    /// Applies LOOPER-ATOMIC to an event whose task or end came to know more than `from`.
    pub(super) fn tell_begin(&mut self, slot: Slot, looper: QueueId, gained: (Clock, Clock)) {
        if !self.parts.has(Needed::Telling) {
            return;
        }
        let mut work = Vec::new();
        self.demand(slot, looper, gained, &mut work);
        self.tell(work);
    }

    fn demand(&mut self, slot: Slot, looper: QueueId, gained: (Clock, Clock), work: &mut Work) {
        let Some(begin) = self.events[slot].begin else { return };
        let begin = self.fresh(begin);
        for event in self.begun(looper, gained, (slot, begin.number)) {
            let end = self.events[event].task;
            if !begin.covers(&self.clocks, end.chain, end.position) {
                work.push((begin, end));
            }
        }
    }

    /// Lets nodes of the past follow others, and asks again what gained.
    fn tell(&mut self, mut work: Work) {
        while let Some((of, by)) = work.pop() {
            let (of, by) = (self.fresh(of), self.fresh(by));
            if of.covers(&self.clocks, by.chain, by.position) {
                continue;
            }
            self.add_gain(of, by);
            let first = self.told.partition_point(|told| told.number < of.number);
            for i in first..self.told.len() {
                self.ask_again(i, &mut work);
            }
            for i in 0..self.unsettled.len() {
                let slot = self.unsettled[i];
                if !self.events[slot].has_ended {
                    self.ask_running(slot, &mut work);
                }
            }
        }
    }

    fn ask_running(&mut self, slot: Slot, work: &mut Work) {
        let old = self.events[slot].task;
        let new = self.fresh(old);
        self.events[slot].task = new;
        if let Some(looper) = self.events[slot].looper.filter(|_| old.clock != new.clock) {
            let from = self.events[slot].checked;
            self.demand(slot, looper, (from, new.clock), work);
        }
    }

    fn ask_again(&mut self, told: usize, work: &mut Work) {
        match self.told[told].what {
            What::Post(slot) => self.ask_post(slot, told, work),
            What::Begin(slot) => self.ask_begin(slot, work),
            What::End(slot) => {
                let old = self.events[slot].task;
                let new = self.fresh(old);
                self.events[slot].task = new;
                if let Some(looper) = self.events[slot].looper.filter(|_| old.clock != new.clock) {
                    self.demand(slot, looper, (old.clock, new.clock), work);
                }
            }
            What::Removal(slot, old) => {
                let new = self.fresh(old);
                self.told[told].what = What::Removal(slot, new);
                let row = &self.events[slot];
                if let (Some(post), Some(begin), true) =
                    (row.post, row.begin, old.clock != new.clock)
                    && new.covers(&self.clocks, post.held.chain, post.held.position)
                {
                    work.push((new, begin));
                }
            }
        }
    }

    fn ask_post(&mut self, slot: Slot, told: usize, work: &mut Work) {
        let Some(mut post) = self.events[slot].post else { return };
        let old = post.held;
        post.held = self.fresh(old);
        self.events[slot].post = Some(post);
        if post.held.clock == old.clock {
            return;
        }
        if let Some(begin) = self.events[slot].begin {
            let searched = self.events[slot].searched;
            for end in self.found_again(slot, searched) {
                work.push((begin, end));
            }
        }
        if post.posting == trace::Posting::Front {
            for i in told + 1..self.told.len() {
                if let What::Begin(other) = self.told[i].what
                    && self.events[other].queue == Some(post.enqueue.queue)
                {
                    self.ask_fronts(other, work);
                }
            }
        }
    }

    fn ask_fronts(&mut self, slot: Slot, work: &mut Work) {
        let Some(begin) = self.events[slot].begin else { return };
        let begin = self.fresh(begin);
        for event in self.fronts_between(slot, begin.clock, begin.number) {
            work.push((begin, self.events[event].task));
        }
    }

    fn ask_begin(&mut self, slot: Slot, work: &mut Work) {
        let Some(old) = self.events[slot].begin else { return };
        let new = self.fresh(old);
        self.events[slot].begin = Some(new);
        if old.clock == new.clock {
            return;
        }
        if let Some(looper) = self.events[slot].looper {
            self.demand(slot, looper, (old.clock, new.clock), work);
        }
        self.ask_fronts(slot, work);
    }

    /// Determines which events may still gain, and forgets what cannot.
    pub(super) fn look(&mut self) {
        self.ends_since_look = 0;
        let (mut settled, mut unsettled): (Vec<Slot>, Vec<Slot>) =
            self.unsettled.iter().partition(|&&slot| self.events[slot].has_ended);
        let mut from = 0;
        while from < unsettled.len() {
            let begins: Vec<(u32, u32)> = unsettled[from..]
                .iter()
                .filter_map(|&slot| self.events[slot].begin)
                .map(|begin| (begin.chain, begin.position))
                .collect();
            from = unsettled.len();
            settled.retain(|&slot| {
                let end = self.fresh(self.events[slot].task);
                self.events[slot].task = end;
                let gains = begins.iter().any(|&(c, p)| end.covers(&self.clocks, c, p));
                if gains {
                    unsettled.push(slot);
                }
                !gains
            });
        }
        let begins = unsettled.iter().filter_map(|&slot| self.events[slot].begin);
        self.oldest = begins.map(|begin| begin.number).min().unwrap_or(self.number + 1);
        self.unsettled = unsettled;
        while self.told.front().is_some_and(|told| told.number < self.oldest) {
            self.told.pop_front();
        }
        self.drop_old();
    }

    pub(super) fn after_operation(&mut self) {
        if self.ends_since_look >= if self.window.is_eager() { 1 } else { ENDS } {
            self.look();
        }
        self.collect_if_due();
    }

    pub(super) fn visit_told(&mut self, each: &mut impl FnMut(&mut Self, &mut Held)) {
        let mut all = std::mem::take(&mut self.told);
        for told in &mut all {
            if let What::Removal(_, held) = &mut told.what {
                each(self, held);
            }
        }
        self.told = all;
    }

    /// Whether all that happens before a kept moment is known, so that "unordered" is final. As of the
    /// last look at what is unsettled.
    pub(super) fn is_settled(&self, held: &Held) -> bool {
        !self.unsettled.iter().any(|&slot| {
            let begin = self.events[slot].begin;
            begin.is_some_and(|begin| held.covers(&self.clocks, begin.chain, begin.position))
        })
    }

    /// Whether "unordered" is final here, at once.
    pub(in super::super) fn is_final(&self, now: &Now) -> bool {
        !self.reaches_back()
            || !self.parts.has(Needed::HoldingVerdicts)
            || self.is_settled(&now.held)
    }
}
