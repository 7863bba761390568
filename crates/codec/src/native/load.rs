//! Loads a file as a [`trace::Trace`].

use std::io::{Read, Seek};
use std::sync::Arc;

use trace::anomaly::OPERATION_AFTER_EXIT;
use trace::{Attributes, Census, Diagnostic, Id, NameTables, Op, Place, ThreadId, TraceBuilder};

use super::batch::{Batch, Step};
use super::block::BlockReader;
use super::name_table::NameTable;
use super::reader::Batches;
use super::replay::{Halt, Replay};
use super::rows::Run;
use crate::{Completeness, Loaded, ReadError};

/// The operations that a loader keeps.
enum Kept<'a> {
    All,
    /// The skeleton, the calls, and the accesses of the marked locations.
    Locations(&'a [bool]),
    /// The skeleton, the last access or call before each operation of the skeleton and before each
    /// change of threads, and the operations with these numbers.
    Outline([u64; 2]),
}

/// Builds a trace from batches.
struct Loader<'a> {
    builder: TraceBuilder,
    replay: Replay,
    kept: Kept<'a>,
    /// One past the largest operation number that is loaded.
    end: u64,
    /// The numbers that the operations have in the file, if some are left out.
    numbers: Vec<u32>,
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
    skeleton_below(BlockReader::new(source), end)
}

/// Reads the skeleton in some blocks.
pub(super) fn skeleton_below<R: Read + Seek>(
    blocks: BlockReader<R>,
    end: u64,
) -> Result<Loaded, ReadError> {
    let batches =
        Batches::skeleton_of(blocks.seeking()).map_err(|error| out_of_resources(&error))?;
    let mut loading = Loading::over(batches, Kept::Locations(&[]));
    loading.loader.end = end;
    loading.rest()
}

/// Reads the third pass ([`super::Passes::excerpt`]).
pub(super) fn excerpt<R: Read + Send + 'static>(
    blocks: BlockReader<R>,
    workers: usize,
    wanted: &Arc<[bool]>,
    names: &NameTables,
) -> Result<Option<Loaded>, ReadError> {
    let batches = Batches::parallel_of(blocks, workers, Arc::clone(wanted))
        .map_err(|error| out_of_resources(&error))?
        .to_the_end();
    let mut loading = Loading::over(batches, Kept::Locations(wanted));
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

pub(super) fn out_of_resources(error: &std::io::Error) -> ReadError {
    ReadError::new(Place::Whole, error.to_string(), "memory and threads to decode with")
}

fn load(batches: Batches<'_>) -> Result<Loaded, ReadError> {
    Loading::over(batches, Kept::All).rest()
}

/// Reads the outline of a file, decoding on `workers` threads besides the caller's: the skeleton,
/// the last access or call of each stretch that no other thread and no operation of the skeleton
/// interrupts, and the two operations that are asked about. An order by tasks explains how these two
/// are ordered as it does over the whole trace: whatever else it names is an operation of the
/// skeleton, or the last operation of a task before one.
pub fn read_outline(
    source: impl Read + Send + 'static,
    workers: usize,
    asked: [u32; 2],
) -> Result<Loaded, ReadError> {
    let batches = Batches::parallel(source, workers).map_err(|error| out_of_resources(&error))?;
    Loading::over(batches.to_the_end(), Kept::Outline(asked.map(u64::from))).rest()
}

/// The counts of a file's content, with its anomalies.
pub struct Counted {
    /// The counts.
    pub census: Census,
    /// The anomalies of the file, in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// How much of the file was read.
    pub completeness: Completeness,
}

/// Counts the content of a file, decoding on `workers` threads besides the caller's. It keeps no
/// operations: memory grows with names and messages only.
pub fn count(source: impl Read + Send + 'static, workers: usize) -> Result<Counted, ReadError> {
    let batches = Batches::parallel(source, workers).map_err(|error| out_of_resources(&error))?;
    let mut loading = Loading::counting_over(batches.to_the_end());
    while loading.advance()? {}
    Ok(loading.finish_census())
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
        Ok(Self::over(Batches::new(source).map_err(|error| out_of_resources(&error))?, Kept::All))
    }

    /// Starts counting, on the caller's thread. The operations are not kept, and
    /// [`Self::finish_census`] ends the reading.
    pub fn counting(source: impl Read + 'a) -> Result<Self, ReadError> {
        let batches = Batches::new(source).map_err(|error| out_of_resources(&error))?;
        Ok(Self::counting_over(batches))
    }

    fn counting_over(batches: Batches<'a>) -> Self {
        let mut loading = Self::over(batches, Kept::All);
        loading.loader.builder = TraceBuilder::counting();
        loading
    }

    fn over(batches: Batches<'a>, kept: Kept<'a>) -> Self {
        let mut builder = TraceBuilder::new();
        let loader = Loader {
            replay: Replay::new(builder.names()),
            builder,
            kept,
            end: u64::MAX,
            numbers: Vec::new(),
            runs_on: false,
        };
        Self { batches, loader, stopped: None }
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
        let Self { batches, loader, stopped } = self;
        let is_excerpt = !matches!(loader.kept, Kept::All);
        let numbers = loader.numbers;
        let (mut trace, mut found) = declared_only(loader.builder, &loader.replay).finish();
        if is_excerpt {
            for diagnostic in &mut found {
                if let Place::Operation(op) = &mut diagnostic.at {
                    *op = numbers[*op as usize];
                }
            }
            trace = trace.excerpted(numbers);
        }
        let (diagnostics, completeness) = outcome(&batches, stopped, found, trace.end());
        Loaded { trace, diagnostics, completeness, origin: None }
    }

    /// Returns the counts and anomalies of a file whose operations were not kept.
    pub fn finish_census(self) -> Counted {
        let Self { batches, loader, stopped } = self;
        let (census, found) = declared_only(loader.builder, &loader.replay).finish_census();
        let (diagnostics, completeness) = outcome(&batches, stopped, found, census.total() as u64);
        Counted { census, diagnostics, completeness }
    }
}

