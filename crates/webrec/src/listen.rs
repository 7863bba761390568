//! The thread that receives the browser's events. It passes lines of pages to the thread that
//! writes them, and starts a thread for each request and each new target, because handling those
//! waits for answers and this thread must not wait.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, SyncSender};
use std::thread;

use browser::Event;
use record::RealmId;
use rewrite::contract;
use serde_json::{Value, json};

use crate::pictures;
use crate::scribe::Message;
use crate::serve;
use crate::shared::Shared;
use crate::target::{self, Kind, Target};

/// The largest message of a page, in bytes.
const LONGEST: usize = 128 << 20;

/// How many scripts of workers and modules pages may announce, and how long an address may be. A page may
/// announce anything.
const ANNOUNCED: usize = 100_000;
const ADDRESS: usize = 1 << 20;
/// The event by which a relay passes lines of the test's thread.
pub(crate) const TEST: &str = "Interloper.test";
/// The thread of a test.
const TEST_THREAD: &str = "test";
/// What a page's lines begin with that belong to the test's thread.
const OF_TEST: char = '@';

/// Receives and handles the browser's events.
pub(crate) struct Listener {
    shared: Arc<Shared>,
    messages: SyncSender<Message>,
    /// The thread that each session's events happen on.
    threads: HashMap<String, Arc<str>>,
    /// The documents that sent a message, by session and execution context. Both are needed,
    /// because two processes may use the same context id.
    documents: HashMap<(String, u64), RealmId>,
    /// The realm of the next document that sends its first message.
    next: RealmId,
    pages: u32,
    workers: u32,
}

impl Listener {
    /// Creates a listener that passes the messages of pages on to `messages`.
    pub(crate) fn new(shared: Arc<Shared>, messages: SyncSender<Message>) -> Self {
        Self {
            shared,
            messages,
            threads: HashMap::new(),
            documents: HashMap::new(),
            next: RealmId::FIRST,
            pages: 0,
            workers: 0,
        }
    }

    /// Listens until the browser is gone or the file cannot be written.
    pub(crate) fn run(mut self, events: Receiver<Event>) {
        while let Ok(event) = events.recv() {
            if self.hear(event).is_err() {
                break;
            }
        }
        // Without a receiver, the browser's events are dropped instead of blocking the channel.
        drop(events);
        self.shared.change(|state| state.closed = true);
    }

