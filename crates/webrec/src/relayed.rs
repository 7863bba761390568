//! Records the pages of a browser that a driver, such as Playwright, starts and uses ([`relay`]).
//!
//! The recorder is a second client of the browser, in the driver's pipe ([`browser::Relay`]). Each browser
//! context is a recording of its own, with its own file. What is special here, compared with a browser of
//! the recorder's own:
//!
//! - The code that runs in every document is added to the driver's session, when the driver gets it: it runs
//!   before the driver's own code. Requests are paused in a later session, the recorder's: it sees what the
//!   driver's user answers or changes.
//! - A new target runs when both the recorder and the driver are ready ([`Guest`]).
//! - The driver does not see the recorder's sessions, calls and requests, and gets original bodies.
//! - The steps of a test are a thread of the trace ([`steps`]). A page is told which step an input belongs to
//!   before the input is sent; at the end of a step it sends its lines, and what the step has seen.

mod context;
mod guest;
mod steps;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use browser::{Between, Driver, Event, Pass, Relay};
use rewrite::contract;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Error;
use crate::target;
use context::{Context, Tested};
pub(crate) use guest::Guest;
pub use steps::{Said, Test, TestStep, Use};
use steps::{Tail, TestThread};

/// How long a page may take to hear which step an input belongs to.
const MARK: Duration = Duration::from_millis(300);
/// How long a page may take to send its lines at the end of a step.
const STEP: Duration = Duration::from_millis(500);
/// The targets that are recorded, or that the recorder must set up.
const RECORDED: [&str; 5] = ["page", "iframe", "worker", "shared_worker", "service_worker"];
/// What the driver's own code in a page contains.
const INJECTED: &str = "InjectedScript";

/// What a relay is told by whoever started the driver.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Settings {
    /// The real browser.
    pub browser: PathBuf,
    /// The file of the test's steps.
    pub steps: Option<PathBuf>,
    /// The folder of the recordings. Without one nothing is recorded.
    pub out: Option<PathBuf>,
    /// The conditions that the steps of each test wait for or look at ([`Conditions`]).
    pub conditions: Option<PathBuf>,
    /// What is held back ([`replay::Schedule`]).
    pub schedule: Option<PathBuf>,
    /// Where the code goes by which the driver finds elements.
    pub finder: Option<PathBuf>,
}

/// The conditions of tests, by the tests' ids, and the code by which the driver finds elements.
#[derive(Debug, Clone, Default, Deserialize, serde::Serialize)]
pub struct Conditions {
    /// The code, an expression.
    pub finder: String,
    /// The conditions of each test.
    pub tests: HashMap<String, Vec<Condition>>,
}

/// A condition that a step waits for or looks at: a location of the trace.
#[derive(Debug, Clone, PartialEq, Deserialize, serde::Serialize)]
pub struct Condition {
    /// The name of the location.
    pub name: String,
    /// The class and the method of the step.
    pub api: String,
    /// The parameters of the step.
    pub params: Value,
}

/// What a relay has recorded.
#[derive(Debug, Clone, Deserialize, serde::Serialize)]
pub struct Relayed {
    /// The file of the recording.
    pub trace: PathBuf,
    /// The test that ran when the browser context was made.
    pub test: Option<Test>,
    /// The notes about the recording.
    pub notes: Vec<String>,
    /// Whether the schedule has held anything back.
    pub held: bool,
}

/// A session of the driver.
struct Theirs {
    target: String,
    context: String,
}

#[derive(Default)]
struct State {
    contexts: HashMap<String, Context>,
    theirs: HashMap<String, Theirs>,
    /// The context of each of the recorder's sessions.
    own: HashMap<String, String>,
    /// The recorder's session of each target.
    sessions: HashMap<String, String>,
    /// The requests of the recorder that the driver must not see.
    hidden: HashSet<String>,
    /// The recorder's sessions of pages that show a dialog, and answer nothing.
    dialogs: HashSet<String>,
    /// The last step that each page was told.
    told: HashMap<String, u64>,
    test: Option<Test>,
    thread: TestThread,
    open: Vec<u64>,
    closing: Vec<JoinHandle<()>>,
}

