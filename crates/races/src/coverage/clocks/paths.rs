//! Decomposes the nodes into few paths.
//!
//! The decomposition follows EventRacer's. A walk starts at the first node without a chain and goes
//! to the first successor without one, or through nodes of other chains along their first
//! successors, until it cannot go on. All arcs point forward here, so every chain is a path with
//! gaps. A walk through nodes whose successors all have chains jumps to the node where it would
//! leave them, so all walks together take near-linear time.

use super::super::NodeId;

/// A list of nodes for each node, stored one after another.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeLists {
    nodes: Vec<NodeId>,
    /// The end of each list; a list starts at the end of the previous one.
    ends: Vec<u32>,
}

impl NodeLists {
    pub(super) fn new<L: IntoIterator<Item = NodeId>>(lists: impl IntoIterator<Item = L>) -> Self {
        let mut all = Self::default();
        for list in lists {
            all.nodes.extend(list);
            all.ends.push(u32::try_from(all.nodes.len()).expect("fewer than 2³² arcs"));
        }
        all
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, node: NodeId) -> &[NodeId] {
        &self.nodes[self.start(node)..self.ends[node.index()] as usize]
    }

    fn start(&self, node: NodeId) -> usize {
        node.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// Returns, for each node, the nodes whose lists contain it, ascending.
    fn inverted(&self) -> Self {
        let mut ends = vec![0_u32; self.len() + 1];
        for node in &self.nodes {
            ends[node.index() + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut nodes = vec![NodeId::new(0); self.nodes.len()];
        for list in (0..self.len()).map(NodeId::new) {
            for node in self.get(list) {
                let next = &mut ends[node.index()];
                nodes[*next as usize] = list;
                *next += 1;
            }
        }
        ends.pop();
        Self { nodes, ends }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.ends[..])
    }
}

/// Returns the chain of each node with the node's position in it, counted from 1, and the number of
/// chains.
pub(super) fn cover_with_paths(predecessors: &NodeLists) -> (Vec<(u32, u32)>, usize) {
    let mut walks = Walks::new(predecessors.inverted());
    let mut chains = 0;
    for start in (0..predecessors.len()).map(NodeId::new) {
        if !walks.has_chain(start) {
            walks.walk(start, chains);
            chains += 1;
        }
    }
    (walks.place, chains as usize)
}

struct Walks {
    successors: NodeLists,
    place: Vec<(u32, u32)>,
    /// For each node, the index in its list before which every successor has a chain.
    open: Vec<u32>,
    /// For a node whose successors all have chains, a node that its walk reaches; otherwise the
    /// node itself.
    exit: Vec<NodeId>,
}

impl Walks {
    fn new(successors: NodeLists) -> Self {
        let nodes = successors.len();
        Self {
            open: (0..nodes).map(|node| successors.start(NodeId::new(node)) as u32).collect(),
            exit: (0..nodes).map(NodeId::new).collect(),
            place: vec![(0, 0); nodes],
            successors,
        }
    }

    fn has_chain(&self, node: NodeId) -> bool {
        self.place[node.index()].1 != 0
    }

    fn walk(&mut self, start: NodeId, chain: u32) {
        let mut position = 0;
        let mut next = Some(start);
        while let Some(node) = next {
            position += 1;
            self.place[node.index()] = (chain, position);
            next = self.next_open(node);
        }
    }

    /// Returns the first node without a chain that a walk from `node` reaches.
    fn next_open(&mut self, node: NodeId) -> Option<NodeId> {
        let mut at = node;
        loop {
            if let Some(successor) = self.open_successor(at) {
                return Some(successor);
            }
            let via = match self.exit[at.index()] {
                exit if exit == at => *self.successors.get(at).first()?,
                exit => exit,
            };
            self.exit[at.index()] = self.exit[via.index()];
            at = self.exit[at.index()];
        }
    }

    /// Returns the first successor without a chain.
    fn open_successor(&mut self, node: NodeId) -> Option<NodeId> {
        let open = &mut self.open[node.index()];
        let end = self.successors.ends[node.index()];
        while *open < end {
            let successor = self.successors.nodes[*open as usize];
            if self.place[successor.index()].1 == 0 {
                return Some(successor);
            }
            *open += 1;
        }
        None
    }
}
