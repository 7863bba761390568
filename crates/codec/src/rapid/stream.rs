//! Scans a log of any length through a buffer of fixed size.

use std::io::{self, Read};

use memchr::memrchr;
use trace::Place;

use super::scanner::{Event, Scanner};
use super::{BYTE_ORDER_MARK, LONGEST_LINE};
use crate::ReadError;

/// The size of the buffer, small enough to stay in the second-level cache between the copy and the
/// scan.
const BUFFER: usize = 256 << 10;

/// Why a log could not be read to its end.
#[derive(Debug)]
pub enum StreamError {
    /// The source of the bytes failed.
    Io(io::Error),
    /// The bytes are no STD log.
    Log(ReadError),
}

impl From<ReadError> for StreamError {
    fn from(error: ReadError) -> Self {
        Self::Log(error)
    }
}

/// An index of a log: the offsets of some lines, with the numbers of their operations.
#[derive(Debug, Default)]
pub struct Index {
    /// The offset of a line and the number of operations before it, ascending.
    pub(super) marks: Vec<(u64, u64)>,
}

/// Reads `input` to its end. It passes the operations to `events` in order, in batches.
pub fn scan_all(
    input: &mut dyn Read,
    scanner: &mut Scanner,
    mut events: impl FnMut(&[Event]),
) -> Result<Index, StreamError> {
    let mut buffer = vec![0; BUFFER];
    let mut filled = 0;
    let mut index = Index::default();
    let mut offset = 0;
    loop {
        let read = match input.read(&mut buffer[filled..]) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(StreamError::Io(error)),
        };
        let end = filled + read;
        let whole = memrchr(b'\n', &buffer[filled..end]).map_or(0, |at| filled + at + 1);
        if whole > 0 || read == 0 {
            let lines = &buffer[..if read == 0 { end } else { whole }];
            let mark = if offset == 0 { mark_len(lines) } else { 0 };
            index.marks.push((offset + mark as u64, scanner.operations()));
            offset += lines.len() as u64;
            if read == 0 {
                scanner.scan_last(&lines[mark..], &mut events)?;
                return Ok(index);
            }
            scanner.scan(&lines[mark..], &mut events)?;
        }
        buffer.copy_within(whole..end, 0);
        filled = end - whole;
        if filled > LONGEST_LINE {
            return Err(too_long(scanner).into());
        }
        if filled == buffer.len() {
            buffer.resize(2 * filled, 0);
        }
    }
}

/// The length of the byte order mark at the start of a log.
fn mark_len(bytes: &[u8]) -> usize {
    if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

fn too_long(scanner: &Scanner) -> ReadError {
    let found = format!("a line of more than {LONGEST_LINE} bytes");
    let place = Place::Line { line: scanner.lines() + 1, column: 1 };
    ReadError::new(place, found, "an operation, as in `T0|r(V1)|345`")
}
