//! Writes a sound file from the sound blocks of a damaged one.
//!
//! Losing a data block loses accesses and calls; the other operations keep their order. Losing a
//! sync block may lose the operations that order everything after it, which would cause false
//! races, so nothing after a lost sync block is kept. Losing a tables block loses names.
//! Placeholders replace them; the next tables block shows how many are missing.
//!
//! The repaired file numbers its operations from 0. From the first loss on, an operation without a
//! source id gets its number in the damaged file as source id.

mod tables;

use std::io::{self, Read, Seek, Write};

use serde::Serialize;
use trace::{Attributes, Frame, Id, Op, SourceId, ThreadId};

use super::batch::Known;
use super::data::DataRows;
use super::decode::{Content, Decoded};
use super::end::Index;
use super::layout::{BlockType, Header, WindowRange};
use super::rows::{Call, CallRow, Run, SyncRow};
use super::salvage::{Hole, Piece, Pieces};
use super::writer::{Options, Writer};

/// What a repair kept and what it lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repaired {
    /// The number of operations written.
    pub operations: u64,
    /// The number of operations known to be lost between those written.
    pub lost_between: u64,
    /// The number of names, positions and stacks that placeholders replace.
    pub placeholders: u64,
    /// Why nothing after the last operation written could be kept, if the file continued.
    pub stopped: Option<String>,
}

/// Writes the operations that can be recovered from `source` to `sink`, as a closed file.
pub fn repair(
    mut source: impl Read + Seek,
    sink: impl Write,
    options: Options,
) -> io::Result<Repaired> {
    let index = Index::locate(&mut source)?;
    let mut pieces = Pieces::new(source)?;
    let mut repair = Repair::new(index, Writer::new(sink, options)?);
    while repair.report.stopped.is_none()
        && let Some(piece) = pieces.next_piece()?
    {
        match piece {
            Piece::Block(block) => repair.block(block)?,
            Piece::Hole(hole) => repair.hole(&hole),
        }
    }
    repair.write_pending()?;
    repair.writer.finish()?;
    Ok(repair.report)
}

struct Repair<W> {
    index: Option<Index>,
    writer: Writer<W>,
    known: Known,
    frames: Vec<Frame>,
    sources: Vec<SourceId>,
    /// A sync block whose data block may still follow.
    pending: Option<(WindowRange, Vec<SyncRow>)>,
    /// The number of the next operation in the damaged file.
    next: u64,
    /// Whether a sync block may be missing since the last block.
    sync_may_be_lost: bool,
    report: Repaired,
}

impl<W: Write> Repair<W> {
    fn new(index: Option<Index>, writer: Writer<W>) -> Self {
        Self {
            index,
            writer,
            known: Known::new(),
            frames: Vec::new(),
            sources: Vec::new(),
            pending: None,
            next: 0,
            sync_may_be_lost: false,
            report: Repaired::default(),
        }
    }

    fn stop(&mut self, why: impl Into<String>) {
        self.report.stopped.get_or_insert(why.into());
    }

    fn hole(&mut self, hole: &Hole) {
        self.sync_may_be_lost |= match (&hole.header, &self.index) {
            (Some(Header { kind, .. }), _) => *kind == BlockType::Sync,
            (None, Some(index)) => {
                let range = hole.offset..hole.offset + hole.len;
                let lost = index.blocks.iter().filter(|block| range.contains(&block.offset));
                lost.clone().count() == 0 || lost.clone().any(|b| b.kind == BlockType::Sync)
            }
            (None, None) => true,
        };
    }

