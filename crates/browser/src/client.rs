//! Calls and events over the pipe.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Error;
use crate::cbor::{self, Call};

/// How many events may wait for whoever takes them.
const EVENTS: usize = 4096;
/// The longest message believed. Chromium's own bound is of this order.
const LONGEST: usize = 256 << 20;
/// How long a call waits when nothing else is said.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a call that can be given up asks whether it is.
const LOOK: Duration = Duration::from_millis(50);

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
    /// Messages for the thread that writes them: a browser that does not read holds up no caller.
    out: Mutex<Sender<Vec<u8>>>,
    waiting: Mutex<Waiting>,
    next: AtomicU64,
    said: Arc<Mutex<String>>,
}

/// What is called, apart from its parameters.
struct Asked<'c> {
    session: Option<&'c str>,
    method: &'c str,
    bytes: Option<(&'c str, &'c [u8])>,
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
        let (messages, to_write) = mpsc::channel();
        let (next, messages) = (AtomicU64::new(1), Mutex::new(messages));
        let shared = Arc::new(Shared { out: messages, waiting, next, said });
        let (events, receiver) = mpsc::sync_channel(EVENTS);
        let reader = Arc::clone(&shared);
        thread::spawn(move || {
            read(from, &reader, &events);
            let mut waiting = locked(&reader.waiting);
            waiting.open = false;
            waiting.calls.clear();
        });
        thread::spawn(move || write(out, &to_write));
        (Client { shared }, receiver)
    }

    /// Calls a method and waits for its answer.
    pub fn call(&self, session: Option<&str>, method: &str, params: Value) -> Result<Value, Error> {
        self.call_within(session, method, params, PATIENCE)
    }

    /// Calls a method and waits for its answer, until `is_over` says that nobody wants it any
    /// more, which is [`Error::Stopped`].
    pub fn call_unless(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        patience: Duration,
        is_over: impl Fn() -> bool,
    ) -> Result<Value, Error> {
        self.ask(&Asked { session, method, bytes: None }, params, patience, is_over)
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
        self.ask(&Asked { session, method, bytes }, params, patience, || false)
    }

    fn ask(
        &self,
        &Asked { session, method, bytes }: &Asked<'_>,
        params: Value,
        patience: Duration,
        is_over: impl Fn() -> bool,
    ) -> Result<Value, Error> {
        let (sender, answer) = mpsc::channel();
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.transmit(&Call { id, session, method, params, bytes }, Some(sender))?;
        let started = Instant::now();
        loop {
            let left = patience.saturating_sub(started.elapsed());
            let error = match answer.recv_timeout(left.min(LOOK)) {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(message)) => {
                    return Err(Error::Refused { method: method.to_string(), message });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
                Err(RecvTimeoutError::Timeout) if is_over() => Error::Stopped,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    Error::Slow { method: method.to_string(), waited: patience }
                }
                Err(RecvTimeoutError::Timeout) => continue,
            };
            locked(&self.shared.waiting).calls.remove(&id);
            return Err(error);
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
        let sent = locked(&self.shared.out).send(message);
        sent.map_err(|_| self.gone())
    }

    fn gone(&self) -> Error {
        // What the browser said last may still be on its way.
        thread::sleep(Duration::from_millis(50));
        Error::Gone { said: locked(&self.shared.said).trim_end().to_string() }
    }
}

/// Writes messages until nobody sends any more or the pipe closes. The browser closes both pipes
/// when it goes, so the thread that reads notices as well.
fn write(mut out: ChildStdin, messages: &Receiver<Vec<u8>>) {
    for message in messages {
        if out.write_all(&message).is_err() {
            return;
        }
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
