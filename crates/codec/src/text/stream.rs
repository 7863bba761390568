//! Writes a trace while it is still being read.

use std::io::{self, Write};

use trace::{Id, OpId, Trace, TraceBuilder};

use super::writer::{header, operations};

/// Writes operations in the notation as they are read.
///
/// The notation has its header before the operations, so the header is written with the first
/// operation. A later declaration, of the process of a thread or the kind of a location, cannot be
/// written any more; [`Stream::finish`] reports whether there was one.
#[derive(Default)]
pub struct Stream {
    header: Vec<u8>,
    written: usize,
}

impl Stream {
    /// Writes the operations that are new in `builder`.
    pub fn write(&mut self, builder: &TraceBuilder, out: &mut impl Write) -> io::Result<()> {
        if builder.is_empty() {
            return Ok(());
        }
        if self.header.is_empty() {
            self.header = header(&builder.clone().finish().0);
            out.write_all(&self.header)?;
        }
        let new = self.written..builder.len();
        self.written = builder.len();
        operations(builder.so_far(), new.map(OpId::new), out)
    }

    /// Ends the stream of the complete `trace`. Returns whether the header has all declarations:
    /// then the stream is equal to the output of [`super::write()`].
    pub fn finish(self, trace: &Trace, out: &mut impl Write) -> io::Result<bool> {
        if self.header.is_empty() {
            return super::write(trace, out).map(|()| true);
        }
        Ok(self.header == header(trace))
    }
}
