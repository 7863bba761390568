//! The twelve tables of names, in the numbering of the format.

use trace::{
    BarrierId, CallbackId, EnvironmentId, EventId, FunctionId, HandleId, Id, LocationId, LockId,
    NameTables, Names, ProcessId, QueueId, TextId, ThreadId,
};

/// An id that stands for a name in one of the tables.
pub trait Named: Id {
    /// The table that has the names of these ids.
    const TABLE: NameTable;

    /// The names of these ids.
    fn table(names: &mut NameTables) -> &mut Names<Self>;
}

macro_rules! tables {
    ($($(#[$doc:meta])* $variant:ident = $tag:literal, $field:ident, $id:ident;)*) => {
        /// A table of names. Its discriminant is its tag in a tables block.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum NameTable { $($(#[$doc])* $variant = $tag),* }

        impl NameTable {
            /// Every table, in the order of the tags.
            pub(crate) const ALL: [Self; 12] = [$(Self::$variant),*];

            /// The number of names of this kind in `names`.
            pub(crate) fn len(self, names: &NameTables) -> usize {
                match self { $(Self::$variant => names.$field.len()),* }
            }

            /// Name `row` of this kind.
            pub(crate) fn get(self, names: &NameTables, row: usize) -> &[u8] {
                match self { $(Self::$variant => names.$field.get(Id::new(row))),* }
            }

            /// Interns a name of this kind, and returns its row.
            pub(crate) fn intern(self, names: &mut NameTables, name: &[u8]) -> usize {
                match self { $(Self::$variant => names.$field.intern(name).index()),* }
            }

            /// Truncates the names of this kind to the first `len`.
            pub(crate) fn truncate(self, names: &mut NameTables, len: usize) {
                match self { $(Self::$variant => names.$field.truncate(len)),* }
            }

            /// The table's name in reports.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($field)),* }
            }
        }

        $(impl Named for $id {
            const TABLE: NameTable = NameTable::$variant;

            fn table(names: &mut NameTables) -> &mut Names<Self> {
                &mut names.$field
            }
        })*
    };
}

tables! {
    /// Threads.
    Threads = 0, threads, ThreadId;
    /// Processes; row 0 is [`trace::DEFAULT_PROCESS`] in every file and never written.
    Processes = 1, processes, ProcessId;
    /// Queues.
    Queues = 2, queues, QueueId;
    /// Messages.
    Events = 3, events, EventId;
    /// Handles.
    Handles = 4, handles, HandleId;
    /// Locks.
    Locks = 5, locks, LockId;
    /// Callbacks.
    Callbacks = 6, callbacks, CallbackId;
    /// Environment events.
    Environment = 7, environment, EnvironmentId;
    /// Barriers.
    Barriers = 8, barriers, BarrierId;
    /// Locations.
    Locations = 9, locations, LocationId;
    /// Functions.
    Functions = 10, functions, FunctionId;
    /// Free texts.
    Texts = 11, texts, TextId;
}

impl NameTable {
    /// The table with a tag.
    pub(crate) fn from_tag(tag: u8) -> Option<Self> {
        Self::ALL.get(usize::from(tag)).copied()
    }
}
