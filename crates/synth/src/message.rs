//! Messages that wait in queues, and the steps of simulated code.

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
    /// The time at which the message is due, in milliseconds.
    pub(crate) when: i64,
    /// The strand of the event. None if the event is not certainly ordered with any other.
    pub(crate) strand: Option<StrandId>,
    /// Whether the event continues the chain of the event that posted it.
    pub(crate) continues_chain: bool,
    pub(crate) level: Level,
    pub(crate) body: Body,
    /// An object that the poster filled for the event, and the value of its first field.
    pub(crate) payload: Option<(Object, u8)>,
    /// The thread that waits for the end of the event.
    pub(crate) caller: Option<ThreadId>,
    /// The process of the poster.
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
    /// An event of no looper.
    Foreign,
}

/// The actions of an event.
pub(crate) enum Body {
    /// The usual actions of such events.
    Usual,
    /// These steps, followed by the usual actions.
    Then(Vec<Step>),
    /// Only these steps. The event counts as a part of the running scenario.
    Script(Vec<Step>),
    /// An event of a timer or an animation: its usual actions, and then the next post.
    Again { kind: Kind, period: i64 },
}

/// A step of simulated code.
pub(crate) enum Step {
    /// Makes so many accesses to objects that the code owns.
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
    /// Acquires a lock, makes accesses, and releases the lock.
    Locked,
    /// Hands an object over, by `notify`.
    HandOver,
    /// Takes an object that was handed over, by `wait`.
    TakeOver,
    /// Registers, invokes or unregisters a listener.
    Listen,
    /// Posts a message that is removed later, or removes one.
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
    /// Scripted: makes an access, and notes its number.
    Touch {
        location: LocationId,
        write: bool,
    },
    /// Scripted: makes the given post.
    Send(Box<Send>),
    /// Scripted: removes the message with this mark from its queue.
    Remove(Mark),
    /// Scripted: wakes the threads that await the mark. Not an operation.
    Signal(Mark),
    /// Scripted: waits until the mark was signalled. Not an operation.
    Await(Mark),
    Notify(HandleId),
    Wait(HandleId),
    Lock(LockId),
    Unlock(LockId),
    Register(CallbackId),
    Invoke(CallbackId),
    PostBarrier(BarrierId, QueueId),
    /// Scripted: forks a thread that performs these steps.
    Fork(ThreadId, Vec<Step>),
    /// Scripted: joins a thread, once it has ended.
    Join(ThreadId),
    /// Scripted: ends this part of the scenario. Not an operation.
    Over,
}

/// A name for a message or a moment within a scenario.
pub(crate) type Mark = u8;

/// The time at which a scripted message asks to be dispatched.
#[derive(Clone, Copy)]
pub(crate) enum When {
    Delay(i64),
    /// At the point in time so many milliseconds from now.
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
