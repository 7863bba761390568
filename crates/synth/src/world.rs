//! The simulated device: threads, queues, a clock, and the remaining plan.
//!
//! The device has one processor: a thread runs for a slice, then another. Every operation takes
//! simulated time, so times grow with the trace, and delays are exact.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::{self, Write};

use trace::{EventId, LocationId, Op, ProcessId, QueueId, ThreadId};

use crate::emit::{Emitter, Object};
use crate::message::{Body, Level, Step};
use crate::plan::{Left, Plan};
use crate::plant::Director;
use crate::queue::{Crew, MessageQueue};
use crate::shared::Shared;
use crate::strand::{StrandId, Strands};

/// The duration of an access in nanoseconds.
pub(crate) const ACCESS_TIME: u64 = 120;
/// The duration of any other operation in nanoseconds.
pub(crate) const SYNC_TIME: u64 = 2_500;
pub(crate) const MILLISECOND: u64 = 1_000_000;

/// The role of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Dispatches from a message queue.
    Looper(QueueId),
    /// One of the threads of a binder or an executor.
    Crew(QueueId),
    /// Works and posts until its quota is used up.
    Worker,
    /// Calls into the app from another process.
    Caller,
    /// Delivers input.
    Input,
    /// Delivers frames.
    Display,
    /// Performs only the steps of scenarios. No other thread is ordered with it.
    Island,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// The thread runs, or is in the list of ready threads.
    Ready,
    /// The thread waits for a message or for time to pass. It may be woken without a reason.
    Waiting,
    /// The thread waits until another thread unblocks it.
    Blocked,
    Ended,
}

/// The event a thread runs.
pub(crate) struct Open {
    pub(crate) event: EventId,
    pub(crate) queue: QueueId,
    pub(crate) caller: Option<ThreadId>,
    pub(crate) from: ProcessId,
    pub(crate) scripted: bool,
    /// The time of its begin.
    pub(crate) begun: u64,
    pub(crate) serial: bool,
}

/// The current activity of a thread, in an event or outside.
#[derive(Default)]
pub(crate) struct Activity {
    pub(crate) open: Option<Open>,
    pub(crate) strand: Option<StrandId>,
    pub(crate) level: Option<Level>,
    /// The objects that the activity works on.
    pub(crate) set: Vec<Object>,
    /// The function whose source positions its accesses carry.
    pub(crate) source: Option<usize>,
    pub(crate) function: usize,
    /// Whether an event that the activity posted continues its chain.
    pub(crate) continued: bool,
    /// Whether the activity makes posts besides those of the next FIFO level.
    pub(crate) hub: bool,
    /// Whether the activity is an event of a timer or an animation that has not posted its next
    /// event.
    pub(crate) is_timer: bool,
}

pub(crate) struct Thread {
    pub(crate) role: Role,
    pub(crate) process: ProcessId,
    pub(crate) status: Status,
    pub(crate) started: bool,
    /// The time at which the thread is woken, if it is in the future.
    pub(crate) alarm: u64,
    pub(crate) steps: VecDeque<Step>,
    pub(crate) now: Activity,
    /// The strand of the thread outside events.
    pub(crate) home: StrandId,
    /// Posts a worker may still make.
    pub(crate) quota: u64,
    /// The loopers a worker posts to.
    pub(crate) targets: [usize; 2],
}

pub(crate) enum Served {
    Looper { queue: MessageQueue, owner: ThreadId },
    Crew { crew: Crew, threads: Vec<ThreadId> },
}

pub(crate) struct World<W> {
    pub(crate) out: Emitter<W>,
    pub(crate) rng: fastrand::Rng,
    pub(crate) now: u64,
    pub(crate) plan: Plan,
    pub(crate) left: Left,
    pub(crate) threads: Vec<Thread>,
    pub(crate) queues: Vec<Served>,
    pub(crate) loopers: Vec<QueueId>,
    /// The binder of the app, and that of the system.
    pub(crate) binders: [QueueId; 2],
    pub(crate) pool: QueueId,
    pub(crate) ready: Vec<ThreadId>,
    pub(crate) timers: BinaryHeap<Reverse<(u64, ThreadId)>>,
    pub(crate) strands: Strands,
    pub(crate) shared: Shared,
    pub(crate) director: Director,
    /// The constants, which are written once before all other code runs, and then only read.
    pub(crate) constants: Object,
    pub(crate) tally: Tally,
    /// Messages posted and neither begun nor removed.
    pub(crate) pending: u64,
    /// The message posted last.
    pub(crate) last_sent: EventId,
    /// The number of workers that the next suitable activity starts.
    pub(crate) to_spawn: u32,
    pub(crate) workers_alive: u32,
    /// The number of workers started so far, and the planned number.
    pub(crate) workers: (u32, u32),
    pub(crate) processes: [ProcessId; 3],
}

