//! From a stored block to its rows. Needs no other block, so blocks decode in parallel.

use std::io::{self, Read};

use super::block::{Block, BlockReader, Damage, DamageKind, Stop};
use super::data::{self, DataRows};
use super::end::Index;
use super::layout::{BlockType, Header};
use super::payload::{Unpacker, check};
use super::rows::SyncRow;
use super::sync;
use super::varint::Malformed;

/// What a block holds.
pub(crate) enum Content {
    /// Padded; the entries are checked in order, because they refer to earlier blocks.
    Tables(Vec<u8>),
    Sync(Vec<SyncRow>),
    Data(Box<DataRows>),
    End(Index),
    /// Left unread.
    Unwanted,
    /// Of a type this reader does not know.
    Unknown,
}

/// A block and its contents.
pub(crate) struct Decoded {
    pub(crate) header: Header,
    pub(crate) offset: u64,
    pub(crate) content: Content,
}

impl From<Malformed> for DamageKind {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed.0.to_owned())
    }
}

/// Decodes one block.
pub(crate) fn decode(unpacker: &mut Unpacker, block: Block) -> Result<Decoded, Stop> {
    let Block { header, offset, stored } = block;
    let content = content(unpacker, &header, stored)
        .map_err(|kind| Stop::Damage(Damage { offset, header: Some(header), kind }))?;
    Ok(Decoded { header, offset, content })
}

fn content(
    unpacker: &mut Unpacker,
    header: &Header,
    stored: Option<Vec<u8>>,
) -> Result<Content, DamageKind> {
    let Some(stored) = stored else { return Ok(Content::Unwanted) };
    check(header, &stored)?;
    if let BlockType::Unknown(_) = header.kind {
        return Ok(Content::Unknown);
    }
    let raw = unpacker.unpack(header, stored)?;
    Ok(match header.kind {
        BlockType::Tables => Content::Tables(raw),
        BlockType::Sync => Content::Sync(sync::decode(&raw, header.window)?),
        BlockType::Data => Content::Data(Box::new(data::decode(&raw, header.window)?)),
        BlockType::End => Content::End(Index::decode(&raw)?),
        BlockType::Unknown(_) => Content::Unknown,
    })
}

/// Decodes blocks one after the other, on the caller's thread.
pub(crate) struct Inline<R> {
    blocks: BlockReader<R>,
    unpacker: Unpacker,
}

impl<R: Read> Inline<R> {
    pub(crate) fn new(blocks: BlockReader<R>) -> io::Result<Self> {
        Ok(Self { blocks, unpacker: Unpacker::new()? })
    }
}

impl<R: Read> Iterator for Inline<R> {
    type Item = Result<Decoded, Stop>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.blocks.next()?;
        Some(block.and_then(|block| decode(&mut self.unpacker, block)))
    }
}
