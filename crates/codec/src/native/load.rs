//! Loads a file as a [`trace::Trace`].

use std::io::{Read, Seek};
use std::sync::Arc;

use trace::anomaly::OPERATION_AFTER_EXIT;
use trace::{
    Attributes, Diagnostic, Escaped, Frame, Id, NameTables, Op, Place, SourceId, TraceBuilder,
};

use super::anomaly;
use super::batch::{Batch, Step};
use super::name_table::NameTable;
use super::reader::Batches;
use super::rows::{Call, CallRow, Run};
use super::tables::{Declaration, Declarations};
use crate::{Completeness, Loaded, ReadError};

/// Builds a trace from batches.
pub(super) struct Loader<'a> {
    pub(super) builder: TraceBuilder,
    /// The number of names of each table that were read. The builder may already have later ones.
    declared: [usize; NameTable::ALL.len()],
    /// The locations whose accesses are loaded. None loads all.
    wanted: Option<&'a [bool]>,
    /// One past the largest operation number that is loaded.
    end: u64,
    /// The numbers that the operations have in the file, if some are left out.
    numbers: Vec<u32>,
    /// The builder's id of each source position of the file, which may repeat a position.
    sources: Vec<SourceId>,
    pub(super) frames: Vec<Frame>,
    /// Whether a thread made an access after its exit.
    runs_on: bool,
}

/// Reads a whole file on the caller's thread.
pub fn read(source: impl Read) -> Result<Loaded, ReadError> {
    load(Batches::new(source).map_err(|error| out_of_resources(&error))?.to_the_end())
}

/// Reads the skeleton of a file: the operations that can order others. It skips data blocks.
pub fn read_skeleton(source: impl Read + Seek) -> Result<Loaded, ReadError> {
    read_skeleton_below(source, u64::MAX)
}

/// Like [`read_skeleton`], but only for operations numbered below `end`: a file may be damaged in a
/// data block, which a skeleton read does not notice.
pub fn read_skeleton_below(source: impl Read + Seek, end: u64) -> Result<Loaded, ReadError> {
    let batches = Batches::seeking_skeleton(source).map_err(|error| out_of_resources(&error))?;
    let mut loading = Loading::over(batches, Some(&[]));
    loading.loader.end = end;
    loading.rest()
}

/// Reads a file without the accesses of locations that are not `wanted`. It keeps an access whose
/// time goes backwards, because the whole trace would report it. It decodes on `workers` threads
/// besides the caller's. `names` are those of the file, from an earlier pass. Returns none if a
/// thread makes an access after its exit, because the whole trace would report each such operation.
pub fn read_excerpt(
    source: impl Read + Send + 'static,
    workers: usize,
    wanted: &Arc<[bool]>,
    names: &NameTables,
) -> Result<Option<Loaded>, ReadError> {
    let batches = Batches::parallel_of(source, workers, Arc::clone(wanted))
        .map_err(|error| out_of_resources(&error))?
        .to_the_end();
    let mut loading = Loading::over(batches, Some(wanted));
    *loading.loader.builder.names() = names.clone();
    while !loading.loader.runs_on && loading.advance()? {}
    let runs_on = loading.loader.runs_on;
    let loaded = loading.finish();
    let said = |said: &Diagnostic| said.code.name == OPERATION_AFTER_EXIT.name;
    Ok((!runs_on && !loaded.diagnostics.iter().any(said)).then_some(loaded))
}

/// Reads a whole file, decoding on `workers` threads besides the caller's.
pub fn read_parallel(
    source: impl Read + Send + 'static,
    workers: usize,
) -> Result<Loaded, ReadError> {
    load(Batches::parallel(source, workers).map_err(|error| out_of_resources(&error))?.to_the_end())
}

fn out_of_resources(error: &std::io::Error) -> ReadError {
    ReadError::new(Place::Whole, error.to_string(), "memory and threads to decode with")
}

fn load(batches: Batches<'_>) -> Result<Loaded, ReadError> {
    Loading::over(batches, None).rest()
}

/// A trace that is read batch by batch, so that it can be shown while its file grows.
pub struct Loading<'a> {
    batches: Batches<'a>,
    loader: Loader<'a>,
    stopped: Option<Diagnostic>,
}

impl<'a> Loading<'a> {
    /// Starts reading, on the caller's thread.
    pub fn new(source: impl Read + 'a) -> Result<Self, ReadError> {
        Ok(Self::over(Batches::new(source).map_err(|error| out_of_resources(&error))?, None))
    }

    fn over(batches: Batches<'a>, wanted: Option<&'a [bool]>) -> Self {
        Self { batches, loader: Loader::new(wanted), stopped: None }
    }

    /// Reads the next batch. Returns `false` if there is none.
    pub fn advance(&mut self) -> Result<bool, ReadError> {
        if self.stopped.is_some() {
            return Ok(false);
        }
        let Some(batch) = self.batches.next() else { return Ok(false) };
        self.stopped = self.loader.absorb(&batch?).err();
        Ok(self.stopped.is_none())
    }

    /// Reads the remaining batches.
    fn rest(mut self) -> Result<Loaded, ReadError> {
        while self.advance()? {}
        Ok(self.finish())
    }

    /// The builder with the operations read so far.
    pub fn builder(&self) -> &TraceBuilder {
        &self.loader.builder
    }

