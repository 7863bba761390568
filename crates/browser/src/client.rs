//! Calls and events over the pipe.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::Error;
use crate::cbor::{self, Call};

/// How many events may wait for whoever takes them.
const EVENTS: usize = 4096;
/// The longest message believed. Chromium's own bound is of this order.
const LONGEST: usize = 256 << 20;
/// How long a call waits when nothing else is said.
const PATIENCE: Duration = Duration::from_secs(30);

/// Something the browser tells unasked.
#[derive(Debug, Clone)]
pub struct Event {
    /// The session it belongs to; none for the browser's own.
    pub session: Option<String>,
    /// What it is: `Page.loadEventFired`, …
    pub method: String,
    /// What it says.
    pub params: Value,
}

type Answer = Result<Value, String>;

/// Calls that wait for their answer.
struct Waiting {
    open: bool,
    calls: HashMap<u64, Sender<Answer>>,
}

struct Shared {
    out: Mutex<ChildStdin>,
    waiting: Mutex<Waiting>,
    next: AtomicU64,
    said: Arc<Mutex<String>>,
}

/// A handle to call the browser's methods, from any thread.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

/// What a panicking thread left is still sound: every change is one step.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    /// Speaks over a browser's pipe; `said` is what the browser prints.
    pub(crate) fn new(
        out: ChildStdin,
        from: ChildStdout,
        said: Arc<Mutex<String>>,
    ) -> (Client, Receiver<Event>) {
        let waiting = Mutex::new(Waiting { open: true, calls: HashMap::new() });
        let shared =
            Arc::new(Shared { out: Mutex::new(out), waiting, next: AtomicU64::new(1), said });
        let (events, receiver) = mpsc::sync_channel(EVENTS);
        let reader = Arc::clone(&shared);
        thread::spawn(move || {
            read(from, &reader, &events);
            let mut waiting = locked(&reader.waiting);
            waiting.open = false;
            waiting.calls.clear();
        });
        (Client { shared }, receiver)
    }

    /// Calls a method and waits for its answer.
    pub fn call(&self, session: Option<&str>, method: &str, params: Value) -> Result<Value, Error> {
        self.call_within(session, method, params, PATIENCE)
    }

    /// Calls a method and waits for its answer, but not longer than said.
    pub fn call_within(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        patience: Duration,
    ) -> Result<Value, Error> {
        self.call_with_bytes(session, method, params, None, patience)
    }

    /// Calls a method of which one parameter may be bytes, which need no base64 then.
    pub fn call_with_bytes(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        bytes: Option<(&str, &[u8])>,
        patience: Duration,
    ) -> Result<Value, Error> {
        let (sender, answer) = mpsc::channel();
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.transmit(&Call { id, session, method, params, bytes }, Some(sender))?;
        match answer.recv_timeout(patience) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(message)) => Err(Error::Refused { method: method.to_string(), message }),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
            Err(RecvTimeoutError::Timeout) => {
                locked(&self.shared.waiting).calls.remove(&id);
                Err(Error::Slow { method: method.to_string(), waited: patience })
            }
        }
    }

    /// Calls a method whose answer nobody needs.
    pub fn send(&self, session: Option<&str>, method: &str, params: Value) -> Result<(), Error> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.transmit(&Call { id, session, method, params, bytes: None }, None)
    }

    fn transmit(&self, call: &Call<'_>, answer: Option<Sender<Answer>>) -> Result<(), Error> {
        let message = cbor::encode(call);
        if let Some(answer) = answer {
            let mut waiting = locked(&self.shared.waiting);
            if !waiting.open {
                drop(waiting);
                return Err(self.gone());
            }
            waiting.calls.insert(call.id, answer);
        }
        let written = locked(&self.shared.out).write_all(&message);
        written.map_err(|_| self.gone())
    }

    fn gone(&self) -> Error {
        // What the browser said last may still be on its way.
        thread::sleep(Duration::from_millis(50));
        Error::Gone { said: locked(&self.shared.said).trim_end().to_string() }
    }
}

/// Reads messages until the pipe closes or carries what is none.
fn read(from: ChildStdout, shared: &Shared, events: &SyncSender<Event>) {
    let mut from = BufReader::with_capacity(1 << 16, from);
    let mut message = Vec::new();
    loop {
        let mut header = [0; cbor::HEADER];
        if from.read_exact(&mut header).is_err() {
            return;
        }
        let Some(length) = cbor::length(header).filter(|&length| length <= LONGEST) else { return };
        message.clear();
        let read = from.by_ref().take(length as u64).read_to_end(&mut message);
        if !read.is_ok_and(|read| read == length) {
            return;
        }
        let Some(value) = cbor::decode(&message) else { return };
        if let Some(id) = value["id"].as_u64() {
            answer(shared, id, value);
        } else if let Some(event) = event(value) {
            // Nobody takes events any more; answers are still wanted.
            let _ = events.send(event);
        }
    }
}

fn answer(shared: &Shared, id: u64, mut value: Value) {
    let waiting = locked(&shared.waiting).calls.remove(&id);
    let Some(waiting) = waiting else { return };
    let answer = match value["error"]["message"].as_str() {
        Some(message) => Err(message.to_string()),
        None => Ok(value["result"].take()),
    };
    // Whoever asked may have given up.
    let _ = waiting.send(answer);
}

fn event(mut value: Value) -> Option<Event> {
    let method = value["method"].as_str()?.to_string();
    let session = value["sessionId"].as_str().map(str::to_string);
    Some(Event { session, method, params: value["params"].take() })
}
