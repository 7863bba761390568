//! A source that is read on a thread of its own, so that a signal ends it even while nothing arrives.

use std::io::{self, Read};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::signals::Stop;

/// How long a read waits before it looks for a signal.
const PAUSE: Duration = Duration::from_millis(50);

const CHUNK: usize = 1 << 16;

/// How many chunks are read ahead.
const AHEAD: usize = 16;

/// A source that ends at its end, or at the first Ctrl-C, SIGTERM or SIGHUP.
pub(crate) struct Pipe {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: io::Cursor<Vec<u8>>,
    stop: Stop,
}

impl Pipe {
    /// Starts to read a source.
    pub(crate) fn new(mut source: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(AHEAD);
        thread::Builder::new().spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = source.read(&mut chunk).map(|length| {
                    chunk.truncate(length);
                    chunk
                });
                let is_last = !matches!(&read, Ok(chunk) if !chunk.is_empty());
                // Sending fails if nobody reads any more.
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(Self { chunks, chunk: io::Cursor::default(), stop: Stop::new()? })
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.chunk.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if self.stop.flag().load(Ordering::Relaxed) {
                return Ok(0);
            }
            match self.chunks.recv_timeout(PAUSE) {
                Ok(chunk) => {
                    let chunk = chunk?;
                    if chunk.is_empty() {
                        return Ok(0);
                    }
                    self.chunk = io::Cursor::new(chunk);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
    }
}
