//! The log of the posts to one queue, by the chain that posted.
//!
//! Posts of one *class* (kind, delay or time, async) keep their order, so of those that one chain
//! posted before γ the latest stands for all: its event began after the events of the earlier ones
//! ended. It does so in the trace of a working queue; an entry is *closed* if it did in this one.
//! Posts to the front keep no order among themselves; what precedes all of a prefix is accumulated.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use hashbrown::HashMap;

use trace::{EventId, Id, OpId};

use super::accumulator::{Accumulators, ListId, Prefix};
use super::nodes::NodeId;
use super::posts_by_class::{EndedPost, PostsByClass, Span};
use crate::engine::graph::clock::ChainSet;

/// The posts to the front by one chain, by position.
#[derive(Default)]
pub(crate) struct Fronts {
    pub(crate) posts: Vec<EndedPost>,
    /// The ends of the first posts' events, up to the first event that has not ended.
    settled: ListId,
}

/// The ends so far, and the lists that settled ends are added to.
pub(crate) struct Settling<'a> {
    pub(crate) lists: &'a mut Accumulators,
    pub(crate) ends: &'a [Option<NodeId>],
}

impl Fronts {
    /// Settles the posts whose events ended before `now`, which never goes back. Returns how many posts
    /// are settled.
    fn settle(&mut self, with: &mut Settling<'_>, now: OpId) -> usize {
        loop {
            let settled = with.lists.len(self.settled);
            let Some(next) = self.posts.get(settled).filter(|post| post.end < now) else {
                return settled;
            };
            let end = with.ends[next.event.index()].expect("an event that ended has a node");
            with.lists.add(&mut self.settled, end);
        }
    }
}

/// The posts of one chain to one queue. Of each pair the first element is for posts that are not
/// async, the second for those that are.
#[derive(Default)]
pub(crate) struct ChainPosts {
    pub(crate) chain: u32,
    delayed: [PostsByClass; 2],
    at_time: [PostsByClass; 2],
    idle: [PostsByClass; 2],
    front: [Fronts; 2],
    /// Asynchronous inter-process messages by the thread that posts them.
    ipc: PostsByClass,
}

/// The posts of one class by any chain.
#[derive(Default)]
pub(crate) struct Level {
    /// The latest posts; the last is the latest.
    recent: Vec<EndedPost>,
    /// The chains that posted any, as indexes in [`PostLog::chains`]. Some may be listed twice.
    pub(crate) chains: Vec<u32>,
}

impl Level {
    fn push(&mut self, chain: u32, post: EndedPost) {
        if self.recent.len() == 2 * RECENT {
            self.recent.drain(..RECENT);
        }
        self.recent.push(post);
        if self.chains.last() != Some(&chain) {
            self.chains.push(chain);
        }
    }

    /// Some of the latest posts, the latest first.
    pub(crate) fn recent(&self) -> impl Iterator<Item = &EndedPost> {
        self.recent.iter().rev().take(RECENT)
    }
}

/// The kinds of messages that keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Delayed,
    AtTime,
    Idle,
}

/// The class of a message: messages of one class in one queue keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassKey {
    pub(crate) kind: Kept,
    pub(crate) is_async: bool,
    pub(crate) key: i64,
}

impl ClassKey {
    /// The class of messages that are posted without a delay and are held back by barriers.
    pub(crate) const PLAIN: Self = Self { kind: Kept::Delayed, is_async: false, key: 0 };
}

/// The place of a chain's posts in the log of a queue.
struct Place {
    /// The index in [`PostLog::chains`].
    index: u32,
    /// The position of the chain's latest post.
    latest: u32,
}

/// The log of the posts to one queue.
#[derive(Default)]
pub(crate) struct PostLog {
    pub(crate) chains: Vec<ChainPosts>,
    index: HashMap<u32, Place>,
    /// The keys of `index`.
    pub(crate) known: ChainSet,
    /// The indexes of `chains` that posted to the front.
    pub(crate) with_fronts: Vec<u32>,
    /// The posts to the front by any chain, in the order of the trace.
    pub(crate) fronts: Vec<(EndedPost, bool)>,
    /// The posts of every class by any chain: by kind, async, and delay or time.
    levels: [[BTreeMap<i64, Level>; 2]; 3],
}

