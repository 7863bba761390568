//! Queues that keep order: TIMER-ORDER, FRAME-ORDER, IDLE-ORDER.
//!
//! A message follows those of its class (a queue, and a rule) whose posts precede its own and whose
//! delays are not longer. The posts of each chain of posters are listed as they are made. What the
//! poster of a message knows of a chain is the beginning of its list; and of two posts there, the
//! later one with the longer delay has the earlier message among its own sources. So only the posts
//! that no later one beats are gone through ([`Latest`] finds them): from the last that is short
//! enough, to the last before it that is longer and still short enough, and so on.
//!
//! That takes messages to run as their queue promises. A message that has not ended when one begins
//! that it should precede is *late*: it is no source of that one, so it has to be looked at every time.
//! So are messages that begin before they are posted, and all of them if EVENT-ORDER is off, which
//! makes posts of one event unordered.
//!
//! Cost: for each message of such a queue, as many searches as chains its poster knows that post to
//! the queue, plus one for each source found, of O(log delays); plus one step for each late message.

use hashbrown::HashMap;
use trace::{EventId, Id, OpId, Posting};

use super::events::{Sources, Sweep};
use super::latest::{Latest, Version};
use crate::facts::{Dispatched, Facts};
use crate::model::RuleSet;
use crate::rule::Rule;
use crate::rules;

/// A message that may be told of: it began and ended.
#[derive(Clone, Copy)]
struct Post {
    op: OpId,
    rank: u32,
    message: EventId,
    end: OpId,
    /// The post of the same rank before it in its list, + 1.
    before: u32,
}

/// The posts of the events of one chain, in order.
#[derive(Default)]
struct List {
    posts: Vec<Post>,
    /// The position on the chain of each post's event.
    positions: Vec<u32>,
    /// After so many posts.
    versions: Vec<Version>,
    /// The last post of each rank, + 1.
    last: HashMap<u32, u32>,
}

/// The messages of one queue that one rule orders.
struct Class {
    rule: &'static Rule,
    latest: Latest,
    by_chain: HashMap<u32, List>,
    late: Vec<Post>,
}

/// A message of a class: which, how long its delay is among those of the class, its post.
#[derive(Clone, Copy)]
struct Member {
    class: u32,
    rank: u32,
    op: OpId,
}

/// The classes of a trace.
pub(super) struct Queued {
    classes: Vec<Class>,
    /// By event.
    members: Vec<Option<Member>>,
    /// The messages that each event posts, in the order of the posts.
    posts_of: HashMap<EventId, Vec<EventId>>,
    is_late: Vec<bool>,
    within_events: bool,
}

impl Queued {
    /// None if there is nothing of the kind.
    pub(super) fn new(facts: &Facts<'_>, on: &RuleSet) -> Option<Self> {
        let within_events = on.contains(&rules::EVENT_ORDER);
        let events = facts.trace.names().events.len();
        let mut queued = Self {
            classes: Vec::new(),
            members: vec![None; events],
            posts_of: HashMap::new(),
            is_late: vec![false; events],
            within_events,
        };
        for rule in [&rules::TIMER_ORDER, &rules::FRAME_ORDER, &rules::IDLE_ORDER] {
            for queue in facts.by_looper.iter().filter(|_| on.contains(rule)) {
                queued.add_class(facts, rule, queue);
            }
        }
        for posts in queued.posts_of.values_mut() {
            posts.sort_by_key(|m| facts.trace.event(*m).enqueue);
        }
        (!queued.classes.is_empty()).then_some(queued)
    }

    fn add_class(&mut self, facts: &Facts<'_>, rule: &'static Rule, queue: &[Dispatched]) {
        let mut members: Vec<(i64, OpId, &Dispatched)> = Vec::new();
        for event in queue {
            if let Some((op, enqueue)) = event.posted
                && let Some(delay) = delay(rule, enqueue.posting)
            {
                members.push((delay, op, event));
            }
        }
        if members.len() < 2 {
            return;
        }
        let mut delays: Vec<i64> = members.iter().map(|&(delay, ..)| delay).collect();
        delays.sort_unstable();
        delays.dedup();
        let class = self.classes.len() as u32;
        let latest = Latest::new(delays.len());
        let mut late = Vec::new();
        for (delay, op, event) in members {
            let rank = delays.partition_point(|&d| d < delay) as u32;
            self.members[event.event.index()] = Some(Member { class, rank, op });
            let (Some(poster), Some(end)) = (facts.trace.event_of(op), event.end) else { continue };
            if op < event.begin && self.within_events {
                self.posts_of.entry(poster).or_default().push(event.event);
            } else {
                self.is_late[event.event.index()] = true;
                late.push(Post { op, rank, message: event.event, end, before: 0 });
            }
        }
        self.classes.push(Class { rule, latest, by_chain: HashMap::new(), late });
    }

