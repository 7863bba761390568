//! The posts of one kind by one chain to one queue: by class, a delay or a time, and by position.
//!
//! Of a class the latest post in a stretch of the chain stands for all of them, if it is closed.

use std::ops::RangeInclusive;

use trace::{EventId, OpId};

use super::nodes::NodeId;

/// A post whose event ran to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedPost {
    /// The position of the post on its chain.
    pub(crate) position: u32,
    pub(crate) node: NodeId,
    pub(crate) event: EventId,
    pub(crate) end: OpId,
    /// The events of all earlier entries ended before this one began.
    closed: bool,
}

impl EndedPost {
    pub(crate) fn new(position: u32, node: NodeId, event: EventId, end: OpId) -> Self {
        Self { position, node, event, end, closed: true }
    }
}

/// The posts of one class by one chain, by position.
struct Class {
    key: i64,
    posts: Vec<EndedPost>,
    last_end: Option<OpId>,
}

/// How many of the latest posts of a class are tested for one whose event has ended.
const FEW: usize = 8;

/// The posts of one kind by one chain, by their delay or time.
#[derive(Default)]
pub(crate) struct PostsByClass(Vec<Class>);

impl PostsByClass {
    pub(crate) fn push(&mut self, key: i64, begin: OpId, mut post: EndedPost) {
        let index = match self.0.binary_search_by_key(&key, |class| class.key) {
            Ok(index) => index,
            Err(index) => {
                self.0.insert(index, Class { key, posts: Vec::new(), last_end: None });
                index
            }
        };
        let class = &mut self.0[index];
        post.closed = class.last_end.is_none_or(|end| end < begin);
        class.last_end = class.last_end.max(Some(post.end));
        class.posts.push(post);
    }

    /// The latest post of a class up to a position whose event ended before `now`.
    pub(crate) fn last(&self, key: i64, upto: u32, now: OpId) -> Option<&EndedPost> {
        let class = &self.0[self.0.binary_search_by_key(&key, |class| class.key).ok()?];
        let upto = class.posts.partition_point(|post| post.position <= upto);
        class.posts[..upto].iter().rev().take(FEW).find(|post| post.end < now)
    }

    /// Calls `found` with posts of the classes in `keys` at positions in `span` whose events ended
    /// before `now`, so that every other such post is ordered before one of them. Whether all events
    /// looked at had ended.
    pub(crate) fn latest(
        &self,
        keys: RangeInclusive<i64>,
        span: Span,
        now: OpId,
        found: &mut impl FnMut(EndedPost),
    ) -> bool {
        let mut all_ended = true;
        let first = self.0.partition_point(|class| class.key < *keys.start());
        let classes = self.0[first..].iter().take_while(|class| class.key <= *keys.end());
        for class in classes {
            let upto = class.posts.partition_point(|post| post.position <= span.upto);
            for &post in class.posts[..upto].iter().rev() {
                if post.position <= span.above {
                    break;
                }
                if post.end < now {
                    found(post);
                    if post.closed && !span.every {
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