/// Decides about the messages between a driver and its browser.
struct Gateway {
    settings: Settings,
    conditions: Conditions,
    schedule: Option<replay::Schedule>,
    guest: OnceLock<Arc<Guest>>,
    state: Mutex<State>,
    tail: Mutex<Tail>,
    is_attached: AtomicBool,
}

/// Stands in for the browser of a driver, which speaks JSON over standard input and output, until one of them is
/// gone. Returns the browser's exit status.
pub fn relay(settings: Settings, arguments: &[OsString]) -> Result<i32, Error> {
    let read = |path: &PathBuf| std::fs::read(path).map_err(Error::Write);
    let conditions = settings.conditions.as_ref().map(read).transpose()?;
    let conditions = conditions.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let schedule = settings.schedule.as_ref().map(read).transpose()?;
    let schedule = schedule.and_then(|bytes| replay::Schedule::read(&bytes).ok());
    let (path, is_recorded) = (settings.browser.clone(), settings.out.is_some());
    let tail = Mutex::new(Tail::new(settings.steps.as_deref()));
    let gateway = Arc::new(Gateway {
        settings,
        conditions: conditions.unwrap_or_default(),
        schedule,
        guest: OnceLock::new(),
        state: Mutex::default(),
        tail,
        is_attached: AtomicBool::new(false),
    });
    let between: Arc<dyn Between> = Arc::clone(&gateway) as Arc<dyn Between>;
    let driver = Driver { input: std::io::stdin(), output: std::io::stdout() };
    let status = Relay::run(&path, arguments, is_recorded, driver, &between)?;
    gateway.close();
    Ok(status)
}

impl Gateway {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_recorded(&self) -> bool {
        self.settings.out.is_some()
    }

    fn guest(&self, relay: &Relay) -> &Arc<Guest> {
        self.guest.get_or_init(|| Arc::new(Guest::new(relay.downstream())))
    }