    /// Tells `event`, which is about to begin, which messages precede it.
    pub(super) fn tell(&mut self, sweep: &mut Sweep<'_>, sources: &mut Sources, event: &Dispatched) {
        let Some(member) = self.members[event.event.index()] else { return };
        let Some(poster) = sweep.trace.event_of(member.op).filter(|_| member.op < event.begin)
        else {
            return;
        };
        let class = &mut self.classes[member.class as usize];
        let mut found = Vec::new();
        for (chain, position) in class.known(sweep, poster) {
            let Some(list) = class.by_chain.get(&chain) else { continue };
            let length = list.known(position, member.op);
            class.search(list, length, member.rank, event.begin, &mut self.is_late, &mut found);
        }
        for post in found {
            if post.end < event.begin {
                sweep.learn(sources, event, post.message, class.rule);
            } else {
                class.late.push(post);
            }
        }
        for post in &class.late {
            let from = sweep.trace.event_of(post.op);
            let precedes = |from| {
                if from == poster { self.within_events } else { sweep.closed.before(from, poster) }
            };
            if post.rank <= member.rank
                && post.op < member.op
                && post.end < event.begin
                && from.is_some_and(precedes)
                && !sweep.knows(sources, post.message)
            {
                sweep.learn(sources, event, post.message, class.rule);
            }
        }
    }

    /// Lists what `event` posts, which has its place on a chain now.
    pub(super) fn list(&mut self, sweep: &Sweep<'_>, event: EventId) {
        let Some(posts) = self.posts_of.remove(&event) else { return };
        let (chain, position, _) = sweep.closed.place(event).expect("it has its place");
        for message in posts {
            let end = sweep.trace.event(message).end.expect("listed messages end");
            let Some(Member { class, rank, op }) = self.members[message.index()] else { continue };
            let class = &mut self.classes[class as usize];
            let list = class.by_chain.entry(chain).or_default();
            let index = list.posts.len() as u32;
            let before = list.last.insert(rank, index + 1).unwrap_or(0);
            let version = list.versions.last().copied().unwrap_or_default();
            list.versions.push(class.latest.push(version, rank, index));
            list.positions.push(position);
            list.posts.push(Post { op, rank, message, end, before });
        }
    }
}

/// The delay by which `rule` compares a message posted like this, if it speaks of it.
fn delay(rule: &Rule, posting: Posting) -> Option<i64> {
    match posting {
        Posting::Delayed(delay) if *rule == rules::TIMER_ORDER => Some(delay.max(0)),
        Posting::Display if *rule == rules::FRAME_ORDER => Some(0),
        Posting::Idle if *rule == rules::IDLE_ORDER => Some(0),
        _ => None,
    }
}

impl List {
    /// How many posts an event knows that knows the chain up to `position`, at its operation `op`.
    fn known(&self, position: u32, op: OpId) -> usize {
        let of_events = self.positions.partition_point(|&p| p <= position);
        self.posts[..of_events].partition_point(|post| post.op < op)
    }
}

/// Below so many chains of posters, each is asked about; above, what the poster knows is gone through.
const FEW_CHAINS: usize = 64;

impl Class {
    /// The chains that post to the class and that `poster` knows, each with how far.
    fn known(&self, sweep: &Sweep<'_>, poster: EventId) -> Vec<(u32, u32)> {
        let (own, position, clock) = sweep.closed.place(poster).expect("the poster has begun");
        let mut known = vec![(own, position)];
        if self.by_chain.len() <= FEW_CHAINS {
            let entries = self.by_chain.keys().map(|&c| (c, sweep.closed.entry(clock, c)));
            known.extend(entries.filter(|&(chain, position)| chain != own && position > 0));
            known.sort_unstable();
        } else {
            sweep.closed.each_known(clock, |chain, position| {
                if chain != own && self.by_chain.contains_key(&chain) {
                    known.push((chain, position));
                }
            });
        }
        known
    }

    /// The posts among the first `length` of `list` with delays up to `rank` that no other beats,
    /// and those of messages that have not ended at `begin`, which are late from now on.
    fn search(
        &self,
        list: &List,
        length: usize,
        rank: u32,
        begin: OpId,
        is_late: &mut [bool],
        found: &mut Vec<Post>,
    ) {
        let Some(last) = length.checked_sub(1) else { return };
        let version = list.versions[last];
        let mut low = 0;
        while let Some(index) = self.latest_on_time(list, version, low, rank + 1, is_late) {
            let post = list.posts[index as usize];
            if post.end < begin {
                low = post.rank + 1;
            } else {
                is_late[post.message.index()] = true;
            }
            found.push(post);
        }
    }

    /// The latest post of a version with a rank in `low..high` whose message is not late.
    fn latest_on_time(
        &self,
        list: &List,
        version: Version,
        low: u32,
        high: u32,
        is_late: &[bool],
    ) -> Option<u32> {
        let is_late = |index: u32| is_late[list.posts[index as usize].message.index()];
        let mut ranges = vec![(low, high)];
        let mut latest = None;
        while let Some((low, high)) = ranges.pop() {
            let found = self.latest.find(version, low, high).filter(|&i| Some(i) > latest);
            let Some(index) = found else { continue };
            let rank = list.posts[index as usize].rank;
            if is_late(index) {
                ranges.extend([(low, rank), (rank + 1, high)]);
            }
            let mut at = Some(index);
            while let Some(late) = at.filter(|&i| is_late(i)) {
                at = list.posts[late as usize].before.checked_sub(1);
            }
            latest = latest.max(at);
        }
        latest
    }
}
