//! What the blocks of a file declare, kept while the file is read once, and excerpts made with it.
//!
//! A reader that keeps no operations still needs names, source positions and stacks for the few that it
//! reports. It passes every batch to [`Declared`], and at the end the operations of the excerpt.
//!
//! Memory: that of the names, without those of messages that the reader forgets. An excerpt takes memory
//! for the messages and locations that it shows only; they have ids of their own there.

use trace::{
    Attributes, Diagnostic, EventId, Frame, Id, LocationId, NameTables, Names, Op, ProcessId,
    StackId, ThreadId, Trace, TraceBuilder,
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

/// Some operations of a file as a trace.
pub struct Excerpt {
    /// The trace. Its operations have the numbers that they have in the file.
    pub trace: Trace,
    /// The messages and locations that the trace shows.
    pub shown: Shown,
}

/// The messages and locations of a file that an excerpt shows. In the excerpt, an id is an index here.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The messages, ascending.
    pub events: Vec<EventId>,
    /// The locations, ascending.
    pub locations: Vec<LocationId>,
}

impl Shown {
    fn of(operations: &[Excerpted]) -> Self {
        let mut shown = Self::default();
        for operation in operations {
            match operation.op {
                Op::Enqueue(enqueue) => shown.events.push(enqueue.event),
                Op::EnqueueEnd(event) | Op::Remove(event) | Op::Begin(event) | Op::End(event) => {
                    shown.events.push(event);
                }
                Op::Arc(from, to) => shown.events.extend([from, to]),
                Op::Read(location) | Op::Write(location) => shown.locations.push(location),
                _ => {}
            }
        }
        shown.events.sort_unstable();
        shown.events.dedup();
        shown.locations.sort_unstable();
        shown.locations.dedup();
        shown
    }

    /// The id of a message of the file in the excerpt; none if the excerpt does not show it.
    pub fn event(&self, event: EventId) -> Option<EventId> {
        self.events.binary_search(&event).ok().map(EventId::new)
    }

    /// The id of a location of the file in the excerpt; none if the excerpt does not show it.
    pub fn location(&self, location: LocationId) -> Option<LocationId> {
        self.locations.binary_search(&location).ok().map(LocationId::new)
    }

    /// An operation with the ids of the excerpt.
    fn op(&self, op: Op) -> Op {
        let event = |event| self.event(event).expect("the excerpt shows it");
        let location = |location| self.location(location).expect("the excerpt shows it");
        match op {
            Op::Enqueue(mut enqueue) => {
                enqueue.event = event(enqueue.event);
                Op::Enqueue(enqueue)
            }
            Op::EnqueueEnd(of) => Op::EnqueueEnd(event(of)),
            Op::Remove(of) => Op::Remove(event(of)),
            Op::Begin(of) => Op::Begin(event(of)),
            Op::End(of) => Op::End(event(of)),
            Op::Arc(from, to) => Op::Arc(event(from), event(to)),
            Op::Read(at) => Op::Read(location(at)),
            Op::Write(at) => Op::Write(location(at)),
            other => other,
        }
    }
}

/// Returns the names of some ids. Names that were forgotten are made up, so that no two are equal.
fn names_of<I: Id>(ids: &[I], names: &Names<I>) -> Names<I> {
    let mut some: Names<I> = Names::default();
    for (row, &id) in ids.iter().enumerate() {
        let mut name = names.get(id).to_vec();
        while some.intern(&name).index() != row {
            name.extend_from_slice(format!("#{}", id.index()).as_bytes());
        }
    }
    some
}

/// The names, source positions and stacks of a file as far as it was read.
pub struct Declared {
    builder: TraceBuilder,
    replay: Replay,
    model: Option<Vec<u8>>,
    processes: Vec<(ThreadId, ProcessId)>,
    /// How many of `processes` were taken.
    taken: usize,
}

impl Default for Declared {
    fn default() -> Self {
        let mut builder = TraceBuilder::new();
        let replay = Replay::new(builder.names());
        Self { builder, replay, model: None, processes: Vec::new(), taken: 0 }
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
    pub fn take_processes(&mut self) -> &[(ThreadId, ProcessId)] {
        let taken = std::mem::replace(&mut self.taken, self.processes.len());
        &self.processes[taken..]
    }

    /// Forgets the name of a message that no excerpt will show.
    pub fn forget_event(&mut self, event: EventId) {
        self.builder.names().events.forget(event);
    }

    /// Returns the excerpt of some operations, sorted by number. What the excerpt leaves out is no
    /// anomaly, so none is reported.
    pub fn excerpt(&self, operations: &[Excerpted]) -> Excerpt {
        debug_assert!(operations.is_sorted_by_key(|operation| operation.number));
        let shown = Shown::of(operations);
        let mut builder = self.tables(&shown);
        for operation in operations {
            if operation.op.access().is_some() {
                let stack = operation.stack.map(|stack| self.stack(&mut builder, stack));
                builder.set_stack(operation.thread, stack);
            }
            let attributes = self.local(&mut builder, operation.attributes);
            builder.push(operation.thread, shown.op(operation.op), attributes);
        }
        let numbers = operations.iter().map(|operation| operation.number).collect();
        Excerpt { trace: builder.finish().0.excerpted(numbers), shown }
    }

    /// Returns a builder with the names, processes and kinds that an excerpt needs.
    fn tables(&self, shown: &Shown) -> TraceBuilder {
        let names = self.names();
        let mut builder = TraceBuilder::new();
        *builder.names() = NameTables {
            events: names_of(&shown.events, &names.events),
            locations: names_of(&shown.locations, &names.locations),
            ..names.clone()
        };
        if let Some(model) = &self.model {
            builder.set_model(model);
        }
        for &(thread, process) in &self.processes {
            builder.assign_process(thread, process);
        }
        for (row, &location) in shown.locations.iter().enumerate() {
            if let Some(kind) = self.builder.location_kind(location) {
                builder.set_location_kind(LocationId::new(row), kind);
            }
        }
        builder
    }

    /// Returns the attributes with the ids of the excerpt.
    fn local(&self, builder: &mut TraceBuilder, attributes: Attributes) -> Attributes {
        let source = self.replay.local(attributes).source;
        let source = source.map(|source| builder.source(self.builder.so_far().source(source)));
        Attributes { source, ..attributes }
    }

    /// Returns the builder's id of a stack of the file.
    fn stack(&self, builder: &mut TraceBuilder, stack: StackId) -> StackId {
        let mut frames = Vec::new();
        let mut at = Some(stack);
        while let Some(frame) = at.map(|at| self.replay.frames[at.index()]) {
            frames.push(frame);
            at = frame.parent;
        }
        let mut parent = None;
        for frame in frames.into_iter().rev() {
            let of_frame = Attributes { source: frame.source, ..Attributes::default() };
            let source = self.local(builder, of_frame).source;
            parent = Some(builder.frame(Frame { parent, source, ..frame }));
        }
        parent.expect("a stack has a frame")
    }
}
