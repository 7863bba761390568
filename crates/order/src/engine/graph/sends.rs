//! What was posted to one queue, by the chain that posted it.
//!
//! Posts of one *class* (kind, delay or time, async) keep their order, so of those that one chain
//! posted before γ the latest stands for all: its event began after the events of the earlier ones
//! ended. It does so in the trace of a working queue; an entry is *closed* if it did in this one.
//! Posts to the front keep no order among themselves; what precedes all of a prefix is accumulated.

use hashbrown::HashMap;
use std::ops::RangeInclusive;

use trace::{EventId, Id, OpId};

use super::accumulator::{Accumulators, ListId, Prefix};
use super::nodes::NodeId;

/// A post whose event ran to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Of the post, on its chain.
    pub(crate) position: u32,
    pub(crate) post: NodeId,
    pub(crate) event: EventId,
    pub(crate) end: OpId,
    /// The events of all earlier entries ended before this one began.
    closed: bool,
}

/// The posts of one class by one chain, by position.
struct Class {
    key: i64,
    sent: Vec<Sent>,
    last_end: Option<OpId>,
}

/// The posts of one kind by one chain, by their delay or time.
#[derive(Default)]
pub(crate) struct Classes(Vec<Class>);

impl Classes {
    pub(crate) fn push(&mut self, key: i64, begin: OpId, mut sent: Sent) {
        let index = match self.0.binary_search_by_key(&key, |class| class.key) {
            Ok(index) => index,
            Err(index) => {
                self.0.insert(index, Class { key, sent: Vec::new(), last_end: None });
                index
            }
        };
        let class = &mut self.0[index];
        sent.closed = class.last_end.is_none_or(|end| end < begin);
        class.last_end = class.last_end.max(Some(sent.end));
        class.sent.push(sent);
    }

    /// Calls `found` with posts of the classes in `keys` at positions in `span` whose events ended
    /// before `now`, so that every other such post is ordered before one of them. Whether all events
    /// looked at had ended.
    fn latest(
        &self,
        keys: RangeInclusive<i64>,
        span: Span,
        now: OpId,
        found: &mut impl FnMut(Sent),
    ) -> bool {
        let mut all_ended = true;
        let first = self.0.partition_point(|class| class.key < *keys.start());
        let classes = self.0[first..].iter().take_while(|class| class.key <= *keys.end());
        for class in classes {
            let upto = class.sent.partition_point(|s| s.position <= span.upto);
            for &sent in class.sent[..upto].iter().rev() {
                if sent.position <= span.above {
                    break;
                }
                if sent.end < now {
                    found(sent);
                    if sent.closed && !span.every {
                        break;
                    }
                } else {
                    all_ended = false;
                }
            }
        }
        all_ended
    }
}

/// Positions of a chain: above one, up to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) above: u32,
    pub(crate) upto: u32,
    /// No post stands for others.
    pub(crate) every: bool,
}

/// The posts to the front by one chain, by position.
#[derive(Default)]
pub(crate) struct Fronts {
    pub(crate) sent: Vec<Sent>,
    /// The ends of the first events, as far as all of them have ended.
    settled: ListId,
}

/// What settling needs: the ends so far, and where they are gathered.
pub(crate) struct Settling<'a> {
    pub(crate) lists: &'a mut Accumulators,
    pub(crate) ends: &'a [Option<NodeId>],
}

impl Fronts {
    /// Settles what ended before `now`, which never goes back; how many posts are settled.
    fn settle(&mut self, with: &mut Settling<'_>, now: OpId) -> usize {
        loop {
            let settled = with.lists.len(self.settled);
            let Some(next) = self.sent.get(settled).filter(|s| s.end < now) else {
                return settled;
            };
            let end = with.ends[next.event.index()].expect("an event that ended has a node");
            with.lists.add(&mut self.settled, end);
        }
    }
}

/// What one chain posted to one queue; the pairs are for posts that are not and that are async.
#[derive(Default)]
pub(crate) struct ChainSends {
    pub(crate) chain: u32,
    pub(crate) delayed: [Classes; 2],
    pub(crate) at_time: [Classes; 2],
    pub(crate) idle: [Classes; 2],
    pub(crate) front: [Fronts; 2],
    /// Asynchronous inter-process messages by the thread that posts them.
    pub(crate) ipc: Classes,
}

