//! Reads and writes, by location.

use trace::{Id, OpId, QueueId, Trace};

use crate::lockset::{LocksetId, Locksets};

/// One read or write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) op: OpId,
    pub(crate) is_write: bool,
    /// The Looper its event runs on, if it does.
    pub(crate) looper: Option<QueueId>,
    /// The locks its thread holds.
    pub(crate) locks: LocksetId,
}

impl Access {
    /// Whether the two conflict: at least one writes.
    pub(crate) fn conflicts(self, other: Self) -> bool {
        self.is_write || other.is_write
    }
}

/// The accesses of every location, of the suspects alone if they are known, each list in trace
/// order, and the locksets they mention.
pub(crate) fn by_location(
    trace: &Trace,
    suspects: Option<&[bool]>,
) -> (Vec<Vec<Access>>, Locksets) {
    let mut locations = vec![Vec::new(); trace.names().locations.len()];
    let mut locksets = Locksets::new(trace);
    for op in trace.ops() {
        locksets.step(trace, op);
        if let Some((location, is_write)) = trace.op(op).access()
            && suspects.is_none_or(|suspects| suspects[location.index()])
        {
            let looper = trace.event_of(op).and_then(|e| trace.looper_of(e));
            let locks = locksets.held(trace.thread_of(op));
            locations[location.index()].push(Access { op, is_write, looper, locks });
        }
    }
    (locations, locksets)
}
