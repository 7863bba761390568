//! The scribe: the thread that writes the messages of pages to the file, each post before its event
//! ([`crate::arrivals`]).
//!
//! The listener is another thread, because it has requests to pass on and must not wait. A script
//! runs before its source map is read, and the scribe waits for the map when it writes a position
//! in that script. When [`WAITING`] messages wait, the listener waits as well, at worst until the
//! recorder gives up on the map.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use record::{RealmId, Sender, Wire};

use crate::arrivals::Arrivals;
use crate::pictures::Pictures;
use crate::shared::Shared;

/// The interval between two flushes of the file.
const FLUSH: Duration = Duration::from_millis(500);
/// How many messages may wait to be written.
const WAITING: usize = 1024;

/// A message of a page: some lines.
pub(crate) struct Message {
    /// The thread of the operations in the message.
    pub(crate) thread: Arc<str>,
    /// The document that sent the message.
    pub(crate) realm: RealmId,
    pub(crate) payload: String,
    /// Whether the document is gone, so that this is its last message.
    pub(crate) is_last: bool,
}

/// The channel for messages from the listener to the scribe.
pub(crate) fn channel() -> (SyncSender<Message>, Receiver<Message>) {
    mpsc::sync_channel(WAITING)
}

/// Starts the scribe, which writes the messages of the channel and closes the file when the channel
/// ends. An error in writing ends the thread.
pub(crate) fn start<W: Write + Send + 'static>(
    shared: Arc<Shared>,
    wire: Wire<W>,
    messages: Receiver<Message>,
) -> JoinHandle<()> {
    thread::spawn(move || {
        if let Err(error) = write(&shared, wire, &messages) {
            shared.change(|state| state.failed = Some(error));
        }
    })
}

fn write<W: Write>(
    shared: &Shared,
    mut wire: Wire<W>,
    messages: &Receiver<Message>,
) -> io::Result<()> {
    let mut flushed = Instant::now();
    let mut arrivals = Arrivals::default();
    loop {
        let is_over = match messages.recv_timeout(FLUSH) {
            Ok(message) => {
                arrivals.add(message);
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        };
        arrivals.expire(is_over);
        for (at, bytes) in shared.pictures.as_ref().map(Pictures::take).unwrap_or_default() {
            wire.picture(at, bytes);
        }
        while let Some(Message { thread, realm, payload, is_last }) = arrivals.next() {
            let payload = shared.secrets().hide_lines(&payload).into_owned();
            if let Some(conductor) = &shared.conductor {
                conductor.hear(&thread, realm.number(), &payload);
            }
            let sender = Sender { thread: &thread, realm };
            wire.take(sender, &payload, &shared.scripts, &shared.notes)?;
            if is_last {
                wire.forget(realm);
            }
            let counts = wire.counts();
            shared.change(|state| state.counts = counts);
        }
        if is_over {
            if let Some(session) = &shared.state().session {
                wire.attach_session(session)?;
            }
            return wire.finish().map(drop);
        }
        if flushed.elapsed() >= FLUSH {
            flushed = Instant::now();
            wire.flush()?;
        }
    }
}
