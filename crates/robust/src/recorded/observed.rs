//! Violations that occurred in the recorded trace.

use std::collections::BTreeMap;

use trace::{LocationId, OpId, Trace};

use super::forest::{Forest, TaskId};

/// Two conflicting accesses of different events; the first came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The earlier access.
    pub first: OpId,
    /// The later access.
    pub second: OpId,
}

/// Two conflicting accesses of one event that occurred against <dfs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inversion {
    /// The access that came first and is depth-first later.
    pub root: OpId,
    /// The access that came last and is depth-first earlier.
    pub pivot: OpId,
}

/// The last writer of a location and the readers since, by event.
#[derive(Default)]
struct Last {
    writer: Option<(TaskId, OpId)>,
    readers: BTreeMap<TaskId, OpId>,
}

/// Cycles of the conflict-event graph, one for each edge that would close one. No cycle is
/// returned iff the graph is acyclic.
///
/// Edges come from the last writer and the readers since only; those they leave out are implied
/// by paths. A closing edge is reported and not added, so that the graph stays acyclic.
pub fn cycles(trace: &Trace, forest: &Forest) -> Vec<Vec<Edge>> {
    let mut last: BTreeMap<LocationId, Last> = BTreeMap::new();
    let mut graph: BTreeMap<TaskId, BTreeMap<TaskId, Edge>> = BTreeMap::new();
    let mut found: BTreeMap<(TaskId, TaskId), Vec<Edge>> = BTreeMap::new();
    for op in trace.ops() {
        let (Some((location, writes)), Some(task)) = (trace.op(op).access(), forest.task_of(op))
        else {
            continue;
        };
        let event = forest.task(task).root;
        let last = last.entry(location).or_default();
        let mut before: Vec<(TaskId, OpId)> = last.writer.into_iter().collect();
        if writes {
            before.extend(std::mem::take(&mut last.readers));
            last.writer = Some((event, op));
        } else {
            last.readers.insert(event, op);
        }
        for (other, first) in before {
            if other == event || found.contains_key(&(other, event)) {
                continue;
            }
            let edge = Edge { first, second: op };
            match path(&graph, event, other) {
                Some(mut cycle) => {
                    cycle.push(edge);
                    found.insert((other, event), cycle);
                }
                None => {
                    graph.entry(other).or_default().entry(event).or_insert(edge);
                }
            }
        }
    }
    let mut cycles: Vec<Vec<Edge>> = found.into_values().collect();
    cycles.sort_by_key(|cycle| cycle.last().map(|edge| edge.second));
    cycles
}

fn path(
    graph: &BTreeMap<TaskId, BTreeMap<TaskId, Edge>>,
    from: TaskId,
    to: TaskId,
) -> Option<Vec<Edge>> {
    let mut reached: BTreeMap<TaskId, Option<(TaskId, Edge)>> = BTreeMap::from([(from, None)]);
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at == to {
            let mut edges = Vec::new();
            let mut at = to;
            while let Some((previous, edge)) = reached[&at] {
                edges.push(edge);
                at = previous;
            }
            edges.reverse();
            return Some(edges);
        }
        for (next, edge) in graph.get(&at).into_iter().flatten() {
            reached.entry(*next).or_insert_with(|| {
                queue.push_back(*next);
                Some((at, *edge))
            });
        }
    }
    None
}

/// The depth-first greatest task that read, and that wrote, with its access.
type Greatest = [Option<(TaskId, OpId)>; 2];

/// Accesses that occurred against <dfs, each with the depth-first greatest access before it. No
/// inversion is returned iff the trace is DFS-serial.
pub fn inversions(trace: &Trace, forest: &Forest) -> Vec<Inversion> {
    // Per event and location, the greatest reader and writer so far.
    let mut greatest: BTreeMap<(TaskId, LocationId), Greatest> = BTreeMap::new();
    let mut found = Vec::new();
    for op in trace.ops() {
        let (Some((location, writes)), Some(task)) = (trace.op(op).access(), forest.task_of(op))
        else {
            continue;
        };
        let path = |task: TaskId| forest.task(task).path.as_slice();
        let known = greatest.entry((forest.task(task).root, location)).or_default();
        let conflicting = if writes { &known[..] } else { &known[1..] };
        let larger = conflicting.iter().flatten().filter(|(other, _)| path(*other) > path(task));
        if let Some((_, root)) = larger.max_by_key(|(other, _)| path(*other)) {
            found.push(Inversion { root: *root, pivot: op });
        }
        let slot = &mut known[usize::from(writes)];
        if slot.is_none_or(|(other, _)| path(other) < path(task)) {
            *slot = Some((task, op));
        }
    }
    found
}
