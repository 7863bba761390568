//! A recording from start to end: the browser, its threads, and the functions that drive the page.

use std::cell::Cell;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use browser::Browser;
use codec::native::Writer;
use record::{Counts, Note, Wire};
use replay::{Secrets, Session};
use rewrite::contract;
use serde_json::{Value, json};
use url::Url;

use crate::Error;
use crate::conduct::Conductor;
use crate::drive::World;
use crate::health::Health;
use crate::journal::Journal;
use crate::listen::Listener;
use crate::options::{Input, Keep, Options};
use crate::pictures::Pictures;
use crate::scribe::{self, Message};
use crate::serve::Answering;
use crate::shared::{Shared, State};
use crate::{stall, target};

/// The runtime that runs in a page and sends its events: an expression whose value has `start`,
/// built from `recorder/web` by `npm run build`.
const RUNTIME: &str = include_str!("../../../recorder/web/dist/record.js");
/// The interval at which a waiting function checks the state.
const LOOK: Duration = Duration::from_millis(100);
/// How long the end of a document waits for source maps: as long as loading one may take.
const MAPS: Duration = Duration::from_secs(10);
/// How long the end of a document waits for source maps after the user asked to stop.
const MAPS_AFTER_STOP: Duration = Duration::from_secs(1);
/// How long the browser may take to answer a call.
const ANSWER: Duration = Duration::from_secs(30);
/// How long the page may take to send its last lines.
const PAGE_FLUSH: Duration = Duration::from_secs(2);
/// How long another window, a frame or a worker may take to send its last lines.
const OTHER_FLUSH: Duration = Duration::from_millis(500);
/// How long the end of a recording waits for the bodies of answers.
const BODIES: Duration = Duration::from_secs(2);
/// How long the setup of the first page may take.
const SET_UP: Duration = Duration::from_secs(60);

/// The result of a recording.
#[derive(Debug)]
pub struct Summary {
    /// The numbers of events and operations written.
    pub counts: Counts,
    /// The notes about odd things in the recording.
    pub notes: Vec<Note>,
    /// The errors of the page.
    pub health: Health,
    /// What the recording does not contain.
    pub secrets: Secrets,
    /// The error for which the file may lack its end.
    pub failed: Option<std::io::Error>,
}

/// A browser with an empty page, ready to be recorded into a file.
pub struct Ready {
    /// The messages that the page has sent. If this is dropped before a recording starts, the
    /// listener does not block on a channel that no thread reads.
    lines: Receiver<Message>,
    recording: Recording,
}

/// A page being recorded.
pub struct Recording {
    pub(crate) options: Options,
    pub(crate) shared: Arc<Shared>,
    /// The isolated world in which elements are looked up.
    pub(crate) world: Cell<Option<World>>,
    browser: Option<Browser>,
    listener: Option<JoinHandle<()>>,
    scribe: Option<JoinHandle<()>>,
}

impl Ready {
    /// Starts a browser.
    pub fn start(options: Options) -> Result<Ready, Error> {
        let (browser, events) = Browser::launch(&options.browser, &options.stop)?;
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let began = began.as_secs_f64() * 1000.0;
        let conductor = options.replay.clone().map(Conductor::new);
        let answering = Answering::draw().map_err(|error| Error::Random(error.to_string()))?;
        let prologue = prologue(options.input, began, &answering, conductor.as_ref(), None);
        let page = options.page.clone();
        let journal = journal(&options, began);
        let headless = !options.browser.headed;
        let pictures = (options.screenshots && conductor.is_none()).then(|| Pictures::new(began));
        let parts = (conductor, pictures);
        let client = browser.client();
        let shared = Shared::new(client, prologue, answering, page, headless, journal, parts);
        let shared = Arc::new(shared);
        stall::start(&shared);
        let (messages, lines) = scribe::channel();
        // Files that the page saves are removed with the profile.
        let downloads = browser.folder().join("downloads");
        let listener = Listener::new(Arc::clone(&shared), messages);
        let listener = thread::spawn(move || listener.run(events));
        let recording = Recording {
            options,
            shared,
            world: Cell::new(None),
            browser: Some(browser),
            listener: Some(listener),
            scribe: None,
        };
        let ready = Ready { lines, recording };
        let recording = &ready.recording;
        recording.call_in(
            None,
            "Target.setAutoAttach",
            target::attach(&["page", "shared_worker", "service_worker"]),
        )?;
        let allow = json!({ "behavior": "allow", "downloadPath": downloads });
        recording.call_in(None, "Browser.setDownloadBehavior", allow)?;
        let is_there = |state: &State| state.page.is_some();
        if !recording.wait_for(SET_UP, "starting the browser", is_there)? {
            return Err(browser::Error::Slow { method: "a page".into(), waited: SET_UP }.into());
        }
        recording.restore_storage()?;
        let session = recording.session()?;
        // The documents in which storage was set are no pages that the user visited.
        recording.call_in(Some(&session), "Page.resetNavigationHistory", json!({}))?;
        Ok(ready)
    }

