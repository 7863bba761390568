//! The synchronising operations around two operations of a trace.

use std::collections::{HashMap, HashSet};

use trace::{EventId, Id, LockId, Op, OpId, ThreadId, Trace};

use crate::Tasks;

/// The largest number of operations that are kept before, and after, each of the two.
const NEAR: usize = 32;

/// Where the operations of a trace are that rules look for. Made once for a trace, so that a question about two
/// operations looks only at what is near them. O(operations) to make; memory for the operations that synchronise, and
/// 8 bytes for each event.
pub struct MissIndex {
    /// What each thread does to threads, locks, handles, callbacks and barriers.
    of_thread: Vec<Vec<OpId>>,
    /// The releases of each thread that end an outermost section.
    released: Vec<Vec<OpId>>,
    /// The forks and joins of each thread, its last `init` and `exit`, and whether it runs events.
    forks: Vec<Vec<OpId>>,
    joins: Vec<Vec<OpId>>,
    init: Vec<Option<OpId>>,
    exit: Vec<Option<OpId>>,
    runs_events: Vec<bool>,
    /// The removals of each event's message, and the ends of its blocking posts.
    removals: HashMap<EventId, Vec<OpId>>,
    returns: HashMap<EventId, Vec<OpId>>,
    /// The first posts of barriers.
    barriers: Vec<OpId>,
    begins: Vec<OpId>,
    /// The events that a step of a test gives: its inputs, and the steps after it.
    given: HashSet<EventId>,
    tasks: Tasks,
}

impl MissIndex {
    /// Indexes a trace in one pass over it.
    pub fn new(trace: &Trace) -> Self {
        let threads = trace.names().threads.len();
        let mut index = Self {
            of_thread: vec![Vec::new(); threads],
            released: vec![Vec::new(); threads],
            forks: vec![Vec::new(); threads],
            joins: vec![Vec::new(); threads],
            init: vec![None; threads],
            exit: vec![None; threads],
            runs_events: vec![false; threads],
            removals: HashMap::new(),
            returns: HashMap::new(),
            barriers: Vec::new(),
            begins: Vec::new(),
            given: HashSet::new(),
            tasks: Tasks::new(trace),
        };
        let mut held: HashMap<(ThreadId, LockId), u32> = HashMap::new();
        for op in trace.ops() {
            let kind = trace.op(op);
            if !matches!(kind, Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave) {
                index.note(op, kind, trace.thread_of(op), &mut held);
            }
            if let Op::Arc(_, given) = kind
                && trace.attributes(op).event_type.is_some_and(|by| trace.text(by) == b"step")
            {
                index.given.insert(given);
            }
        }
        index
    }

