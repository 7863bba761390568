//! The sources of a trace's bytes.
//!
//! A file is opened once and read by position, so that several passes see the same file even if it
//! is renamed or replaced meanwhile. Nothing beyond the length that it had then is read: a recorder may
//! still be writing it. A source without positions, such as a pipe, is read once: into
//! memory, or by engine `stream`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use codec::{Format, Loaded};

/// Bytes that can be read at any position, by several threads at once.
pub trait ReadAt: Send + Sync {
    /// Reads some bytes from `offset` on. Returns 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Returns the number of bytes.
    fn length(&self) -> io::Result<u64>;
}

impl ReadAt for File {
    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        (&self[start..]).read(buffer)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

/// An input to analyse.
pub struct Source<'a> {
    pub(crate) input: Input<'a>,
    pub(crate) format: Option<Format>,
}

pub(crate) enum Input<'a> {
    Positioned(Positioned),
    Pipe(Box<dyn Read + 'a>),
    Loaded(Format, Box<Loaded>),
}

impl<'a> Source<'a> {
    /// Returns the source for an open file, in `format` or in the format that its content shows. A
    /// file that is not regular is read once, like a pipe.
    pub fn file(file: File, format: Option<Format>) -> io::Result<Self> {
        if file.metadata()?.is_file() {
            Self::positioned(file, format)
        } else {
            Ok(Self::pipe(file, format))
        }
    }

    /// Returns the source for bytes that can be read by position, in `format` or in the format that
    /// they show.
    pub fn positioned(bytes: impl ReadAt + 'static, format: Option<Format>) -> io::Result<Self> {
        Ok(Self { input: Input::Positioned(Positioned::new(Arc::new(bytes))?), format })
    }

    /// Returns the source for bytes that can be read only once, in `format` or in the format that
    /// they show.
    pub fn pipe(bytes: impl Read + 'a, format: Option<Format>) -> Self {
        Self { input: Input::Pipe(Box::new(bytes)), format }
    }

    /// Returns the source for a trace that is already in memory and was read from `format`.
    pub fn loaded(format: Format, loaded: Loaded) -> Self {
        Self { input: Input::Loaded(format, Box::new(loaded)), format: None }
    }
}

/// Returns the format of a pipe, as given or as its first bytes show if it is native, and all of its
/// bytes.
pub(crate) fn peeked<'a>(
    mut bytes: Box<dyn Read + 'a>,
    format: Option<Format>,
) -> io::Result<(Option<Format>, Box<dyn Read + 'a>)> {
    if format.is_some() {
        return Ok((format, bytes));
    }
    let mut head = Vec::new();
    bytes.by_ref().take(codec::native::MAGIC_LENGTH).read_to_end(&mut head)?;
    let is_whole = head.len() as u64 == codec::native::MAGIC_LENGTH;
    let native = (is_whole && codec::native::is_native(&head)).then_some(Format::Native);
    Ok((native, Box::new(io::Cursor::new(head).chain(bytes))))
}

/// A reader of [`ReadAt`] with its own position. Copies share the bytes, but not the position.
#[derive(Clone)]
pub(crate) struct Positioned {
    bytes: Arc<dyn ReadAt>,
    /// The number of bytes when they were opened.
    length: u64,
    offset: u64,
}

impl Positioned {
    fn new(bytes: Arc<dyn ReadAt>) -> io::Result<Self> {
        Ok(Self { length: bytes.length()?, bytes, offset: 0 })
    }

    /// Returns a reader at the start of the bytes.
    pub(crate) fn at_start(&self) -> Self {
        Self { offset: 0, ..self.clone() }
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the format that the start of the bytes shows.
    pub(crate) fn detect(&self) -> io::Result<Option<Format>> {
        let mut head = Vec::new();
        self.at_start().take(codec::START).read_to_end(&mut head)?;
        Ok(Format::detect(&head))
    }
}

impl Read for Positioned {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let end = buffer.len().min(left);
        let read = self.bytes.read_at(&mut buffer[..end], self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl Seek for Positioned {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, distance) = match to {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::Current(distance) => (self.offset, distance),
            SeekFrom::End(distance) => (self.length, distance),
        };
        let outside = || io::Error::new(io::ErrorKind::InvalidInput, "a position before the start");
        self.offset = base.checked_add_signed(distance).ok_or_else(outside)?;
        Ok(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_places_of_their_own() {
        let mut all = String::new();
        let mut first = Positioned::new(Arc::new(b"interloper".to_vec())).expect("known");
        let mut second = first.clone();
        first.by_ref().take(5).read_to_string(&mut all).expect("text");
        second.seek(SeekFrom::End(-5)).expect("within the bytes");
        second.read_to_string(&mut all).expect("text");
        first.read_to_string(&mut all).expect("text");
        assert_eq!(all, "interloperloper");
        assert_eq!(first.stream_position().expect("known"), 10);
        assert!(first.seek(SeekFrom::Start(2)).is_ok());
        assert!(first.seek(SeekFrom::Current(-3)).is_err());
        assert_eq!(first.seek(SeekFrom::Start(99)).expect("beyond the end is a place"), 99);
        assert_eq!(first.read(&mut [0; 4]).expect("nothing"), 0);
    }
}
