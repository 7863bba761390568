//! Queues that keep order: TIMER-ORDER, FRAME-ORDER, IDLE-ORDER.
//!
//! A message follows those of its class (a queue, and a rule) whose posts precede its own and whose
//! delays are not longer. The posts of each chain of posters are listed as they are made; what the
//! poster of a message knows of a chain is the beginning of its list. And of two posts there, the later
//! one with the longer delay has the earlier message among its own sources. So only the posts that no
//! later one beats are gone through ([`Maxima`] finds them): from the last that is short enough, to the
//! last before it that is longer and still short enough, and so on. Messages of silent tasks are listed
//! apart, and not gone through at all ([`silent`](super::silent)).
//!
//! That holds only if messages run as their queue promises. A message that has not ended when one begins
//! that it should precede is *late*: it is no source of that one, so it has to be looked at every time.
//! So are messages that begin before they are posted, and all of them if EVENT-ORDER is off, which
//! makes posts of one event unordered.
//!
//! Cost: for each message of such a queue, as many searches as chains its poster knows that post to
//! the queue, plus one for each source found, of O(log posts); plus one step for each late message.

use hashbrown::HashMap;
use trace::{EventId, Id, OpId};

use super::maxima::{Maxima, Version};
use super::plan::{Delay, EventPlan};
use super::planes::Corner;
use super::silent::{Quiet, Silent};
use super::waiting::Waiting;
use super::{Sources, Sweep};
use crate::engine::events::EventEdge;
use crate::facts::{Dispatched, Facts};
use crate::rule::Rule;

/// The post of a message that began and ended.
#[derive(Clone, Copy)]
struct Post {
    op: OpId,
    rank: u32,
    message: EventId,
    end: OpId,
    /// The position on its chain of the event that posts.
    position: u32,
}

/// Messages of silent tasks that the events of one chain post to one class, in order.
#[derive(Default)]
struct SilentList {
    posts: Vec<Post>,
    /// Those that are not known to have ended, nor to be late.
    waiting: Waiting,
}

/// The other messages that the events of one chain post to one class, in order.
#[derive(Default)]
struct LoudList {
    posts: Vec<Post>,
    /// After so many posts: the latest of each rank.
    versions: Vec<Version>,
    /// For each post, the one of the same rank before it, + 1.
    before: Vec<u32>,
    /// The last post of each rank, + 1.
    last: HashMap<u32, u32>,
}

/// The messages that the events of one chain post to one class.
struct Lists {
    loud: LoudList,
    silent: SilentList,
    plane: u32,
}

/// The messages of one queue that one rule orders.
struct Class {
    rule: &'static Rule,
    latest: Maxima,
    by_chain: HashMap<u32, Lists>,
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
    /// For each event its class, if it is a message of one.
    members: Vec<Option<Member>>,
    /// The messages that events post, by event and operation.
    posts: Vec<(EventId, OpId, EventId)>,
    /// The first row in `posts` of each event that posts.
    first_post: HashMap<EventId, u32>,
    is_late: Vec<bool>,
    within_events: bool,
    planes: u32,
}

impl Queued {
    /// The classes, and which of their messages are silent; none if no rule speaks of any.
    pub(super) fn new(
        facts: &Facts<'_>,
        plan: &EventPlan,
        edges: &[EventEdge],
    ) -> Option<(Self, Silent)> {
        let events = facts.trace.names().events.len();
        let mut queued = Self {
            classes: Vec::new(),
            members: vec![None; events],
            posts: Vec::new(),
            first_post: HashMap::new(),
            is_late: vec![false; events],
            within_events: plan.within_events,
            planes: 0,
        };
        let mut quiet = vec![None; events];
        for &(rule, delay) in &plan.queue_orders {
            for queue in &facts.by_looper {
                queued.add_class(facts, (rule, delay), queue, &mut quiet);
            }
        }
        if plan.window.is_some() {
            // A window orders tasks with others that wait for nothing of theirs.
            quiet.fill(None);
        }
        if queued.classes.is_empty() {
            return None;
        }
        queued.posts.sort_unstable();
        for (row, &(poster, ..)) in (0..).zip(&queued.posts) {
            queued.first_post.entry(poster).or_insert(row);
        }
        let rules = queued.classes.iter().map(|class| class.rule).collect();
        let posts = |event: EventId| queued.first_post.contains_key(&event);
        let is_member = |event: EventId| queued.members[event.index()].is_some();
        let silent = Silent::new(facts, plan, edges, (quiet, rules), posts, is_member);
        Some((queued, silent))
    }

