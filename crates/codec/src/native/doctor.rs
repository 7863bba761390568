//! Examines a file: its contents, its damage, and what can be recovered.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::slice::Iter;

use serde::Serialize;
use trace::{Diagnostic, TraceBuilder};

use super::batch::Batch;
use super::block::BlockReader;
use super::data::Wanted;
use super::decode::{Content, Decoded, Inline};
use super::end::{Index, IndexEntry};
use super::layout::BlockType;
use super::payload::Compression;
use super::reader::Batches;
use super::repair::{Repaired, repair};
use super::replay::{Halt, Replay};
use super::rows::SyncRow;
use super::salvage::{Hole, Piece, Pieces};
use super::writer::Options;
use crate::{Completeness, Extent};

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

/// Examines a file, and changes nothing. Memory grows with the names in the file only. A whole file is read once. A damaged one
/// is read up to four times: as it loads, past its damage, and as a repair would read it.
pub fn doctor(mut source: impl Read + Seek) -> io::Result<Report> {
    let index = Index::locate(&mut source)?;
    source.seek(SeekFrom::Start(0))?;
    match examine_whole(&mut source, index.as_ref())? {
        Some(report) => Ok(report),
        None => examine_damaged(source, index.as_ref()),
    }
}

/// Examines a file in one pass. Returns none if the file is not whole, or if a repair might write
/// anything but its operations.
fn examine_whole(source: &mut impl Read, index: Option<&Index>) -> io::Result<Option<Report>> {
    let survey = RefCell::new(Survey::new(index));
    let blocks = Inline::new(BlockReader::new(source), Wanted::Everything)?;
    let counted = blocks.inspect(|block| {
        if let Ok(block) = block {
            survey.borrow_mut().add(block);
        }
    });
    let mut batches = Batches::over(Box::new(counted)).to_the_end();
    let mut contents = Contents::new();
    if batches.by_ref().any(|batch| batch.map_or(true, |batch| contents.take(&batch).is_err())) {
        return Ok(None);
    }
    let (readable, completeness) = (batches.operations(), batches.completeness().extent());
    let diagnostics = said(&batches);
    drop(batches);
    let mut report = survey.into_inner().finish();
    let counted: u64 = report.blocks.iter().map(|count| count.operations).sum();
    let unknown = report.blocks.iter().any(|count| count.kind == BlockType::Unknown(0).name());
    if completeness != Extent::Whole || unknown || counted != readable {
        return Ok(None);
    }
    (report.readable, report.completeness, report.diagnostics) =
        (readable, completeness, diagnostics);
    report.repair.operations = readable;
    Ok(Some(report))
}

/// Examines a file that is not whole.
fn examine_damaged(mut source: impl Read + Seek, index: Option<&Index>) -> io::Result<Report> {
    let mut survey = Survey::new(index);
    let mut pieces = Pieces::new(&mut source)?;
    while let Some(piece) = pieces.next_piece()? {
        match piece {
            Piece::Block(block) => survey.add(&block),
            Piece::Hole(hole) => survey.add_hole(hole),
        }
    }
    let mut report = survey.finish();
    source.seek(SeekFrom::Start(0))?;
    let mut batches = Batches::new(&mut source)?.to_the_end();
    let mut contents = Contents::new();
    let mut contradiction = None;
    for batch in &mut batches {
        match batch {
            Ok(batch) => contradiction = contents.take(&batch).err(),
            Err(error) => {
                report.diagnostics.push(error.to_string());
                break;
            }
        }
        if contradiction.is_some() {
            break;
        }
    }
    report.readable = batches.operations();
    report.completeness = batches.completeness().extent();
    if let Some(loss) = contradiction {
        report.readable = contents.replay.passed();
        let damaged = Completeness::damaged(loss.clone());
        report.completeness = damaged.with_operations(report.readable).extent();
        report.diagnostics.push(line(&loss));
    }
    report.diagnostics.extend(said(&batches));
    drop(batches);
    let options = Options { compression: Compression::None, ..Options::default() };
    report.repair = repair(source, io::sink(), options)?;
    Ok(report)
}

/// What a file declares and counts, which a loader checks as well.
struct Contents {
    names: TraceBuilder,
    replay: Replay,
}

impl Contents {
    fn new() -> Self {
        let mut names = TraceBuilder::new();
        let replay = Replay::new(names.names());
        Self { names, replay }
    }

    /// Takes the next batch. Fails if it contradicts an earlier one.
    fn take(&mut self, batch: &Batch) -> Result<(), Diagnostic> {
        let taken = self.replay.declare_all(batch, &mut self.names);
        let mut steps = batch.steps();
        taken.and_then(|()| steps.try_for_each(|step| self.replay.pass(step))).map_err(Halt::loss)
    }
}

