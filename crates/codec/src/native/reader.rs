//! Reads a file batch by batch, in memory that does not depend on the file's length.
//!
//! Between batches, the reader keeps one bit for each message, the parent of each stack, the open
//! events and functions of each thread, and the blocks of one window. It returns names and does not
//! keep them.
//!
//! Reading ends at the end block, at the end of the input, or at the first block that cannot be
//! used. [`Batches::diagnostics`] then states which of these it was, and what was lost. Every
//! operation before that place was returned.
//!
//! [`Batches::completeness`] is *tail missing* if the input ends without an end block or inside a
//! block, or if no sound block header follows a block that cannot be used: then only the end of the
//! recording is lost. It is *damaged* if a sound header follows, if blocks are sound but contradict
//! the format or need a newer reader, if they are not those that the end block lists, or if bytes
//! follow the end block. To find the next header, the rest of the input is scanned once.

use std::io::{self, Read, Seek};
use std::sync::Arc;

use trace::{Diagnostic, Escaped, Place};

use super::anomaly;
use super::batch::{Batch, Known};
use super::block::{BlockReader, Damage, DamageKind, Stop};
use super::data::{DataRows, Wanted};
use super::decode::{Content, Decoded, Inline};
use super::end::{Index, Outline};
use super::layout::{MAGIC, WindowRange};
use super::parallel::Ahead;
use super::rows::SyncRow;
use super::tables::Declarations;
use super::varint::Malformed;
use crate::{Completeness, ReadError};

/// The number of uncompressed bytes that are decoded ahead for each worker.
const NEAR_AHEAD: u64 = 4 << 20;

/// The number of uncompressed bytes that are decoded ahead if the reader keeps little of each
/// block.
pub const FAR_AHEAD: u64 = 128 << 20;

/// A source of decoded blocks.
pub(super) type Blocks<'a> = Box<dyn Iterator<Item = Result<Decoded, Stop>> + 'a>;

/// A window of which not all blocks were read.
struct Pending {
    window: WindowRange,
    sync: Vec<SyncRow>,
    data: DataRows,
    /// Whether the window's data block was skipped because it was not asked for.
    passed: bool,
}

impl Pending {
    /// Creates a window of which only the sync block was read.
    fn of(window: WindowRange, sync: Vec<SyncRow>) -> Self {
        Self { window, sync, data: DataRows::default(), passed: false }
    }
}

/// The operations of a file in trace order.
pub struct Batches<'a> {
    blocks: Blocks<'a>,
    known: Known,
    pending: Option<Pending>,
    /// The declarations for operations that have not been returned yet.
    declared: Vec<Declarations>,
    next_operation: u64,
    next_offset: u64,
    unknown_blocks: u64,
    outline: Outline,
    diagnostics: Vec<Diagnostic>,
    completeness: Completeness,
    /// Whether the reader looks for bytes after the end block.
    to_the_end: bool,
    closed: bool,
    done: bool,
}

const UNFINISHED: Malformed = Malformed("it stands inside the unfinished window of another block");
const DISCONTINUED: Malformed =
    Malformed("its operations do not continue those of the block before it");
const NOT_ONCE: Malformed = Malformed("its window does not hold each of its operations once");

impl<'a> Batches<'a> {
    /// Reads all operations, and decodes on the caller's thread.
    pub fn new(source: impl Read + 'a) -> io::Result<Self> {
        Self::inline(source, Wanted::Everything)
    }

    /// Reads with fewer accesses, and without their attributes, on the caller's thread. An access
    /// is left out if its run accessed the location before, unless it is the run's first write of
    /// it.
    pub fn distinct(source: impl Read + 'a) -> io::Result<Self> {
        Self::inline(source, Wanted::Distinct)
    }

    fn inline(source: impl Read + 'a, wanted: Wanted) -> io::Result<Self> {
        Ok(Self::over(Box::new(Inline::new(BlockReader::new(source), wanted)?)))
    }

    /// Reads all operations, and decodes on `workers` threads while the caller consumes them.
    pub fn parallel(source: impl Read + Send + 'static, workers: usize) -> io::Result<Self> {
        let blocks = BlockReader::new(source);
        Self::ahead(blocks, workers, &Wanted::Everything, NEAR_AHEAD * workers as u64)
    }

