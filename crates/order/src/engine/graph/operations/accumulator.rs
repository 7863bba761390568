//! Everything that happened so far of one kind: forks of a thread, notifications of a handle, ends
//! of the input events of a queue.

use super::nodes::{NodeId, Nodes};
use crate::engine::graph::clock::Clock;

/// Names a list in [`Accumulators`]; the default is a list that is still empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListId(Option<u32>);

#[derive(Default)]
struct List {
    sources: Vec<NodeId>,
    /// The joined clocks of the first k nodes, as far as they were needed.
    clocks: Vec<Clock>,
    /// The latest node whose clock is in `clocks`.
    latest: Option<NodeId>,
}

/// Growing lists of nodes, each with the joined clocks of its first k nodes for every k. Clocks are
/// joined on demand, for most lists are never read.
#[derive(Default)]
pub(crate) struct Accumulators(Vec<List>);

/// The first `len` nodes of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    list: u32,
    len: u32,
}

impl Accumulators {
    pub(crate) fn add(&mut self, id: &mut ListId, node: NodeId) {
        let lists = &mut self.0;
        let index = *id.0.get_or_insert_with(|| {
            lists.push(List::default());
            lists.len() as u32 - 1
        });
        lists[index as usize].sources.push(node);
    }

    pub(crate) fn len(&self, id: ListId) -> usize {
        id.0.map_or(0, |index| self.0[index as usize].sources.len())
    }

    /// The first `len` nodes, if there is one.
    pub(crate) fn prefix(&self, id: ListId, len: usize) -> Option<Prefix> {
        let list = id.0.filter(|_| len > 0)?;
        debug_assert!(len <= self.0[list as usize].sources.len());
        Some(Prefix { list, len: len as u32 })
    }

    /// Returns all of a list, unless it is empty.
    pub(crate) fn all(&self, id: ListId) -> Option<Prefix> {
        self.prefix(id, self.len(id))
    }

    /// Returns the join of everything that happens before or at the nodes of a prefix.
    pub(crate) fn clock(&mut self, nodes: &mut Nodes, prefix: Prefix) -> Clock {
        let List { sources, clocks, latest } = &mut self.0[prefix.list as usize];
        let mut clock = clocks.last().copied().unwrap_or_default();
        let len = prefix.len as usize;
        let mut taken = clocks.len().checked_sub(1).map(|last| sources[last]);
        for &source in sources.get(clocks.len()..len).unwrap_or_default() {
            clock = nodes.join(clock, source, taken);
            taken = Some(source);
            clocks.push(clock);
            *latest = (*latest).max(Some(source));
        }
        clocks[len - 1]
    }

    /// Forgets the joined clocks of nodes at `first` or later, because these nodes are to follow more.
    pub(crate) fn forget(&mut self, first: NodeId) {
        for List { sources, clocks, latest } in &mut self.0 {
            if *latest >= Some(first) {
                let kept = sources[..clocks.len()].iter().take_while(|&&s| s < first).count();
                clocks.truncate(kept);
                *latest = sources[..kept].iter().max().copied();
            }
        }
    }

    pub(crate) fn sources(&self, prefix: Prefix) -> &[NodeId] {
        &self.0[prefix.list as usize].sources[..prefix.len as usize]
    }

    /// How many bytes the lists take.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|list| 8 * list.sources.capacity()).sum()
    }
}
