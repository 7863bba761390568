//! Calls and events over the pipe.

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Error;
use crate::cbor::{self, Call};
use crate::json;

/// The capacity of the channel of events.
const EVENTS: usize = 4096;
/// The longest message that is accepted.
pub(crate) const LONGEST: usize = 256 << 20;
/// How many bytes of a longer message are looked at.
const START: u64 = 64;
/// How long a call waits by default.
const PATIENCE: Duration = Duration::from_secs(30);
/// The interval at which a call that can be cancelled checks whether it is.
const LOOK: Duration = Duration::from_millis(50);

/// A message that the browser sends by itself, not as an answer to a call.
#[derive(Debug, Clone)]
pub struct Event {
    /// The session that the event belongs to. None for the browser's own events.
    pub session: Option<String>,
    /// The name of the event, such as `Page.loadEventFired`.
    pub method: String,
    /// The parameters of the event.
    pub params: Value,
}

type Answer = Result<Value, Failure>;

/// Why a call has no result.
enum Failure {
    /// The browser's message.
    Refused(String),
    TooLong,
}

/// The calls that wait for their answers.
struct Waiting {
    open: bool,
    calls: HashMap<u64, Sender<Answer>>,
}

/// How messages are encoded on a pipe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// The binary form.
    Cbor,
    /// JSON text, each message with a zero byte after it.
    Json,
}

struct Shared {
    encoding: Encoding,
    /// Messages for the thread that writes them. A browser that does not read its pipe therefore
    /// blocks no caller.
    out: Mutex<Sender<Vec<u8>>>,
    waiting: Mutex<Waiting>,
    next: AtomicU64,
    said: Arc<Mutex<String>>,
}

/// A call without its parameters.
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

/// Locks a mutex, also one that a panicking thread poisoned: every change is one step, so the data
/// is consistent.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    /// Creates a client on a browser's pipe. `said` holds the browser's last output.
    pub(crate) fn new(
        out: ChildStdin,
        from: ChildStdout,
        said: Arc<Mutex<String>>,
    ) -> (Client, Receiver<Event>) {
        let waiting = Mutex::new(Waiting { open: true, calls: HashMap::new() });
        let (messages, to_write) = mpsc::channel();
        let (next, messages) = (AtomicU64::new(1), Mutex::new(messages));
        let encoding = Encoding::Cbor;
        let shared = Arc::new(Shared { encoding, out: messages, waiting, next, said });
        let (events, receiver) = mpsc::sync_channel(EVENTS);
        let reader = Arc::clone(&shared);
        thread::spawn(move || {
            read(from, &reader, &events);
            Client { shared: reader }.close();
        });
        thread::spawn(move || write(out, &to_write));
        (Client { shared }, receiver)
    }

    /// Creates a client that shares a pipe with JSON messages. Its calls have ids from `first` on. The owner
    /// of the pipe writes what comes out of `out`, and passes answers to [`Client::answered`].
    pub(crate) fn sharing(out: Sender<Vec<u8>>, first: u64) -> Client {
        let waiting = Mutex::new(Waiting { open: true, calls: HashMap::new() });
        let (next, out) = (AtomicU64::new(first), Mutex::new(out));
        let (encoding, said) = (Encoding::Json, Arc::default());
        Client { shared: Arc::new(Shared { encoding, out, waiting, next, said }) }
    }

    /// Takes the answer to a call.
    pub(crate) fn answered(&self, id: u64, message: Value) {
        answer(&self.shared, id, message);
    }

    /// Ends all calls, because the browser is gone.
    pub(crate) fn close(&self) {
        let mut waiting = locked(&self.shared.waiting);
        waiting.open = false;
        waiting.calls.clear();
    }

    /// Calls a method and waits for its answer.
    pub fn call(&self, session: Option<&str>, method: &str, params: Value) -> Result<Value, Error> {
        self.call_within(session, method, params, PATIENCE)
    }

    /// Calls a method and waits for its answer. Returns [`Error::Stopped`] as soon as `is_over`
    /// returns true.
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

    /// Calls a method and waits for its answer, up to a time limit.
    pub fn call_within(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        patience: Duration,
    ) -> Result<Value, Error> {
        self.call_with_bytes(session, method, params, None, patience)
    }

    /// Calls a method with one parameter that is bytes, which need no base64 encoding.
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

    /// Calls a method, and returns the answer to wait for. Calls of one session take effect in the
    /// order in which they are made, so a caller may make several before it waits.
    pub fn start(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Pending<'_>, Error> {
        self.start_with_bytes(&Asked { session, method, bytes: None }, params)
    }

    fn start_with_bytes(
        &self,
        &Asked { session, method, bytes }: &Asked<'_>,
        params: Value,
    ) -> Result<Pending<'_>, Error> {
        let (sender, answer) = mpsc::channel();
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.transmit(&Call { id, session, method, params, bytes }, Some(sender))?;
        Ok(Pending { client: self, method: method.to_string(), id, answer })
    }

    fn ask(
        &self,
        asked: &Asked<'_>,
        params: Value,
        patience: Duration,
        is_over: impl Fn() -> bool,
    ) -> Result<Value, Error> {
        self.start_with_bytes(asked, params)?.wait_unless(patience, is_over)
    }

    /// Calls a method without waiting for its answer.
    pub fn send(&self, session: Option<&str>, method: &str, params: Value) -> Result<(), Error> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.transmit(&Call { id, session, method, params, bytes: None }, None)
    }

    fn transmit(&self, call: &Call<'_>, answer: Option<Sender<Answer>>) -> Result<(), Error> {
        let message = match self.shared.encoding {
            Encoding::Cbor => cbor::encode(call),
            Encoding::Json => json::encode(call),
        };
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
        // The browser's last output may not have been read yet.
        thread::sleep(Duration::from_millis(50));
        Error::Gone { said: locked(&self.shared.said).trim_end().to_string() }
    }
}

