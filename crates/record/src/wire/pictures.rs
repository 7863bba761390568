//! Pictures of the recorded program, placed between its operations by time.
//!
//! A picture is older than the first operation that has a later time. It comes before the lines of that operation, or
//! with them, because a program sends its lines late. Of pictures between the same two operations the last one is kept:
//! what changes without an operation is an animation. The file has at most [`MOST`] bytes of pictures.

use std::collections::VecDeque;
use std::io::{self, Write};

use codec::native::{PictureFormat, Screenshot, Writer};

/// The largest size of all pictures of a recording in bytes.
const MOST: usize = 32 << 20;

/// The pictures that are not written yet.
#[derive(Default)]
pub(super) struct Pictures {
    /// Those whose place is not known, with their times, in the order in which they came.
    waiting: VecDeque<(u64, Vec<u8>)>,
    placed: Vec<Screenshot>,
    /// The size of the pictures that were written.
    written: usize,
}

impl Pictures {
    /// Adds a picture with its time in nanoseconds since the start.
    pub(super) fn add(&mut self, at: u64, bytes: Vec<u8>) {
        if bytes.len() <= Screenshot::LARGEST {
            self.waiting.push_back((at, bytes));
        }
    }

    /// Places the pictures that are older than an operation, which is the next one.
    pub(super) fn place_before(&mut self, operation: u64, at: u64) {
        while self.waiting.front().is_some_and(|&(time, _)| time < at) {
            self.place(operation);
        }
    }

    fn place(&mut self, operation: u64) {
        let Some((_, bytes)) = self.waiting.pop_front() else { return };
        let Some(format) = PictureFormat::sniff(&bytes) else { return };
        self.placed.pop_if(|last| last.operation == operation);
        self.placed.push(Screenshot { operation, format, bytes });
    }

    /// Writes the pictures that no later one can replace.
    pub(super) fn flush<W: Write>(&mut self, writer: &mut Writer<W>) -> io::Result<()> {
        let settled = self.placed.len().saturating_sub(1);
        self.write(settled, writer)
    }

    /// Writes all pictures. Those without a later operation show the end.
    pub(super) fn finish<W: Write>(
        &mut self,
        operations: u64,
        writer: &mut Writer<W>,
    ) -> io::Result<()> {
        while !self.waiting.is_empty() {
            self.place(operations);
        }
        self.write(self.placed.len(), writer)
    }

    fn write<W: Write>(&mut self, count: usize, writer: &mut Writer<W>) -> io::Result<()> {
        for picture in self.placed.drain(..count) {
            if self.written + picture.bytes.len() <= MOST {
                self.written += picture.bytes.len();
                writer.attach_screenshot(&picture)?;
            }
        }
        Ok(())
    }
}
