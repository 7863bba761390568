//! The header of every block, and the constants that reader and writer share.
//!
//! A header is checked by its own CRC before its fields are used, so that a reader can skip a block
//! by its length without looking at its payload.

/// The first four bytes of every block, and so of every file.
pub(crate) const MAGIC: [u8; 4] = *b"\x93ILT";
/// The version of the layout that docs/format.md documents.
pub(crate) const VERSION: u8 = 1;
/// The length of a header in bytes.
pub(crate) const HEADER_LEN: usize = 36;
/// The longest payload, stored or decoded. It bounds the memory that one block can make a reader
/// allocate.
pub(crate) const MAX_PAYLOAD: usize = 16 << 20;
/// The bit of [`Header::flags`] that makes a reader stop if it does not know the block's type.
pub(crate) const FLAG_REQUIRED: u8 = 1;
/// The last bytes of a closed file, after the length of its end block.
pub(crate) const TAIL_MAGIC: [u8; 4] = *b"TLI\x93";
/// The length of the tail: the length of the end block (4 bytes) and [`TAIL_MAGIC`].
pub(crate) const TAIL_LEN: usize = 8;

/// The type of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockType {
    /// Names, source positions, stack frames, and declarations about them.
    Tables,
    /// The operations that can order others.
    Sync,
    /// Accesses, and the functions entered and left between them.
    Data,
    /// Closes the file and lists its blocks.
    End,
    /// A picture of the recorded program.
    Screenshot,
    /// What a replay of the recorded program needs.
    Session,
    /// A type that this reader does not know.
    Unknown(u8),
}

impl BlockType {
    /// The type that a header byte stands for.
    pub(crate) fn from_byte(byte: u8) -> Self {
        match byte {
            1 => Self::Tables,
            2 => Self::Sync,
            3 => Self::Data,
            4 => Self::End,
            5 => Self::Screenshot,
            6 => Self::Session,
            other => Self::Unknown(other),
        }
    }

    /// The byte that stands for the type in a header.
    pub(crate) fn to_byte(self) -> u8 {
        match self {
            Self::Tables => 1,
            Self::Sync => 2,
            Self::Data => 3,
            Self::End => 4,
            Self::Screenshot => 5,
            Self::Session => 6,
            Self::Unknown(byte) => byte,
        }
    }

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tables => "tables",
            Self::Sync => "sync",
            Self::Data => "data",
            Self::End => "end",
            Self::Screenshot => "screenshot",
            Self::Session => "session",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Whether the block is an attachment: it holds no part of the trace.
    pub(crate) fn is_attachment(self) -> bool {
        matches!(self, Self::Screenshot | Self::Session)
    }

    /// Whether the block holds operations of its window.
    pub(crate) fn has_operations(self) -> bool {
        matches!(self, Self::Sync | Self::Data)
    }
}

/// The operations a block belongs to: numbers `first .. first + span`.
///
/// A window has at most one sync block and one data block, which between them hold each of its
/// numbers once. Blocks of other types come before the operations that need them; their span is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WindowRange {
    pub(crate) first: u64,
    pub(crate) span: u32,
}

impl WindowRange {
    /// One past the last number. Headers are checked so that it fits 64 bits.
    pub(crate) fn end(self) -> u64 {
        self.first + u64::from(self.span)
    }
}

/// A block's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: BlockType,
    /// The compression of the payload: 0 for none, 1 for one zstd frame.
    pub(crate) codec: u8,
    pub(crate) flags: u8,
    pub(crate) stored_len: u32,
    pub(crate) raw_len: u32,
    pub(crate) window: WindowRange,
    /// The CRC of the stored bytes.
    pub(crate) payload_crc: u32,
}

/// Why 36 bytes are no sound header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadHeader {
    Magic,
    Version(u8),
    Checksum,
    Length,
}

fn word(bytes: &[u8; HEADER_LEN], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

impl Header {
    /// Encodes the header.
    pub(crate) fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[0..4].copy_from_slice(&MAGIC);
        bytes[4] = VERSION;
        bytes[5] = self.kind.to_byte();
        bytes[6] = self.codec;
        bytes[7] = self.flags;
        bytes[8..12].copy_from_slice(&self.stored_len.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.raw_len.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.window.first.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.window.span.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.payload_crc.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..32]);
        bytes[32..36].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Decodes the header in `bytes`, if its checksum holds and its lengths are within bounds.
    pub(crate) fn decode(bytes: &[u8; HEADER_LEN]) -> Result<Self, BadHeader> {
        if bytes[0..4] != MAGIC {
            return Err(BadHeader::Magic);
        }
        if word(bytes, 32) != crc32c::crc32c(&bytes[..32]) {
            return Err(BadHeader::Checksum);
        }
        if bytes[4] != VERSION {
            return Err(BadHeader::Version(bytes[4]));
        }
        let first = u64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes"));
        let header = Self {
            kind: BlockType::from_byte(bytes[5]),
            codec: bytes[6],
            flags: bytes[7],
            stored_len: word(bytes, 8),
            raw_len: word(bytes, 12),
            window: WindowRange { first, span: word(bytes, 24) },
            payload_crc: word(bytes, 28),
        };
        let longest = header.stored_len.max(header.raw_len) as usize;
        if longest > MAX_PAYLOAD || first > u64::MAX / 2 {
            return Err(BadHeader::Length);
        }
        Ok(header)
    }

    /// The length of the whole block in bytes.
    pub(crate) fn block_len(&self) -> u64 {
        HEADER_LEN as u64 + u64::from(self.stored_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            kind: BlockType::Data,
            codec: 1,
            flags: FLAG_REQUIRED,
            stored_len: 77,
            raw_len: 300,
            window: WindowRange { first: 1 << 40, span: 9 },
            payload_crc: 0xdead_beef,
        }
    }

    #[test]
    fn a_header_survives_and_any_flipped_bit_is_seen() {
        let bytes = header().encode();
        assert_eq!(Header::decode(&bytes), Ok(header()));
        for bit in 0..HEADER_LEN * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::decode(&flipped).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_although_its_checksum_holds() {
        let long = Header { raw_len: MAX_PAYLOAD as u32 + 1, ..header() };
        assert_eq!(Header::decode(&long.encode()), Err(BadHeader::Length));
    }
}