    /// Returns the trace and its anomalies.
    pub fn finish(self) -> Loaded {
        let Loader { mut builder, declared, wanted, numbers, .. } = self.loader;
        for table in NameTable::ALL {
            table.truncate(builder.names(), declared[table as usize]);
        }
        let (mut trace, mut found) = builder.finish();
        if wanted.is_some() {
            for diagnostic in &mut found {
                if let Place::Operation(op) = &mut diagnostic.at {
                    *op = numbers[*op as usize];
                }
            }
            trace = trace.excerpted(numbers);
        }
        let completeness = match &self.stopped {
            Some(loss) => Completeness::damaged(loss.clone()).with_operations(trace.end()),
            None => self.batches.completeness(),
        };
        let mut diagnostics = self.batches.diagnostics().to_vec();
        diagnostics.extend(self.stopped);
        diagnostics.extend(found);
        Loaded { trace, diagnostics, completeness, origin: None }
    }
}

impl<'a> Loader<'a> {
    fn new(wanted: Option<&'a [bool]>) -> Self {
        let mut builder = TraceBuilder::new();
        Self {
            declared: NameTable::ALL.map(|table| table.len(builder.names())),
            builder,
            wanted,
            end: u64::MAX,
            numbers: Vec::new(),
            sources: Vec::new(),
            frames: Vec::new(),
            runs_on: false,
        }
    }

    /// A loader that takes declarations, and whatever operations its owner pushes.
    pub(super) fn excerpt() -> Self {
        Self::new(None)
    }

    fn absorb(&mut self, batch: &Batch) -> Result<(), Diagnostic> {
        for declaration in batch.declarations.iter().flat_map(Declarations::iter) {
            self.declare(declaration)?;
        }
        for step in batch.steps() {
            let end = match step {
                Step::Sync(row) => row.number,
                Step::Call(row) => row.number,
                Step::Run(run) => run.first + u64::from(run.len),
            };
            if end >= u64::from(u32::MAX) {
                let message = format!("operations 0..{} were read", self.builder.len());
                return Err(Diagnostic::new(&anomaly::TOO_MANY_OPERATIONS, Place::Whole, message));
            }
            match step {
                Step::Sync(row) if row.number >= self.end => return Ok(()),
                Step::Sync(row) => {
                    self.count(row.number);
                    let attributes = self.local(row.attributes);
                    self.builder.push(row.thread, row.op, attributes);
                }
                Step::Call(row) => self.call(row),
                Step::Run(run) => self.run(batch, run),
            }
        }
        Ok(())
    }

    pub(super) fn declare(&mut self, declaration: Declaration) -> Result<(), Diagnostic> {
        match declaration {
            Declaration::Name(table, name) => {
                let (row, names) = (self.declared[table as usize], self.builder.names());
                self.declared[table as usize] += 1;
                if row < table.len(names) && table.get(names, row) == name {
                    return Ok(());
                }
                if table.intern(names, name) != row {
                    let read = self.builder.len();
                    let message = format!(
                        "the name {} stands twice in table {}; operations 0..{read} were read",
                        Escaped(name),
                        table.name()
                    );
                    return Err(Diagnostic::new(&anomaly::MALFORMED_BLOCK, Place::Whole, message));
                }
            }
            Declaration::Source(source) => self.sources.push(self.builder.source(source)),
            Declaration::Frame(frame) => self.frames.push(frame),
            Declaration::Model(text) => {
                let model = self.builder.names().texts.get(text).to_vec();
                self.builder.set_model(&model);
            }
            Declaration::Process(thread, process) => self.builder.assign_process(thread, process),
            Declaration::LocationKind(location, kind) => {
                self.builder.set_location_kind(location, kind);
            }
        }
        Ok(())
    }

    fn call(&mut self, row: &CallRow) {
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
        let attributes = self.local(attributes);
        self.count(row.number);
        self.builder.push(row.thread, op, attributes);
    }

    /// Notes the number of the operation that is pushed next.
    fn count(&mut self, number: u64) {
        if self.wanted.is_some() {
            self.numbers.push(u32::try_from(number).expect("a trace has fewer operations"));
        }
    }

    /// Pushes the accesses of a run that are wanted, and those whose time goes backwards.
    fn wanted(&mut self, wanted: &[bool], batch: &Batch, run: &Run) {
        let accesses = &batch.accesses;
        if !self.builder.leave_out(run.thread, None) {
            self.runs_on = true;
            return;
        }
        for row in run.rows() {
            let location = accesses.locations[row];
            let is_wanted = wanted.get(location.index()).is_some_and(|&wanted| wanted);
            if !is_wanted && self.builder.leave_out(run.thread, accesses.at.get(row)) {
                continue;
            }
            let attributes = accesses.attributes(row);
            self.count(accesses.number(run, row));
            let write = accesses.writes[row];
            let op = if write { Op::Write(location) } else { Op::Read(location) };
            let attributes = self.local(attributes);
            self.builder.push(run.thread, op, attributes);
        }
    }

    fn run(&mut self, batch: &Batch, run: &Run) {
        if let Some(wanted) = self.wanted {
            return self.wanted(wanted, batch, run);
        }
        let accesses = &batch.accesses;
        let columns = || {
            let locations = accesses.locations[run.rows()].iter();
            locations.copied().zip(accesses.writes[run.rows()].iter().copied())
        };
        if accesses.are_plain() {
            return self.builder.push_accesses(run.thread, columns());
        }
        for (row, (location, write)) in run.rows().zip(columns()) {
            let op = if write { Op::Write(location) } else { Op::Read(location) };
            let attributes = self.local(accesses.attributes(row));
            self.builder.push(run.thread, op, attributes);
        }
    }

    pub(super) fn local(&self, attributes: Attributes) -> Attributes {
        let source = attributes.source.map(|source| self.sources[source.index()]);
        Attributes { source, ..attributes }
    }
}
