//! Reads some operations of a log that was scanned before, as a trace of their own.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use trace::{OpId, Trace};

use super::line;
use super::reader::Reader;
use super::stream::Index;

/// Returns the operations of `log` with the numbers `wanted`, which ascend. If the log changed
/// since `index` was made, it returns fewer operations, or others.
///
/// Only the stretches of the log that contain a wanted operation are read.
pub fn excerpt(
    log: &mut (impl Read + Seek),
    index: &Index,
    wanted: &[OpId],
) -> io::Result<(Trace, Vec<OpId>)> {
    let mut reader = Reader::default();
    let mut found = Vec::new();
    let mut lines = Lines { log: BufReader::new(log), line: Vec::new(), next: u64::MAX };
    for &op in wanted {
        let number = u64::from(op.0);
        let mark = index.marks.partition_point(|&(_, before)| before <= number);
        let Some(&(offset, before)) = index.marks[..mark].last() else { break };
        if lines.next > number || lines.next < before {
            lines.log.seek(SeekFrom::Start(offset))?;
            lines.next = before;
        }
        if let Some(line) = lines.operation(number)?
            && let Ok(parts) = line::parse(line)
        {
            reader.source_id = Some(number);
            reader.operation(parts, 0);
            found.push(op);
        }
    }
    Ok((reader.finish().trace, found))
}

/// The lines of a log from an offset on.
struct Lines<R> {
    log: BufReader<R>,
    line: Vec<u8>,
    /// The number of the next operation.
    next: u64,
}

impl<R: Read> Lines<R> {
    /// Returns the line of operation `number`, which must not be before the next one.
    fn operation(&mut self, number: u64) -> io::Result<Option<&[u8]>> {
        while self.next <= number {
            self.line.clear();
            if self.log.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            }
            self.next += u64::from(line::is_operation(&self.line));
        }
        Ok(Some(&self.line))
    }
}