    fn note(
        &mut self,
        op: OpId,
        kind: Op,
        thread: ThreadId,
        held: &mut HashMap<(ThreadId, LockId), u32>,
    ) {
        let own = thread.index();
        match kind {
            Op::Fork(child) => self.forks[child.index()].push(op),
            Op::Join(child) => self.joins[child.index()].push(op),
            Op::Init => self.init[own] = Some(op),
            Op::Exit => self.exit[own] = Some(op),
            Op::Remove(event) => self.removals.entry(event).or_default().push(op),
            Op::EnqueueEnd(event) => self.returns.entry(event).or_default().push(op),
            Op::PostBarrier(..) if self.barriers.len() < NEAR => self.barriers.push(op),
            Op::Begin(_) => {
                self.runs_events[own] = true;
                self.begins.push(op);
            }
            Op::Lock(lock) => *held.entry((thread, lock)).or_default() += 1,
            Op::Unlock(lock) => {
                let depth = held.entry((thread, lock)).or_default();
                if *depth == 1 {
                    self.released[own].push(op);
                }
                *depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        if !matches!(kind, Op::Begin(_) | Op::End(_) | Op::Enqueue(_) | Op::Arc(..)) {
            self.of_thread[own].push(op);
        }
    }

    /// Returns whether a step of a test gives an event.
    pub(super) fn is_given(&self, event: EventId) -> bool {
        self.given.contains(&event)
    }

    /// Returns the tasks of the trace.
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Returns what a thread does near one of its operations.
    fn near(&self, thread: ThreadId, at: OpId) -> &[OpId] {
        let ops = &self.of_thread[thread.index()];
        let place = ops.partition_point(|&op| op < at);
        &ops[place.saturating_sub(NEAR)..ops.len().min(place + NEAR)]
    }
}

/// The operations that rules look for around two operations `a` and `b`.
pub(crate) struct Around<'i> {
    /// What the thread of `a` does to threads, locks, handles, callbacks and barriers, near `a`.
    pub(crate) first: &'i [OpId],
    /// The same for `b`.
    pub(crate) second: &'i [OpId],
    /// The forks of the thread of `b`.
    pub(crate) forks: &'i [OpId],
    /// The joins of the thread of `a`.
    pub(crate) joins: &'i [OpId],
    /// The `init` of the thread of `b`, and the `exit` of the thread of `a`.
    pub(crate) init: Option<OpId>,
    pub(crate) exit: Option<OpId>,
    /// The removals of the event of `a` or `b`, and the ends of blocking posts of the event of `a`.
    pub(crate) removals: Vec<OpId>,
    pub(crate) returns: &'i [OpId],
    /// The posts of barriers.
    pub(crate) barriers: &'i [OpId],
    /// The releases of the thread of `a` that end an outermost section.
    pub(crate) released: &'i [OpId],
    /// Whether the thread of `a` runs events.
    pub(crate) runs_events: bool,
    /// The first begin of an event at or after `a`.
    pub(crate) next_begin: Option<OpId>,
}

impl<'i> Around<'i> {
    /// Looks the operations up. O(log operations) and what is found.
    pub(crate) fn new(index: &'i MissIndex, trace: &Trace, a: OpId, b: OpId) -> Self {
        let (first, second) = (trace.thread_of(a), trace.thread_of(b));
        let (of_a, of_b) = (trace.event_of(a), trace.event_of(b));
        let none: &[OpId] = &[];
        let of_event = |table: &'i HashMap<EventId, Vec<OpId>>, event: Option<EventId>| {
            event.and_then(|event| table.get(&event)).map_or(none, Vec::as_slice)
        };
        let mut removals = of_event(&index.removals, of_a).to_vec();
        if of_b != of_a {
            removals.extend(of_event(&index.removals, of_b));
            removals.sort_unstable();
        }
        let next = index.begins.partition_point(|&begin| begin < a);
        Self {
            first: index.near(first, a),
            second: index.near(second, b),
            forks: &index.forks[second.index()],
            joins: &index.joins[first.index()],
            init: index.init[second.index()],
            exit: index.exit[first.index()],
            removals,
            returns: of_event(&index.returns, of_a),
            barriers: &index.barriers,
            released: &index.released[first.index()],
            runs_events: index.runs_events[first.index()],
            next_begin: index.begins.get(next).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use testkit::generate::{Profile, page, sample};

    use super::*;

    /// What [`Around`] contains, by one pass over the trace.
    fn scanned(trace: &Trace, a: OpId, b: OpId) -> Vec<Vec<OpId>> {
        let (first, second) = (trace.thread_of(a), trace.thread_of(b));
        let (of_a, of_b) = (trace.event_of(a), trace.event_of(b));
        let all = |wanted: &dyn Fn(OpId, Op, ThreadId) -> bool| -> Vec<OpId> {
            trace.ops().filter(|&op| wanted(op, trace.op(op), trace.thread_of(op))).collect()
        };
        let near = |thread, at| {
            let ops = all(&|_, op, of| {
                let orders_nothing =
                    matches!(op, Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave);
                let is_of_events =
                    matches!(op, Op::Begin(_) | Op::End(_) | Op::Enqueue(_) | Op::Arc(..));
                of == thread && !orders_nothing && !is_of_events
            });
            let (before, after): (Vec<OpId>, Vec<OpId>) = ops.into_iter().partition(|&op| op < at);
            let skipped = before.len().saturating_sub(NEAR);
            before.into_iter().skip(skipped).chain(after.into_iter().take(NEAR)).collect()
        };
        let mut depths: HashMap<LockId, u32> = HashMap::new();
        let mut released = Vec::new();
        for op in all(&|_, _, of| of == first) {
            match trace.op(op) {
                Op::Lock(lock) => *depths.entry(lock).or_default() += 1,
                Op::Unlock(lock) => match depths.entry(lock).or_default() {
                    0 => {}
                    depth => {
                        *depth -= 1;
                        released.extend((*depth == 0).then_some(op));
                    }
                },
                _ => {}
            }
        }
        let last = |ops: Vec<OpId>| ops.last().copied().into_iter().collect();
        vec![
            near(first, a),
            near(second, b),
            all(&|_, op, _| op == Op::Fork(second)),
            all(&|_, op, _| op == Op::Join(first)),
            last(all(&|_, op, of| op == Op::Init && of == second)),
            last(all(&|_, op, of| op == Op::Exit && of == first)),
            all(&|_, op, _| matches!(op, Op::Remove(event) if [of_a, of_b].contains(&Some(event)))),
            all(&|_, op, _| matches!(op, Op::EnqueueEnd(event) if of_a == Some(event))),
            all(&|_, op, _| matches!(op, Op::PostBarrier(..))).into_iter().take(NEAR).collect(),
            released,
            all(&|_, op, of| matches!(op, Op::Begin(_)) && of == first)
                .into_iter()
                .take(1)
                .collect(),
            all(&|at, op, _| matches!(op, Op::Begin(_)) && at >= a).into_iter().take(1).collect(),
        ]
    }

    #[test]
    fn the_index_finds_what_a_pass_finds() {
        for seed in 0..120u64 {
            let length = 30 + (seed as usize * 37) % 400;
            let trace = match seed % 3 {
                0 => page(seed, length),
                1 => sample(seed, Profile::Wild, length),
                _ => sample(seed, Profile::Realistic, length),
            };
            let index = MissIndex::new(&trace);
            for a in trace.ops().step_by(7) {
                for b in trace.ops().step_by(11) {
                    let found = Around::new(&index, &trace, a, b);
                    let first = |op: Option<OpId>| op.into_iter().collect::<Vec<_>>();
                    let begins = scanned(&trace, a, b);
                    assert_eq!(found.runs_events, !begins[10].is_empty(), "seed {seed}");
                    let found = vec![
                        found.first.to_vec(),
                        found.second.to_vec(),
                        found.forks.to_vec(),
                        found.joins.to_vec(),
                        first(found.init),
                        first(found.exit),
                        found.removals,
                        found.returns.to_vec(),
                        found.barriers.to_vec(),
                        found.released.to_vec(),
                        begins[10].clone(),
                        first(found.next_begin),
                    ];
                    assert_eq!(found, begins, "seed {seed}: {a:?} {b:?}");
                }
            }
        }
    }
}