/// The figures of the trace so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) looper_events: u64,
    pub(crate) binder_events: u64,
    pub(crate) pool_events: u64,
    pub(crate) levels: [u64; 3],
    pub(crate) chains: u64,
    pub(crate) hub_events: u64,
    pub(crate) timers: u64,
    pub(crate) animations: u64,
}

impl Tally {
    pub(crate) fn events(&self) -> u64 {
        self.looper_events + self.binder_events + self.pool_events
    }
}

impl<W: Write> World<W> {
    /// Writes an operation and advances the clock.
    pub(crate) fn op(&mut self, thread: ThreadId, op: Op) -> io::Result<()> {
        self.now += SYNC_TIME;
        self.out.op(thread, op, self.now)
    }

    /// The clock of message queues, in milliseconds.
    pub(crate) fn milliseconds(&self) -> i64 {
        (self.now / MILLISECOND).cast_signed()
    }

    pub(crate) fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.threads[thread.0 as usize]
    }

    pub(crate) fn served(&mut self, queue: QueueId) -> &mut Served {
        &mut self.queues[queue.0 as usize]
    }

    /// Adds a thread that has not started.
    pub(crate) fn add_thread(
        &mut self,
        name: &str,
        role: Role,
        process: ProcessId,
    ) -> io::Result<ThreadId> {
        let id = self.out.thread(name, process)?;
        assert_eq!(id.0 as usize, self.threads.len(), "threads have names of their own");
        let home = self.strands.alone(false);
        let loopers = self.loopers.len().max(1);
        let targets = [self.rng.usize(..loopers), self.rng.usize(..loopers)];
        self.threads.push(Thread {
            role,
            process,
            status: Status::Waiting,
            started: false,
            alarm: 0,
            steps: VecDeque::new(),
            now: Activity::default(),
            home,
            quota: 0,
            targets,
        });
        Ok(id)
    }

    pub(crate) fn make_ready(&mut self, thread: ThreadId) {
        let state = self.thread(thread);
        if state.status == Status::Waiting {
            state.status = Status::Ready;
            self.ready.push(thread);
        }
    }

    /// Lets a blocked thread go on.
    pub(crate) fn unblock(&mut self, thread: ThreadId) {
        let state = self.thread(thread);
        if state.status == Status::Blocked {
            state.status = Status::Waiting;
            self.make_ready(thread);
        }
    }

    /// Wakes a thread that serves a queue.
    pub(crate) fn wake(&mut self, queue: QueueId) {
        let servants = match self.served(queue) {
            Served::Looper { owner, .. } => vec![*owner],
            Served::Crew { threads, .. } => threads.clone(),
        };
        for thread in servants {
            let idle = self.threads[thread.0 as usize].now.open.is_none();
            if idle {
                self.make_ready(thread);
            }
        }
    }

    /// How many messages wait in a queue.
    pub(crate) fn backlog(&self, queue: QueueId) -> usize {
        match &self.queues[queue.0 as usize] {
            Served::Looper { queue, .. } => queue.len(),
            Served::Crew { crew, .. } => crew.len(),
        }
    }

    /// Makes a planted access, and notes its number.
    pub(crate) fn touch(
        &mut self,
        thread: ThreadId,
        at: LocationId,
        write: bool,
    ) -> io::Result<()> {
        let number = self.out.next_number();
        let begun = self.thread(thread).now.open.as_ref().map(|open| open.begun);
        let task = begun.unwrap_or(self.out.last_at);
        self.director.note(at, number, task);
        self.now += ACCESS_TIME;
        let value = if write { self.rng.u8(..) } else { 0 };
        let place = (at.0 as usize, u32::from(write));
        self.out.sourced(thread, at, write, place, write.then_some(value))
    }
}

impl Body {
    pub(crate) fn is_scripted(&self) -> bool {
        matches!(self, Self::Script(_))
    }
}
