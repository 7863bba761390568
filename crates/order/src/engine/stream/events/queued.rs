//! Queues that keep order: TIMER-ORDER, FRAME-ORDER, IDLE-ORDER.
//!
//! A message follows those of its class (a queue, and a rule) whose posts precede its own and whose
//! delays are not longer. Each chain of posters keeps a log of its posts ([`Log`](super::log::Log)), and a
//! message searches those logs, bounded by the clock of its poster. A settled message of the same class
//! and delay that was posted before has followed all that it had to, so what its poster knew is not
//! searched again. A message that has not ended when one begins that should follow it is *overtaken*: it
//! is compared with every later message.

use trace::Id;

use super::log::{Span, Taken};
use super::state::{Post, Slot, logged};
use super::{EventStream, Needed};
use crate::engine::graph::Clock;

/// How many settled messages of each class and delay are remembered.
const RECENT: usize = 4;

impl EventStream {
    /// Logs a post for the messages that are posted after it.
    pub(super) fn log_post(&mut self, slot: Slot, post: &Post) {
        if let Some((class, delay)) = post.class {
            let queue = self.queue(post.queue);
            queue.logs[class as usize].push(post.chain, post.logged(), slot, delay);
        }
    }

    /// Whether the event that posted a message precedes the one that posted another, or is it.
    fn is_posted_before(&self, earlier: &Post, post: &Post) -> bool {
        earlier.number < post.number
            && if earlier.chain == post.chain {
                earlier.position <= post.position
            } else {
                let clock = self.events[post.poster].clock;
                self.clocks.get(clock, earlier.chain) >= earlier.position
            }
    }

    /// A settled message of the same class and delay that was posted before a message.
    fn predecessor(&self, post: &Post, class: (u8, i64), begin: u64) -> Option<Slot> {
        let queue = &self.queues[post.queue.index()];
        let own = queue.logs[class.0 as usize].latest(post.chain, post.logged() - 1, class.1);
        let recent = queue.recent.get(&class).into_iter().flatten().copied();
        let candidates = own.into_iter().chain(recent).filter(|&other| {
            let event = &self.events[other];
            event.is_settled
                && event.end < begin
                && event.post.is_some_and(|earlier| {
                    earlier.is_clean && self.is_posted_before(&earlier, post)
                })
        });
        candidates.max_by_key(|&other| self.events[other].post.map(|post| post.number))
    }

    /// Lets an event follow the messages that its queue keeps before it. Returns its clock, and whether
    /// that is final as far as the poster is concerned.
    pub(super) fn follow_queue(&mut self, slot: Slot, mut clock: Clock) -> (Clock, bool) {
        let Some(post) = self.events[slot].post else { return (clock, true) };
        let Some((class, delay)) = post.class else { return (clock, true) };
        if !self.is_attached(post.queue) {
            return (clock, true);
        }
        self.refresh(post.poster);
        let begin = self.events[slot].begin;
        let mut is_final = self.events[post.poster].is_settled;
        let before = self.predecessor(&post, (class, delay), begin);
        let (found, late) = self.search_logs(&post, before, begin);
        for event in before.into_iter().chain(found) {
            clock = self.follow(clock, event);
            is_final &= self.events[event].is_settled;
        }
        let overtaken = &self.queues[post.queue.index()].overtaken[class as usize];
        let followed = overtaken.iter().copied().filter(|&other| {
            let event = &self.events[other];
            event.end < begin
                && event.post.is_some_and(|earlier| {
                    earlier.class.is_some_and(|(_, shorter)| shorter <= delay)
                        && self.is_posted_before(&earlier, &post)
                })
        });
        for event in followed.collect::<Vec<_>>() {
            clock = self.follow(clock, event);
            is_final &= self.events[event].is_settled;
        }
        for event in late {
            let is_new = !std::mem::replace(&mut self.events[event].is_overtaken, true);
            if is_new && self.parts.has(Needed::Overtaken) {
                self.queues[post.queue.index()].overtaken[class as usize].push(event);
            }
        }
        (clock, is_final)
    }

    /// Searches the logs for the messages that one follows, and for those that it should follow but
    /// that had not ended at its begin.
    fn search_logs(&self, post: &Post, before: Option<Slot>, begin: u64) -> (Vec<Slot>, Vec<Slot>) {
        let (class, delay) = post.class.expect("the message is of a class");
        let log = &self.queues[post.queue.index()].logs[class as usize];
        let (mut found, mut late) = (Vec::new(), Vec::new());
        let known = before.map(|event| &self.events[event]);
        let known = known.map(|event| (event.searched, event.post.expect("it was posted")));
        let above = |chain: u32, position: u32| match known {
            Some((_, earlier)) if earlier.chain == chain => earlier.logged() - 1,
            Some((_, earlier)) if position > 0 => logged(position, earlier.number) - 1,
            _ => 0,
        };
        let mut search = |chain: u32, position: u32, upto: u32| {
            let Some(entries) = log.of_chain(chain) else { return };
            let above = above(chain, position);
            let upto = logged(upto, post.number) - 1;
            entries.search((i64::MIN, delay), Span { chain, above, upto }, |event| {
                if self.events[event].end < begin {
                    found.push(event);
                    Taken::Followed
                } else {
                    late.push(event);
                    Taken::Passed
                }
            });
        };
        let searched = known.map_or(Clock::EMPTY, |(clock, _)| clock);
        let clock = self.events[post.poster].clock;
        search(post.chain, self.clocks.get(searched, post.chain), post.position);
        self.clocks.gained_among([&log.chains], searched, clock, &mut |chain, from, to| {
            if chain != post.chain {
                search(chain, from, to);
            }
        });
        (found, late)
    }

    /// Notes that a message is settled, for those that are posted after it.
    pub(super) fn settle_message(&mut self, slot: Slot) {
        let Some(post) = self.events[slot].post else { return };
        let Some(class) = post.class else { return };
        self.events[slot].searched = self.events[post.poster].clock;
        let recent = self.queue(post.queue).recent.entry(class).or_default();
        recent.truncate(RECENT - 1);
        recent.push_front(slot);
    }

    /// Takes a message out of its queue.
    pub(super) fn unlog(&mut self, slot: Slot) {
        let Some(post) = self.events[slot].post else { return };
        let Some(class) = post.class else { return };
        let is_overtaken = self.events[slot].is_overtaken;
        let queue = self.queue(post.queue);
        queue.logs[class.0 as usize].remove(post.chain, post.logged());
        if is_overtaken {
            queue.overtaken[class.0 as usize].retain(|&other| other != slot);
        }
        if let Some(recent) = queue.recent.get_mut(&class) {
            recent.retain(|&other| other != slot);
            if recent.is_empty() {
                queue.recent.remove(&class);
            }
        }
    }
}