/// What was posted to one queue.
#[derive(Default)]
pub(crate) struct QueueSends {
    pub(crate) chains: Vec<ChainSends>,
    index: HashMap<u32, u32>,
    /// Which of `chains` posted to the front.
    pub(crate) with_fronts: Vec<u32>,
    /// The latest posts of each class, whichever chain posted them; the last is the latest.
    recent: HashMap<ClassKey, Vec<Sent>>,
}

/// What makes messages of one queue keep their order: kind, delay or time, async.
pub(crate) type ClassKey = (u8, i64, bool);

/// How many of the latest posts of a class are kept.
const RECENT: usize = 16;

impl QueueSends {
    pub(crate) fn of_chain(&mut self, chain: u32) -> &mut ChainSends {
        let chains = &mut self.chains;
        let index = *self.index.entry(chain).or_insert_with(|| {
            chains.push(ChainSends { chain, ..ChainSends::default() });
            chains.len() as u32 - 1
        });
        &mut self.chains[index as usize]
    }

    /// Notes a post for [`Self::recent`].
    pub(crate) fn note(&mut self, class: ClassKey, sent: Sent) {
        let recent = self.recent.entry(class).or_default();
        if recent.len() == 2 * RECENT {
            recent.drain(..RECENT);
        }
        recent.push(sent);
    }

    /// Some of the latest posts of a class, the latest first.
    pub(crate) fn recent(&self, class: ClassKey) -> impl Iterator<Item = &Sent> {
        self.recent.get(&class).into_iter().flatten().rev().take(RECENT)
    }

    pub(crate) fn find(&self, chain: u32) -> Option<usize> {
        self.index.get(&chain).map(|&i| i as usize)
    }

    pub(crate) fn push_front(&mut self, chain: u32, is_async: bool, sent: Sent) {
        let log = self.of_chain(chain);
        let first = log.front.iter().all(|fronts| fronts.sent.is_empty());
        log.front[usize::from(is_async)].sent.push(sent);
        if first {
            let index = self.index[&chain];
            self.with_fronts.push(index);
        }
    }
}

impl Sent {
    pub(crate) fn new(position: u32, post: NodeId, event: EventId, end: OpId) -> Self {
        Self { position, post, event, end, closed: true }
    }
}

/// Which posts precede a post γ by their kinds alone.
pub(crate) struct Accepted {
    pub(crate) delayed: Option<RangeInclusive<i64>>,
    pub(crate) at_time: Option<RangeInclusive<i64>>,
    pub(crate) idle: bool,
    pub(crate) front: bool,
    pub(crate) ipc: Option<i64>,
    /// For posts that are not and that are async.
    pub(crate) flags: [bool; 2],
    pub(crate) front_flags: [bool; 2],
}

/// What a search of the logs brings: ends of events, or all of a prefix of posts to the front.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) ends: Vec<(EventId, Kind)>,
    pub(crate) prefixes: Vec<Prefix>,
    /// Some event that ought to have ended had not.
    pub(crate) irregular: bool,
}

/// By which kind of post an event was found: decides the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Posted,
    Timed,
    Ipc,
}

impl ChainSends {
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

    /// The same for posts to the front; `settle` may be used only where `now` never goes back.
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
            if !accepted.front_flags[flag] || fronts.sent.is_empty() {
                continue;
            }
            let mut from = fronts.sent.partition_point(|s| s.position <= span.above);
            let upto = fronts.sent.partition_point(|s| s.position <= span.upto);
            if from >= upto {
                continue;
            }
            if let Some(with) = &mut settling {
                let len = fronts.settle(with, now).min(upto);
                if len > from {
                    out.prefixes.extend(with.lists.prefix(fronts.settled, len));
                    from = len;
                }
            }
            for sent in &fronts.sent[from..upto] {
                if sent.end < now {
                    out.ends.push((sent.event, Kind::Posted));
                } else {
                    out.irregular = true;
                }
            }
        }
    }
}