    /// The recording of a browser context, which begins now if it is new.
    fn context<'s>(
        &self,
        relay: &Relay,
        state: &'s mut State,
        id: &str,
    ) -> Option<&'s mut Context> {
        let folder = self.settings.out.as_deref()?;
        if !state.contexts.contains_key(id) {
            let conditions =
                state.test.as_ref().and_then(|test| self.conditions.tests.get(&test.id));
            let finder = &*self.conditions.finder;
            let tested = conditions
                .filter(|conditions| !conditions.is_empty() && !finder.is_empty())
                .map(|conditions| Tested { finder, conditions });
            let guest = Arc::clone(self.guest(relay));
            let client = relay.client().clone();
            let schedule = self.schedule.as_ref();
            let context =
                Context::start(client, guest, tested, schedule, folder, state.test.as_ref());
            match context {
                Ok(context) => {
                    context.tell(&state.thread.known());
                    state.contexts.insert(id.to_string(), context)
                }
                Err(error) => {
                    eprintln!("interloper: a browser context is not recorded: {error}");
                    return None;
                }
            };
        }
        state.contexts.get_mut(id)
    }

    /// The recorder's sessions of all pages in the contexts, except those that answer nothing.
    fn pages(&self, context: Option<&str>) -> Vec<String> {
        let state = self.state();
        let of = state.contexts.iter().filter(|(id, _)| context.is_none_or(|it| it == *id));
        let sessions = of.flat_map(|(_, context)| context.shared.state().recorded.clone());
        sessions.filter(|session| !state.dialogs.contains(session)).collect()
    }

    /// Takes what the test has said.
    fn hear(&self, relay: &Relay, said: Said) {
        match said {
            Said::Test(test) => {
                let mut state = self.state();
                state.test = Some(test);
                state.thread = TestThread::default();
                state.open.clear();
            }
            Said::Begin(step) => {
                let mut state = self.state();
                let lines = state.thread.begin(&step);
                state.open.push(step.number);
                state.tell(&lines);
            }
            Said::End { number, .. } => {
                let ended = self.state().thread.end(number);
                let Some((step, before, after)) = ended else { return };
                self.look(relay, &step, &before, &after);
                self.state().open.retain(|&open| open != number);
            }
        }
    }

    /// Lets the pages send their lines and what a step that has ended has seen.
    fn look(&self, relay: &Relay, step: &TestStep, before: &str, after: &str) {
        let end = format!("t{}e", step.number);
        let name = self.condition(step);
        let (kind, name) = match step.used() {
            Use::Wait => ("wait", name.unwrap_or_default()),
            Use::Look => ("look", name.unwrap_or_default()),
            Use::Load(event) => ("load", event.to_string()),
            Use::Other => ("", String::new()),
        };
        let flush = evaluation(&format!("globalThis.{}?.()", contract().flush));
        let pages = self.pages(None);
        let call = |expression: &Value| {
            let started: Vec<_> = pages
                .iter()
                .filter_map(|page| {
                    relay.client().start(Some(page), "Runtime.evaluate", expression.clone()).ok()
                })
                .collect();
            for call in started {
                // A page that can no longer answer has nothing to send.
                let _ = call.wait_within(STEP);
            }
        };
        call(&flush);
        self.state().tell(before);
        if !name.is_empty() {
            let arguments = json!([end, name, kind]);
            let expression = format!("globalThis.{}?.(...{arguments})", contract().step);
            call(&evaluation(&expression));
        }
        self.state().tell(after);
    }

    /// The location of a step's condition.
    fn condition(&self, step: &TestStep) -> Option<String> {
        let state = self.state();
        let conditions = self.conditions.tests.get(&state.test.as_ref()?.id)?;
        let start = step.condition(0);
        let mut alike = conditions.iter().filter(|condition| {
            condition.name == start
                || condition.name.strip_prefix(&start).is_some_and(|rest| rest.starts_with('#'))
        });
        let found = alike.find(|it| it.api == step.api && it.params == step.params);
        found.map(|condition| condition.name.clone())
    }

    /// Tells a page which step its next inputs belong to.
    fn mark(&self, relay: &Relay, session: &str) {
        let (own, step) = {
            let mut state = self.state();
            let Some(&step) = state.open.iter().max() else { return };
            let Some(theirs) = state.theirs.get(session) else { return };
            let Some(own) = state.sessions.get(&theirs.target).cloned() else { return };
            if state.dialogs.contains(&own) || state.told.insert(own.clone(), step) == Some(step) {
                return;
            }
            (own, step)
        };
        let expression = format!("globalThis.{}?.('scripted', 't{step}')", contract().input);
        let call = evaluation(&expression);
        // A page that is busy gets the input when it has heard this.
        let _ = relay.client().call_within(Some(&own), "Runtime.evaluate", call, MARK);
    }

    /// Lets the pages of a context, or of all, send their last lines.
    fn finish(&self, relay: &Relay, context: Option<&str>) {
        let flush = evaluation(&format!("globalThis.{}?.()", contract().flush));
        for page in self.pages(context) {
            if let Ok(call) = relay.client().start(Some(&page), "Runtime.evaluate", flush.clone()) {
                // A page that can no longer answer has nothing to send.
                let _ = call.wait_within(STEP);
            }
        }
        let mut state = self.state();
        let ids: Vec<_> = state.contexts.keys().cloned().collect();
        for id in ids.into_iter().filter(|id| context.is_none_or(|it| it == id)) {
            if let Some(context) = state.contexts.remove(&id) {
                state.closing.push(context.close());
            }
            state.own.retain(|_, of| *of != id);
        }
    }

    /// Waits until all files are closed.
    fn close(&self) {
        let (left, mut closing) = {
            let mut state = self.state();
            let left: Vec<_> = state.contexts.drain().map(|(_, context)| context).collect();
            (left, std::mem::take(&mut state.closing))
        };
        closing.extend(left.into_iter().map(Context::close));
        for closing in closing {
            let _ = closing.join();
        }
    }

    /// Notes a target that the driver was attached to, and adds the recorder's code to its session.
    fn attached(&self, relay: &Relay, params: &Value) {
        let info = &params["targetInfo"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let (session, kind) = (text(&params["sessionId"]), text(&info["type"]));
        if !RECORDED.contains(&kind.as_str()) {
            return;
        }
        let theirs =
            Theirs { target: text(&info["targetId"]), context: text(&info["browserContextId"]) };
        let mut state = self.state();
        if matches!(kind.as_str(), "page" | "iframe")
            && let Some(context) = self.context(relay, &mut state, &theirs.context)
        {
            let source = json!({ "source": context.shared.prologue });
            let method = "Page.addScriptToEvaluateOnNewDocument";
            // The call fails if the target is gone.
            let _ = relay.client().send(Some(&session), method, source);
        }
        state.theirs.insert(session, theirs);
    }

    /// Whether an event of the network is about a request of the recorder.
    fn is_hidden(&self, method: &str, params: &Value) -> bool {
        let Some(request) = params["requestId"].as_str() else { return false };
        let mut state = self.state();
        if method == "Network.requestWillBeSent" {
            let url = params["request"]["url"].as_str().unwrap_or_default();
            let path = url::Url::parse(url).map(|url| url.path().to_string()).unwrap_or_default();
            if path.starts_with(&contract().reserved) {
                state.hidden.insert(request.to_string());
                return true;
            }
            return false;
        }
        match method {
            "Network.loadingFinished" | "Network.loadingFailed" => state.hidden.remove(request),
            _ => state.hidden.contains(request),
        }
    }

    /// Keeps the code by which the driver finds elements.
    fn keep_finder(&self, message: &Value) {
        let Some(path) = self.settings.finder.as_deref().filter(|path| !path.exists()) else {
            return;
        };
        let expression = message["params"]["expression"].as_str();
        if let Some(expression) = expression.filter(|it| it.contains(INJECTED)) {
            // Without the file, conditions are not evaluated. A statement becomes an expression.
            let _ = std::fs::write(path, expression.trim().trim_end_matches(';'));
        }
    }
}