    /// Reads like [`Batches::distinct`], and decodes on `workers` threads. It decodes up to
    /// [`FAR_AHEAD`] bytes ahead of the caller.
    pub fn parallel_distinct(
        source: impl Read + Send + 'static,
        workers: usize,
    ) -> io::Result<Self> {
        Self::parallel_distinct_of(BlockReader::new(source), workers)
    }

    pub(super) fn parallel_distinct_of(
        blocks: BlockReader<impl Read + Send + 'static>,
        workers: usize,
    ) -> io::Result<Self> {
        Self::ahead(blocks, workers, &Wanted::Distinct, FAR_AHEAD)
    }

    /// Reads only the accesses of some locations and those with a time, and decodes on `workers`
    /// threads.
    pub(super) fn parallel_of(
        blocks: BlockReader<impl Read + Send + 'static>,
        workers: usize,
        locations: Arc<[bool]>,
    ) -> io::Result<Self> {
        Self::ahead(blocks, workers, &Wanted::Locations(locations), NEAR_AHEAD * workers as u64)
    }

    fn ahead(
        blocks: BlockReader<impl Read + Send + 'static>,
        workers: usize,
        wanted: &Wanted,
        most: u64,
    ) -> io::Result<Self> {
        Ok(Self::over(Box::new(Ahead::new(blocks, workers, wanted, most)?)))
    }

    /// Reads only the sync operations. It reads past the payload of data blocks.
    pub fn skeleton(source: impl Read + 'a) -> io::Result<Self> {
        Self::skeleton_of(BlockReader::new(source))
    }

    /// Reads only the sync operations. It seeks past the payload of data blocks.
    pub fn seeking_skeleton(source: impl Read + Seek + 'a) -> io::Result<Self> {
        Self::skeleton_of(BlockReader::new(source).seeking())
    }

    pub(super) fn skeleton_of(blocks: BlockReader<impl Read + 'a>) -> io::Result<Self> {
        Ok(Self::over(Box::new(Inline::new(blocks.without_data(), Wanted::Everything)?)))
    }

    /// Reads decoded blocks.
    pub(super) fn over(blocks: Blocks<'a>) -> Self {
        Self {
            blocks,
            known: Known::new(),
            pending: None,
            declared: Vec::new(),
            next_operation: 0,
            next_offset: 0,
            unknown_blocks: 0,
            outline: Outline::default(),
            diagnostics: Vec::new(),
            completeness: Completeness::whole(),
            to_the_end: false,
            closed: false,
            done: false,
        }
    }

    /// Makes the reader report bytes after the end block as damage. A source that waits for its
    /// writer must not use this, because it would wait after the end block.
    #[must_use]
    pub fn to_the_end(mut self) -> Self {
        self.to_the_end = true;
        self
    }

    /// The anomalies of the file. The list is complete once the last batch was returned.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// How much of the file was read. This is known once the last batch was returned.
    pub fn completeness(&self) -> Completeness {
        self.completeness.clone().with_operations(self.next_operation)
    }

    /// Whether the end block was read, so that nothing is missing.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The number of operations that were returned, or passed over in a skeleton read.
    pub fn operations(&self) -> u64 {
        self.next_operation
    }

    fn advance(&mut self) -> Result<Option<Batch>, ReadError> {
        while !self.done {
            let batch = match self.blocks.next() {
                None => self.end_of_input(),
                Some(Ok(block)) => self.take(block),
                Some(Err(Stop::Damage(damage))) => self.stop(&damage),
                Some(Err(Stop::Io(error))) => {
                    let at = Place::Offset(self.next_offset);
                    return Err(self.failed(at, &error.to_string(), "readable bytes"));
                }
                Some(Err(Stop::Foreign(start))) => {
                    let found = format!("the input starts with {}", Escaped(&start));
                    let expected = format!("{}, as every .ilt file does", Escaped(&MAGIC));
                    return Err(self.failed(Place::Offset(0), &found, &expected));
                }
            };
            if batch.is_some() {
                return Ok(batch);
            }
        }
        Ok(None)
    }

