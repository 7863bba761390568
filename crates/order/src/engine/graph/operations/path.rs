//! Paths through the graph, for explanations.

use std::collections::{BTreeMap, HashMap, VecDeque};

use trace::{Op, OpId, Trace};

use super::Operations;
use super::nodes::{NodeId, TaskId};
use super::order_so_far::Source;
use crate::path::Step;
use crate::rule::Rule;

/// A way into a node: from another, by a rule; no rule is the order within the task.
type Way = (NodeId, Option<&'static Rule>);

impl Operations {
    /// Returns the steps from `a` to `b`, which are ordered: as few as the edges allow. O(edges) at
    /// worst.
    pub(crate) fn path(&self, trace: &Trace, a: OpId, b: OpId) -> Vec<Step> {
        let (task_a, task_b) = (self.task(trace, a), self.task(trace, b));
        if task_a.is_some() && task_a == task_b {
            return vec![Step { from: a, to: b, rule: self.program_order(trace, a) }];
        }
        debug_assert!(self.ranks.is_none(), "paths are for the trace that was swept");
        if self.is_old(trace, a, (b, OpId(b.0 + 1))) {
            return self.path_by_window(trace, a, b);
        }
        let from = self.at_or_after(task_a, a).expect("something follows a");
        let to = self.at_or_before(task_b, OpId(b.0 + 1)).expect("something precedes b");
        let mut steps = Steps { of: self, trace, taken: Vec::new(), at: a, owed: None };
        steps.go(self.shown(trace, from), None);
        for (node, rule) in self.shortest(from, to) {
            steps.go(self.shown(trace, node), rule);
        }
        steps.go(Some(b), None);
        steps.taken
    }

    /// Like `path`, where rule WINDOW orders `a` before `b` or before something that precedes `b`.
    fn path_by_window(&self, trace: &Trace, a: OpId, b: OpId) -> Vec<Step> {
        let floors = self.floors.as_ref().expect("there is a window");
        let epoch = floors.epoch(a);
        let to = self.at_or_before(self.task(trace, b), OpId(b.0 + 1));
        let follows = |node: &NodeId| {
            let op = self.nodes.ops[node.0 as usize];
            let begins =
                matches!(trace.op(op), Op::Begin(event) if trace.event(event).begin == Some(op));
            (begins || trace.event_of(op).is_none())
                && floors.before(OpId(op.0 + 1)) > epoch
                && self.is_of_task(trace, *node)
                && to.is_some_and(|to| self.nodes.reaches(*node, to))
        };
        let first = (0..self.nodes.len()).map(NodeId::from_index).find(follows);
        let first = first.map_or(b, |node| self.nodes.ops[node.0 as usize]);
        let mut steps = vec![Step { from: a, to: first, rule: &crate::rules::WINDOW }];
        if first != b {
            steps.extend(self.path(trace, first, b));
        }
        steps
    }

    /// Whether a node is an operation of its own task, not a place where the task came to follow an
    /// operation of another.
    fn is_of_task(&self, trace: &Trace, node: NodeId) -> bool {
        let (task, op) = (self.nodes.tasks_of[node.0 as usize], self.nodes.ops[node.0 as usize]);
        match self.task(trace, op) {
            Some(own) => own == task,
            // An operation that stands alone is all that its task has.
            None => self.of_task(task).iter().all(|node| self.nodes.ops[node.0 as usize] == op),
        }
    }

    /// Returns the operation that a path shows for a node, if any.
    fn shown(&self, trace: &Trace, node: NodeId) -> Option<OpId> {
        self.is_of_task(trace, node).then_some(self.nodes.ops[node.0 as usize])
    }

    fn program_order(&self, trace: &Trace, op: OpId) -> &'static Rule {
        let rule = match (self.plan.whole_threads, trace.event_of(op)) {
            (Some(rule), _) => Some(rule),
            (None, Some(_)) => self.plan.event_order,
            (None, None) => self.plan.thread_order,
        };
        rule.expect("operations that stand alone are not ordered by their task")
    }

    /// The nodes after `from` on a path to `to` with the fewest edges, each with the way into it.
    fn shortest(&self, from: NodeId, to: NodeId) -> Vec<Way> {
        let mut next: HashMap<u32, Way> = HashMap::new();
        let mut queue = VecDeque::from([to]);
        while let Some(at) = queue.pop_front() {
            if at == from {
                break;
            }
            for (earlier, rule) in self.ways_into(at) {
                if earlier >= from
                    && self.nodes.reaches(from, earlier)
                    && !next.contains_key(&earlier.0)
                {
                    next.insert(earlier.0, (at, rule));
                    queue.push_back(earlier);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = from;
        while at != to {
            let &(node, rule) = next.get(&at.0).expect("a path between ordered nodes");
            path.push((node, rule));
            at = node;
        }
        path
    }

    fn ways_into(&self, node: NodeId) -> Vec<Way> {
        let first = self.edges.partition_point(|edge| edge.to < node);
        let mut ways = Vec::new();
        for edge in self.edges[first..].iter().take_while(|edge| edge.to == node) {
            match edge.from {
                Source::Node(from) => ways.push((from, Some(edge.rule))),
                Source::Any(prefix) => {
                    let sources = self.lists.sources(prefix).iter().rev();
                    ways.extend(sources.map(|&from| (from, Some(edge.rule))));
                }
            }
        }
        let task = self.nodes.tasks_of[node.0 as usize];
        let nodes = self.of_task(task);
        let index = nodes.partition_point(|&n| n < node);
        ways.extend(index.checked_sub(1).map(|i| (nodes[i], None)));
        ways
    }

    /// The operations before both that no other such operation follows, in the order of the trace.
    pub(crate) fn common_ancestors(&self, trace: &Trace, a: OpId, b: OpId) -> Vec<OpId> {
        let (Some(to_a), Some(to_b)) = (
            self.at_or_before(self.task(trace, a), OpId(a.0 + 1)),
            self.at_or_before(self.task(trace, b), OpId(b.0 + 1)),
        ) else {
            return Vec::new();
        };
        let (first, second) = (self.nodes.stamp(to_a), self.nodes.stamp(to_b));
        // How far both know each chain; the last node there, or what its task did before it.
        let mut common: BTreeMap<u32, u32> = BTreeMap::new();
        let mut known = |chain, position: u32| {
            let both = position.min(self.nodes.reach(second, chain));
            if both > 0 {
                common.insert(chain, both);
            }
        };
        self.nodes.clocks.gained(
            crate::engine::graph::Clock::EMPTY,
            first.clock,
            &mut |chain, _, p| {
                known(chain, p);
            },
        );
        known(first.chain, first.position);
        let mut on_chain: BTreeMap<u32, Vec<NodeId>> = BTreeMap::new();
        for node in (0..self.nodes.len()).map(NodeId::from_index) {
            let stamp = self.nodes.stamp(node);
            if common.get(&stamp.chain).is_some_and(|&both| stamp.position <= both) {
                on_chain.entry(stamp.chain).or_default().push(node);
            }
        }
        // A place where a task learnt something before it did anything is no operation.
        let mut ops: Vec<OpId> = on_chain
            .values()
            .filter_map(|nodes| nodes.iter().rev().find_map(|&node| self.last_op(trace, node)))
            .filter(|&op| self.before(trace, op, a) && self.before(trace, op, b))
            .collect();
        ops.sort_unstable();
        ops.dedup();
        let mut nearest: Vec<OpId> = Vec::new();
        for op in ops.into_iter().rev() {
            if !nearest.iter().any(|&kept| self.before(trace, op, kept)) {
                nearest.push(op);
            }
        }
        nearest.reverse();
        nearest
    }

    /// The operation of a node, or the last of its task before it.
    fn last_op(&self, trace: &Trace, node: NodeId) -> Option<OpId> {
        let op = self.nodes.ops[node.0 as usize];
        if self.is_of_task(trace, node) {
            return Some(op);
        }
        let task: TaskId = self.nodes.tasks_of[node.0 as usize];
        (0..op.0).rev().map(OpId).find(|&earlier| self.task(trace, earlier) == Some(task))
    }
}

/// Turns ways into steps between operations. A node that is no operation of its task is passed
/// over: the step across it has the rule of the edge into that node or out of it.
struct Steps<'a> {
    of: &'a Operations,
    trace: &'a Trace,
    taken: Vec<Step>,
    at: OpId,
    owed: Option<&'static Rule>,
}

impl Steps<'_> {
    fn go(&mut self, op: Option<OpId>, rule: Option<&'static Rule>) {
        let rule = rule.or(self.owed);
        let Some(op) = op else {
            self.owed = rule;
            return;
        };
        self.owed = None;
        if op != self.at {
            let rule = rule.unwrap_or_else(|| self.of.program_order(self.trace, op));
            self.taken.push(Step { from: self.at, to: op, rule });
            self.at = op;
        }
    }
}
