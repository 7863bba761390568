//! The happens-before graph under construction, with ordered lists of successors and predecessors.
//!
//! The order of the lists affects the result: chains follow the first unassigned successor, and the
//! timer search visits predecessors in list order. The lists are linked through one arena, so
//! thousands of short lists need no allocation each, and copying the graph copies a few arrays.

use crate::ids::OpId;

const END: u32 = u32::MAX;

/// One ordered list of ops for each op.
#[derive(Clone, Debug, Default)]
struct Lists {
    first: Vec<u32>,
    last: Vec<u32>,
    length: Vec<u32>,
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    op: u32,
    next: u32,
}

impl Lists {
    fn new(ops: usize) -> Self {
        Self {
            first: vec![END; ops],
            last: vec![END; ops],
            length: vec![0; ops],
            links: Vec::new(),
        }
    }

    fn push(&mut self, list: OpId, op: OpId) {
        let link = self.links.len() as u32;
        self.links.push(Link { op: op.index() as u32, next: END });
        match self.last[list.index()] {
            END => self.first[list.index()] = link,
            end => self.links[end as usize].next = link,
        }
        self.last[list.index()] = link;
        self.length[list.index()] += 1;
    }

    fn iter(&self, list: OpId) -> impl Iterator<Item = OpId> {
        let mut at = self.first[list.index()];
        std::iter::from_fn(move || {
            let link = self.links.get(at as usize)?;
            at = link.next;
            Some(OpId::new(link.op as usize))
        })
    }

    /// Keeps the ops of one list for which `keep` holds.
    fn retain(&mut self, list: OpId, mut keep: impl FnMut(OpId) -> bool) {
        let (mut at, mut previous) = (self.first[list.index()], END);
        while at != END {
            let Link { op, next } = self.links[at as usize];
            if keep(OpId::new(op as usize)) {
                previous = at;
            } else {
                match previous {
                    END => self.first[list.index()] = next,
                    previous => self.links[previous as usize].next = next,
                }
                self.length[list.index()] -= 1;
            }
            at = next;
        }
        self.last[list.index()] = previous;
    }
}

/// A graph over the ops of a log, some of which may be deleted.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    successors: Lists,
    predecessors: Lists,
    deleted: Vec<bool>,
    /// Every arc to a smaller op that was ever added, including removed ones.
    backward: Vec<(OpId, OpId)>,
}

impl Graph {
    /// A graph of `ops` nodes without arcs.
    pub fn new(ops: usize) -> Self {
        Self {
            successors: Lists::new(ops),
            predecessors: Lists::new(ops),
            deleted: vec![false; ops],
            backward: Vec::new(),
        }
    }

    /// The number of nodes, deleted ones included.
    pub fn len(&self) -> usize {
        self.deleted.len()
    }

