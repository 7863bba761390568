//! Walks a damaged file past its damage. A file consists of sound blocks and holes between them.

use std::io::{self, Read, Seek};

use super::block::{BlockReader, Damage, DamageKind, Stop};
use super::data::Wanted;
use super::decode::{BlockDecoder, Decoded};
use super::layout::Header;

/// A piece of a file.
pub(crate) enum Piece {
    /// A block that decodes.
    Block(Decoded),
    /// Bytes that contain no block that this reader can use.
    Hole(Hole),
}

/// Bytes that contain no sound block.
#[derive(Clone, Debug)]
pub(crate) struct Hole {
    pub(crate) offset: u64,
    pub(crate) len: u64,
    /// The header, if only the payload is damaged.
    pub(crate) header: Option<Header>,
    /// A description of the damage, in one line.
    pub(crate) what: String,
}

/// All the pieces of a file, in order.
pub(crate) struct Pieces<R> {
    blocks: BlockReader<R>,
    decoder: BlockDecoder,
    next: u64,
}

impl<R: Read + Seek> Pieces<R> {
    pub(crate) fn new(source: R) -> io::Result<Self> {
        let mut blocks = BlockReader::new(source);
        blocks.resume_at(0)?;
        Ok(Self { blocks, decoder: BlockDecoder::new(Wanted::Everything)?, next: 0 })
    }

    /// Returns the next piece. None at the end of the file.
    pub(crate) fn next_piece(&mut self) -> io::Result<Option<Piece>> {
        let decoded = match self.blocks.next_block() {
            Ok(None) => return Ok(None),
            Ok(Some(block)) => self.decoder.decode(block),
            Err(stop) => Err(stop),
        };
        match decoded {
            Ok(decoded) => {
                self.next += decoded.header.block_len();
                Ok(Some(Piece::Block(decoded)))
            }
            Err(Stop::Io(error)) => Err(error),
            Err(Stop::Foreign(_)) => self.hole(None, "the file does not start with a block"),
            Err(Stop::Damage(Damage { header: Some(header), kind, offset })) => {
                let cut = matches!(kind, DamageKind::CutPayload { .. });
                let what = Damage { offset, header: Some(header), kind }.to_string();
                if cut {
                    return self.hole(Some(header), &what);
                }
                self.next = offset + header.block_len();
                self.blocks.resume_at(self.next)?;
                let len = header.block_len();
                Ok(Some(Piece::Hole(Hole { offset, len, header: Some(header), what })))
            }
            Err(Stop::Damage(damage)) => self.hole(None, &damage.to_string()),
        }
    }

    /// Returns a hole that reaches to the next sound header.
    fn hole(&mut self, header: Option<Header>, what: &str) -> io::Result<Option<Piece>> {
        let offset = self.next;
        self.next = self.blocks.find_block(offset + 1)?;
        self.blocks.resume_at(self.next)?;
        let (len, what) = (self.next - offset, what.to_owned());
        Ok(Some(Piece::Hole(Hole { offset, len, header, what })))
    }
}
