//! What the blocks of a file declare, kept while the file is read once, and excerpts made with it.
//!
//! A reader that keeps no operations still needs names, source positions and stacks for the few that it
//! reports. It passes every batch to [`Declared`], and at the end the operations of the excerpt.
//!
//! Memory: that of the names.

use trace::{
    Attributes, Diagnostic, Frame, Id, NameTables, Op, ProcessId, StackId, ThreadId, Trace,
    TraceBuilder,
};

use super::batch::Batch;
use super::replay::{Halt, Replay};
use super::tables::{Declaration, Declarations};

/// An operation of an excerpt, with the ids that it has in the file.
#[derive(Clone, Copy, Debug)]
pub struct Excerpted {
    /// The number of the operation in the file.
    pub number: u32,
    /// The thread.
    pub thread: ThreadId,
    /// The operation.
    pub op: Op,
    /// The operation's attributes.
    pub attributes: Attributes,
    /// The call stack.
    pub stack: Option<StackId>,
}

/// The names, source positions and stacks of a file as far as it was read.
#[derive(Clone)]
pub struct Declared {
    builder: TraceBuilder,
    replay: Replay,
    model: Option<Vec<u8>>,
    processes: Vec<(ThreadId, ProcessId)>,
}

impl Default for Declared {
    fn default() -> Self {
        let mut builder = TraceBuilder::new();
        let replay = Replay::new(builder.names());
        Self { builder, replay, model: None, processes: Vec::new() }
    }
}

impl Declared {
    /// Keeps what a batch declares. Fails if it contradicts what was declared before.
    pub fn absorb(&mut self, batch: &Batch) -> Result<(), Diagnostic> {
        for declaration in batch.declarations.iter().flat_map(Declarations::iter) {
            match declaration {
                Declaration::Model(text) => {
                    self.model = Some(self.names().texts.get(text).to_vec());
                }
                Declaration::Process(thread, process) => self.processes.push((thread, process)),
                _ => {}
            }
            self.replay.declare(declaration, &mut self.builder).map_err(Halt::loss)?;
        }
        Ok(())
    }

    /// The names so far.
    pub fn names(&self) -> &NameTables {
        self.builder.so_far().names()
    }

    /// The happens-before model that the file asks for.
    pub fn model(&self) -> Option<&[u8]> {
        self.model.as_deref()
    }

    /// Takes the threads that were put into processes since this was last asked.
    pub fn take_processes(&mut self) -> Vec<(ThreadId, ProcessId)> {
        std::mem::take(&mut self.processes)
    }

    /// Returns the excerpt of some operations, sorted by number. What the excerpt leaves out is no
    /// anomaly, so none is reported.
    pub fn excerpt(self, operations: &[Excerpted]) -> Trace {
        debug_assert!(operations.is_sorted_by_key(|operation| operation.number));
        let Self { mut builder, replay, .. } = self;
        for operation in operations {
            let stack = operation.stack.map(|stack| stack_of(&replay, &mut builder, stack));
            if operation.op.access().is_some() {
                builder.set_stack(operation.thread, stack);
            }
            let attributes = replay.local(operation.attributes);
            builder.push(operation.thread, operation.op, attributes);
        }
        let numbers = operations.iter().map(|operation| operation.number).collect();
        builder.finish().0.excerpted(numbers)
    }
}

/// Returns the builder's id of a stack of the file.
fn stack_of(replay: &Replay, builder: &mut TraceBuilder, stack: StackId) -> StackId {
    let mut frames = Vec::new();
    let mut at = Some(stack);
    while let Some(frame) = at.map(|at| replay.frames[at.index()]) {
        frames.push(frame);
        at = frame.parent;
    }
    let mut parent = None;
    for frame in frames.into_iter().rev() {
        let source =
            replay.local(Attributes { source: frame.source, ..Attributes::default() }).source;
        parent = Some(builder.frame(Frame { parent, source, ..frame }));
    }
    parent.expect("a stack has a frame")
}