    fn hear(&mut self, event: Event) -> Result<(), SendError<Message>> {
        let session = event.session.unwrap_or_default();
        let mut params = event.params;
        self.shared.monitor().hear(&session, &event.method, &params);
        if let Some(journal) = &self.shared.journal {
            journal.hear(&self.shared.client, &session, &event.method, &params);
        }
        match event.method.as_str() {
            "Runtime.bindingCalled" if params["name"] == contract().worker => {
                self.announced(&session, &params);
            }
            "Runtime.bindingCalled" => self.lines(session, &mut params)?,
            TEST => {
                let Value::String(payload) = params["lines"].take() else { return Ok(()) };
                let (thread, realm) = (Arc::from(TEST_THREAD), RealmId::FIRST);
                self.messages.send(Message { thread, realm, payload, is_last: false })?;
            }
            "Fetch.requestPaused" => {
                let shared = Arc::clone(&self.shared);
                thread::spawn(move || serve::request(&shared, &session, &params));
            }
            "Fetch.authRequired" => serve::authenticate(&self.shared, &session, &params),
            "Runtime.executionContextsCleared" => self.gone(|(of, _)| *of == session)?,
            "Runtime.executionContextDestroyed" => {
                let context = params["executionContextId"].as_u64().unwrap_or_default();
                self.gone(|(of, id)| *of == session && *id == context)?;
            }
            "Target.attachedToTarget" => self.attached(&params),
            "Target.detachedFromTarget" => {
                let gone = params["sessionId"].as_str().unwrap_or_default();
                self.gone(|(session, _)| session == gone)?;
                self.threads.remove(gone);
                self.shared.change(|state| state.recorded.retain(|session| session != gone));
                let is_page = self.is_page(gone);
                self.shared.change(|state| {
                    state.opened.targets.remove(gone);
                    state.closed |= is_page;
                });
            }
            "Page.loadEventFired" if self.is_page(&session) => {
                self.shared.change(|state| state.loads += 1);
            }
            "Page.frameStartedLoading" | "Page.frameStoppedLoading" if self.is_page(&session) => {
                let loading = event.method == "Page.frameStartedLoading";
                self.shared.change(|state| {
                    if params["frameId"] == state.frame.as_str() {
                        state.loading = loading;
                        if !loading {
                            state.navigation = None;
                        }
                    }
                });
            }
            "Page.frameStartedNavigating" if self.is_page(&session) => {
                let is_same = params["navigationType"].as_str() == Some("sameDocument");
                let loader = params["loaderId"].as_str().filter(|_| !is_same);
                self.shared.change(|state| {
                    if params["frameId"] == state.frame.as_str() && loader.is_some() {
                        state.navigation = loader.map(str::to_string);
                    }
                });
            }
            "Page.frameNavigated" if self.is_page(&session) => {
                let frame = &params["frame"];
                self.shared.change(|state| {
                    if frame["id"] == state.frame.as_str() {
                        state.navigation = None;
                        state.unreachable = frame["unreachableUrl"].as_str().map(str::to_string);
                    }
                });
            }
            "Page.screencastFrame" => pictures::hear(&self.shared, &session, &params),
            "Inspector.targetCrashed" if self.is_page(&session) => {
                self.shared.change(|state| state.crashed = true);
            }
            "Page.javascriptDialogOpening" if self.shared.answers_dialogs => {
                let kind = params["type"].as_str().unwrap_or_default();
                self.shared.notes.add("dialog", || format!("a {kind} was accepted"));
                let accept = json!({ "accept": true });
                // The call fails if the page is gone, and then there is no dialog.
                let _ =
                    self.shared.client.send(Some(&session), "Page.handleJavaScriptDialog", accept);
            }
            _ => {}
        }
        Ok(())
    }

    fn is_page(&self, session: &str) -> bool {
        self.shared.state().page.as_deref() == Some(session)
    }

    fn lines(&mut self, session: String, params: &mut Value) -> Result<(), SendError<Message>> {
        let Some(thread) =
            self.threads.get(&session).filter(|_| params["name"] == contract().binding)
        else {
            return Ok(());
        };
        let Value::String(payload) = params["payload"].take() else { return Ok(()) };
        if payload.len() > LONGEST {
            let say = || format!("{} bytes at once: left out", payload.len());
            self.shared.notes.add("long-message", say);
            return Ok(());
        }
        let context = params["executionContextId"].as_u64().unwrap_or_default();
        let thread = Arc::clone(thread);
        let realm = self.realm(session, context);
        if let Some(lines) = payload.strip_prefix(OF_TEST).filter(|_| self.shared.guest.is_some()) {
            let (thread, payload) = (Arc::from(TEST_THREAD), lines.to_string());
            return self.messages.send(Message { thread, realm, payload, is_last: false });
        }
        self.messages.send(Message { thread, realm, payload, is_last: false })
    }

    /// Passes on that documents are gone.
    fn gone(&mut self, is_gone: impl Fn(&(String, u64)) -> bool) -> Result<(), SendError<Message>> {
        for ((session, _), realm) in self.documents.extract_if(|document, _| is_gone(document)) {
            let Some(thread) = self.threads.get(&session).map(Arc::clone) else { continue };
            self.messages.send(Message { thread, realm, payload: String::new(), is_last: true })?;
        }
        Ok(())
    }

    /// Notes that a document holds a task, or lets it go if this document is not to hold it.
    fn held(&mut self, session: &str, params: &Value, path: &str) {
        let context = params["executionContextId"].as_u64().unwrap_or_default();
        let realm = self.realm(session.to_string(), context);
        let shared = &self.shared;
        let Some(conductor) = &shared.conductor else { return };
        let Some(thread) = self.threads.get(session) else { return };
        if conductor.holds(thread, realm.number(), path) {
            conductor.held_in_page(path, true);
            return;
        }
        let expression = format!("globalThis.{}?.({})", contract().release, json!(path));
        let params = json!({ "expression": expression, "silent": true, "contextId": context });
        // The call fails if the document is gone, and its tasks with it.
        let _ = shared.client.send(Some(session), "Runtime.evaluate", params);
    }

