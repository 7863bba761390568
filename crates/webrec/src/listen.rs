//! The thread that hears what the browser tells: lines of pages go to the one that writes them,
//! requests and new targets to threads of their own, because those wait for answers and this one
//! must not.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, SyncSender};
use std::thread;

use browser::Event;
use record::RealmId;
use rewrite::contract;
use serde_json::{Value, json};

use crate::scribe::Told;
use crate::serve;
use crate::shared::Shared;
use crate::target::{self, Kind};

/// The most a page may send at once.
const LONGEST: usize = 128 << 20;

/// Hears events.
pub(crate) struct Listener {
    shared: Arc<Shared>,
    told: SyncSender<Told>,
    /// The thread that each session's events happen on.
    threads: HashMap<String, Arc<str>>,
    /// Each document that sent something: by session and execution context, whose ids are used
    /// again in another process.
    documents: HashMap<(String, u64), RealmId>,
    /// The next document that sends something.
    next: RealmId,
    pages: u32,
}

impl Listener {
    /// Hands lines on to `told`.
    pub(crate) fn new(shared: Arc<Shared>, told: SyncSender<Told>) -> Self {
        Self {
            shared,
            told,
            threads: HashMap::new(),
            documents: HashMap::new(),
            next: RealmId::FIRST,
            pages: 0,
        }
    }

    /// Listens until the browser is gone or the file cannot be written.
    pub(crate) fn run(mut self, events: Receiver<Event>) {
        while let Ok(event) = events.recv() {
            if self.hear(event).is_err() {
                break;
            }
        }
        // Without a receiver the browser's events are dropped instead of held up.
        drop(events);
        self.shared.change(|state| state.closed = true);
    }

    fn hear(&mut self, event: Event) -> Result<(), SendError<Told>> {
        let session = event.session.unwrap_or_default();
        let mut params = event.params;
        match event.method.as_str() {
            "Runtime.bindingCalled" => self.lines(session, &mut params)?,
            "Fetch.requestPaused" => {
                let shared = Arc::clone(&self.shared);
                thread::spawn(move || serve::request(&shared, &session, &params));
            }
            "Runtime.executionContextsCleared" => {
                self.documents.retain(|(of, _), _| *of != session);
            }
            "Runtime.executionContextDestroyed" => {
                let context = params["executionContextId"].as_u64().unwrap_or_default();
                self.documents.remove(&(session, context));
            }
            "Target.attachedToTarget" => self.attached(&params),
            "Target.detachedFromTarget" => {
                let gone = params["sessionId"].as_str().unwrap_or_default();
                self.threads.remove(gone);
                self.documents.retain(|(session, _), _| session != gone);
                if self.is_page(gone) {
                    self.shared.change(|state| state.closed = true);
                }
            }
            "Page.loadEventFired" if self.is_page(&session) => {
                self.shared.change(|state| state.loads += 1);
            }
            "Page.frameStartedLoading" | "Page.frameStoppedLoading" if self.is_page(&session) => {
                let loading = event.method == "Page.frameStartedLoading";
                self.shared.change(|state| {
                    if params["frameId"] == state.frame.as_str() {
                        state.loading = loading;
                    }
                });
            }
            "Inspector.targetCrashed" if self.is_page(&session) => {
                self.shared.change(|state| state.crashed = true);
            }
            "Page.javascriptDialogOpening" if self.shared.answers_dialogs => {
                let kind = params["type"].as_str().unwrap_or_default();
                self.shared.notes.add("dialog", || format!("a {kind} was accepted"));
                let accept = json!({ "accept": true });
                // A page that is gone has no dialog.
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

    fn lines(&mut self, session: String, params: &mut Value) -> Result<(), SendError<Told>> {
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
        let realm = *self.documents.entry((session, context)).or_insert_with(|| {
            let realm = self.next;
            self.next = realm.next();
            realm
        });
        self.told.send(Told { thread: Arc::clone(thread), realm, payload })
    }

    fn attached(&mut self, params: &Value) {
        let info = &params["targetInfo"];
        let Some(session) = params["sessionId"].as_str().map(str::to_string) else { return };
        let kind = match info["type"].as_str() {
            Some("page" | "iframe") => Kind::Page,
            Some(other) => {
                self.shared.files().workers.extend(info["url"].as_str().map(str::to_string));
                self.shared.notes.add("not-recorded", || {
                    format!("{other} {}", info["url"].as_str().unwrap_or_default())
                });
                Kind::Other
            }
            None => Kind::Other,
        };
        if kind == Kind::Page {
            self.pages += 1;
            let thread = match (self.pages, info["type"] == "page") {
                (1, _) => "main".to_string(),
                (n, true) => format!("page{n}"),
                (n, false) => format!("frame{n}"),
            };
            self.threads.insert(session.clone(), thread.into());
        }
        let first = self.pages == 1 && kind == Kind::Page;
        // A page's target and its top frame have the same id.
        let frame = info["targetId"].as_str().unwrap_or_default().to_string();
        let shared = Arc::clone(&self.shared);
        thread::spawn(move || match target::set_up(&shared, &session, kind) {
            Ok(()) if first => shared.change(|state| {
                state.page = Some(session);
                state.frame = frame;
            }),
            Ok(()) => {}
            // A target may be gone before it was set up.
            Err(error) => shared.notes.add("not-set-up", || error.to_string()),
        });
    }
}
