//! Turns the rows of a file back into declarations and operations, for a trace in memory or for
//! another file.

use std::io::{self, Write};

use trace::{
    Attributes, Diagnostic, Escaped, Frame, Id, LocationId, LocationKind, NameTables, Op, Place,
    ProcessId, Source, SourceId, ThreadId, TraceBuilder,
};

use super::anomaly;
use super::batch::{Batch, Step};
use super::name_table::NameTable;
use super::rows::{Call, CallRow, Run};
use super::tables::{Declaration, Declarations};
use super::writer::Writer;

/// A receiver of declarations and operations. A trace in memory takes everything; a file may not.
pub(super) trait Sink {
    fn names(&mut self) -> &mut NameTables;
    fn source(&mut self, source: Source) -> SourceId;
    fn set_model(&mut self, model: &[u8]) -> io::Result<()>;
    fn assign_process(&mut self, thread: ThreadId, process: ProcessId) -> io::Result<()>;
    fn set_location_kind(&mut self, at: LocationId, kind: LocationKind) -> io::Result<()>;
    fn push(&mut self, thread: ThreadId, op: Op, attributes: Attributes) -> io::Result<()>;

    /// Appends accesses without attributes.
    fn push_accesses(
        &mut self,
        thread: ThreadId,
        accesses: impl ExactSizeIterator<Item = (LocationId, bool)>,
    ) -> io::Result<()>;
}

impl Sink for TraceBuilder {
    fn names(&mut self) -> &mut NameTables {
        self.names()
    }

    fn source(&mut self, source: Source) -> SourceId {
        self.source(source)
    }

    fn set_model(&mut self, model: &[u8]) -> io::Result<()> {
        self.set_model(model);
        Ok(())
    }

    fn assign_process(&mut self, thread: ThreadId, process: ProcessId) -> io::Result<()> {
        self.assign_process(thread, process);
        Ok(())
    }

    fn set_location_kind(&mut self, at: LocationId, kind: LocationKind) -> io::Result<()> {
        self.set_location_kind(at, kind);
        Ok(())
    }

    fn push(&mut self, thread: ThreadId, op: Op, attributes: Attributes) -> io::Result<()> {
        self.push(thread, op, attributes);
        Ok(())
    }

    fn push_accesses(
        &mut self,
        thread: ThreadId,
        accesses: impl ExactSizeIterator<Item = (LocationId, bool)>,
    ) -> io::Result<()> {
        self.push_accesses(thread, accesses);
        Ok(())
    }
}

impl<W: Write> Sink for Writer<W> {
    fn names(&mut self) -> &mut NameTables {
        self.names()
    }

    fn source(&mut self, source: Source) -> SourceId {
        self.source(source)
    }

    fn set_model(&mut self, model: &[u8]) -> io::Result<()> {
        self.set_model(model)
    }

    fn assign_process(&mut self, thread: ThreadId, process: ProcessId) -> io::Result<()> {
        self.assign_process(thread, process)
    }

    fn set_location_kind(&mut self, at: LocationId, kind: LocationKind) -> io::Result<()> {
        self.set_location_kind(at, kind)
    }

    fn push(&mut self, thread: ThreadId, op: Op, attributes: Attributes) -> io::Result<()> {
        self.push(thread, op.normalised(), attributes)
    }

    fn push_accesses(
        &mut self,
        thread: ThreadId,
        mut accesses: impl ExactSizeIterator<Item = (LocationId, bool)>,
    ) -> io::Result<()> {
        accesses.try_for_each(|(location, write)| self.access(thread, location, write))
    }
}

/// Why a replay ends before the file does.
#[derive(Debug)]
pub(super) enum Halt {
    /// The file contradicts itself, or is too long.
    Loss(Diagnostic),
    /// The sink failed.
    Sink(io::Error),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Sink(error)
    }
}

impl Halt {
    /// Returns why a replay into memory ended. Memory takes everything.
    pub(super) fn loss(self) -> Diagnostic {
        match self {
            Self::Loss(loss) => loss,
            Self::Sink(error) => unreachable!("memory takes everything: {error}"),
        }
    }
}

/// The state of a replay.
#[derive(Clone)]
pub(super) struct Replay {
    /// The number of names of each table that were read. The sink may already have later ones.
    pub(super) declared: [usize; NameTable::ALL.len()],
    /// The sink's id of each source position of the file, which may repeat a position.
    sources: Vec<SourceId>,
    pub(super) frames: Vec<Frame>,
    /// How many operations of the file were passed.
    passed: u64,
}

impl Replay {
    /// Starts a replay into a sink with these names.
    pub(super) fn new(names: &NameTables) -> Self {
        let declared = NameTable::ALL.map(|table| table.len(names));
        Self { declared, sources: Vec::new(), frames: Vec::new(), passed: 0 }
    }

