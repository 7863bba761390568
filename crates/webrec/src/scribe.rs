//! The thread that writes down what pages tell.
//!
//! It is not the one that hears it, which has requests to pass on. A script runs before its source
//! map is read, and this thread waits for the map where a place in that script is to be written.
//! Beyond [`WAITING`] messages the thread that hears waits as well, at worst until the map is given
//! up.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use record::{RealmId, Sender, Wire};

use crate::shared::Shared;

/// How long what was told may wait to be in the file.
const FLUSH: Duration = Duration::from_millis(500);
/// How many messages may wait to be written.
const WAITING: usize = 1024;

/// What a page told at once.
pub(crate) struct Told {
    /// The thread it happened on.
    pub(crate) thread: Arc<str>,
    /// The document.
    pub(crate) realm: RealmId,
    pub(crate) payload: String,
}

/// What pages tell, on its way to the thread that writes.
pub(crate) fn channel() -> (SyncSender<Told>, Receiver<Told>) {
    mpsc::sync_channel(WAITING)
}

/// Starts to write what comes through the channel; closes the file when that ends. A file that
/// cannot be written ends the thread.
pub(crate) fn start<W: Write + Send + 'static>(
    shared: Arc<Shared>,
    wire: Wire<W>,
    told: Receiver<Told>,
) -> JoinHandle<()> {
    thread::spawn(move || {
        if let Err(error) = write(&shared, wire, &told) {
            shared.change(|state| state.failed = Some(error));
        }
    })
}

fn write<W: Write>(shared: &Shared, mut wire: Wire<W>, told: &Receiver<Told>) -> io::Result<()> {
    let mut flushed = Instant::now();
    loop {
        match told.recv_timeout(FLUSH) {
            Ok(Told { thread, realm, payload }) => {
                let sender = Sender { thread: &thread, realm };
                wire.take(sender, &payload, &shared.scripts, &shared.notes)?;
                let counts = wire.counts();
                shared.change(|state| state.counts = counts);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return wire.finish().map(drop),
        }
        if flushed.elapsed() >= FLUSH {
            flushed = Instant::now();
            wire.flush()?;
        }
    }
}
