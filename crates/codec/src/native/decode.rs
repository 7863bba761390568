//! Decodes a stored block to its rows. Decoding needs no other block, so blocks decode in parallel.

use std::io::{self, Read};

use super::block::{Block, BlockReader, Damage, DamageKind, Stop};
use super::data::{self, DataRows, Wanted};
use super::end::Index;
use super::layout::{BlockType, Header};
use super::payload::{Unpacker, check};
use super::rows::SyncRow;
use super::sync;
use super::varint::Malformed;

/// The contents of a block.
pub(crate) enum Content {
    /// The padded entries of a tables block. They are checked later, in file order, because they
    /// refer to earlier blocks.
    Tables(Vec<u8>),
    Sync(Vec<SyncRow>),
    Data(Box<DataRows>),
    End(Index),
    /// A block that was not read, because the reader did not ask for it.
    Unwanted,
    /// A block that holds no part of the trace.
    Attachment,
    /// A block of a type that this reader does not know.
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

/// Decodes blocks.
pub(crate) struct BlockDecoder {
    unpacker: Unpacker,
    wanted: Wanted,
}

impl BlockDecoder {
    pub(crate) fn new(wanted: Wanted) -> io::Result<Self> {
        Ok(Self { unpacker: Unpacker::new()?, wanted })
    }

    /// Decodes one block.
    pub(crate) fn decode(&mut self, block: Block) -> Result<Decoded, Stop> {
        let Block { header, offset, stored } = block;
        let content = self
            .content(&header, stored)
            .map_err(|kind| Stop::Damage(Damage { offset, header: Some(header), kind }))?;
        Ok(Decoded { header, offset, content })
    }

    fn content(&mut self, header: &Header, stored: Option<Vec<u8>>) -> Result<Content, DamageKind> {
        let Some(stored) = stored else {
            let is_attachment = header.kind.is_attachment();
            return Ok(if is_attachment { Content::Attachment } else { Content::Unwanted });
        };
        check(header, &stored)?;
        match header.kind {
            BlockType::Unknown(_) => return Ok(Content::Unknown),
            BlockType::Screenshot | BlockType::Session => return Ok(Content::Attachment),
            _ => {}
        }
        let raw = self.unpacker.unpack(header, stored)?;
        Ok(match header.kind {
            BlockType::Tables => Content::Tables(raw),
            BlockType::Sync => Content::Sync(sync::decode(&raw, header.window)?),
            BlockType::Data => {
                Content::Data(Box::new(data::decode(&raw, header.window, &self.wanted)?))
            }
            BlockType::End => Content::End(Index::decode(&raw)?),
            BlockType::Screenshot | BlockType::Session => Content::Attachment,
            BlockType::Unknown(_) => Content::Unknown,
        })
    }
}

/// Decodes blocks one after the other, on the caller's thread.
pub(crate) struct Inline<R> {
    blocks: BlockReader<R>,
    decoder: BlockDecoder,
}

impl<R: Read> Inline<R> {
    pub(crate) fn new(blocks: BlockReader<R>, wanted: Wanted) -> io::Result<Self> {
        Ok(Self { blocks, decoder: BlockDecoder::new(wanted)? })
    }
}

impl<R: Read> Iterator for Inline<R> {
    type Item = Result<Decoded, Stop>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.blocks.next()?;
        Some(block.and_then(|block| self.decoder.decode(block)))
    }
}
