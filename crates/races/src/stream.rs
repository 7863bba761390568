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
//! Accesses are compared in batches. While the operations of a batch that synchronise are passed,
//! [`Detector::enter`] keeps the moment of every run of accesses; then [`Detector::compare`] compares the
//! accesses of all runs with those before them. Locations are independent of each other, so they are
//! divided among *lanes*, each of which is a thread (`lanes`). The result does not depend on how many
//! there are, nor on where a batch ends.
//!
//! Cost: a cell of 72 bytes for each location, and what the frontier holds besides; for an access that
//! repeats one of its run a test, for others a comparison or two, which ask a clock at most once for each
//! chain and run.

mod cells;
mod lanes;
mod locks;
mod runs;

use order::{KeptId, Point, Row, Stream};
use trace::{EventId, Id, LocationId, Op, SourceId, StackId, TextId, ThreadId};

use cells::{Entry, LAST_RUN, NO_LOOPER};
pub use lanes::Accesses;
use lanes::{Asked, Lane, Raced};
pub use locks::LocksetId;
use locks::Locksets;
use runs::{Run, RunId, Runs};

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

/// A run of accesses that are not compared yet.
struct Moment {
    kept: KeptId,
    /// Whether the moment was kept for this run, and not for another one of its task.
    is_own: bool,
    point: Point,
    group: u32,
    run: RunId,
    locks: LocksetId,
}

/// The races of a trace that is read once.
pub struct Detector {
    lanes: Vec<Lane>,
    locks: Locksets,
    runs: Runs,
    /// The runs that were entered since accesses were last compared.
    moments: Vec<Moment>,
    /// For each thread, the last of these runs and the number of runs entered before it.
    latest: Vec<(RunId, usize)>,
    /// Pairs whose verdict is not final.
    pending: Vec<Found>,
    /// Pairs that are final and were not taken yet.
    ready: Vec<Found>,
    /// How many pairs were found unordered first and ordered when their verdict became final.
    withdrawn: u64,
}

impl Default for Detector {
    fn default() -> Self {
        Self::new(1)
    }
}

/// The accesses of one run.
struct OneRun {
    accesses: Vec<Accessed>,
    locations: Vec<LocationId>,
}

impl Accesses for OneRun {
    fn len(&self) -> usize {
        self.accesses.len()
    }

    fn locations(&self, _: usize) -> &[LocationId] {
        &self.locations
    }

    fn get(&self, _: usize, at: usize) -> Accessed {
        self.accesses[at]
    }
}

impl Detector {
    /// Returns a detector with at most so many lanes.
    pub fn new(lanes: usize) -> Self {
        Self {
            lanes: Lane::several(lanes),
            locks: Locksets::default(),
            runs: Runs::default(),
            moments: Vec::new(),
            latest: Vec::new(),
            pending: Vec::new(),
            ready: Vec::new(),
            withdrawn: 0,
        }
    }

    /// Notes an operation that synchronises: the locks that threads hold.
    pub fn pass(&mut self, row: &Row) {
        if matches!(row.op, Op::Lock(_) | Op::Unlock(_)) {
            self.locks.advance(row.thread, row.op);
        }
    }

    /// Notes that a run of accesses stands here.
    pub fn enter(&mut self, stream: &mut Stream, context: Context) {
        let now = stream.now(context.thread, context.event);
        let locks = self.locks.held(context.thread);
        let run = self.runs.add(Run { context, point: now.point, locks });
        assert!(run <= LAST_RUN, "a trace with fewer than 2³² operations has fewer runs");
        let thread = context.thread.index();
        if self.latest.len() <= thread {
            self.latest.resize(thread + 1, (RunId::MAX, 0));
        }
        let first = self.moments.first().map_or(run, |moment| moment.run);
        let (latest, index) =
            std::mem::replace(&mut self.latest[thread], (run, self.moments.len()));
        let earlier = (first..run).contains(&latest).then(|| self.moments[index].kept);
        let same = earlier.filter(|&kept| stream.kept(kept).knows_as_much(&now));
        self.moments.push(Moment {
            kept: same.unwrap_or_else(|| stream.keep(now)),
            is_own: same.is_none(),
            point: now.point,
            group: stream.looper(context.event).map_or(NO_LOOPER, |queue| queue.0),
            run,
            locks,
        });
    }

