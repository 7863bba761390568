//! A program in the place of a browser: passes the messages of the driver that started it to the real
//! browser and back, and is a second client of that browser that the driver does not see.
//!
//! The driver (Playwright, for example) speaks JSON over a pipe. The relay's own calls have ids from
//! [`FIRST`] on, and its own sessions are those that it attached and those that were attached to them;
//! answers and events of both stay here. Everything else goes through byte for byte, unless the
//! [`Between`] says otherwise.
//!
//! **Threads.** One thread reads from the driver and one from the browser, one writes to each. The thread
//! that runs [`Relay::run`] handles the driver's messages, one after the other, and may wait for answers
//! of the browser. The thread that reads from the browser must not wait for one.
//!
//! **The end.** When the driver closes its pipe, the browser is closed, or killed if it does not close in
//! time. When the browser exits, the driver's pipe is closed.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{LONGEST, event, write};
use crate::launch::{ENGINE, LOCAL_NETWORK_CHECKS, OWN_FRAMES, SHELL};
use crate::{Client, Error, Event, json};

/// The first id of the relay's own calls. Drivers count theirs from 1.
const FIRST: u64 = 1 << 30;
/// The longest time between two calls of [`Between::tick`].
const TICK: Duration = Duration::from_millis(10);
/// The argument that switches features off.
const FEATURES: &str = "--disable-features=";
/// How long the browser may take to close after the driver is gone.
const CLOSING: Duration = Duration::from_secs(5);

/// What happens with a message of the driver or the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// It goes to the other side.
    On,
    /// It stays here.
    Not,
}

/// Decides about the messages that pass, and hears the events of the relay's own sessions.
pub trait Between: Send + Sync {
    /// Called before each message of the driver, and every few milliseconds while none comes.
    fn tick(&self, relay: &Relay);
    /// Called with each message of the driver. May wait for answers of the browser.
    fn driver_says(&self, relay: &Relay, message: &Value) -> Pass;
    /// Called after a message of the driver was sent to the browser. May wait for answers.
    fn sent(&self, relay: &Relay, message: &Value);
    /// Called with each message for the driver. Must not wait for an answer of the browser.
    fn browser_says(&self, relay: &Relay, message: &Value) -> Pass;
    /// Called with each event of the relay's own sessions. Must not wait for an answer of the browser.
    fn event(&self, relay: &Relay, event: Event);
}

/// The driver's side of a relay.
pub struct Driver<R, W> {
    /// What the driver sends.
    pub input: R,
    /// What the driver receives.
    pub output: W,
}

/// The connections of a relay.
pub struct Relay {
    client: Client,
    browser: Mutex<Sender<Vec<u8>>>,
    driver: Mutex<Option<Sender<Vec<u8>>>>,
    own: Mutex<HashSet<String>>,
}

/// Sends messages to the browser of a relay.
#[derive(Clone)]
pub struct Downstream {
    client: Client,
    browser: Sender<Vec<u8>>,
}