    /// Whether the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.deleted.is_empty()
    }

    /// All nodes that are not deleted, ascending.
    pub fn live_ops(&self) -> impl DoubleEndedIterator<Item = OpId> {
        (0..self.len()).map(OpId::new).filter(|&op| !self.is_deleted(op))
    }

    /// Whether a node is deleted.
    pub fn is_deleted(&self, op: OpId) -> bool {
        self.deleted[op.index()]
    }

    /// Deletes a node that has no live successor. Lists of successors still contain it until
    /// [`Graph::purge_deleted`].
    pub(crate) fn delete(&mut self, op: OpId) {
        self.deleted[op.index()] = true;
    }

    /// Removes the deleted nodes from every list of successors.
    pub(crate) fn purge_deleted(&mut self) {
        for op in 0..self.deleted.len() {
            let deleted = &self.deleted;
            self.successors.retain(OpId::new(op), |successor| !deleted[successor.index()]);
        }
    }

    /// Successors in the order in which their arcs were added.
    pub fn successors(&self, op: OpId) -> impl Iterator<Item = OpId> {
        self.successors.iter(op)
    }

    /// Predecessors in the order in which their arcs were added.
    pub fn predecessors(&self, op: OpId) -> impl Iterator<Item = OpId> {
        self.predecessors.iter(op)
    }

    /// The number of arcs out of a node.
    pub fn out_degree(&self, op: OpId) -> usize {
        self.successors.length[op.index()] as usize
    }

    /// The number of arcs into a node.
    pub fn in_degree(&self, op: OpId) -> usize {
        self.predecessors.length[op.index()] as usize
    }

    /// The number of arcs between nodes that are not deleted.
    pub fn arc_count(&self) -> usize {
        self.live_ops().map(|op| self.out_degree(op)).sum()
    }

    /// Returns whether the arc exists. The cost is the length of the shorter of the two lists.
    pub fn has_arc(&self, tail: OpId, head: OpId) -> bool {
        if self.out_degree(tail) <= self.in_degree(head) {
            self.successors(tail).any(|op| op == head)
        } else {
            self.predecessors(head).any(|op| op == tail)
        }
    }

    /// Appends an arc, unless it is a loop or exists already.
    pub fn add(&mut self, tail: OpId, head: OpId) {
        if tail != head && !self.has_arc(tail, head) {
            self.successors.push(tail, head);
            self.predecessors.push(head, tail);
            if tail > head {
                self.backward.push((tail, head));
            }
        }
    }

    /// Returns whether no path from `op` or a later op leads to an op before `op`.
    fn never_goes_below(&self, op: OpId) -> bool {
        self.backward.iter().all(|&(tail, head)| tail < op || op <= head)
    }

    /// Removes an arc, if it exists.
    pub fn remove(&mut self, tail: OpId, head: OpId) {
        self.successors.retain(tail, |op| op != head);
        self.predecessors.retain(head, |op| op != tail);
    }
}

/// The working memory of searches in one graph.
#[derive(Clone, Debug, Default)]
pub struct Search {
    seen: Marks,
    stack: Vec<OpId>,
}

impl Search {
    /// Returns working memory for a graph of `ops` nodes.
    pub fn new(ops: usize) -> Self {
        Self { seen: Marks::new(ops), stack: Vec::new() }
    }

    /// The original's `reach`: returns whether `from` is `to`, or a path leads from it to `to` on
    /// which every node but the last is smaller than `to`.
    ///
    /// Searches backwards from `to`, and not below `from` unless backward arcs lead there.
    pub fn reach(&mut self, graph: &Graph, from: OpId, to: OpId) -> bool {
        if from >= to {
            return from == to;
        }
        let least = if graph.never_goes_below(from) { from } else { OpId::new(0) };
        self.seen.clear();
        self.stack.clear();
        self.stack.push(to);
        while let Some(op) = self.stack.pop() {
            for predecessor in graph.predecessors(op) {
                if predecessor == from {
                    return true;
                }
                if (least..to).contains(&predecessor) && self.seen.insert(predecessor) {
                    self.stack.push(predecessor);
                }
            }
        }
        false
    }

    /// The original's `need`: adds the arc unless `from` reaches `to`, and returns whether the arc
    /// counts as added. An existing arc that points backwards counts as well.
    pub fn need(&mut self, graph: &mut Graph, from: OpId, to: OpId) -> bool {
        let needed = !self.reach(graph, from, to);
        if needed {
            graph.add(from, to);
        }
        needed
    }
}

/// A set of ops that can be emptied in constant time.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    generation: u32,
    marks: Vec<u32>,
}

impl Marks {
    /// An empty set of ops below `ops`.
    pub fn new(ops: usize) -> Self {
        Self { generation: 1, marks: vec![0; ops] }
    }

    /// Empties the set.
    pub fn clear(&mut self) {
        if self.generation == u32::MAX {
            self.marks.fill(0);
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// Adds `op`, and returns whether it was absent.
    pub fn insert(&mut self, op: OpId) -> bool {
        std::mem::replace(&mut self.marks[op.index()], self.generation) != self.generation
    }

    /// Whether `op` is in the set.
    pub fn contains(&self, op: OpId) -> bool {
        self.marks[op.index()] == self.generation
    }
}
