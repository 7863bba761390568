//! The operations of a trace, in one language for all platforms.

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
    /// Whether the message may overtake ordinary messages while a sync barrier is posted
    /// (EventRacer Android calls this *barrier*).
    pub is_async: bool,
    /// Whether the sender blocks until the message was processed (inter-process calls only).
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
    /// Wakes the threads that wait on the handle.
    Notify(HandleId),
    /// Resumes after a notification of the handle.
    Wait(HandleId),
    /// Acquires a lock.
    Lock(LockId),
    /// Releases a lock.
    Unlock(LockId),
    /// Makes the thread the owner of a queue, which makes the queue a Looper's.
    Attach(QueueId),
    /// The owner of the queue starts to dispatch from it.
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
    /// Removes a sync barrier from its queue.
    RemoveBarrier(BarrierId),
    /// Registers a callback.
    Register(CallbackId),
    /// Calls a registered callback.
    Invoke {
        /// The callback.
        callback: CallbackId,
        /// Whether the caller waits until the callback returns.
        sync: bool,
    },
    /// Ends the registration of a callback.
    Unregister(CallbackId),
    /// Allows the environment to trigger an event from here on.
    Enable(EnvironmentId),
    /// The environment triggers an event.
    Trigger(EnvironmentId),
    /// States that one event happens before another.
    Arc(EventId, EventId),
    /// Reads a location.
    Read(LocationId),
    /// Writes a location.
    Write(LocationId),
    /// Enters a function.
    Enter(FunctionId),
    /// Leaves the function that the thread entered last.
    Leave,
}

impl Op {
    /// The location that this operation reads or writes, and whether it writes it. None for
    /// operations that are no access.
    pub fn access(self) -> Option<(LocationId, bool)> {
        match self {
            Self::Read(location) => Some((location, false)),
            Self::Write(location) => Some((location, true)),
            _ => None,
        }
    }

    /// The operation as a trace stores it: without flags that contradict the rest of it
    /// ([`crate::anomaly::SYNC_WITHOUT_IPC`]).
    #[must_use]
    pub fn normalised(self) -> Self {
        match self {
            Self::Enqueue(enqueue) if enqueue.posting != Posting::Ipc => {
                Self::Enqueue(Enqueue { sync: false, ..enqueue })
            }
            op => op,
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

/// The optional data that an operation carries besides its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The time of the operation, in nanoseconds since the start of the recording.
    pub at: Option<u64>,
    /// The value read or written.
    pub value: Option<TextId>,
    /// The operation's position in the source code.
    pub source: Option<SourceId>,
    /// The type of the event that a `begin` starts (click, timer, …), or of the order that an `arc`
    /// states (load, …).
    pub event_type: Option<TextId>,
    /// A readable name of the event that a `begin` starts.
    pub event_name: Option<TextId>,
    /// The provenance of the function that an `enter` enters.
    pub provenance: Option<Provenance>,
    /// The operation's id in the log that it was imported from.
    pub source_id: Option<u64>,
}