impl State {
    /// Writes lines of the test's thread to all recordings.
    fn tell(&self, lines: &str) {
        for context in self.contexts.values() {
            context.tell(lines);
        }
    }
}

impl Between for Gateway {
    fn tick(&self, relay: &Relay) {
        loop {
            let said = self.tail.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(said) = said else { break };
            self.hear(relay, said);
        }
        if let Some(guest) = self.guest.get() {
            guest.expire();
        }
    }

    fn driver_says(&self, relay: &Relay, message: &Value) -> Pass {
        let session = message["sessionId"].as_str();
        let method = message["method"].as_str().unwrap_or_default();
        if method == "Runtime.evaluate" {
            self.keep_finder(message);
        }
        if !self.is_recorded() {
            return Pass::On;
        }
        match (method, session) {
            ("Runtime.runIfWaitingForDebugger", Some(session)) => {
                let target = self.state().theirs.get(session).map(|it| it.target.clone());
                let Some(target) = target else { return Pass::On };
                self.guest(relay).resumes(&target, message);
                return Pass::Not;
            }
            ("Network.getResponseBody", Some(session)) => {
                let request = message["params"]["requestId"].as_str().unwrap_or_default();
                if let Some(body) = self.guest(relay).body(request) {
                    let id = &message["id"];
                    relay.to_driver(&json!({ "id": id, "sessionId": session, "result": body }));
                    return Pass::Not;
                }
            }
            ("Page.navigate", Some(session)) => {
                let url = message["params"]["url"].as_str().unwrap_or_default();
                let state = self.state();
                let context = state.theirs.get(session).map(|theirs| &theirs.context);
                if let Some(context) = context.and_then(|id| state.contexts.get(id)) {
                    context.visit(url);
                }
            }
            (input, Some(session)) if input.starts_with("Input.") => self.mark(relay, session),
            ("Target.disposeBrowserContext", _) => {
                let id = message["params"]["browserContextId"].as_str().unwrap_or_default();
                self.finish(relay, Some(id));
            }
            ("Browser.close", _) => self.finish(relay, None),
            _ => {}
        }
        Pass::On
    }

