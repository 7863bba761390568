//! Reads a file that another process is still writing.

use std::io::{self, Read};

/// A source that waits at the end of its input for more, until it is stopped.
///
/// On such a source, [`super::Batches`] returns each window as soon as its last block is complete,
/// and the end block ends the reading. A caller that stops earlier gets the diagnostic of an
/// unclosed file.
pub struct Follow<R, F> {
    source: R,
    wait: F,
}

impl<R: Read, F: FnMut() -> bool> Follow<R, F> {
    /// Creates a source that calls `wait` at the end of `source`. `wait` returns `true` to read
    /// again, and `false` to stop.
    pub fn new(source: R, wait: F) -> Self {
        Self { source, wait }
    }
}

impl<R: Read, F: FnMut() -> bool> Read for Follow<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.source.read(buffer)?;
            if read > 0 || buffer.is_empty() || !(self.wait)() {
                return Ok(read);
            }
        }
    }
}
