//! Engine `stream`: finds races while a trace is read once.
//!
//! For every location and every *group*, a looper or everything outside loopers, the pass keeps a
//! frontier of accesses (`cells`). Within a looper an access is compared as EventRacer §4.2 says: with
//! the last write, and a write with the reads since. With other groups it is compared with the whole
//! frontier. An access leaves the frontier when a later one of its group follows it that conflicts with
//! as much and holds no other lock. So the pairs found are some of the candidates that engine `graph`
//! lists, with the same racy locations, the same second accesses, and the same of them unprotected. In
//! models that order whole events, all accesses are of one group, as they are for engine `graph`.
//!
//! "Ordered" is final. A pair found unordered is kept with its moment until that is final, and judged
//! again then, because a rule that reaches back may order it ([`Detector::settle`]).
//!
//! Cost: one cell of 112 bytes for each location, and what the frontier holds besides; a comparison or
//! two for each access.

mod cells;
mod locks;

use order::{KeptId, Now, Point, Row, Stream};
use trace::{EventId, LocationId, Op, SourceId, StackId, TextId, ThreadId};

use cells::{Cells, Compared};
pub use locks::LocksetId;
use locks::Locksets;

/// An access, as a race names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The number of the operation.
    pub number: u64,
    /// The place of the access in happens-before.
    pub point: Point,
    /// The thread.
    pub thread: ThreadId,
    /// The event, if the access runs in one.
    pub event: Option<EventId>,
    /// The call stack.
    pub stack: Option<StackId>,
    /// The value read or written.
    pub value: Option<TextId>,
    /// The position in the source code.
    pub source: Option<SourceId>,
    /// The locks that the thread holds.
    pub locks: LocksetId,
}

/// The context that accesses of one run share.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The thread.
    pub thread: ThreadId,
    /// The event, if the accesses run in one.
    pub event: Option<EventId>,
    /// The call stack.
    pub stack: Option<StackId>,
}

/// One access of a run.
#[derive(Clone, Copy, Debug)]
pub struct Accessed {
    /// The number of the operation.
    pub number: u64,
    /// The location.
    pub location: LocationId,
    /// Whether it is written.
    pub is_write: bool,
    /// The value read or written.
    pub value: Option<TextId>,
    /// The position in the source code.
    pub source: Option<SourceId>,
}

/// Two accesses that nothing orders.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The location.
    pub location: LocationId,
    /// The earlier access.
    pub first: Mark,
    /// Whether the earlier access writes.
    pub first_writes: bool,
    /// The later access.
    pub second: Mark,
    /// Whether the later access writes.
    pub second_writes: bool,
    /// Whether both hold a common lock and do not lie in events of one looper.
    pub lock_protected: bool,
    /// Whether both hold a lock, but none in common, and do not lie in events of one looper.
    pub separately_locked: bool,
    /// The moment of the later access, which whoever takes the race releases.
    pub moment: KeptId,
}

/// What the window decided and dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowCounts {
    /// Comparisons with accesses below the floor. At most so many would have been races without the
    /// window.
    pub decided: u64,
    /// Accesses of the frontier that were dropped.
    pub dropped: u64,
}

/// The races of a trace that is read once.
#[derive(Default)]
pub struct Detector {
    cells: Cells,
    locks: Locksets,
    /// Pairs whose verdict is not final.
    pending: Vec<Found>,
    /// Pairs that are final and were not taken yet.
    ready: Vec<Found>,
    /// How many pairs were found unordered first and ordered when their verdict became final.
    withdrawn: u64,
    window: WindowCounts,
    found: Vec<Compared>,
}

impl Detector {
    /// Notes an operation that synchronises: the locks that threads hold.
    pub fn pass(&mut self, row: &Row) {
        if matches!(row.op, Op::Lock(_) | Op::Unlock(_)) {
            self.locks.advance(row.thread, row.op);
        }
    }

    /// Compares the accesses of a run with those before them.
    pub fn run(
        &mut self,
        stream: &mut Stream,
        context: Context,
        accesses: impl Iterator<Item = Accessed>,
    ) {
        let now = stream.now(context.thread, context.event);
        let group = stream.looper(context.event);
        let locks = self.locks.held(context.thread);
        for access in accesses {
            let mark = Mark {
                number: access.number,
                point: now.point,
                thread: context.thread,
                event: context.event,
                stack: context.stack,
                value: access.value,
                source: access.source,
                locks,
            };
            let cell = self.cells.cell(access.location);
            if cell.repeats(group, &mark, access.is_write) {
                continue;
            }
            let together = stream.orders_events();
            let asked = cells::Asked { stream, now: &now, locks: &self.locks, together };
            cell.access(&asked, (group, mark, access.is_write), &mut self.found, &mut self.window);
            if !self.found.is_empty() {
                self.report(stream, &now, (access.location, mark, access.is_write));
            }
        }
    }

    fn report(
        &mut self,
        stream: &mut Stream,
        now: &Now,
        (location, second, second_writes): (LocationId, Mark, bool),
    ) {
        let is_final = stream.is_final(now);
        for Compared { first, first_writes, together } in self.found.drain(..) {
            let found = Found {
                location,
                first,
                first_writes,
                second,
                second_writes,
                lock_protected: !together && !self.locks.disjoint(first.locks, second.locks),
                separately_locked: !together && self.locks.separate(first.locks, second.locks),
                moment: stream.keep(*now),
            };
            if is_final { &mut self.ready } else { &mut self.pending }.push(found);
        }
    }

    /// Judges again the pairs whose verdicts may have become final.
    pub fn settle(&mut self, stream: &mut Stream) {
        let pending = std::mem::take(&mut self.pending);
        for found in pending {
            let now = stream.kept(found.moment);
            if stream.covers(&now, found.first.point) {
                self.withdrawn += 1;
                stream.release(found.moment);
            } else if stream.is_final(&now) {
                self.ready.push(found);
            } else {
                self.pending.push(found);
            }
        }
    }

    /// Takes the races whose verdicts became final.
    pub fn take(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.ready)
    }

    /// How many verdicts are not final.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// How many pairs were found unordered first, and ordered when their verdict became final.
    pub fn withdrawn(&self) -> u64 {
        self.withdrawn
    }

    /// What the window decided and dropped.
    pub fn window(&self) -> WindowCounts {
        self.window
    }

    /// About how many bytes the frontiers take.
    pub fn bytes(&self) -> usize {
        self.cells.bytes()
    }
}
