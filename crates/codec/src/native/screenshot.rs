//! Pictures of the recorded page, which stand in blocks of their own beside the trace.

use std::io::{self, Read, Seek};

use super::attachment::each;
use super::block::BlockReader;
use super::varint::{Cursor, PADDING, put};

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
}

impl PictureFormat {
    fn number(self) -> u8 {
        match self {
            Self::Jpeg => 1,
            Self::Png => 2,
        }
    }

    fn of(number: u8) -> Option<Self> {
        [Self::Jpeg, Self::Png].into_iter().find(|format| format.number() == number)
    }

    /// Returns the format that some bytes begin like.
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            _ => None,
        }
    }

    /// Returns the media type.
    pub fn media(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
        }
    }
}

/// What the page showed at some point of the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screenshot {
    /// The number of the first operation that came after it.
    pub operation: u64,
    /// The format of the bytes.
    pub format: PictureFormat,
    /// The picture.
    pub bytes: Vec<u8>,
}

impl Screenshot {
    /// The largest picture in bytes.
    pub const LARGEST: usize = 1 << 20;

    pub(crate) fn payload(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len() + 11);
        put(&mut out, self.operation);
        out.push(self.format.number());
        out.extend(&self.bytes);
        out
    }

    /// Reads a payload with its padding. None if it is no picture of a known format.
    fn parse(padded: &[u8]) -> Option<Self> {
        let mut numbers = Cursor::new(padded);
        let operation = numbers.long().ok()?;
        let format = PictureFormat::of(numbers.byte().ok()?)?;
        let bytes = padded.get(numbers.position()..padded.len() - PADDING)?;
        let is_it = bytes.len() <= Self::LARGEST && PictureFormat::sniff(bytes) == Some(format);
        is_it.then(|| Self { operation, format, bytes: bytes.to_vec() })
    }
}

/// Returns the pictures of a file, in the order of their operations. It skips all other blocks. A file that is damaged
/// ends before the damage, and a picture that is damaged or of an unknown format is left out.
pub fn screenshots(source: impl Read + Seek) -> io::Result<Vec<Screenshot>> {
    let mut found: Vec<Screenshot> = Vec::new();
    each(BlockReader::new(source).screenshots(), |payload| {
        found.extend(payload.and_then(|payload| Screenshot::parse(&payload)));
        Ok(())
    })?;
    found.sort_by_key(|picture| picture.operation);
    Ok(found)
}