/// How many posts to the front are tested one by one, because most are known.
const FEW: usize = 8;

/// How many of the latest posts of a class are kept.
const RECENT: usize = 64;

impl PostLog {
    /// Returns the index in `chains` of a chain that posts at `position`.
    fn of_chain(&mut self, chain: u32, position: u32) -> u32 {
        let chains = &mut self.chains;
        self.known.insert(chain);
        let place = self.index.entry(chain).or_insert_with(|| {
            chains.push(ChainPosts { chain, ..ChainPosts::default() });
            Place { index: chains.len() as u32 - 1, latest: 0 }
        });
        place.latest = position;
        place.index
    }

    /// The posts of one kind, by their delay or time.
    pub(crate) fn levels(&self, kind: Kept, is_async: bool) -> &BTreeMap<i64, Level> {
        &self.levels[kind as usize][usize::from(is_async)]
    }

    pub(crate) fn push(&mut self, class: ClassKey, chain: u32, begin: OpId, post: EndedPost) {
        let index = self.of_chain(chain, post.position);
        let flag = usize::from(class.is_async);
        self.levels[class.kind as usize][flag].entry(class.key).or_default().push(index, post);
        self.chains[index as usize].classes_mut(class.kind)[flag].push(class.key, begin, post);
    }

    pub(crate) fn push_ipc(&mut self, thread: i64, chain: u32, begin: OpId, post: EndedPost) {
        let index = self.of_chain(chain, post.position);
        self.chains[index as usize].ipc.push(thread, begin, post);
    }

    pub(crate) fn push_front(&mut self, chain: u32, is_async: bool, post: EndedPost) {
        let index = self.of_chain(chain, post.position);
        let log = &mut self.chains[index as usize];
        if log.front.iter().all(|fronts| fronts.posts.is_empty()) {
            self.with_fronts.push(index);
        }
        log.front[usize::from(is_async)].posts.push(post);
        self.fronts.push((post, is_async));
    }

    /// The latest post of a class by one chain up to a position whose event ended before `now`.
    pub(crate) fn last(
        &self,
        class: ClassKey,
        (chain, upto): (u32, u32),
        now: OpId,
    ) -> Option<&EndedPost> {
        let log = &self.chains[self.find(chain, 0)?];
        log.classes(class.kind)[usize::from(class.is_async)].last(class.key, upto, now)
    }

    /// The chains with posts of the accepted classes.
    pub(crate) fn of_classes(&self, accepted: &Accepted) -> impl Iterator<Item = u32> {
        let Accepted { delayed, at_time, idle, .. } = accepted;
        let idle = idle.then_some(0..=0);
        let kinds =
            [(Kept::Delayed, delayed.clone()), (Kept::AtTime, at_time.clone()), (Kept::Idle, idle)];
        let ranges = kinds.into_iter().filter_map(|(kind, keys)| {
            keys.filter(|keys| !keys.is_empty()).map(|keys| (kind, keys))
        });
        ranges.flat_map(move |(kind, keys)| {
            let both = [false, true].into_iter();
            both.flat_map(move |flag| self.levels(kind, flag).range(keys.clone()))
                .flat_map(|(_, level)| level.chains.iter().copied())
        })
    }

    /// Returns the index in `chains` of a chain, if it posted anything above a position.
    pub(crate) fn find(&self, chain: u32, above: u32) -> Option<usize> {
        let place = self.known.contains(chain).then(|| self.index.get(&chain)).flatten();
        place.filter(|place| place.latest > above).map(|place| place.index as usize)
    }
}

/// Which posts precede a post γ by their kinds alone.
pub(crate) struct Accepted {
    pub(crate) delayed: Option<RangeInclusive<i64>>,
    pub(crate) at_time: Option<RangeInclusive<i64>>,
    pub(crate) idle: bool,
    pub(crate) front: bool,
    pub(crate) ipc: Option<i64>,
    /// Whether posts that are not async, and those that are, precede γ.
    pub(crate) flags: [bool; 2],
    pub(crate) front_flags: [bool; 2],
}