    /// Records the page into `writer`.
    pub fn record<W: Write + Send + 'static>(self, writer: Writer<W>) -> Result<Recording, Error> {
        let wire = Wire::new(writer, "web").map_err(Error::Write)?;
        let Ready { mut recording, lines } = self;
        recording.scribe = Some(scribe::start(Arc::clone(&recording.shared), wire, lines));
        Ok(recording)
    }
}

impl Recording {
    /// Loads a page and waits for its load event.
    pub fn goto(&self, url: &str) -> Result<(), Error> {
        self.leave_for(url)?;
        self.load(url)
    }

    /// Loads a page and waits until its document is there, but not until it has loaded.
    pub fn open(&self, url: &str) -> Result<(), Error> {
        self.leave_for(url)?;
        self.commit(url).map(drop)
    }

    /// Prepares for another page.
    fn leave_for(&self, url: &str) -> Result<(), Error> {
        {
            let mut files = self.shared.files();
            if files.page.is_none() {
                files.page = Url::parse(url).ok();
                if let Some(journal) = &self.shared.journal {
                    journal.start(url);
                }
            }
        }
        self.wait_for_maps()
    }

    /// Loads a document and waits for its load event.
    pub(crate) fn load(&self, url: &str) -> Result<(), Error> {
        let before = self.shared.state().loads;
        let (timeout, started) = (self.options.load_timeout, Instant::now());
        // Without a loader, the navigation was to a fragment of the same document.
        if self.commit(url)?["loaderId"].is_null() {
            return Ok(());
        }
        let left = timeout.saturating_sub(started.elapsed());
        let loaded =
            self.wait_for(left, "loading", |state| state.loads > before || self.is_stuck())?;
        if loaded { Ok(()) } else { Err(self.never_loaded(url)) }
    }

    /// Navigates to a page, and waits until its document is there. Returns the browser's answer.
    fn commit(&self, url: &str) -> Result<Value, Error> {
        let answer = self.navigate(url)?.ok_or_else(|| self.never_loaded(url))?;
        match answer["errorText"].as_str().filter(|why| !why.is_empty()) {
            Some(why) => Err(Error::Unreachable { url: url.to_string(), why: why.to_string() }),
            None => Ok(answer),
        }
    }

    /// Whether a replay holds something back and nothing else happens, so that waiting for the page to load
    /// may not end.
    pub(crate) fn is_stuck(&self) -> bool {
        self.shared.conductor.as_ref().is_some_and(Conductor::is_stuck)
    }

    fn never_loaded(&self, url: &str) -> Error {
        Error::NeverLoaded { url: url.to_string(), waited: self.options.load_timeout }
    }