    /// The number of a document.
    fn realm(&mut self, session: String, context: u64) -> RealmId {
        *self.documents.entry((session, context)).or_insert_with(|| {
            let realm = self.next;
            self.next = realm.next();
            realm
        })
    }

    /// Notes a worker that a page is about to make, or a module that it imports by `import()`; the
    /// answer to the request for the script comes after this. Or notes a task that the page holds in a
    /// replay.
    fn announced(&mut self, session: &str, params: &Value) {
        let mut letters = params["payload"].as_str().unwrap_or_default().chars();
        let kind = letters.next();
        let url = letters.as_str().to_string();
        if kind == Some('h') {
            self.held(session, params, &url);
            return;
        }
        let mut files = self.shared.files();
        if files.modules.len() + files.workers.len() > ANNOUNCED || url.len() > ADDRESS {
            self.shared.notes.add("not-announced", || "a page names too many scripts".to_string());
            return;
        }
        match kind {
            Some('i') => {
                files.modules.insert(url, true);
            }
            _ => {
                files.workers.insert(url, kind == Some('m'));
            }
        }
    }

    /// Whether a worker's script starts the runtime. The page itself has put the runtime into blobs.
    fn is_announced(&self, url: &str) -> bool {
        self.shared.files().workers.contains_key(url)
    }

    fn attached(&mut self, params: &Value) {
        let info = &params["targetInfo"];
        let Some(session) = params["sessionId"].as_str().map(str::to_string) else { return };
        let url = info["url"].as_str().unwrap_or_default();
        let kind = match info["type"].as_str() {
            Some(_) if is_of_browser(url) => Kind::Other,
            Some("page") => Kind::Page,
            Some("iframe") => Kind::Frame,
            Some(kind @ ("worker" | "shared_worker")) if self.is_announced(url) => {
                self.workers += 1;
                let thread = format!("worker{}", self.workers);
                self.threads.insert(session.clone(), thread.into());
                if kind == "worker" { Kind::Worker } else { Kind::SharedWorker }
            }
            Some(other) => {
                self.shared.notes.add("not-recorded", || format!("{other} {url}"));
                if other == "service_worker" {
                    Kind::ServiceWorker
                } else {
                    self.shared.files().unrecorded.insert(url.to_string());
                    Kind::Other
                }
            }
            None => Kind::Other,
        };
        if matches!(kind, Kind::Page | Kind::Frame) {
            self.pages += 1;
            let thread = match (self.pages, kind) {
                (1, _) => "main".to_string(),
                (n, Kind::Page) => format!("page{n}"),
                (n, _) => format!("frame{n}"),
            };
            self.threads.insert(session.clone(), thread.into());
        }
        if self.threads.contains_key(&session) {
            self.shared.change(|state| state.recorded.push(session.clone()));
        }
        let first = self.pages == 1 && kind == Kind::Page;
        let id = info["targetId"].as_str().unwrap_or_default().to_string();
        if kind == Kind::Page && !first {
            let mut state = self.shared.state();
            state.opened.targets.insert(session.clone(), id.clone());
            state.opened.is_in_front = true;
        }
        let target = Target { session, id, kind };
        let shared = Arc::clone(&self.shared);
        thread::spawn(move || match target::set_up(&shared, &target) {
            Ok(()) if first => {
                pictures::start(&shared, &target.session);
                shared.change(|state| {
                    state.page = Some(target.session);
                    state.frame = target.id;
                });
            }
            Ok(()) => {}
            // A target may be gone before its setup is complete.
            Err(error) => shared.notes.add("not-set-up", || error.to_string()),
        });
    }
}

/// Whether an address is that of a page of the browser itself, such as its viewer of PDF files, which is an
/// extension.
fn is_of_browser(url: &str) -> bool {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.starts_with("chrome") || scheme == "devtools"
}
