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

/// Some classes with consecutive keys.
struct Group {
    classes: Vec<Class>,
    /// The first and the last position of their posts.
    first: u32,
    last: u32,
}

impl Group {
    fn of(classes: Vec<Class>) -> Self {
        let first =
            classes.iter().filter_map(|class| class.posts.first()).map(|p| p.position).min();
        let last = classes.iter().filter_map(|class| class.posts.last()).map(|p| p.position).max();
        Self { classes, first: first.unwrap_or(u32::MAX), last: last.unwrap_or(0) }
    }
}

/// How many of the latest posts of a class are tested for one whose event has ended.
const FEW: usize = 8;

/// The largest number of classes of a group.
const GROUP: usize = if cfg!(test) { 4 } else { 128 };

/// The posts of one kind by one chain, by their delay or time. A search passes over groups of classes
/// without posts at the positions that it asks for, because a program may use a delay only once.
#[derive(Default)]
pub(crate) struct PostsByClass(Vec<Group>);

impl PostsByClass {
    /// The group that has a class, or would.
    fn group(&self, key: i64) -> usize {
        let is_before = |group: &Group| group.classes.last().is_some_and(|class| class.key < key);
        self.0.partition_point(is_before).min(self.0.len().saturating_sub(1))
    }

    pub(crate) fn push(&mut self, key: i64, begin: OpId, mut post: EndedPost) {
        if self.0.is_empty() {
            self.0.push(Group::of(Vec::new()));
        }
        let at = self.group(key);
        let group = &mut self.0[at];
        let index = match group.classes.binary_search_by_key(&key, |class| class.key) {
            Ok(index) => index,
            Err(index) => {
                group.classes.insert(index, Class { key, posts: Vec::new(), last_end: None });
                index
            }
        };
        let class = &mut group.classes[index];
        post.closed = class.last_end.is_none_or(|end| end < begin);
        class.last_end = class.last_end.max(Some(post.end));
        class.posts.push(post);
        (group.first, group.last) = (group.first.min(post.position), group.last.max(post.position));
        if group.classes.len() > GROUP {
            let upper = Group::of(group.classes.split_off(GROUP / 2));
            *group = Group::of(std::mem::take(&mut group.classes));
            self.0.insert(at + 1, upper);
        }
    }

    /// The latest post of a class up to a position whose event ended before `now`.
    pub(crate) fn last(&self, key: i64, upto: u32, now: OpId) -> Option<&EndedPost> {
        let classes = &self.0.get(self.group(key))?.classes;
        let class = &classes[classes.binary_search_by_key(&key, |class| class.key).ok()?];
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
        let groups = self.0.iter().skip(self.group(*keys.start()));
        let groups = groups.take_while(|group| group.classes[0].key <= *keys.end());
        let groups = groups.filter(|group| group.first <= span.upto && group.last > span.above);
        let classes = groups.flat_map(|group| &group.classes);
        for class in classes.filter(|class| keys.contains(&class.key)) {
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
