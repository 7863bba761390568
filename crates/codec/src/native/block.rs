//! The blocks of a file: finding them, and checking their headers. Decoding their contents comes
//! later.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use trace::{Code, Diagnostic, Place};

use super::anomaly;
use super::layout::{
    BadHeader, BlockType, FLAG_REQUIRED, HEADER_LEN, Header, MAGIC, MAX_PAYLOAD, VERSION,
};
use super::passes::Comparing;

/// A block whose header is sound.
pub(crate) struct Block {
    pub(crate) header: Header,
    /// The offset of the block's header.
    pub(crate) offset: u64,
    /// The stored bytes, not yet checked. None if the caller did not ask for them.
    pub(crate) stored: Option<Vec<u8>>,
}

/// Why no further block can be read.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Reading the input failed.
    Io(io::Error),
    /// The input does not start like a native file.
    Foreign([u8; 4]),
    /// The file is damaged.
    Damage(Damage),
}

/// The damage at one place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The offset at which the block starts, or should start.
    pub(crate) offset: u64,
    /// The block's header, if it is sound.
    pub(crate) header: Option<Header>,
    pub(crate) kind: DamageKind,
}

/// The ways in which a block can be damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DamageKind {
    CutHeader {
        have: usize,
    },
    CutPayload {
        have: u64,
    },
    /// No block starts here. `followed` states whether a sound header follows somewhere.
    NoMagic {
        followed: bool,
    },
    HeaderChecksum {
        followed: bool,
    },
    Length,
    Expansion,
    PayloadChecksum,
    Compression,
    Codec(u8),
    Version(u8),
    Required(u8),
    Malformed(String),
}

impl Damage {
    /// The declared code of this kind of damage.
    pub(crate) fn code(&self) -> &'static Code {
        match self.kind {
            DamageKind::CutHeader { .. } | DamageKind::CutPayload { .. } => &anomaly::CUT_BLOCK,
            DamageKind::NoMagic { .. }
            | DamageKind::HeaderChecksum { .. }
            | DamageKind::PayloadChecksum
            | DamageKind::Compression => &anomaly::DAMAGED_BLOCK,
            DamageKind::Length | DamageKind::Expansion | DamageKind::Malformed(_) => {
                &anomaly::MALFORMED_BLOCK
            }
            DamageKind::Codec(_) | DamageKind::Version(_) | DamageKind::Required(_) => {
                &anomaly::NEWER_BLOCK
            }
        }
    }

    /// The diagnostic, ending in `consequence`.
    pub(crate) fn diagnostic(&self, consequence: &str) -> Diagnostic {
        Diagnostic::new(self.code(), Place::Offset(self.offset), format!("{self}; {consequence}"))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(header) = &self.header {
            write!(f, "{} block", header.kind.name())?;
            if header.kind.has_operations() {
                write!(f, " of operations {}..{}", header.window.first, header.window.end())?;
            }
            f.write_str(": ")?;
        }
        match &self.kind {
            DamageKind::CutHeader { have } => {
                write!(f, "the file ends after {have} of the {HEADER_LEN} bytes of a block header")
            }
            DamageKind::CutPayload { have } => {
                let want = self.header.map_or(0, |h| h.stored_len);
                write!(f, "the file ends after {have} of its {want} bytes")
            }
            DamageKind::NoMagic { .. } => f.write_str("no block starts where the last one ends"),
            DamageKind::HeaderChecksum { .. } => {
                f.write_str("the checksum of a block header is wrong")
            }
            DamageKind::Length => {
                write!(f, "a block declares more than the {MAX_PAYLOAD} bytes allowed")
            }
            DamageKind::Expansion => write!(
                f,
                "the tables and sync blocks up to it expand to more than {MOST_EXPANSION} times their \
                 bytes"
            ),
            DamageKind::PayloadChecksum => f.write_str("its checksum is wrong"),
            DamageKind::Compression => f.write_str("it does not decompress"),
            DamageKind::Codec(codec) => write!(f, "it is compressed in an unknown way ({codec})"),
            DamageKind::Version(version) => {
                write!(f, "a block has layout version {version}, this reader knows {VERSION}")
            }
            DamageKind::Required(kind) => write!(f, "type {kind} is unknown but required"),
            DamageKind::Malformed(reason) => f.write_str(reason),
        }
    }
}

/// A function that skips bytes, and returns how many there were.
type Skip<R> = fn(&mut R, u64) -> io::Result<u64>;

fn skip_by_reading<R: Read>(source: &mut R, len: u64) -> io::Result<u64> {
    io::copy(&mut source.take(len), &mut io::sink())
}

/// Skips by seeking. It reads the last byte, because seeking past the end of a file succeeds.
fn skip_by_seeking<R: Read + Seek>(source: &mut R, len: u64) -> io::Result<u64> {
    let Some(before_last) = len.checked_sub(1) else { return Ok(0) };
    source.seek_relative(before_last.cast_signed())?;
    let have = read_full(source, &mut [0])? as u64;
    Ok(if have == 0 { 0 } else { len })
}

