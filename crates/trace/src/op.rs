//! The operations of a trace: one language for all the platforms.

use crate::id::{
    BarrierId, CallbackId, EnvironmentId, EventId, FunctionId, HandleId, LocationId, LockId,
    QueueId, SourceId, TextId, ThreadId,
};

/// How and when a message asks to be dispatched (the papers' message type).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Posting {
    /// After a delay; a plain message has delay 0.
    Delayed(i64),
    /// At a point in time.
    AtTime(i64),
    /// At the front of the queue.
    Front,
    /// When the queue has nothing else to do.
    Idle,
    /// User input, delivered by native code.
    Input,
    /// A frame of the display, delivered by native code.
    Display,
    /// Inter-process communication.
    Ipc,
}

/// A message put into a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Enqueue {
    /// The message.
    pub event: EventId,
    /// The queue it goes to.
    pub queue: QueueId,
    /// How it asks to be dispatched.
    pub posting: Posting,
    /// May overtake ordinary messages while a barrier stands (EventRacer Android calls this *barrier*).
    pub is_async: bool,
    /// The sender blocks until the message was processed (inter-process calls only).
    pub sync: bool,
}

/// One operation, without its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The first operation of a thread.
    Init,
    /// The last operation of a thread.
    Exit,
    /// Starts a thread.
    Fork(ThreadId),
    /// Waits for a thread to finish.
    Join(ThreadId),
    /// Wakes whoever waits on the handle.
    Notify(HandleId),
    /// Resumes after a notification of the handle.
    Wait(HandleId),
    /// Acquires a lock.
    Lock(LockId),
    /// Releases a lock.
    Unlock(LockId),
    /// The thread becomes the owner of a queue, which makes it a Looper's.
    Attach(QueueId),
    /// The owner starts to dispatch from the queue.
    Loop(QueueId),
    /// Posts a message.
    Enqueue(Enqueue),
    /// A blocking enqueue returned.
    EnqueueEnd(EventId),
    /// Takes a message out of its queue.
    Remove(EventId),
    /// A message is dispatched: the event starts.
    Begin(EventId),
    /// The event ends.
    End(EventId),
    /// Posts a sync barrier, which holds back ordinary messages.
    PostBarrier(BarrierId, QueueId),
    /// Takes the barrier away.
    RemoveBarrier(BarrierId),
    /// Registers a callback.
    Register(CallbackId),
    /// Calls it.
    Invoke {
        /// The callback.
        callback: CallbackId,
        /// Whether the caller waits for it.
        sync: bool,
    },
    /// Takes the callback back.
    Unregister(CallbackId),
    /// From here on the environment may trigger the event.
    Enable(EnvironmentId),
    /// The environment triggered it.
    Trigger(EnvironmentId),
    /// States that one event happens before another.
    Arc(EventId, EventId),
    /// Reads a location.
    Read(LocationId),
    /// Writes a location.
    Write(LocationId),
    /// Enters a function.
    Enter(FunctionId),
    /// Leaves the function entered last.
    Leave,
}

impl Op {
    /// The location read or written, and whether it is written.
    pub fn access(self) -> Option<(LocationId, bool)> {
        match self {
            Self::Read(location) => Some((location, false)),
            Self::Write(location) => Some((location, true)),
            _ => None,
        }
    }
}

/// Whose code a function or location belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provenance {
    /// The program under analysis.
    User,
    /// The platform it runs on.
    Framework,
}

/// What an operation may carry besides its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Nanoseconds since the start.
    pub at: Option<u64>,
    /// The value read or written.
    pub value: Option<TextId>,
    /// Where in the source it stands.
    pub source: Option<SourceId>,
    /// The kind of event a `begin` starts (click, timer, …), or of order an `arc` states (load, …).
    pub event_type: Option<TextId>,
    /// A name for people of the event a `begin` starts.
    pub event_name: Option<TextId>,
    /// Whose function an `enter` enters.
    pub provenance: Option<Provenance>,
    /// The id in the log the operation was imported from.
    pub source_id: Option<u64>,
}