    fn failed(&mut self, at: Place, message: &str, expected: &str) -> ReadError {
        self.done = true;
        ReadError::new(at, message, expected)
    }

    fn take(&mut self, block: Decoded) -> Option<Batch> {
        let Decoded { header, offset, content } = block;
        self.next_offset = offset + header.block_len();
        if !matches!(content, Content::End(_)) {
            self.outline.add(header.kind, header.block_len());
        }
        let damage =
            |malformed: Malformed| Damage { offset, header: Some(header), kind: malformed.into() };
        match self.admit(header.window, content) {
            Ok(Admitted::Waits) => None,
            Ok(Admitted::Closes(index)) => self.close(&index),
            Ok(Admitted::Completes) => match self.flush() {
                Ok(batch) if self.next_operation == header.window.end() => batch,
                Ok(batch) => {
                    self.stop_at(&damage(NOT_ONCE));
                    batch
                }
                Err(malformed) => self.stop(&damage(malformed)),
            },
            Err(malformed) => self.stop(&damage(malformed)),
        }
    }

    fn admit(&mut self, window: WindowRange, content: Content) -> Result<Admitted, Malformed> {
        let other_pending = self.pending.as_ref().is_some_and(|pending| pending.window != window);
        match content {
            Content::Tables(_) | Content::Sync(_) if self.pending.is_some() => Err(UNFINISHED),
            Content::Data(_) | Content::Unwanted if other_pending => Err(UNFINISHED),
            Content::Tables(padded) => {
                self.declared.push(self.known.declare(padded)?);
                Ok(Admitted::Waits)
            }
            Content::Sync(sync) => {
                self.enter_window(window)?;
                let complete = sync.len() as u64 == u64::from(window.span);
                self.pending = Some(Pending::of(window, sync));
                Ok(if complete { Admitted::Completes } else { Admitted::Waits })
            }
            Content::Data(data) => {
                let sync = match self.pending.take() {
                    Some(pending) => pending.sync,
                    None => self.enter_window(window).map(|()| Vec::new())?,
                };
                self.pending = Some(Pending { data: *data, ..Pending::of(window, sync) });
                Ok(Admitted::Completes)
            }
            Content::Unwanted => {
                if let Some(pending) = &mut self.pending {
                    pending.passed = true;
                    return Ok(Admitted::Completes);
                }
                self.enter_window(window)?;
                self.next_operation = window.end();
                Ok(Admitted::Waits)
            }
            Content::Attachment => Ok(Admitted::Waits),
            Content::Unknown => {
                self.unknown_blocks += 1;
                Ok(Admitted::Waits)
            }
            Content::End(index) => Ok(Admitted::Closes(index)),
        }
    }

    fn enter_window(&self, window: WindowRange) -> Result<(), Malformed> {
        let continues = window.first == self.next_operation && window.span > 0;
        if continues { Ok(()) } else { Err(DISCONTINUED) }
    }

    /// Returns the pending window, up to the first gap in its numbers.
    fn flush(&mut self) -> Result<Option<Batch>, Malformed> {
        let mut batch = match self.pending.take() {
            Some(Pending { window, sync, passed: true, .. }) => {
                let batch = self.known.skeleton(sync)?;
                self.next_operation = window.end();
                batch
            }
            Some(Pending { window, sync, data, passed: false }) => {
                let batch = self.known.interleave(window, sync, data)?;
                self.next_operation += batch.operations();
                batch
            }
            None if self.declared.is_empty() => return Ok(None),
            None => Batch::default(),
        };
        batch.declarations = std::mem::take(&mut self.declared);
        Ok(Some(batch))
    }

    /// Ends the reading, because the file cannot be used from `damage` on.
    fn stop(&mut self, damage: &Damage) -> Option<Batch> {
        let batch = self.flush().ok().flatten();
        self.stop_at(damage);
        batch
    }