    /// The number of operations that were passed on.
    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    /// Passes on the declarations of a batch.
    pub(super) fn declare_all(&mut self, batch: &Batch, sink: &mut impl Sink) -> Result<(), Halt> {
        let mut declarations = batch.declarations.iter().flat_map(Declarations::iter);
        declarations.try_for_each(|declaration| self.declare(declaration, sink))
    }

    /// Passes on a declaration.
    pub(super) fn declare(
        &mut self,
        declaration: Declaration,
        sink: &mut impl Sink,
    ) -> Result<(), Halt> {
        match declaration {
            Declaration::Name(table, name) => {
                let (row, names) = (self.declared[table as usize], sink.names());
                self.declared[table as usize] += 1;
                if row < table.len(names) && table.get(names, row) == name {
                    return Ok(());
                }
                if table.intern(names, name) != row {
                    let message = format!(
                        "the name {} stands twice in table {}; operations 0..{} were read",
                        Escaped(name),
                        table.name(),
                        self.passed
                    );
                    let code = &anomaly::MALFORMED_BLOCK;
                    return Err(Halt::Loss(Diagnostic::new(code, Place::Whole, message)));
                }
            }
            Declaration::Source(source) => self.sources.push(sink.source(source)),
            Declaration::Frame(frame) => self.frames.push(frame),
            Declaration::Model(text) => {
                let model = sink.names().texts.get(text).to_vec();
                sink.set_model(&model)?;
            }
            Declaration::Process(thread, process) => sink.assign_process(thread, process)?,
            Declaration::LocationKind(location, kind) => sink.set_location_kind(location, kind)?,
        }
        Ok(())
    }

    /// Counts the operations of a step. Fails at the first that has no 32-bit number.
    pub(super) fn pass(&mut self, step: Step<'_>) -> Result<(), Halt> {
        let (last, len) = match step {
            Step::Sync(row) => (row.number, 1),
            Step::Call(row) => (row.number, 1),
            Step::Run(run) => (run.first + u64::from(run.len), u64::from(run.len)),
        };
        if last >= u64::from(u32::MAX) {
            let message = format!("operations 0..{} were read", self.passed);
            let code = &anomaly::TOO_MANY_OPERATIONS;
            return Err(Halt::Loss(Diagnostic::new(code, Place::Whole, message)));
        }
        self.passed += len;
        Ok(())
    }

    /// Passes on all operations of a batch.
    pub(super) fn push_all(&mut self, batch: &Batch, sink: &mut impl Sink) -> Result<(), Halt> {
        for step in batch.steps() {
            self.pass(step)?;
            match step {
                Step::Sync(row) => sink.push(row.thread, row.op, self.local(row.attributes))?,
                Step::Call(row) => {
                    let (op, attributes) = self.call(row);
                    sink.push(row.thread, op, attributes)?;
                }
                Step::Run(run) => self.run(batch, run, sink)?,
            }
        }
        Ok(())
    }

    fn run(&self, batch: &Batch, run: &Run, sink: &mut impl Sink) -> io::Result<()> {
        let accesses = &batch.accesses;
        if accesses.are_plain() {
            let locations = accesses.locations[run.rows()].iter().copied();
            let columns = locations.zip(accesses.writes[run.rows()].iter().copied());
            return sink.push_accesses(run.thread, columns);
        }
        run.rows().try_for_each(|row| {
            let (op, attributes) = self.access(batch, row);
            sink.push(run.thread, op, attributes)
        })
    }

    /// Returns the access at a row, with its attributes.
    pub(super) fn access(&self, batch: &Batch, row: usize) -> (Op, Attributes) {
        let location = batch.accesses.locations[row];
        let write = batch.accesses.writes[row];
        let op = if write { Op::Write(location) } else { Op::Read(location) };
        (op, self.local(batch.accesses.attributes(row)))
    }

    /// Returns a call as an operation, with its attributes.
    pub(super) fn call(&self, row: &CallRow) -> (Op, Attributes) {
        let mut attributes = row.attributes;
        let op = match row.call {
            Call::Enter(stack) => {
                let frame = self.frames[stack.index()];
                attributes.source = frame.source;
                attributes.provenance = frame.provenance;
                Op::Enter(frame.function)
            }
            Call::Leave => Op::Leave,
        };
        (op, self.local(attributes))
    }

    /// Returns the attributes with the sink's ids.
    pub(super) fn local(&self, attributes: Attributes) -> Attributes {
        let source = attributes.source.map(|source| self.sources[source.index()]);
        Attributes { source, ..attributes }
    }
}
