//! Messages on their way, and the steps code is made of.

use trace::{
    BarrierId, CallbackId, EventId, HandleId, LocationId, LockId, Posting, ProcessId, QueueId,
    ThreadId,
};

use crate::emit::Object;
use crate::plan::Kind;
use crate::strand::StrandId;

/// A message that was posted and not dispatched.
pub(crate) struct Message {
    pub(crate) event: EventId,
    pub(crate) posting: Posting,
    pub(crate) is_async: bool,
    /// When it is due, in milliseconds.
    pub(crate) when: i64,
    /// The totally ordered events it is one of; none if it is ordered with no other for sure.
    pub(crate) strand: Option<StrandId>,
    /// It goes on with the chain of the event that posted it.
    pub(crate) continues_chain: bool,
    pub(crate) level: Level,
    pub(crate) body: Body,
    /// An object its poster filled for it, and the value of the first field.
    pub(crate) payload: Option<(Object, u8)>,
    /// Who waits for its end.
    pub(crate) caller: Option<ThreadId>,
    /// The process it comes from.
    pub(crate) from: ProcessId,
}

/// AsyncClock's FIFO levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// A thread, outside events.
    Thread,
    /// A FIFO event, 1 to 3.
    Fifo(u8),
    /// Any other event of a looper.
    Other,
    /// No event of a looper.
    Foreign,
}

/// What an event does.
pub(crate) enum Body {
    /// What such events do.
    Usual,
    /// What it is told, first and besides.
    Then(Vec<Step>),
    /// What it is told, and nothing else. Counts as a part of the scenario that runs.
    Script(Vec<Step>),
    /// An event of a timer or an animation: what such events do, and then the next post.
    Again { kind: Kind, period: i64 },
}

/// A thing code does.
pub(crate) enum Step {
    /// So many accesses to what the code owns.
    Work(u32),
    /// Posts to a looper or pool.
    Post(Kind),
    /// Posts the next event of the timer or animation whose event runs.
    Again(Kind, i64),
    /// Delivers input or a frame.
    Deliver(Kind),
    /// Calls into another process.
    Call {
        sync: bool,
    },
    /// Takes a lock, touches something, releases it.
    Locked,
    /// Hands an object to whoever takes it, by `notify`.
    HandOver,
    /// Takes what was handed over, by `wait`.
    TakeOver,
    /// Registers, invokes or unregisters a listener.
    Listen,
    /// Posts a message and takes it out again later.
    Removal,
    /// Starts a worker.
    Spawn,
    /// Joins a worker that has ended.
    Reap,
    /// Enters a function.
    Enter(usize),
    Leave,
    EnqueueEnd(EventId),
    RemoveBarrier(BarrierId),
    /// Does nothing for so many nanoseconds.
    Sleep(u64),
    /// Ends the thread.
    Exit,
    /// Scripted: an access whose number is noted.
    Touch {
        location: LocationId,
        write: bool,
    },
    /// Scripted: posts what is told.
    Send(Box<Send>),
    /// Scripted: takes the message sent under this mark out of its queue.
    Remove(Mark),
    /// Scripted: tells those who await the mark. Not an operation.
    Signal(Mark),
    /// Scripted: goes on when the mark was signalled. Not an operation.
    Await(Mark),
    Notify(HandleId),
    Wait(HandleId),
    Lock(LockId),
    Unlock(LockId),
    Register(CallbackId),
    Invoke(CallbackId),
    PostBarrier(BarrierId, QueueId),
    /// Scripted: forks a thread that does these steps.
    Fork(ThreadId, Vec<Step>),
    /// Scripted: joins a thread, once it has ended.
    Join(ThreadId),
    /// Scripted: this part of the scenario is over. Not an operation.
    Over,
}

/// A name for a message or a moment within a scenario.
pub(crate) type Mark = u8;

/// When a scripted message asks to be dispatched.
#[derive(Clone, Copy)]
pub(crate) enum When {
    Delay(i64),
    /// At a point in time so many milliseconds from now.
    In(i64),
    Front,
    Idle,
    Input,
    Ipc,
}

/// A scripted post.
pub(crate) struct Send {
    pub(crate) mark: Option<Mark>,
    pub(crate) queue: QueueId,
    pub(crate) when: When,
    pub(crate) is_async: bool,
    pub(crate) sync: bool,
    pub(crate) body: Vec<Step>,
}