impl Downstream {
    /// The handle for calls of the relay's own.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Sends a message on the driver's behalf.
    pub fn pass_on(&self, message: &Value) {
        // Sending fails if the browser is gone, which its reader notices.
        let _ = self.browser.send(json::framed(message));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Relay {
    /// Starts the browser at `path` with the driver's arguments, relays until one side is gone, and returns
    /// the browser's exit status. A recorded browser gets some arguments that recording needs.
    pub fn run(
        path: &Path,
        arguments: &[OsString],
        is_recorded: bool,
        driver: Driver<impl Read + Send + 'static, impl Write + Send + 'static>,
        between: &Arc<dyn Between>,
    ) -> Result<i32, Error> {
        let fail = |why: String| Error::Start { path: path.to_path_buf(), why };
        let mut child = start(path, arguments, is_recorded).map_err(|it| fail(it.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped")
        };
        let (to_browser, for_browser) = mpsc::channel();
        let (to_driver, for_driver) = mpsc::channel();
        let relay = Arc::new(Relay {
            client: Client::sharing(to_browser.clone(), FIRST),
            browser: Mutex::new(to_browser),
            driver: Mutex::new(Some(to_driver)),
            own: Mutex::default(),
        });
        thread::spawn(move || write(input, &for_browser));
        let writes = thread::spawn(move || write(driver.output, &for_driver));
        let messages = read_driver(driver.input);
        let reads = {
            let (relay, between) = (Arc::clone(&relay), Arc::clone(between));
            thread::spawn(move || relay.read_browser(output, &*between))
        };
        relay.serve_driver(&messages, &**between, || reads.is_finished());
        // A driver that is gone without closing the browser has left it to the relay.
        let _ = relay.client.send(None, "Browser.close", serde_json::json!({}));
        let until = Instant::now() + CLOSING;
        while !reads.is_finished() && Instant::now() < until {
            thread::sleep(TICK);
        }
        if !reads.is_finished() {
            let _ = child.kill();
        }
        let _ = reads.join();
        let status = child.wait().map_err(|error| fail(error.to_string()))?;
        locked(&relay.driver).take();
        let _ = writes.join();
        Ok(status.code().unwrap_or(1))
    }

    /// The handle for calls of the relay's own.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A handle to send messages to the browser from any thread.
    pub fn downstream(&self) -> Downstream {
        Downstream { client: self.client.clone(), browser: locked(&self.browser).clone() }
    }

    /// Sends a message to the driver on the browser's behalf.
    pub fn to_driver(&self, message: &Value) {
        self.give_back(json::framed(message));
    }

    fn pass_on(&self, bytes: Vec<u8>) {
        // Sending fails if the browser is gone, which its reader notices.
        let _ = locked(&self.browser).send(bytes);
    }

    fn give_back(&self, bytes: Vec<u8>) {
        // Sending fails if the driver is gone, which its reader notices.
        let _ = locked(&self.driver).as_ref().map(|driver| driver.send(bytes));
    }

    fn is_own(&self, session: &str) -> bool {
        locked(&self.own).contains(session)
    }

    /// Handles what the driver sends, until it or the browser is gone.
    fn serve_driver(
        &self,
        messages: &Receiver<Vec<u8>>,
        between: &dyn Between,
        is_over: impl Fn() -> bool,
    ) {
        while !is_over() {
            let next = messages.recv_timeout(TICK);
            between.tick(self);
            let mut bytes = match next {
                Ok(bytes) => bytes,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            // What is no JSON is for the browser to refuse.
            let message = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
            if between.driver_says(self, &message) == Pass::On {
                bytes.push(0);
                self.pass_on(bytes);
                between.sent(self, &message);
            }
        }
    }

    /// Handles what the browser sends, until it is gone.
    fn read_browser(&self, output: impl Read, between: &dyn Between) {
        let mut from = BufReader::with_capacity(1 << 16, output);
        let mut bytes = Vec::new();
        while matches!(json::read(&mut from, &mut bytes, LONGEST), Ok(true)) {
            let Ok(message) = serde_json::from_slice::<Value>(&bytes) else { break };
            if !self.keep(&message, between) {
                bytes.push(0);
                self.give_back(std::mem::take(&mut bytes));
            }
        }
        self.client.close();
    }

    /// Handles a message of the browser. Returns whether it stays here.
    fn keep(&self, message: &Value, between: &dyn Between) -> bool {
        if let Some(id) = message["id"].as_u64() {
            if id < FIRST {
                return between.browser_says(self, message) == Pass::Not;
            }
            if let Some(session) = message["result"]["sessionId"].as_str() {
                locked(&self.own).insert(session.to_string());
            }
            self.client.answered(id, message.clone());
            return true;
        }
        let is_own = message["sessionId"].as_str().is_some_and(|session| self.is_own(session));
        let attached = message["params"]["sessionId"].as_str();
        match message["method"].as_str() {
            Some("Target.attachedToTarget") if is_own => {
                locked(&self.own).extend(attached.map(str::to_string));
            }
            // The relay's own first session, whose answer is still to come.
            Some("Target.attachedToTarget")
                if message["params"]["targetInfo"]["type"] == "browser" =>
            {
                return true;
            }
            Some("Target.detachedFromTarget")
                if !is_own && attached.is_some_and(|session| self.is_own(session)) =>
            {
                return true;
            }
            _ => {}
        }
        if is_own {
            if let Some(event) = event(message.clone()) {
                between.event(self, event);
            }
            return true;
        }
        between.browser_says(self, message) == Pass::Not
    }
}

/// Reads the driver's messages in a thread of its own.
fn read_driver(input: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (messages, received) = mpsc::channel();
    thread::spawn(move || {
        let mut from = BufReader::with_capacity(1 << 16, input);
        let mut bytes = Vec::new();
        while matches!(json::read(&mut from, &mut bytes, LONGEST), Ok(true)) {
            if messages.send(std::mem::take(&mut bytes)).is_err() {
                return;
            }
        }
    });
    received
}

/// Starts the real browser. It stays in the process group of the relay, which the driver may kill.
fn start(path: &Path, arguments: &[OsString], is_recorded: bool) -> std::io::Result<Child> {
    // starts: chromium
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SHELL]).arg(path);
    let texts = || arguments.iter().filter_map(|argument| argument.to_str());
    command.args(arguments);
    if is_recorded {
        // Of two such arguments the browser obeys the last one.
        let features = texts().rev().find_map(|text| text.strip_prefix(FEATURES));
        let features = features.map(|features| format!("{features},")).unwrap_or_default();
        command.arg(format!("{FEATURES}{features}{OWN_FRAMES},{LOCAL_NETWORK_CHECKS}"));
        if !texts().any(|text| text.starts_with("--js-flags")) {
            command.arg(ENGINE);
        }
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}
