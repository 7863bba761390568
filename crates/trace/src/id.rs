//! Dense ids: a table index that knows which table it belongs to.

use std::fmt;

/// A dense id: the index of a row in one table.
pub trait Id: Copy + Eq + Ord + fmt::Debug {
    /// The id of row `index`. Panics when the table has outgrown 32 bits.
    fn new(index: usize) -> Self;
    /// The index of the row that this id names.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl Id for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).ok().filter(|&i| i != u32::MAX).expect("table outgrew 32 bits"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "#{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// An operation: its position in the trace, from 0.
    OpId;
    /// A thread.
    ThreadId;
    /// A process.
    ProcessId;
    /// A message queue: a Looper's, a Binder's, or a pool's.
    QueueId;
    /// A message, and the event it becomes when it is dispatched.
    EventId;
    /// A handle, by which a `wait` names the `notify` that it waits for.
    HandleId;
    /// A lock.
    LockId;
    /// A registered callback.
    CallbackId;
    /// An event of the environment that is enabled, then triggered.
    EnvironmentId;
    /// A sync barrier posted to a queue.
    BarrierId;
    /// A memory location, real or logical.
    LocationId;
    /// A function.
    FunctionId;
    /// A call stack: a node in the tree of stacks.
    StackId;
    /// A position in a source file.
    SourceId;
    /// A free text: a value, an event type, a file name.
    TextId;
}