/// Removes the names that the file does not declare before the place where reading ended.
fn declared_only(mut builder: TraceBuilder, replay: &Replay) -> TraceBuilder {
    for table in NameTable::ALL {
        table.truncate(builder.names(), replay.declared[table as usize]);
    }
    builder
}

/// Returns the anomalies of a file, and how much of it was read. `found` are those of its
/// operations, which end before `end`.
fn outcome(
    batches: &Batches<'_>,
    stopped: Option<Diagnostic>,
    found: Vec<Diagnostic>,
    end: u64,
) -> (Vec<Diagnostic>, Completeness) {
    let completeness = match &stopped {
        Some(loss) => Completeness::damaged(loss.clone()).with_operations(end),
        None => batches.completeness(),
    };
    let mut diagnostics = batches.diagnostics().to_vec();
    diagnostics.extend(stopped);
    diagnostics.extend(found);
    (diagnostics, completeness)
}

impl Loader<'_> {
    fn absorb(&mut self, batch: &Batch) -> Result<(), Diagnostic> {
        self.replayed(batch).map_err(Halt::loss)
    }

    fn replayed(&mut self, batch: &Batch) -> Result<(), Halt> {
        self.replay.declare_all(batch, &mut self.builder)?;
        match self.kept {
            Kept::All => self.replay.push_all(batch, &mut self.builder),
            Kept::Locations(wanted) => self.excerpt(batch, wanted),
            Kept::Outline(asked) => self.outline(batch, asked),
        }
    }

    /// Pushes an operation with its number in the file.
    fn push(&mut self, number: u64, thread: ThreadId, (op, attributes): (Op, Attributes)) {
        self.numbers.push(u32::try_from(number).expect("a trace has fewer operations"));
        self.builder.push(thread, op, attributes);
    }

    fn excerpt(&mut self, batch: &Batch, wanted: &[bool]) -> Result<(), Halt> {
        for step in batch.steps() {
            self.replay.pass(step)?;
            match step {
                Step::Sync(row) if row.number >= self.end => return Ok(()),
                Step::Sync(row) => {
                    let attributes = self.replay.local(row.attributes);
                    self.push(row.number, row.thread, (row.op, attributes));
                }
                Step::Call(row) => self.push(row.number, row.thread, self.replay.call(row)),
                Step::Run(run) => self.wanted(wanted, batch, run),
            }
        }
        Ok(())
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
            let number = accesses.number(run, row);
            self.push(number, run.thread, self.replay.access(batch, row));
        }
    }

    fn outline(&mut self, batch: &Batch, asked: [u64; 2]) -> Result<(), Halt> {
        let mut steps = batch.steps().peekable();
        while let Some(step) = steps.next() {
            self.replay.pass(step)?;
            let mut continues = |thread| match steps.peek() {
                Some(Step::Call(next)) => next.thread == thread,
                Some(Step::Run(next)) => next.thread == thread,
                _ => false,
            };
            match step {
                Step::Sync(row) => {
                    let attributes = self.replay.local(row.attributes);
                    self.push(row.number, row.thread, (row.op, attributes));
                }
                Step::Call(row) => {
                    if !continues(row.thread) || asked.contains(&row.number) {
                        self.push(row.number, row.thread, self.replay.call(row));
                    }
                }
                Step::Run(run) => {
                    let last = (!continues(run.thread)).then(|| run.first + u64::from(run.len) - 1);
                    let inside = asked.into_iter().chain(last);
                    let mut numbers: Vec<u64> = inside
                        .filter(|number| {
                            (run.first..run.first + u64::from(run.len)).contains(number)
                        })
                        .collect();
                    numbers.sort_unstable();
                    numbers.dedup();
                    for number in numbers {
                        let row = run.rows().start + (number - run.first) as usize;
                        self.push(number, run.thread, self.replay.access(batch, row));
                    }
                }
            }
        }
        Ok(())
    }
}