    fn stop_at(&mut self, damage: &Damage) {
        let read = self.next_operation;
        self.report_oddities();
        let loss = damage.diagnostic(&format!(
            "operations 0..{read} were read, whatever came after them is lost"
        ));
        let is_tail = match damage.kind {
            DamageKind::CutHeader { .. } | DamageKind::CutPayload { .. } => true,
            DamageKind::NoMagic { followed } | DamageKind::HeaderChecksum { followed } => !followed,
            DamageKind::PayloadChecksum | DamageKind::Compression => !self.is_followed(),
            DamageKind::Length
            | DamageKind::Expansion
            | DamageKind::Codec(_)
            | DamageKind::Version(_)
            | DamageKind::Required(_)
            | DamageKind::Malformed(_) => false,
        };
        let completeness = if is_tail { Completeness::tail_missing } else { Completeness::damaged };
        self.lose(loss, completeness);
    }

    /// Ends the reading because of `loss`.
    fn lose(&mut self, loss: Diagnostic, completeness: fn(Diagnostic) -> Completeness) {
        self.diagnostics.push(loss.clone());
        self.completeness = completeness(loss);
        self.done = true;
    }

    /// Whether a sound header follows the block that was read last.
    fn is_followed(&mut self) -> bool {
        match self.blocks.next() {
            None => false,
            Some(Err(Stop::Damage(damage))) => match damage.kind {
                DamageKind::CutHeader { .. } => false,
                DamageKind::NoMagic { followed } | DamageKind::HeaderChecksum { followed } => {
                    followed
                }
                _ => true,
            },
            Some(Ok(_) | Err(_)) => true,
        }
    }

    /// Ends the reading at the end of the input, between two blocks and without an end block.
    fn end_of_input(&mut self) -> Option<Batch> {
        let promised = self.pending.as_ref().map(|pending| pending.window.end());
        let batch = self.flush().ok().flatten();
        let read = self.next_operation;
        let lost = match promised.filter(|&promised| promised > read) {
            Some(promised) => {
                format!("operations {read}..{promised} and whatever came after them are lost")
            }
            None => "whatever came after them is lost".to_owned(),
        };
        self.report_oddities();
        let message = format!("no end block follows; operations 0..{read} were read, {lost}");
        let at = Place::Offset(self.next_offset);
        let unclosed = Diagnostic::new(&anomaly::UNCLOSED_FILE, at, message);
        self.lose(unclosed, Completeness::tail_missing);
        batch
    }

    fn close(&mut self, index: &Index) -> Option<Batch> {
        let batch = self.flush().ok().flatten();
        self.report_oddities();
        let (read, written) = (self.next_operation, index.operations);
        if read != written {
            let message = format!("the end block counts {written} operations, {read} were read");
            let loss = Diagnostic::new(&anomaly::LOST_OPERATIONS, Place::Whole, message);
            self.lose(loss, Completeness::damaged);
        } else if !index.lists(self.outline) {
            let message = format!(
                "the end block lists other blocks than the file holds; operations 0..{read} were read"
            );
            let loss = Diagnostic::new(&anomaly::LOST_BLOCKS, Place::Whole, message);
            self.lose(loss, Completeness::damaged);
        } else if self.to_the_end && self.blocks.next().is_some() {
            let message = format!("operations 0..{read} were read, the bytes after them were not");
            let at = Place::Offset(self.next_offset);
            let loss = Diagnostic::new(&anomaly::DATA_AFTER_END, at, message);
            self.lose(loss, Completeness::damaged);
        }
        self.closed = self.completeness.loss().is_none();
        self.done = true;
        batch
    }

    fn report_oddities(&mut self) {
        if self.unknown_blocks > 0 {
            let message = format!("{} blocks", self.unknown_blocks);
            self.diagnostics.push(Diagnostic::new(&anomaly::SKIPPED_BLOCK, Place::Whole, message));
        }
        if let Some((first, count)) = self.known.stack_mismatch {
            let place = u32::try_from(first).map_or(Place::Whole, Place::Operation);
            let message = format!("the first of {count}");
            self.diagnostics.push(Diagnostic::new(&anomaly::STACK_MISMATCH, place, message));
        }
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

/// The effect of an admitted block.
enum Admitted {
    /// More blocks are needed.
    Waits,
    /// The pending window has all its blocks.
    Completes,
    /// The file is closed.
    Closes(Index),
}