/// A call whose answer has not been taken.
pub struct Pending<'c> {
    client: &'c Client,
    method: String,
    id: u64,
    answer: Receiver<Answer>,
}

impl Pending<'_> {
    /// Waits for the answer.
    pub fn wait(self) -> Result<Value, Error> {
        self.wait_unless(PATIENCE, || false)
    }

    /// Waits for the answer, up to a time limit.
    pub fn wait_within(self, patience: Duration) -> Result<Value, Error> {
        self.wait_unless(patience, || false)
    }

    fn wait_unless(self, patience: Duration, is_over: impl Fn() -> bool) -> Result<Value, Error> {
        let Self { client, method, id, answer } = self;
        let started = Instant::now();
        loop {
            let left = patience.saturating_sub(started.elapsed());
            let error = match answer.recv_timeout(left.min(LOOK)) {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(Failure::Refused(message))) => {
                    return Err(Error::Refused { method, message });
                }
                Ok(Err(Failure::TooLong)) => return Err(Error::TooLong { method }),
                Err(RecvTimeoutError::Disconnected) => return Err(client.gone()),
                Err(RecvTimeoutError::Timeout) if is_over() => Error::Stopped,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    Error::Slow { method, waited: patience }
                }
                Err(RecvTimeoutError::Timeout) => continue,
            };
            locked(&client.shared.waiting).calls.remove(&id);
            return Err(error);
        }
    }
}

/// Writes messages until there are no more senders or the pipe closes. The browser closes both
/// pipes when it exits, so the thread that reads notices as well.
pub(crate) fn write(mut out: impl Write, messages: &Receiver<Vec<u8>>) {
    for message in messages {
        if out.write_all(&message).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

/// Reads messages until the pipe closes or carries something that is no message.
fn read(from: ChildStdout, shared: &Shared, events: &SyncSender<Event>) {
    let mut from = BufReader::with_capacity(1 << 16, from);
    let mut message = Vec::new();
    loop {
        let mut header = [0; cbor::HEADER];
        if from.read_exact(&mut header).is_err() {
            return;
        }
        let Some(length) = cbor::length(header) else { return };
        if length > LONGEST {
            if pass_over(&mut from, length, shared).is_err() {
                return;
            }
            continue;
        }
        message.clear();
        let read = from.by_ref().take(length as u64).read_to_end(&mut message);
        if !read.is_ok_and(|read| read == length) {
            return;
        }
        let Some(value) = cbor::decode(&message) else { return };
        if let Some(id) = value["id"].as_u64() {
            answer(shared, id, value);
        } else if let Some(event) = event(value) {
            // Sending fails if events are no longer received; answers are still needed.
            let _ = events.send(event);
        }
    }
}

/// Reads past a message that is too long. The call that it answers fails.
fn pass_over(from: &mut impl Read, length: usize, shared: &Shared) -> io::Result<()> {
    let mut start = Vec::new();
    let mut from = from.take(length as u64);
    from.by_ref().take(START).read_to_end(&mut start)?;
    io::copy(&mut from, &mut io::sink())?;
    if let Some(id) = cbor::leading_id(&start) {
        pass_on(shared, id, Err(Failure::TooLong));
    }
    Ok(())
}

fn answer(shared: &Shared, id: u64, mut value: Value) {
    let answer = match value["error"]["message"].as_str() {
        Some(message) => Err(Failure::Refused(message.to_string())),
        None => Ok(value["result"].take()),
    };
    pass_on(shared, id, answer);
}

/// Gives an answer to the caller that waits for it.
fn pass_on(shared: &Shared, id: u64, answer: Answer) {
    let waiting = locked(&shared.waiting).calls.remove(&id);
    // Sending fails if the caller no longer waits.
    let _ = waiting.map(|waiting| waiting.send(answer));
}

pub(crate) fn event(mut value: Value) -> Option<Event> {
    let method = value["method"].as_str()?.to_string();
    let session = value["sessionId"].as_str().map(str::to_string);
    Some(Event { session, method, params: value["params"].take() })
}
