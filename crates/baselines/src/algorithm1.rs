//! EventRacer Android, Algorithm 1 (OOPSLA'15, §6): the happens-before graph, node by node.
//!
//! A node gets edges from the nodes that the rules order before it. Rules with an order among their
//! premises are matched by a backward depth-first search ([`search`]). LOOPER-ATOMIC adds edges to
//! a begin in the past; the nodes after that begin are processed again, in trace order.
//!
//! Both accelerations can be switched on and off. *Pruning* (§6.1) ends the search for posts at a
//! post of the same kind, whose event has already been ordered after all that precede it. *Fast
//! queries* (§6.4) are vector clocks over chains that are made on the way; without them every query
//! is a search.
//!
//! Deviations: the rules are those of model `android`, which also has barriers. Operations are
//! processed again once for many edges instead of once for each, instead of moving callbacks to the
//! front of their event (§6.3). Pruning is not used where an event ran before one that it should
//! follow, which does not happen on a device, so that the result is exact for every trace. Clocks
//! have 32-bit entries.

mod search;

use std::collections::BTreeSet;

use crate::clocks::Clocks;
use crate::relation::{Marks, Relation, reaches};
use crate::skeleton::{Node, Role, Skeleton};

/// The paper's accelerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether searches end at posts of the same kind (§6.1).
    pub pruning: bool,
    /// Whether queries use clocks instead of searches (§6.4).
    pub fast_queries: bool,
}

/// The happens-before graph of a skeleton.
pub struct Algorithm1<'s> {
    skeleton: &'s Skeleton,
    options: Options,
    predecessors: Vec<Vec<Node>>,
    successors: Vec<Vec<Node>>,
    clocks: Clocks,
    /// The nodes to process again.
    pending: BTreeSet<Node>,
    /// Whether all events that the rules order before a message ran before it.
    settled: Vec<bool>,
    /// Whether a message was posted to the front of a queue.
    has_front: Vec<bool>,
    marks: Marks,
    query_marks: Marks,
    processed: usize,
}

impl<'s> Algorithm1<'s> {
    /// Builds the graph.
    pub fn new(skeleton: &'s Skeleton, options: Options) -> Self {
        let mut this = Self {
            skeleton,
            options,
            predecessors: vec![Vec::new(); skeleton.len()],
            successors: vec![Vec::new(); skeleton.len()],
            clocks: Clocks::default(),
            pending: BTreeSet::new(),
            settled: vec![false; skeleton.messages.len()],
            has_front: search::queues_with_front(skeleton),
            marks: Marks::default(),
            query_marks: Marks::default(),
            processed: 0,
        };
        for node in skeleton.nodes() {
            this.add(node);
            while let Some(again) = this.pending.pop_first() {
                this.apply(again);
            }
        }
        this
    }

    /// Whether a ≺ b.
    pub fn before(&mut self, a: Node, b: Node) -> bool {
        if self.options.fast_queries {
            self.clocks.before(a, b)
        } else {
            reaches(&self.predecessors, &mut self.query_marks, a, b)
        }
    }

    /// The number of chains. None without clocks.
    pub fn chains(&self) -> Option<usize> {
        self.clocks.chains().filter(|_| self.options.fast_queries)
    }

    /// How often a node was processed, the first time included.
    pub fn processed(&self) -> usize {
        self.processed
    }

    fn add(&mut self, node: Node) {
        let skeleton = self.skeleton;
        if self.options.fast_queries {
            self.clocks.open(node);
        }
        for &predecessor in &skeleton.base[node.index()] {
            self.order(predecessor, node);
        }
        self.apply(node);
        if self.options.fast_queries {
            self.clocks.close(node, &self.predecessors[node.index()]);
        }
    }

    /// Matches the rules that have an order among their premises.
    fn apply(&mut self, node: Node) {
        self.processed += 1;
        match self.skeleton.roles[node.index()] {
            Role::Begin(message) => {
                self.order_posts(message);
                while self.order_fronts(message) | self.order_whole_events(node) {}
                return;
            }
            // Only a malformed trace posts a message that has begun.
            Role::Enqueue(message) if self.skeleton.message(message).begin < node => {
                self.order_posts(message);
            }
            Role::Remove(number) => {
                let message = self.skeleton.message(number);
                if let Some(posted) = message.posted
                    && message.begin < node
                    && self.before(posted.at, node)
                {
                    self.order(message.begin, node);
                }
            }
            _ => {}
        }
        self.order_whole_events(node);
    }

    /// Adds the edges to `to` that are not implied, the latest first. Returns whether there were
    /// any.
    fn order_all(&mut self, mut from: Vec<Node>, to: Node) -> bool {
        from.sort_unstable_by(|a, b| b.cmp(a));
        from.dedup();
        let mut news = false;
        for node in from {
            news |= self.order(node, to);
        }
        news
    }

    /// Adds an edge unless it is implied. Returns whether it was added.
    fn order(&mut self, from: Node, to: Node) -> bool {
        if self.before(from, to) {
            return false;
        }
        self.predecessors[to.index()].push(from);
        self.successors[from.index()].push(to);
        self.update_successors(from, to);
        true
    }

    /// Updates the clocks of `to` and its successors with `from`, and marks them to be processed
    /// again.
    fn update_successors(&mut self, from: Node, to: Node) {
        self.marks.clear(self.skeleton.len());
        self.marks.queue.push(to);
        while let Some(node) = self.marks.queue.pop() {
            if self.options.fast_queries && !self.clocks.raise(from, node) {
                continue;
            }
            if node != to {
                self.pending.insert(node);
            }
            for &successor in &self.successors[node.index()] {
                if self.marks.insert(successor) {
                    self.marks.queue.push(successor);
                }
            }
        }
        if !self.successors[to.index()].is_empty() {
            self.pending.insert(to);
        }
    }
}