    fn sent(&self, relay: &Relay, message: &Value) {
        let is_first =
            message["method"] == "Target.setAutoAttach" && message["sessionId"].is_null();
        if is_first && self.is_recorded() && !self.is_attached.swap(true, Ordering::Relaxed) {
            attach(relay);
        }
    }

    fn browser_says(&self, relay: &Relay, message: &Value) -> Pass {
        let (Some(method), true) = (message["method"].as_str(), self.is_recorded()) else {
            return Pass::On;
        };
        let params = &message["params"];
        match method {
            "Target.attachedToTarget" => self.attached(relay, params),
            "Target.detachedFromTarget" => {
                let gone = params["sessionId"].as_str().unwrap_or_default();
                let gone = self.state().theirs.remove(gone);
                if let (Some(theirs), Some(guest)) = (gone, self.guest.get()) {
                    guest.gone(&theirs.target);
                }
            }
            _ if method.starts_with("Network.") && self.is_hidden(method, params) => {
                return Pass::Not;
            }
            _ => {}
        }
        Pass::On
    }

    fn event(&self, relay: &Relay, event: Event) {
        let session = event.session.clone().unwrap_or_default();
        let mut state = self.state();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        match event.method.as_str() {
            "Target.attachedToTarget" => {
                let info = &event.params["targetInfo"];
                let context = match state.own.get(&session) {
                    Some(context) => context.clone(),
                    None => text(&info["browserContextId"]),
                };
                if self.context(relay, &mut state, &context).is_none() {
                    return;
                }
                let own = text(&event.params["sessionId"]);
                state.own.insert(own.clone(), context);
                state.sessions.insert(text(&info["targetId"]), own);
            }
            "Page.javascriptDialogOpening" => {
                state.dialogs.insert(session.clone());
            }
            "Page.javascriptDialogClosed" => {
                state.dialogs.remove(&session);
            }
            _ => {}
        }
        let of = match event.method.as_str() {
            "Target.attachedToTarget" | "Target.detachedFromTarget" => {
                state.own.get(&text(&event.params["sessionId"])).cloned()
            }
            _ => state.own.get(&session).cloned(),
        };
        if event.method == "Target.detachedFromTarget" {
            let gone = text(&event.params["sessionId"]);
            state.own.remove(&gone);
            state.sessions.retain(|_, own| *own != gone);
            state.dialogs.remove(&gone);
            state.told.remove(&gone);
        }
        if let Some(events) = of.and_then(|of| state.contexts.get(&of)).map(Context::events) {
            drop(state);
            // Sending fails if the file cannot be written.
            let _ = events.send(event);
        }
    }
}

/// The parameters of a call that evaluates an expression in a page.
fn evaluation(expression: &str) -> Value {
    json!({ "expression": expression, "silent": true })
}

/// Attaches to the browser, after the driver has.
fn attach(relay: &Relay) {
    let client = relay.client();
    let attached = client.call(None, "Target.attachToBrowserTarget", json!({}));
    let Some(root) =
        attached.ok().and_then(|answer| answer["sessionId"].as_str().map(str::to_string))
    else {
        return;
    };
    let types = target::attach(&["page", "shared_worker", "service_worker"]);
    // The call fails if the browser is gone.
    let _ = client.call(Some(&root), "Target.setAutoAttach", types);
}