impl Accepted {
    /// Returns the accepted posts that a message of class `other` need not follow. A message that
    /// follows such a message has to search only these.
    pub(crate) fn beyond(&self, other: ClassKey) -> Self {
        let above = |keys: &Option<RangeInclusive<i64>>, kind| {
            let keys = keys.clone().filter(|_| other.kind == kind)?;
            Some(other.key.checked_add(1)?..=*keys.end())
        };
        Self {
            delayed: above(&self.delayed, Kept::Delayed),
            at_time: above(&self.at_time, Kept::AtTime),
            idle: self.idle,
            front: false,
            ipc: None,
            ..*self
        }
    }

    /// Whether only posts to the front may precede γ.
    pub(crate) fn is_front_only(&self) -> bool {
        self.delayed.is_none() && self.at_time.is_none() && self.ipc.is_none()
    }
}

/// The result of a search of the logs: ends of events, and prefixes of lists of ends.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) ends: Vec<(EventId, Kind)>,
    pub(crate) prefixes: Vec<Prefix>,
    /// Whether some event that ought to have ended had not.
    pub(crate) irregular: bool,
}

/// The kind of post by which an event was found. It decides the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Posted,
    Timed,
    Ipc,
}

impl ChainPosts {
    fn classes(&self, kind: Kept) -> &[PostsByClass; 2] {
        match kind {
            Kept::Delayed => &self.delayed,
            Kept::AtTime => &self.at_time,
            Kept::Idle => &self.idle,
        }
    }

    fn classes_mut(&mut self, kind: Kept) -> &mut [PostsByClass; 2] {
        match kind {
            Kept::Delayed => &mut self.delayed,
            Kept::AtTime => &mut self.at_time,
            Kept::Idle => &mut self.idle,
        }
    }

    /// Adds the posts in `span` that are accepted.
    pub(crate) fn search(&self, accepted: &Accepted, span: Span, now: OpId, out: &mut Found) {
        let mut regular = true;
        for flag in [1, 0] {
            if accepted.flags[flag] {
                if let Some(keys) = &accepted.delayed {
                    regular &= self.delayed[flag].latest(keys.clone(), span, now, &mut |s| {
                        out.ends.push((s.event, Kind::Posted));
                    });
                }
                if let Some(keys) = &accepted.at_time {
                    regular &= self.at_time[flag].latest(keys.clone(), span, now, &mut |s| {
                        out.ends.push((s.event, Kind::Timed));
                    });
                }
                if accepted.idle {
                    regular &= self.idle[flag].latest(0..=0, span, now, &mut |s| {
                        out.ends.push((s.event, Kind::Posted));
                    });
                }
            }
        }
        if let Some(thread) = accepted.ipc {
            regular &= self.ipc.latest(thread..=thread, span, now, &mut |s| {
                out.ends.push((s.event, Kind::Ipc));
            });
        }
        out.irregular |= !regular;
    }

    /// Adds the posts to the front in `span`. `settling` may be used only where `now` never goes back.
    pub(crate) fn search_fronts(
        &mut self,
        accepted: &Accepted,
        span: Span,
        now: OpId,
        mut settling: Option<&mut Settling<'_>>,
        out: &mut Found,
    ) {
        if !accepted.front {
            return;
        }
        for flag in [0, 1] {
            let fronts = &mut self.front[flag];
            if !accepted.front_flags[flag] || fronts.posts.is_empty() {
                continue;
            }
            let mut from = fronts.posts.partition_point(|post| post.position <= span.above);
            let upto = fronts.posts.partition_point(|post| post.position <= span.upto);
            if from >= upto {
                continue;
            }
            if let Some(with) = &mut settling {
                let len = fronts.settle(with, now).min(upto);
                if len > from + FEW {
                    out.prefixes.extend(with.lists.prefix(fronts.settled, len));
                    from = len;
                }
            }
            for post in &fronts.posts[from..upto] {
                if post.end < now {
                    out.ends.push((post.event, Kind::Posted));
                } else {
                    out.irregular = true;
                }
            }
        }
    }
}