    /// Waits for source maps, which are loaded on behalf of the document that is about to be left.
    fn wait_for_maps(&self) -> Result<(), Error> {
        let until = Instant::now() + MAPS;
        while !self.shared.scripts.settle(LOOK) && Instant::now() < until {
            self.ended().map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// Navigates to a page and returns the browser's answer, or none if the server did not answer
    /// in time.
    fn navigate(&self, url: &str) -> Result<Option<Value>, Error> {
        let (session, params) = (self.session()?, json!({ "url": url }));
        let timeout = self.options.load_timeout;
        let is_over = || {
            self.show("loading");
            self.ended().is_some()
        };
        let client = &self.shared.client;
        match client.call_unless(Some(&session), "Page.navigate", params, timeout, is_over) {
            Ok(answer) => Ok(Some(answer)),
            Err(browser::Error::Slow { .. }) => Ok(None),
            Err(error) => Err(self.ended().unwrap_or(error.into())),
        }
    }

    /// Calls a method of a session, or of the browser. Fails if the recording ends meanwhile.
    pub(crate) fn call_in(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Value, Error> {
        let is_over = || self.ended().is_some();
        let answer = self.shared.client.call_unless(session, method, params, ANSWER, is_over);
        answer.map_err(|error| self.ended().unwrap_or(error.into()))
    }

    /// Lets the page run.
    pub fn run_for(&self, time: Duration, doing: &str) -> Result<(), Error> {
        self.wait_for(time, doing, |_| false).map(drop)
    }

    /// Waits until the state satisfies a condition. Returns whether it did in time.
    pub(crate) fn wait_for(
        &self,
        time: Duration,
        doing: &str,
        wanted: impl Fn(&State) -> bool,
    ) -> Result<bool, Error> {
        let until = Instant::now().checked_add(time);
        loop {
            if wanted(&self.shared.state()) {
                return Ok(true);
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Ok(false);
            }
            self.look(doing)?;
        }
    }

    fn show(&self, doing: &str) {
        let counts = self.shared.state().counts;
        (self.options.progress)(counts, doing);
    }

    /// Reports the progress, waits for a change of the state, and fails if the recording is over.
    fn look(&self, doing: &str) -> Result<(), Error> {
        self.show(doing);
        if let Some(error) = self.ended() {
            return Err(error);
        }
        self.shared.wait(LOOK);
        Ok(())
    }

    /// Why the recording is over, if it is.
    pub(crate) fn ended(&self) -> Option<Error> {
        if self.options.stop.load(Ordering::Relaxed) {
            return Some(Error::Stopped);
        }
        let mut state = self.shared.state();
        if let Some(error) = state.failed.take() {
            // The summary reports the error as well.
            state.failed = Some(std::io::Error::new(error.kind(), error.to_string()));
            return Some(Error::Write(error));
        }
        match (state.crashed, state.closed) {
            (true, _) => Some(Error::Crashed),
            (_, true) => Some(Error::Closed),
            _ => None,
        }
    }

    /// Takes a picture of what the page shows, as PNG.
    pub fn screenshot(&self) -> Result<Vec<u8>, Error> {
        let session = self.session()?;
        let client = &self.shared.client;
        let params = json!({ "format": "png" });
        let answer = client.call(Some(&session), "Page.captureScreenshot", params)?;
        let picture = answer["data"].as_str().and_then(|data| BASE64.decode(data).ok());
        picture.ok_or(Error::Crashed)
    }

    pub(crate) fn session(&self) -> Result<String, Error> {
        self.shared.state().page.clone().ok_or(Error::Closed)
    }

    /// Ends the recording: asks the page for its unsent lines, and closes the browser and the file.
    pub fn finish(mut self) -> Summary {
        if !self.shared.state().closed && !self.shared.state().crashed {
            // A page that can no longer answer has no unsent lines.
            let expression = format!("globalThis.{}?.()", contract().flush);
            let flush = json!({ "expression": expression, "silent": true });
            let (page, others) = {
                let state = self.shared.state();
                (state.page.clone(), state.recorded.clone())
            };
            let others = others.into_iter().filter(|other| Some(other) != page.as_ref());
            let first = page.clone().map(|page| (page, PAGE_FLUSH));
            let others = others.map(|other| (other, OTHER_FLUSH));
            for (session, patience) in first.into_iter().chain(others) {
                let (client, flush) = (&self.shared.client, flush.clone());
                let _ = client.call_within(Some(&session), "Runtime.evaluate", flush, patience);
            }
            let journal = self.shared.journal.as_ref();
            let session = journal.map(|journal| journal.close(BODIES, &self.shared.secrets()));
            self.shared.change(|state| state.session = session);
            let is_stopped = self.options.stop.load(Ordering::Relaxed);
            self.shared.scripts.settle(if is_stopped { MAPS_AFTER_STOP } else { MAPS });
        }
        self.end();
        let state = &mut self.shared.state();
        let failed = state.failed.take();
        for given in &self.options.page.source_maps {
            if !self.shared.files().mapped.contains(&given.file) {
                let text = || format!("{}: no script of this name was loaded", given.file);
                self.shared.notes.add("source-map", text);
            }
        }
        let notes = self.shared.notes.all();
        let unparsable = notes.iter().find(|note| note.code == "unparsable-script");
        let unparsable = unparsable.map_or(0, |note| note.count);
        let health = Health { unparsable, ..self.shared.monitor().health.clone() };
        let secrets = self.shared.secrets().clone();
        Summary { counts: state.counts, notes, health, secrets, failed }
    }

    /// Closes the browser, which ends the listener. That ends the scribe, which closes the file.
    fn end(&mut self) {
        if let Some(conductor) = &self.shared.conductor {
            conductor.end();
        }
        drop(self.browser.take());
        if let Some(listener) = self.listener.take() {
            listener.join().expect("the listener does not panic");
        }
        if let Some(scribe) = self.scribe.take() {
            scribe.join().expect("the scribe does not panic");
        }
    }
}

/// The code that starts the runtime in a document.
pub(crate) fn prologue(
    input: Input,
    began: f64,
    answering: &Answering,
    conductor: Option<&Conductor>,
    test: Option<Value>,
) -> String {
    let mut config = json!({
        "realm": 1, "binding": contract().binding, "global": contract().global,
        "input": input.word(), "began": began, "answering": answering.settings(),
    });
    if let Some(test) = test {
        config["test"] = test;
    }
    if let Some(conductor) = conductor {
        stall::configure(&mut config, conductor, began);
    }
    format!("({}).start({config});", RUNTIME.trim())
}

/// The journal of a recording that can be replayed.
fn journal(options: &Options, began: f64) -> Option<Arc<Journal>> {
    let viewport = options.page.viewport.map(|viewport| (viewport.width, viewport.height));
    let session = Session {
        viewport,
        user_agent: options.browser.user_agent.clone(),
        began,
        early_steps: options.early_steps,
        given: options.page.given.clone(),
        ..Session::default()
    };
    let journal = |with_bodies| Some(Arc::new(Journal::new(session, with_bodies)));
    match options.keep {
        Keep::Nothing => None,
        Keep::Addresses => journal(false),
        Keep::Answers => journal(true),
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.end();
    }
}
