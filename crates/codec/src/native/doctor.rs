//! Examines a file: its contents, its damage, and what can be recovered.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use serde::Serialize;

use super::decode::Content;
use super::end::Index;
use super::payload::Compression;
use super::reader::Batches;
use super::repair::{Repaired, repair};
use super::rows::SyncRow;
use super::salvage::{Piece, Pieces};
use super::writer::Options;
use crate::Extent;

/// The blocks of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockCount {
    /// The type's name.
    pub kind: &'static str,
    /// The number of blocks.
    pub blocks: u64,
    /// The bytes of the blocks in the file, headers included.
    pub stored_bytes: u64,
    /// The bytes of the payloads before compression.
    pub raw_bytes: u64,
    /// The number of operations in the blocks.
    pub operations: u64,
}

/// A stretch of bytes that contains no sound block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damaged {
    /// The offset of the first byte.
    pub offset: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// A description of the damage.
    pub what: String,
}

/// The result of examining a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The length of the file.
    pub bytes: u64,
    /// The sound blocks by type, in the order in which types first occur.
    pub blocks: Vec<BlockCount>,
    /// Whether the file ends with an end block.
    pub closed: bool,
    /// Whether the end block lists exactly the blocks of the file. None without an end block.
    pub index_agrees: Option<bool>,
    /// The number of operations that load without a repair.
    pub readable: u64,
    /// How much of the file loads without a repair.
    pub completeness: Extent,
    /// The diagnostics of loading the file, one line each.
    pub diagnostics: Vec<String>,
    /// The damaged stretches, in order.
    pub damaged: Vec<Damaged>,
    /// The result that a repair would have.
    pub repair: Repaired,
}

impl Report {
    /// Whether nothing is wrong with the file.
    pub fn is_healthy(&self) -> bool {
        self.completeness == Extent::Whole
            && self.closed
            && self.damaged.is_empty()
            && self.diagnostics.is_empty()
    }

    fn count(&mut self, kind: &'static str) -> &mut BlockCount {
        let row = self.blocks.iter().position(|count| count.kind == kind).unwrap_or_else(|| {
            let empty =
                BlockCount { kind, blocks: 0, stored_bytes: 0, raw_bytes: 0, operations: 0 };
            self.blocks.push(empty);
            self.blocks.len() - 1
        });
        &mut self.blocks[row]
    }
}

/// Examines a file. Reads it three times, in bounded memory, and changes nothing.
pub fn doctor(mut source: impl Read + Seek) -> io::Result<Report> {
    let mut report = Report::default();
    let index = Index::locate(&mut source)?;
    survey(&mut source, index.as_ref(), &mut report)?;
    source.seek(SeekFrom::Start(0))?;
    let mut batches = Batches::new(&mut source)?.to_the_end();
    for batch in &mut batches {
        if let Err(error) = batch {
            report.diagnostics.push(error.to_string());
            break;
        }
    }
    report.readable = batches.operations();
    report.completeness = batches.completeness().extent();
    let found = batches.diagnostics().iter();
    report.diagnostics.extend(found.map(|d| format!("{}: {}: {}", d.at, d.code.name, d.message)));
    drop(batches);
    let options = Options { compression: Compression::None, ..Options::default() };
    report.repair = repair(source, io::sink(), options)?;
    Ok(report)
}

fn survey(
    source: &mut (impl Read + Seek),
    index: Option<&Index>,
    report: &mut Report,
) -> io::Result<()> {
    let mut pieces = Pieces::new(source)?;
    let mut listed = index.map(|index| index.blocks.iter());
    let mut agrees = true;
    while let Some(piece) = pieces.next_piece()? {
        let block = match piece {
            Piece::Block(block) => block,
            Piece::Hole(hole) => {
                let (offset, bytes, what) = (hole.offset, hole.len, hole.what);
                report.damaged.push(Damaged { offset, bytes, what });
                agrees = false;
                continue;
            }
        };
        report.closed = matches!(block.content, Content::End(_));
        if let Some(listed) = &mut listed
            && !report.closed
        {
            let expected = listed.next().map(|entry| (entry.offset, entry.kind));
            agrees &= expected == Some((block.offset, block.header.kind));
        }
        let count = report.count(block.header.kind.name());
        count.blocks += 1;
        count.stored_bytes += block.header.block_len();
        count.raw_bytes += u64::from(block.header.raw_len);
        count.operations += match &block.content {
            Content::Sync(rows) => <[SyncRow]>::len(rows) as u64,
            Content::Data(rows) => rows.operations(),
            _ => 0,
        };
    }
    report.bytes = pieces.walked();
    report.index_agrees = index.map(|_| agrees);
    Ok(())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match (self.is_healthy(), self.damaged.is_empty()) {
            (true, _) => "healthy",
            (false, true) => "not closed or odd",
            (false, false) => "damaged",
        };
        writeln!(f, "{} bytes, {state}", self.bytes)?;
        for count in &self.blocks {
            writeln!(
                f,
                "  {:>7} {} blocks, {} operations, {} bytes ({} before compression)",
                count.blocks, count.kind, count.operations, count.stored_bytes, count.raw_bytes
            )?;
        }
        writeln!(f, "loads {} operations as it is", self.readable)?;
        for diagnostic in &self.diagnostics {
            writeln!(f, "  {diagnostic}")?;
        }
        for damaged in &self.damaged {
            let Damaged { offset, bytes, what } = damaged;
            writeln!(f, "damaged: {bytes} bytes from byte {offset} on: {what}")?;
        }
        if self.index_agrees == Some(false) {
            writeln!(f, "the index at the end does not list the blocks there are")?;
        }
        if self.is_healthy() {
            return Ok(());
        }
        let Repaired { operations, lost_between, placeholders, stopped } = &self.repair;
        writeln!(
            f,
            "a repair keeps {operations} operations, with {lost_between} lost between them and {placeholders} names, positions or stacks unknown"
        )?;
        stopped.iter().try_for_each(|why| writeln!(f, "  and stops there: {why}"))
    }
}
