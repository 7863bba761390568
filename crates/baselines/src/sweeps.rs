//! The plain algorithm: sweeps over the trace, which look up every premise in the relation.
//!
//! A sweep visits the nodes in trace order. At a begin it tries every earlier message of the
//! Looper, latest first, until no more edges follow. LOOPER-ATOMIC, which orders a begin in the
//! past, is checked at each end, and its edges are passed to the next sweep. A sweep makes
//! O(events²) queries.

use eventracer::graph::Graph;
use eventracer::ids::OpId;
use trace::{Id, Posting, QueueId};

use crate::relation::Relation;
use crate::rules::{ended_before, is_held, keeps_order, waits};
use crate::skeleton::{Message, Node, Posted, Role, Skeleton};

/// The closed order of a skeleton, represented by a relation.
pub struct Sweeps<'s, R> {
    skeleton: &'s Skeleton,
    relation: R,
    /// The ends that LOOPER-ATOMIC orders before a begin.
    late: Vec<Vec<Node>>,
    /// The predecessors that each node was joined with.
    edges: Vec<Vec<Node>>,
    passes: usize,
}

impl<'s, R: Relation> Sweeps<'s, R> {
    /// Closes the rules of model `android`.
    pub fn new(skeleton: &'s Skeleton) -> Self {
        let mut this = Self {
            skeleton,
            relation: R::default(),
            late: vec![Vec::new(); skeleton.len()],
            edges: Vec::new(),
            passes: 0,
        };
        while this.sweep() {}
        this
    }

    /// Whether a ≺ b.
    pub fn before(&self, a: Node, b: Node) -> bool {
        self.relation.before(a, b)
    }

    /// The number of sweeps.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// The number of chains, if the relation has chains.
    pub fn chains(&self) -> Option<usize> {
        self.relation.chains()
    }

    /// Returns the closed order as a graph of EventRacer, for its connectivity algorithms.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::new(self.skeleton.len());
        for (to, predecessors) in self.edges.iter().enumerate() {
            for from in predecessors {
                graph.add(OpId::new(from.index()), OpId::new(to));
            }
        }
        graph
    }

    /// Makes one sweep. Returns whether another is needed.
    fn sweep(&mut self) -> bool {
        self.passes += 1;
        self.relation.reset();
        self.edges.clear();
        let mut again = false;
        for node in self.skeleton.nodes() {
            self.relation.open(node);
            self.edges.push(Vec::new());
            for &predecessor in &self.skeleton.base[node.index()] {
                self.order(predecessor, node);
            }
            for i in 0..self.late[node.index()].len() {
                self.order(self.late[node.index()][i], node);
            }
            match self.skeleton.roles[node.index()] {
                Role::Begin(message) => self.begin(message),
                Role::End(message) => again |= self.whole_events(message),
                Role::Enqueue(message) => again |= self.posted_late(message),
                Role::Remove(message) => self.remove(message, node),
                _ => {}
            }
            self.relation.close(node, &self.edges[node.index()]);
        }
        again
    }

    /// Orders a before b. Returns whether that was new.
    fn order(&mut self, a: Node, b: Node) -> bool {
        if self.relation.before(a, b) {
            return false;
        }
        self.relation.join(a, b);
        self.edges[b.index()].push(a);
        true
    }

    /// Applies MSG-BEGIN-1, MSG-BEGIN-2, LOOPER-ATOMIC and REMOVE-BARRIER.
    fn begin(&mut self, number: u32) {
        let skeleton = self.skeleton;
        let message = skeleton.message(number);
        let Some(looper) = message.looper else { return };
        self.barriers(message, looper);
        let all = &skeleton.loopers[looper.index()];
        let earlier = &all[..all.partition_point(|&other| other < number)];
        loop {
            let mut news = false;
            for other in earlier.iter().rev().map(|&other| skeleton.message(other)) {
                if ended_before(other, message) && self.precedes(other, message) {
                    news |= other.end.is_some_and(|end| self.order(end, message.begin));
                }
            }
            if !news {
                return;
            }
        }
    }

    /// Whether a rule orders `other`, which ended earlier, before `message`.
    fn precedes(&self, other: &Message, message: &Message) -> bool {
        let before = |a, b| self.relation.before(a, b);
        if message.end.is_some() && before(other.begin, message.begin) {
            return true;
        }
        let in_past = |posted: &&Posted| posted.at < message.begin;
        let theirs = other.posted.as_ref().filter(in_past);
        let (Some(theirs), Some(own)) = (theirs, message.posted.as_ref().filter(in_past)) else {
            return false;
        };
        keeps_order(theirs, own) && before(theirs.at, own.at)
            || theirs.posting == Posting::Front
                && waits(own)
                && before(own.at, theirs.at)
                && before(theirs.at, message.begin)
    }

    fn barriers(&mut self, message: &Message, looper: QueueId) {
        let skeleton = self.skeleton;
        let Some(posted) = message.posted.filter(|p| is_held(p) && p.at < message.begin) else {
            return;
        };
        for &(post, barrier) in &skeleton.barriers[looper.index()] {
            if self.relation.before(post, posted.at) {
                for &removal in skeleton.removals_after(post, barrier) {
                    if removal < message.begin {
                        self.order(removal, message.begin);
                    }
                }
            }
        }
    }

    /// Applies LOOPER-ATOMIC at the end of an event. Returns whether it found edges for another
    /// sweep.
    fn whole_events(&mut self, number: u32) -> bool {
        let skeleton = self.skeleton;
        let message = skeleton.message(number);
        let (Some(looper), Some(own_end)) = (message.looper, message.end) else { return false };
        let all = &skeleton.loopers[looper.index()];
        let mut found: Vec<Node> = Vec::new();
        for &other in all[..all.partition_point(|&other| other < number)].iter().rev() {
            let other = skeleton.message(other);
            let Some(end) = other.end.filter(|&end| end < message.begin) else { continue };
            if !self.relation.before(end, message.begin)
                && self.relation.before(other.begin, own_end)
                && !found.iter().any(|&later| self.relation.before(end, later))
            {
                found.push(end);
            }
        }
        self.late[message.begin.index()].extend(&found);
        !found.is_empty()
    }

    /// Applies MSG-BEGIN-1 and REMOVE-BARRIER at a post after its message's begin, which only a
    /// malformed trace has. Returns whether it found edges for another sweep.
    fn posted_late(&mut self, number: u32) -> bool {
        let skeleton = self.skeleton;
        let message = skeleton.message(number);
        let (Some(looper), Some(gamma)) = (message.looper, message.posted) else { return false };
        if gamma.at < message.begin {
            return false;
        }
        let before = |a, b| self.relation.before(a, b);
        let mut found = Vec::new();
        for &other in &skeleton.loopers[looper.index()] {
            let other = skeleton.message(other);
            let keeps = |eta: Posted| keeps_order(&eta, &gamma) && before(eta.at, gamma.at);
            if other.posted.is_some_and(keeps) {
                found.extend(other.end);
            }
        }
        for &(post, barrier) in &skeleton.barriers[looper.index()] {
            if is_held(&gamma) && before(post, gamma.at) {
                found.extend(skeleton.removals_after(post, barrier));
            }
        }
        found.retain(|&end| end < message.begin && !before(end, message.begin));
        self.late[message.begin.index()].extend(&found);
        !found.is_empty()
    }

    /// Applies MSG-REMOVE.
    fn remove(&mut self, number: u32, removal: Node) {
        let message = self.skeleton.message(number);
        let Some(posted) = message.posted else { return };
        if message.begin < removal && self.relation.before(posted.at, removal) {
            self.order(message.begin, removal);
        }
    }
}
