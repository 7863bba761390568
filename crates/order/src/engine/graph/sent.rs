//! The posts of one kind by one chain to one queue: by class, a delay or a time, and by position.
//!
//! Of a class the latest post in a stretch of the chain stands for all of them, if it is closed.

use std::ops::RangeInclusive;

use trace::{EventId, OpId};

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

impl Sent {
    pub(crate) fn new(position: u32, post: NodeId, event: EventId, end: OpId) -> Self {
        Self { position, post, event, end, closed: true }
    }
}

/// The posts of one class by one chain, by position.
struct Class {
    key: i64,
    sent: Vec<Sent>,
    last_end: Option<OpId>,
}

/// So many of the latest posts of a class are looked at for one whose event has ended.
const FEW: usize = 8;

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

    /// The latest post of a class up to a position whose event ended before `now`.
    pub(crate) fn last(&self, key: i64, upto: u32, now: OpId) -> Option<&Sent> {
        let class = &self.0[self.0.binary_search_by_key(&key, |class| class.key).ok()?];
        let upto = class.sent.partition_point(|sent| sent.position <= upto);
        class.sent[..upto].iter().rev().take(FEW).find(|sent| sent.end < now)
    }

    /// Calls `found` with posts of the classes in `keys` at positions in `span` whose events ended
    /// before `now`, so that every other such post is ordered before one of them. Whether all events
    /// looked at had ended.
    pub(crate) fn latest(
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
