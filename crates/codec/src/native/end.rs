//! The end block: closes a file, counts its operations, and lists its blocks.
//!
//! No operation depends on the list. A reader that walked the file compares its blocks with the
//! list. A reader that can seek finds the list from the last eight bytes of the file, and so knows
//! the file's blocks without walking it.

use std::io::{self, Read, Seek, SeekFrom};

use super::block::read_full;
use super::layout::{BlockType, HEADER_LEN, Header, MAX_PAYLOAD, TAIL_LEN, TAIL_MAGIC};
use super::payload::{Unpacker, check};
use super::varint::{self, Cursor, Malformed};

/// One block of a closed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The type of the block.
    pub kind: BlockType,
    /// The offset of the block.
    pub offset: u64,
    /// The length of the block, header included.
    pub len: u64,
    /// The number of operations in the block's window.
    pub span: u32,
}

/// The contents of an end block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// How many operations the file has.
    pub operations: u64,
    /// The other blocks of the file, in order. Empty if there were too many to list.
    pub blocks: Vec<IndexEntry>,
}

/// A checksum over the types and lengths of the blocks that a reader walked, in order, to compare
/// them with an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline(u32);

impl Outline {
    pub(crate) fn add(&mut self, kind: BlockType, len: u64) {
        let mut row = [kind.to_byte(); 9];
        row[1..].copy_from_slice(&len.to_le_bytes());
        self.0 = crc32c::crc32c_append(self.0, &row);
    }
}

/// Collects the list of blocks while a file is written.
#[derive(Default)]
pub(crate) struct IndexBuilder {
    entries: Vec<u8>,
    blocks: u64,
}

impl IndexBuilder {
    pub(crate) fn add(&mut self, header: &Header) {
        self.entries.push(header.kind.to_byte());
        varint::put(&mut self.entries, header.block_len());
        varint::put(&mut self.entries, u64::from(header.window.span));
        self.blocks += 1;
    }

    /// Returns the payload of the end block of a file with so many `operations`.
    pub(crate) fn payload(self, operations: u64) -> Vec<u8> {
        let fits = self.entries.len() + 64 < MAX_PAYLOAD;
        let mut out = Vec::new();
        varint::put(&mut out, operations);
        varint::put(&mut out, if fits { self.blocks } else { 0 });
        if fits {
            out.extend_from_slice(&self.entries);
        }
        let len = (HEADER_LEN + out.len() + TAIL_LEN) as u32;
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&TAIL_MAGIC);
        out
    }
}

impl Index {
    /// Reads the payload of an end block.
    pub(crate) fn decode(padded: &[u8]) -> Result<Self, Malformed> {
        let mut from = Cursor::new(padded);
        let operations = from.long()?;
        let count = from.long()?;
        let mut blocks = Vec::new();
        let mut offset = 0_u64;
        for _ in 0..count {
            let kind = BlockType::from_byte(from.byte()?);
            let len = from.long()?;
            let span = u32::try_from(from.short()?).map_err(|_| Malformed("a span is too long"))?;
            from.at_end()?;
            blocks.push(IndexEntry { kind, offset, len, span });
            offset = offset.checked_add(len).ok_or(Malformed("a block is too long"))?;
        }
        from.bytes(TAIL_LEN as u64)?;
        if !from.at_end()? {
            return Err(Malformed("an end block has bytes after its tail"));
        }
        Ok(Self { operations, blocks })
    }

    /// Whether the index lists the blocks that were walked. True for an index without a list.
    pub(crate) fn lists(&self, walked: Outline) -> bool {
        let mut listed = Outline::default();
        for block in &self.blocks {
            listed.add(block.kind, block.len);
        }
        self.blocks.is_empty() || listed == walked
    }

    /// Finds the index of a closed file from the file's last bytes. None if there is no sound
    /// index.
    pub fn locate(source: &mut (impl Read + Seek)) -> io::Result<Option<Self>> {
        let len = source.seek(SeekFrom::End(0))?;
        if len < (HEADER_LEN + TAIL_LEN) as u64 {
            return Ok(None);
        }
        let mut tail = [0; TAIL_LEN];
        source.seek(SeekFrom::Start(len - TAIL_LEN as u64))?;
        read_full(source, &mut tail)?;
        let block_len = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
        let longest = (HEADER_LEN + MAX_PAYLOAD) as u64;
        if tail[4..] != TAIL_MAGIC || block_len > len.min(longest) {
            return Ok(None);
        }
        source.seek(SeekFrom::Start(len - block_len))?;
        let mut header = [0; HEADER_LEN];
        read_full(source, &mut header)?;
        let Ok(header) = Header::decode(&header) else { return Ok(None) };
        if header.kind != BlockType::End || header.block_len() != block_len {
            return Ok(None);
        }
        let mut stored = Vec::new();
        source.take(u64::from(header.stored_len)).read_to_end(&mut stored)?;
        if check(&header, &stored).is_err() {
            return Ok(None);
        }
        let raw = Unpacker::new()?.unpack(&header, stored).ok();
        Ok(raw.and_then(|raw| Self::decode(&raw).ok()))
    }
}