    fn block(&mut self, block: Decoded) -> io::Result<()> {
        let Decoded { header, offset, content } = block;
        let completes = matches!(content, Content::Data(_))
            && self.pending.as_ref().is_some_and(|(window, _)| *window == header.window);
        if !completes {
            self.write_pending()?;
        }
        match content {
            Content::Tables(padded) => self.declare(padded, offset)?,
            Content::Sync(rows) => {
                if self.reach(header.window) {
                    self.pending = Some((header.window, rows));
                }
            }
            Content::Data(rows) => {
                if completes || self.reach(header.window) {
                    let (_, sync) = self.pending.take().unwrap_or_default();
                    self.write_window(header.window, &sync, &rows)?;
                }
            }
            Content::End(index) => self.end(&index),
            Content::Unwanted | Content::Attachment | Content::Unknown => {}
        }
        Ok(())
    }

    /// Advances to a window. Returns false if a sync block may have been lost before it.
    fn reach(&mut self, window: WindowRange) -> bool {
        if window.first < self.next || (window.first > self.next && self.sync_may_be_lost) {
            self.stop(format!(
                "operations {}..{} are lost, and with them what orders the rest",
                self.next, window.first
            ));
            return false;
        }
        self.report.lost_between += window.first - self.next;
        self.next = window.first;
        self.sync_may_be_lost = false;
        true
    }

    fn end(&mut self, index: &Index) {
        if index.operations > self.next {
            let (from, to) = (self.next, index.operations);
            self.stop(format!("operations {from}..{to} at the end of the file are lost"));
        }
    }

    /// Writes a sync block whose data block never came.
    fn write_pending(&mut self) -> io::Result<()> {
        match self.pending.take() {
            Some((window, sync)) => self.write_window(window, &sync, &DataRows::default()),
            None => Ok(()),
        }
    }

    /// Writes the rows of a window by number. A window without sync rows may be written only if
    /// none is missing.
    fn write_window(
        &mut self,
        window: WindowRange,
        sync: &[SyncRow],
        data: &DataRows,
    ) -> io::Result<()> {
        let held = sync.len() as u64 + data.operations();
        let missing = u64::from(window.span).saturating_sub(held);
        if sync.is_empty() && missing > 0 {
            let (from, to) = (window.first, window.end());
            self.stop(format!("the sync block of operations {from}..{to} is lost"));
            return Ok(());
        }
        if self.known.check_ids(sync, data).is_err() {
            self.stop(format!("operations from {} on name what no table holds", window.first));
            return Ok(());
        }
        self.report.lost_between += missing;
        self.next = window.end();
        let (mut calls, mut runs) = (data.calls.iter().peekable(), data.runs.iter().peekable());
        let mut syncs = sync.iter().peekable();
        loop {
            let next = [
                syncs.peek().map(|row| row.number),
                calls.peek().map(|row| row.number),
                runs.peek().map(|run| run.first),
            ];
            let Some(first) = next.into_iter().flatten().min() else { return Ok(()) };
            if next[0] == Some(first) {
                let row = syncs.next().expect("peeked");
                self.push(row.number, row.thread, row.op, row.attributes)?;
            } else if next[1] == Some(first) {
                self.write_call(calls.next().expect("peeked"))?;
            } else {
                self.write_run(runs.next().expect("peeked"), data)?;
            }
        }
    }

    fn push(
        &mut self,
        number: u64,
        thread: ThreadId,
        op: Op,
        mut attributes: Attributes,
    ) -> io::Result<()> {
        if number != self.report.operations {
            attributes.source_id.get_or_insert(number);
        }
        attributes.source = attributes.source.map(|source| self.sources[source.index()]);
        self.report.operations += 1;
        self.writer.push(thread, op, attributes)
    }

    fn write_call(&mut self, row: &CallRow) -> io::Result<()> {
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
        self.push(row.number, row.thread, op, attributes)
    }

    fn write_run(&mut self, run: &Run, data: &DataRows) -> io::Result<()> {
        for (number, row) in (run.first..).zip(run.rows()) {
            let location = data.accesses.locations[row];
            let write = data.accesses.writes[row];
            let op = if write { Op::Write(location) } else { Op::Read(location) };
            let attributes = data.accesses.attributes(row);
            self.push(number, run.thread, op, attributes)?;
        }
        Ok(())
    }
}