/// Reads until `buffer` is full or the input ends.
pub(crate) fn read_full(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut have = 0;
    while have < buffer.len() {
        match source.read(&mut buffer[have..]) {
            Ok(0) => break,
            Ok(n) => have += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(have)
}

/// Returns the offset of the first sound header in `bytes`.
pub(crate) fn sound_header(bytes: &[u8]) -> Option<usize> {
    let is_sound = |&at: &usize| {
        let header = bytes[at..].first_chunk();
        header.is_some_and(|header| Header::decode(header).is_ok())
    };
    memchr::memmem::find_iter(bytes, &MAGIC).find(is_sound)
}

/// Whether there is a sound header in `start` or in the rest of `source`. Reads up to the first
/// one, or to the end of the input, in bounded memory.
fn holds_header(start: &[u8], source: &mut impl Read) -> io::Result<bool> {
    let mut chunk = vec![0; 1 << 16];
    chunk[..start.len()].copy_from_slice(start);
    let mut have = start.len();
    loop {
        match source.read(&mut chunk[have..]) {
            Ok(0) => return Ok(false),
            Ok(read) => have += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if sound_header(&chunk[..have]).is_some() {
            return Ok(true);
        }
        // A header may start in the last bytes of this buffer and end in the next.
        let kept = have.min(HEADER_LEN - 1);
        chunk.copy_within(have - kept..have, 0);
        have = kept;
    }
}

/// Walks the blocks of a file from its start.
pub(crate) struct BlockReader<R> {
    source: R,
    offset: u64,
    skip: Skip<R>,
    wanted: fn(BlockType) -> bool,
    comparing: Option<Comparing>,
    expansion: Expansion,
}

/// The bytes of the tables and sync blocks so far, as they are stored and as they expand. What is in them is kept
/// in memory, and some hundred bytes can expand to the longest payload, so that a small file could take all
/// memory.
#[derive(Default)]
struct Expansion {
    stored: u64,
    raw: u64,
}

/// Tables and sync blocks together may expand to this many bytes, and this many times their own bytes. What
/// recorders write expands less than 50 times.
const FREE_EXPANSION: u64 = MAX_PAYLOAD as u64;
const MOST_EXPANSION: u64 = 200;

impl Expansion {
    /// Adds a block. Returns whether the blocks still expand little enough.
    fn admits(&mut self, header: &Header) -> bool {
        if matches!(header.kind, BlockType::Tables | BlockType::Sync) {
            self.stored += header.block_len();
            self.raw += u64::from(header.raw_len);
        }
        self.raw <= FREE_EXPANSION + self.stored * MOST_EXPANSION
    }
}

impl<R: Read> BlockReader<R> {
    /// Creates a reader of all blocks of `source`.
    pub(crate) fn new(source: R) -> Self {
        Self {
            source,
            offset: 0,
            skip: skip_by_reading,
            wanted: |_| true,
            comparing: None,
            expansion: Expansion::default(),
        }
    }

    /// Fails if the headers are not those of the first pass over the file.
    pub(super) fn comparing(self, comparing: Comparing) -> Self {
        Self { comparing: Some(comparing), ..self }
    }

    /// Leaves the payload of data blocks and attachments unread.
    pub(crate) fn without_data(self) -> Self {
        Self { wanted: |kind| kind != BlockType::Data && !kind.is_attachment(), ..self }
    }

    /// Leaves every payload unread.
    pub(crate) fn without_payloads(self) -> Self {
        Self { wanted: |_| false, ..self }
    }

    /// Leaves every payload unread that is not of a session.
    pub(crate) fn sessions(self) -> Self {
        Self { wanted: |kind| kind == BlockType::Session, ..self }
    }

    /// Leaves every payload unread that is not of a screenshot.
    pub(crate) fn screenshots(self) -> Self {
        Self { wanted: |kind| kind == BlockType::Screenshot, ..self }
    }

    fn header(&mut self) -> Result<Option<Header>, Stop> {
        let mut bytes = [0; HEADER_LEN];
        let have = read_full(&mut self.source, &mut bytes).map_err(Stop::Io)?;
        let known = have.min(MAGIC.len());
        if self.offset == 0 && bytes[..known] != MAGIC[..known] {
            return Err(Stop::Foreign([bytes[0], bytes[1], bytes[2], bytes[3]]));
        }
        if let Some(comparing) = &mut self.comparing {
            comparing.note((have > 0).then_some(&bytes)).map_err(Stop::Io)?;
        }
        if have == 0 {
            return Ok(None);
        }
        if have < HEADER_LEN {
            return Err(self.damage(None, DamageKind::CutHeader { have }));
        }
        let header = match Header::decode(&bytes) {
            Ok(header) => header,
            Err(bad) => {
                let kind = self.bad_header(bad, &bytes).map_err(Stop::Io)?;
                return Err(self.damage(None, kind));
            }
        };
        match header.kind {
            BlockType::Unknown(kind) if header.flags & FLAG_REQUIRED != 0 => {
                Err(self.damage(Some(header), DamageKind::Required(kind)))
            }
            _ if !self.expansion.admits(&header) => {
                Err(self.damage(Some(header), DamageKind::Expansion))
            }
            _ => Ok(Some(header)),
        }
    }

    fn bad_header(&mut self, bad: BadHeader, bytes: &[u8; HEADER_LEN]) -> io::Result<DamageKind> {
        let mut followed = || holds_header(&bytes[1..], &mut self.source);
        Ok(match bad {
            BadHeader::Magic => DamageKind::NoMagic { followed: followed()? },
            BadHeader::Checksum => DamageKind::HeaderChecksum { followed: followed()? },
            BadHeader::Version(version) => DamageKind::Version(version),
            BadHeader::Length => DamageKind::Length,
        })
    }

    fn damage(&self, header: Option<Header>, kind: DamageKind) -> Stop {
        Stop::Damage(Damage { offset: self.offset, header, kind })
    }

    /// Reads the next block. None at the end of the input.
    pub(crate) fn next_block(&mut self) -> Result<Option<Block>, Stop> {
        let Some(header) = self.header()? else { return Ok(None) };
        let len = u64::from(header.stored_len);
        let (have, stored) = if (self.wanted)(header.kind) {
            // The length may be wrong, so the buffer grows only as bytes arrive.
            let mut stored = Vec::with_capacity(len.min(1 << 16) as usize);
            (&mut self.source).take(len).read_to_end(&mut stored).map_err(Stop::Io)?;
            (stored.len() as u64, Some(stored))
        } else {
            ((self.skip)(&mut self.source, len).map_err(Stop::Io)?, None)
        };
        if have < len {
            return Err(self.damage(Some(header), DamageKind::CutPayload { have }));
        }
        let offset = self.offset;
        self.offset += header.block_len();
        Ok(Some(Block { header, offset, stored }))
    }
}

impl<R: Read + Seek> BlockReader<R> {
    /// Seeks past payloads that are not needed, instead of reading them.
    pub(crate) fn seeking(self) -> Self {
        Self { skip: skip_by_seeking, ..self }
    }

    /// Continues at `offset`.
    pub(crate) fn resume_at(&mut self, offset: u64) -> io::Result<()> {
        self.offset = offset;
        self.source.seek(SeekFrom::Start(offset)).map(drop)
    }

    /// Returns the first offset from `from` on at which a sound header starts, or the end of the
    /// input.
    pub(crate) fn find_block(&mut self, from: u64) -> io::Result<u64> {
        let mut at = from;
        let mut chunk = vec![0; 1 << 16];
        loop {
            self.source.seek(SeekFrom::Start(at))?;
            let have = read_full(&mut self.source, &mut chunk)?;
            if let Some(found) = sound_header(&chunk[..have]) {
                return Ok(at + found as u64);
            }
            if have < chunk.len() {
                return Ok(at + have as u64);
            }
            at += (have - (HEADER_LEN - 1)) as u64;
        }
    }
}

impl<R: Read> Iterator for BlockReader<R> {
    type Item = Result<Block, Stop>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_block().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::layout::WindowRange;

    #[test]
    fn what_is_kept_in_memory_expands_little() {
        let block = |kind, raw_len| {
            let window = WindowRange::default();
            let (codec, flags, stored_len, payload_crc) = (1, 0, 100, 0);
            let header = Header { kind, codec, flags, stored_len, raw_len, window, payload_crc };
            [&header.encode()[..], &[0; 100][..]].concat()
        };
        let most = MAX_PAYLOAD as u32;
        let read = |blocks: &[(BlockType, u32)]| {
            let bytes = blocks.iter().flat_map(|&(kind, raw)| block(kind, raw)).collect::<Vec<_>>();
            let mut read = BlockReader::new(&bytes[..]);
            let mut passed = 0;
            loop {
                match read.next_block() {
                    Ok(Some(_)) => passed += 1,
                    Ok(None) => return (passed, false),
                    Err(Stop::Damage(damage)) => {
                        return (passed, damage.kind == DamageKind::Expansion);
                    }
                    Err(stop) => panic!("{stop:?}"),
                }
            }
        };
        let (sync, tables, data) = (BlockType::Sync, BlockType::Tables, BlockType::Data);
        assert_eq!(read(&[(sync, most), (sync, most)]), (1, true));
        assert_eq!(read(&[(tables, most), (data, most), (sync, most)]), (2, true));
        assert_eq!(read(&[(data, most); 5]), (5, false));
        assert_eq!(read(&[(sync, 20_000); 50]), (50, false));
    }
}