    /// Compares the accesses of a run, which stands here, with those before them.
    pub fn run(
        &mut self,
        stream: &mut Stream,
        context: Context,
        accesses: impl Iterator<Item = Accessed>,
    ) {
        self.enter(stream, context);
        let accesses: Vec<Accessed> = accesses.collect();
        let locations = accesses.iter().map(|access| access.location).collect();
        self.compare(stream, &OneRun { accesses, locations });
    }

    /// Compares the accesses of the runs that were entered since the last call with those before them.
    pub fn compare(&mut self, stream: &mut Stream, accesses: &impl Accesses) {
        let moments = std::mem::take(&mut self.moments);
        let nows: Vec<_> = moments.iter().map(|moment| stream.kept(moment.kept)).collect();
        let together = stream.orders_events();
        let shared: &Stream = stream;
        let asked = moments.iter().zip(nows).map(|(moment, now)| Asked {
            stream: shared,
            now: now.at(moment.point),
            group: moment.group,
            run: moment.run,
            locks: moment.locks,
            runs: &self.runs,
            locksets: &self.locks,
            together,
        });
        let asked: Vec<Asked<'_>> = asked.collect();
        let raced = lanes::compare(&mut self.lanes, &asked, accesses);
        for raced in raced {
            let moment = stream.kept(moments[raced.run].kept);
            let kept = stream.keep(moment);
            match self.found(raced, &moments, kept) {
                Some(found) => self.pending.push(found),
                None => stream.release(kept),
            }
        }
        for moment in moments.iter().filter(|moment| moment.is_own) {
            stream.release(moment.kept);
        }
        stream.start_dropping();
        self.runs.forget(stream);
        if stream.has_window() {
            self.lanes.iter_mut().for_each(|lane| lane.drop_old(stream));
        }
        self.settle(stream);
    }

    /// Returns a race that a lane found; none if the window dropped its first access.
    fn found(&self, raced: Raced, moments: &[Moment], kept: KeptId) -> Option<Found> {
        let Raced { pair, run, second } = raced;
        let first_run = self.runs.get(pair.first.run())?;
        let second_run = self.runs.get(moments[run].run)?;
        let entry = pair.first;
        let first = entry.mark(first_run);
        let (number, value, source) = (second.number, second.value, second.source);
        let second_mark = Mark { number, value, source, ..mark(moments[run].point, second_run) };
        let (a, b) = (first.locks, second_mark.locks);
        Some(Found {
            location: second.location,
            first,
            first_writes: pair.first_writes,
            second: second_mark,
            second_writes: second.is_write,
            lock_protected: !pair.together && !self.locks.disjoint(a, b),
            separately_locked: !pair.together && self.locks.separate(a, b),
            moment: kept,
        })
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
        let counts = self.lanes.iter().map(|lane| lane.comparison.window);
        counts.fold(WindowCounts::default(), |all, lane| WindowCounts {
            decided: all.decided + lane.decided,
            dropped: all.dropped + lane.dropped,
        })
    }

    /// About how many bytes the frontiers take.
    pub fn bytes(&self) -> usize {
        self.lanes.iter().map(Lane::bytes).sum::<usize>() + self.runs.bytes()
    }
}

/// An access of a run, without what its row says.
fn mark(point: Point, run: &Run) -> Mark {
    let Context { thread, event, stack } = run.context;
    Mark { number: 0, point, thread, event, stack, value: None, source: None, locks: run.locks }
}

impl Entry {
    /// The access, as a race names it.
    fn mark(&self, run: &Run) -> Mark {
        Mark {
            number: u64::from(self.number),
            value: self.value().map(TextId),
            source: self.source().map(SourceId),
            ..mark(self.point, run)
        }
    }
}
