//! Reads and writes, by location.

use trace::{Id, OpId, QueueId, Trace};

use crate::lockset::{LocksetId, Locksets};

/// One read or write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) op: OpId,
    pub(crate) is_write: bool,
    /// The Looper on which the access's event runs, if it runs on one.
    pub(crate) looper: Option<QueueId>,
    /// The locks that the access's thread holds.
    pub(crate) locks: LocksetId,
}

impl Access {
    /// Returns whether the two accesses conflict: at least one of them writes.
    pub(crate) fn conflicts(self, other: Self) -> bool {
        self.is_write || other.is_write
    }
}

/// Returns the accesses of every location, each list in trace order, and the locksets that the
/// accesses mention. If `suspects` is given, the lists of all other locations are empty.
pub(crate) fn by_location(
    trace: &Trace,
    suspects: Option<&[bool]>,
) -> (Vec<Vec<Access>>, Locksets) {
    let mut locations = vec![Vec::new(); trace.names().locations.len()];
    let mut locksets = Locksets::new(trace);
    for op in trace.ops() {
        locksets.advance(trace, op);
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
