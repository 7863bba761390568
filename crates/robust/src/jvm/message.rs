//! The messages of the Java program: one JSON object a line.

use serde::Deserialize;

use super::{Event, Statistics};

/// A message.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Message {
    /// What the driver declared. Comes first.
    Driver { events: Vec<Event> },
    /// A run that may violate a criterion. Expects a reply.
    Candidate {
        criterion: CriterionName,
        /// The task, the site and the location of the pivot.
        pivot: (usize, u32, u32),
        #[serde(flatten)]
        run: RunMessage,
    },
    /// What happened on threads. Expects a reply.
    Replayed {
        #[serde(flatten)]
        run: RunMessage,
    },
    /// The exploration goes on.
    Progress { runs: u64, bound: u64 },
    /// The exploration cannot go on, for a reason that the user can change.
    Failed { message: String },
    /// The exploration is over.
    Done { statistics: Statistics, reasons: Vec<String>, remarks: Vec<String> },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CriterionName {
    Determinism,
    Serializability,
}

/// The operations of a run.
#[derive(Debug, Deserialize)]
pub(super) struct RunMessage {
    pub(super) tasks: Vec<TaskMessage>,
    /// A task, the kind of operation, and up to two operands.
    pub(super) ops: Vec<(usize, OpKind, u32, u32)>,
    pub(super) sites: Vec<SiteMessage>,
    /// The names of the locations that were accessed.
    pub(super) cells: Vec<(u32, String)>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TaskMessage {
    pub(super) event: usize,
    pub(super) path: Vec<u16>,
    pub(super) main: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OpKind {
    Begin,
    Post,
    Access,
    /// An access in the same step as the operation of the task before it.
    Also,
    Acquire,
    Release,
    End,
}

#[derive(Debug, Deserialize)]
pub(super) struct SiteMessage {
    pub(super) id: u32,
    pub(super) method: String,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) write: bool,
}
