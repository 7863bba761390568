//! Reads a log as a trace.

use trace::{
    Attributes, Diagnostics, FunctionId, Id, Op, Place, ThreadId, TraceBuilder, anomaly as odd,
};

use super::anomaly;
use super::line::{self, Line, Operation};
use super::{ATOMIC, BYTE_ORDER_MARK, scanner, source};
use crate::{Completeness, Loaded, ReadError};

/// Reads an STD log in one pass. Names are copied only when they are new.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut rest = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let mut reader = Reader::default();
    reader.builder.set_model(b"threads");
    for number in 1.. {
        let Some(end) = memchr::memchr(b'\n', rest) else { break };
        if !line::is_blank(&rest[..end]) {
            let line = line::parse(&rest[..end]).map_err(|error| error.on_line(number))?;
            reader.operation(line, number);
        }
        rest = &rest[end + 1..];
        reader.lines = number;
    }
    if !line::is_blank(rest) {
        let number = reader.lines + 1;
        match line::parse(rest) {
            Ok(line) => {
                reader.operation(line, number);
                reader.completeness = Completeness::unended_line(number);
            }
            Err(error) => reader.completeness = Completeness::cut_line(&error.on_line(number)),
        }
    }
    Ok(reader.finish())
}

/// The state of reading a log line by line.
pub(super) struct Reader {
    builder: TraceBuilder,
    notes: Diagnostics,
    lines: u64,
    completeness: Completeness,
    /// The open atomic blocks of each thread.
    blocks: Vec<Vec<FunctionId>>,
    /// The number of the next operation in its log, if the trace leaves some out.
    pub(super) source_id: Option<u64>,
}

/// Returns the name of the function that stands for a block.
fn block_name(line: Line<'_>) -> &[u8] {
    if line.target.is_empty() { ATOMIC } else { line.target }
}

impl Default for Reader {
    fn default() -> Self {
        let (builder, notes) = (TraceBuilder::new(), Diagnostics::default());
        let completeness = Completeness::whole();
        Self { builder, notes, lines: 0, completeness, blocks: Vec::new(), source_id: None }
    }
}

impl Reader {
    /// Pushes the operation on line `number`, unless it is a skipped one.
    pub(super) fn operation(&mut self, line: Line<'_>, number: u64) {
        if line.operation == Operation::Skipped {
            scanner::skipped(&mut self.notes, number);
            return;
        }
        let names = self.builder.names();
        let op = match line.operation {
            Operation::Read => Op::Read(names.locations.intern(line.target)),
            Operation::Write => Op::Write(names.locations.intern(line.target)),
            Operation::Acquire => Op::Lock(names.locks.intern(line.target)),
            Operation::Release => Op::Unlock(names.locks.intern(line.target)),
            Operation::Fork => Op::Fork(names.threads.intern(line.target)),
            Operation::Join => Op::Join(names.threads.intern(line.target)),
            Operation::Begin => Op::Enter(names.functions.intern(block_name(line))),
            Operation::End | Operation::Skipped => Op::Leave,
        };
        let thread = names.threads.intern(line.thread);
        if let Operation::Begin | Operation::End = line.operation {
            let block = names.functions.intern(block_name(line));
            self.block(thread, op, block, number);
        }
        let source = source::parse(line.location, &mut self.builder);
        let source_id = Some(self.source_id.unwrap_or(self.builder.len() as u64));
        self.builder.push(thread, op, Attributes { source, source_id, ..Attributes::default() });
    }

    /// Tracks atomic blocks. An end that names another block than the innermost is an anomaly.
    fn block(&mut self, thread: ThreadId, op: Op, block: FunctionId, line: u64) {
        if self.blocks.len() <= thread.index() {
            self.blocks.resize(thread.index() + 1, Vec::new());
        }
        let open = &mut self.blocks[thread.index()];
        if op != Op::Leave {
            open.push(block);
        } else if open.pop().is_some_and(|innermost| innermost != block) {
            let place = Place::Line { line, column: 1 };
            self.notes.report(&anomaly::WRONG_BLOCK_END, place, || {
                "the innermost block has another name".to_owned()
            });
        }
    }

    pub(super) fn finish(self) -> Loaded {
        let (trace, anomalies) = self.builder.finish();
        let mut diagnostics = self.notes.finish();
        let expected = [odd::FORK_WITHOUT_INIT.name, odd::JOIN_WITHOUT_EXIT.name];
        diagnostics.extend(anomalies.into_iter().filter(|d| !expected.contains(&d.code.name)));
        Loaded::new(trace, diagnostics, self.completeness)
    }
}