    fn add_class(
        &mut self,
        facts: &Facts<'_>,
        (rule, delay): (&'static Rule, Delay),
        queue: &[Dispatched],
        quiet: &mut [Option<Quiet>],
    ) {
        let asked =
            |event: &Dispatched| event.posted.and_then(|(op, e)| Some((delay(e.posting)?, op)));
        let members: Vec<(i64, OpId, &Dispatched)> =
            queue.iter().filter_map(|e| asked(e).map(|(delay, op)| (delay, op, e))).collect();
        if members.len() < 2 {
            return;
        }
        let mut delays: Vec<i64> = members.iter().map(|&(delay, ..)| delay).collect();
        delays.sort_unstable();
        delays.dedup();
        let one_thread = members.iter().all(|(.., e)| e.thread == members[0].2.thread);
        let class = self.classes.len() as u32;
        let mut late = Vec::new();
        for (delay, op, event) in members {
            let (message, index) = (event.event, event.event.index());
            let rank = delays.partition_point(|&d| d < delay) as u32;
            self.members[index] = Some(Member { class, rank, op });
            let Some(poster) = facts.trace.event_of(op) else { continue };
            let in_time = op < event.begin && self.within_events;
            let listed = Quiet { head: message, class, rank, op, poster, plane: 0, position: 0 };
            quiet[index] = (in_time && one_thread).then_some(listed);
            let Some(end) = event.end else { continue };
            if in_time {
                self.posts.push((poster, op, message));
            } else {
                self.is_late[index] = true;
                late.push(Post { op, rank, message, end, position: 0 });
            }
        }
        let latest = Maxima::new(delays.len());
        self.classes.push(Class { rule, latest, by_chain: HashMap::new(), late });
    }

    /// Adds the messages that precede `event`, which is about to begin, to its sources.
    pub(super) fn add_sources(
        &mut self,
        sweep: &mut Sweep<'_>,
        sources: &mut Sources,
        event: &Dispatched,
    ) {
        let Some(member) = self.members[event.event.index()] else { return };
        let poster = sweep.trace.event_of(member.op).filter(|_| member.op < event.begin);
        let Some(poster) = poster else { return };
        let class = &mut self.classes[member.class as usize];
        let (mut found, mut corners) = (Vec::new(), Vec::new());
        for (chain, position) in class.known(sweep, poster) {
            let Some(lists) = class.by_chain.get_mut(&chain) else { continue };
            let length = known(&lists.loud.posts, position, member.op);
            lists.loud.search(
                &class.latest,
                length,
                (member.rank, event.begin),
                &self.is_late,
                &mut found,
            );
            let length = known(&lists.silent.posts, position, member.op);
            lists.silent.overdue(length, member.rank, event.begin, &mut found);
            let length = length as u32;
            let corner = Corner { plane: lists.plane, length, rank: member.rank };
            corners.extend((length > 0).then_some(corner));
        }
        for post in found {
            if post.end < event.begin {
                sweep.learn(sources, event, post.message, class.rule);
            } else if !std::mem::replace(&mut self.is_late[post.message.index()], true) {
                sweep.silent_mut().speaks(post.message);
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
        if !sweep.silent_mut().starts(event.event) {
            let area = sweep.silent_mut().planes.add(corners);
            sources.area = sweep.silent_mut().planes.join(sources.area, area);
        }
    }

    /// Lists the messages that `event` posts. The event must have its place on a chain.
    pub(super) fn list(&mut self, sweep: &mut Sweep<'_>, event: EventId) {
        let Some(&first) = self.first_post.get(&event) else { return };
        let (chain, position, _) = sweep.closed.place(event).expect("it has its place");
        let posts = self.posts[first as usize..].iter().take_while(|(poster, ..)| *poster == event);
        for &(_, op, message) in posts {
            let end = sweep.trace.event(message).end.expect("listed messages end");
            let Some(Member { class, rank, .. }) = self.members[message.index()] else { continue };
            let post = Post { op, rank, message, end, position };
            let class = &mut self.classes[class as usize];
            let lists = class.by_chain.entry(chain).or_insert_with(|| {
                self.planes += 1;
                let (loud, silent) = (LoudList::default(), SilentList::default());
                Lists { loud, silent, plane: self.planes }
            });
            if sweep.silent_mut().starts(message) {
                let index = lists.silent.posts.len() as u32;
                sweep.silent_mut().list(message, lists.plane, index);
                lists.silent.waiting.push(rank);
                lists.silent.posts.push(post);
            } else {
                lists.loud.push(&mut class.latest, post);
            }
        }
    }
}

/// How many of `posts` an event knows that knows their chain up to `position`, at its operation `op`.
fn known(posts: &[Post], position: u32, op: OpId) -> usize {
    let of_events = posts.partition_point(|post| post.position <= position);
    posts[..of_events].partition_point(|post| post.op < op)
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
}

impl LoudList {
    fn push(&mut self, latest: &mut Maxima, post: Post) {
        let next = self.posts.len() as u32 + 1;
        let version = self.versions.last().copied().unwrap_or_default();
        self.versions.push(latest.push(version, post.rank, next));
        self.before.push(self.last.insert(post.rank, next).unwrap_or(0));
        self.posts.push(post);
    }

    /// The posts among the first `length` with delays up to `rank` that no other beats, and those of
    /// messages that have not ended at `begin` and are not known to be late.
    fn search(
        &self,
        latest: &Maxima,
        length: usize,
        (rank, begin): (u32, OpId),
        is_late: &[bool],
        found: &mut Vec<Post>,
    ) {
        let Some(last) = length.checked_sub(1) else { return };
        let version = self.versions[last];
        // Ranges of ranks, and what precedes which position there is beaten.
        let mut ranges = vec![(0, rank + 1, 0)];
        while let Some((low, high, beaten)) = ranges.pop() {
            let latest = latest.largest(version, low, high);
            if latest <= beaten {
                continue;
            }
            let rank = self.posts[latest as usize - 1].rank;
            let mut at = latest;
            while at > beaten {
                let post = self.posts[at as usize - 1];
                if !is_late[post.message.index()] {
                    found.push(post);
                    if post.end < begin {
                        break;
                    }
                }
                at = self.before[at as usize - 1];
            }
            // Shorter delays matter only where later than what beats them.
            if at < latest {
                ranges.push((low, rank, at.max(beaten)));
            }
            ranges.push((rank + 1, high, beaten));
        }
    }
}

impl SilentList {
    /// The posts among the first `length` with delays up to `rank` whose messages have not ended at
    /// `begin`, each only once.
    fn overdue(&mut self, length: usize, rank: u32, begin: OpId, found: &mut Vec<Post>) {
        while let Some(index) = self.waiting.first(length, rank) {
            self.waiting.strike(index);
            let post = self.posts[index];
            found.extend((post.end >= begin).then_some(post));
        }
    }
}
