//! The order that a sweep has found so far, and how an operation comes to follow others.

use trace::OpId;

use super::accumulator::{Accumulators, ListId, Prefix};
use super::nodes::{NodeId, Nodes};
use crate::engine::graph::clock::{AT_ONCE, Clock};
use crate::rule::Rule;

/// The source of a conclusion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Node(NodeId),
    /// Any of the nodes of a prefix.
    Any(Prefix),
}

/// A conclusion that made a difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) from: Source,
    pub(crate) to: NodeId,
    pub(crate) rule: &'static Rule,
}

/// What an operation follows, gathered before it becomes a node.
pub(crate) struct Incoming {
    pub(crate) clock: Clock,
    /// From the first of [`OrderSoFar::edges`] that belongs to it.
    pub(crate) first_edge: usize,
    /// Nodes that it follows directly: their chains may be continued.
    pub(crate) after: Vec<NodeId>,
}

/// Nodes with their clocks, and the conclusions that the clocks come from.
pub(crate) struct OrderSoFar {
    pub(crate) nodes: Nodes,
    pub(crate) lists: Accumulators,
    pub(crate) edges: Vec<Edge>,
}

impl OrderSoFar {
    /// An empty order of so many tasks, whose chains lie in so many regions.
    pub(crate) fn new(tasks: usize, regions: usize) -> Self {
        Self {
            nodes: Nodes::new(tasks, regions),
            lists: Accumulators::default(),
            edges: Vec::new(),
        }
    }

    /// Returns the operation of a node.
    pub(crate) fn op(&self, node: NodeId) -> OpId {
        self.nodes.ops[node.0 as usize]
    }

    /// Lets an operation follow `from`, if the rule is on.
    pub(crate) fn take(
        &mut self,
        incoming: &mut Incoming,
        from: NodeId,
        rule: Option<&'static Rule>,
    ) {
        let Some(rule) = rule else { return };
        if incoming.after.len() < 8 {
            incoming.after.push(from);
        }
        if !self.nodes.covers(incoming.clock, from) {
            let taken = incoming.after.iter().rev().find(|&&node| node != from).copied();
            incoming.clock = self.nodes.join(incoming.clock, from, taken);
            self.edges.push(Edge { from: Source::Node(from), to: NodeId(0), rule });
        }
    }

    /// Lets an operation follow several nodes, each by a rule of its own that may be off.
    pub(crate) fn take_each(
        &mut self,
        incoming: &mut Incoming,
        mut sources: Vec<(NodeId, Option<&'static Rule>)>,
    ) {
        sources.retain(|&(from, _)| !self.nodes.covers(incoming.clock, from));
        // The latest first: they are likely to know of the others.
        sources.sort_unstable_by_key(|&(node, _)| std::cmp::Reverse(node));
        let taken = incoming.after.last().copied();
        let mut waiting: Vec<NodeId> = Vec::new();
        for (from, rule) in sources {
            let Some(rule) = rule else { continue };
            if incoming.after.len() < 8 {
                incoming.after.push(from);
            }
            let known = self.nodes.covers(incoming.clock, from)
                || waiting.iter().any(|&other| self.nodes.reaches(from, other));
            if !known {
                self.edges.push(Edge { from: Source::Node(from), to: NodeId(0), rule });
                waiting.push(from);
            }
            if waiting.len() == AT_ONCE {
                incoming.clock = self.nodes.join_all(incoming.clock, &waiting, taken);
                waiting.clear();
            }
        }
        incoming.clock = self.nodes.join_all(incoming.clock, &waiting, taken);
    }

    /// Lets an operation follow all nodes of a list, if the rule is on.
    pub(crate) fn take_all(
        &mut self,
        incoming: &mut Incoming,
        list: ListId,
        rule: Option<&'static Rule>,
    ) {
        if let (Some(rule), Some(prefix)) = (rule, self.lists.all(list)) {
            self.take_prefix(incoming, prefix, rule);
        }
    }

    /// Lets an operation follow the first nodes of a list.
    pub(crate) fn take_prefix(
        &mut self,
        incoming: &mut Incoming,
        prefix: Prefix,
        rule: &'static Rule,
    ) {
        let last = self.lists.sources(prefix).last();
        incoming.after.extend(last.filter(|_| incoming.after.len() < 8));
        let all = self.lists.clock(&mut self.nodes, prefix);
        let joined = self.nodes.clocks.join(incoming.clock, all);
        if joined != incoming.clock {
            incoming.clock = joined;
            self.edges.push(Edge { from: Source::Any(prefix), to: NodeId(0), rule });
        }
    }
}