/// The diagnostics of a reader, one line each.
fn said(batches: &Batches<'_>) -> Vec<String> {
    batches.diagnostics().iter().map(line).collect()
}

fn line(d: &Diagnostic) -> String {
    format!("{}: {}: {}", d.at, d.code.name, d.message)
}

/// Counts the blocks of a file, and compares them with the list in its end block.
struct Survey<'a> {
    report: Report,
    listed: Option<Iter<'a, IndexEntry>>,
    agrees: bool,
}

impl<'a> Survey<'a> {
    fn new(index: Option<&'a Index>) -> Self {
        let listed = index.map(|index| index.blocks.iter());
        Self { report: Report::default(), listed, agrees: true }
    }

    fn add(&mut self, block: &Decoded) {
        let report = &mut self.report;
        report.bytes += block.header.block_len();
        report.closed = matches!(block.content, Content::End(_));
        if let Some(listed) = &mut self.listed
            && !report.closed
        {
            let expected = listed.next().map(|entry| (entry.offset, entry.kind));
            self.agrees &= expected == Some((block.offset, block.header.kind));
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

    fn add_hole(&mut self, hole: Hole) {
        let (offset, bytes, what) = (hole.offset, hole.len, hole.what);
        self.report.bytes += bytes;
        self.report.damaged.push(Damaged { offset, bytes, what });
        self.agrees = false;
    }

    fn finish(mut self) -> Report {
        self.report.index_agrees = self.listed.map(|_| self.agrees);
        self.report
    }
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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use testkit::generate::{Profile, sample};
    use trace::{Attributes, LocationId, Op};

    use super::*;
    use crate::native::{NameTable, Writer, write};

    /// Examines a file in both ways. Returns whether one pass was enough.
    fn agree(bytes: &[u8], what: &str) -> bool {
        let report = doctor(Cursor::new(bytes)).expect("memory does not fail");
        let mut source = Cursor::new(bytes);
        let index = Index::locate(&mut source).expect("memory does not fail");
        let slow = examine_damaged(source, index.as_ref()).expect("memory does not fail");
        assert_eq!(report, slow, "{what}");
        let whole = examine_whole(&mut Cursor::new(bytes), index.as_ref());
        whole.expect("memory does not fail").is_some()
    }

    #[test]
    fn a_name_that_stands_many_times_is_found_and_repaired() {
        let mut writer = Writer::new(Vec::new(), Options::default()).expect("memory");
        let thread = writer.names().threads.intern(b"main");
        for _ in 0..20_000 {
            let row = writer.declare_name(NameTable::Locations, b"a").expect("memory");
            writer.push(thread, Op::Read(LocationId(row)), Attributes::default()).expect("memory");
        }
        let bytes = writer.finish().expect("memory");
        let loaded = crate::native::read(&bytes[..]).expect("a native file");
        let report = doctor(Cursor::new(&bytes)).expect("memory");
        assert!(!report.is_healthy(), "{report}");
        assert_eq!(report.readable, loaded.trace.len() as u64);
        assert_eq!(report.completeness, loaded.completeness.extent());
        assert!(report.diagnostics.iter().any(|said| said.contains("stands twice")), "{report}");
        let mut repaired = Vec::new();
        repair(Cursor::new(&bytes), &mut repaired, Options::default()).expect("memory");
        let loaded = crate::native::read(&repaired[..]).expect("a native file");
        assert_eq!(loaded.trace.len(), 20_000);
        assert_eq!(loaded.trace.names().locations.len(), 20_000);
        assert!(doctor(Cursor::new(&repaired)).expect("memory").is_healthy());
    }

    #[test]
    fn one_pass_finds_what_the_long_examination_finds() {
        let (mut whole, mut damaged) = (0, 0);
        for seed in 0..300_usize {
            let profile = if seed % 3 == 0 { Profile::Wild } else { Profile::Realistic };
            let trace = sample(seed as u64 ^ 0x646f_6374, profile, 1 + seed * 13 % 300);
            let options = Options { block_bytes: 1 + seed * 7 % 600, ..Options::default() };
            let mut bytes = Vec::new();
            write(&trace, &mut bytes, options).expect("memory takes all");
            whole += usize::from(agree(&bytes, &format!("seed {seed}")));
            for flip in 0..8 {
                let mut odd = bytes.clone();
                let place = (seed * 7919 + flip * 104_729) % odd.len();
                match flip % 4 {
                    0 => odd.truncate(place),
                    1 => odd.extend_from_slice(&bytes[place..]),
                    2 => odd[place] ^= 1 << (seed % 8),
                    _ => drop(odd.drain(place / 2..place)),
                }
                let what = format!("seed {seed}, damage {flip} at {place}");
                damaged += usize::from(!agree(&odd, &what));
            }
        }
        assert!(whole == 300 && damaged > 2000, "{whole} whole files, {damaged} damaged ones");
    }
}
