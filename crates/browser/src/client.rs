//! Calls and events over the pipe: JSON messages, each followed by a zero byte.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Error;

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
        let (sender, answer) = mpsc::channel();
        let id = self.transmit(session, method, params, Some(sender))?;
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
        self.transmit(session, method, params, None).map(drop)
    }

    fn transmit(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        answer: Option<Sender<Answer>>,
    ) -> Result<u64, Error> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let mut message = json!({ "id": id, "method": method });
        message["params"] = params;
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        if let Some(answer) = answer {
            let mut waiting = locked(&self.shared.waiting);
            if !waiting.open {
                drop(waiting);
                return Err(self.gone());
            }
            waiting.calls.insert(id, answer);
        }
        let written = locked(&self.shared.out).write_all(&bytes);
        written.map(|()| id).map_err(|_| self.gone())
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
        message.clear();
        let read = from.by_ref().take(LONGEST as u64).read_until(0, &mut message);
        if !matches!(read, Ok(1..)) || message.pop() != Some(0) {
            return;
        }
        let Ok(value) = serde_json::from_slice::<Value>(&message) else { return };
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
