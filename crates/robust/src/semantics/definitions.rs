//! The two criteria on one trace, directly by their definitions.
//!
//! The code is quadratic and obvious: faster code is compared with it, and it decides about a
//! witness.

use super::{Action, Invocation, Label};
use crate::core::{Access, InstanceId, SiteId};

/// One access of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The position of the access in the trace.
    pub at: usize,
    /// The invocation that makes the access.
    pub invocation: Invocation,
    /// The access.
    pub access: Access,
    /// The site of the access in the program.
    pub site: SiteId,
}

/// Two conflicting accesses, the first before the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The earlier access.
    pub first: Occurrence,
    /// The later access.
    pub second: Occurrence,
}

/// The accesses of `trace` in order.
pub fn accesses(trace: &[Label]) -> Vec<Occurrence> {
    let mut found = Vec::new();
    for (at, label) in trace.iter().enumerate() {
        if let Action::Access(access, site) = label.action {
            found.push(Occurrence { at, invocation: label.invocation.clone(), access, site });
        }
    }
    found
}

/// Definition 5: the first access that occurs against <dfs, as the conflict of the root with the
/// pivot. `None` iff the conflict-invocation graph of every event is acyclic: <dfs is total, so a
/// cycle holds an edge against it.
pub fn dfs_inversion(trace: &[Label]) -> Option<Conflict> {
    let accesses = accesses(trace);
    for (index, pivot) in accesses.iter().enumerate() {
        for root in &accesses[..index] {
            if root.access.conflicts(pivot.access)
                && root.invocation.instance == pivot.invocation.instance
                && pivot.invocation < root.invocation
            {
                return Some(Conflict { first: root.clone(), second: pivot.clone() });
            }
        }
    }
    None
}

/// Definition 4: a shortest cycle of the conflict-event graph of the shortest prefix that has
/// one, as conflicts each of whose second event is the first event of the next. The last one's
/// second access is the pivot. `None` iff the graph is acyclic.
pub fn conflict_cycle(trace: &[Label]) -> Option<Vec<Conflict>> {
    let accesses = accesses(trace);
    let mut edges: Vec<Conflict> = Vec::new();
    for (index, second) in accesses.iter().enumerate() {
        let to = second.invocation.instance;
        for first in &accesses[..index] {
            let from = first.invocation.instance;
            if from == to || !first.access.conflicts(second.access) {
                continue;
            }
            let closing = Conflict { first: first.clone(), second: second.clone() };
            if let Some(mut path) = shortest_path(&edges, to, from) {
                path.push(closing);
                return Some(path);
            }
            let known = |edge: &Conflict| {
                edge.first.invocation.instance == from && edge.second.invocation.instance == to
            };
            if !edges.iter().any(known) {
                edges.push(closing);
            }
        }
    }
    None
}

fn shortest_path(edges: &[Conflict], from: InstanceId, to: InstanceId) -> Option<Vec<Conflict>> {
    let mut paths: Vec<(InstanceId, Vec<Conflict>)> = vec![(from, Vec::new())];
    let mut next = 0;
    while let Some((at, path)) = paths.get(next).cloned() {
        if at == to {
            return Some(path);
        }
        for edge in edges {
            let target = edge.second.invocation.instance;
            if edge.first.invocation.instance == at
                && paths.iter().all(|(known, _)| *known != target)
            {
                let mut longer = path.clone();
                longer.push(edge.clone());
                paths.push((target, longer));
            }
        }
        next += 1;
    }
    None
}
