//! The data that the threads of a recording share.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use browser::Client;
use record::{Counts, Notes, Scripts, names};
use replay::Secrets;
use url::Url;

use crate::conduct::Conductor;
use crate::health::Monitor;
use crate::journal::Journal;
use crate::options::PageOptions;
use crate::pictures::Pictures;
use crate::relayed::Guest;
use crate::serve::{Answering, Answers, Connections};

/// The state of a recording.
#[derive(Default)]
pub(crate) struct State {
    /// The session of the page that is recorded, once it is set up.
    pub(crate) page: Option<String>,
    /// The sessions of all windows, frames and workers that are recorded.
    pub(crate) recorded: Vec<String>,
    /// The top frame of the page.
    pub(crate) frame: String,
    pub(crate) opened: Opened,
    /// The navigation of the top frame that has no document yet.
    pub(crate) navigation: Option<String>,
    /// The address of the document that the browser shows an error page for, if it shows one.
    pub(crate) unreachable: Option<String>,
    /// Whether the top frame is loading a document.
    pub(crate) loading: bool,
    /// How often the page's load event came.
    pub(crate) loads: u64,
    /// Whether the page's process crashed.
    pub(crate) crashed: bool,
    /// Whether the page or the browser is gone.
    pub(crate) closed: bool,
    /// The error in writing the file, if there was one.
    pub(crate) failed: Option<io::Error>,
    /// The numbers of events and operations written.
    pub(crate) counts: Counts,
    /// What the file keeps for replays.
    pub(crate) session: Option<Vec<u8>>,
}

/// The tabs and windows that were opened beside the page that is recorded.
#[derive(Default)]
pub(crate) struct Opened {
    /// The targets of those that are still there, by session.
    pub(crate) targets: HashMap<String, String>,
    /// Whether one was opened that may be in front of the page.
    pub(crate) is_in_front: bool,
}

/// Information about the files of the page.
#[derive(Default)]
pub(crate) struct Files {
    /// The address of the first page, to which the names of files are relative.
    pub(crate) page: Option<Url>,
    /// Whether each script that a document loads is a module, by address.
    pub(crate) modules: HashMap<String, bool>,
    /// The modules loaded so far. The scripts that they request are modules, too.
    pub(crate) importers: HashSet<String>,
    /// The files that got a source map which the user gave.
    pub(crate) mapped: HashSet<String>,
    /// The requests that got the name and the password of the page's origin.
    pub(crate) authenticated: HashSet<String>,
    /// Whether each script that a page has made a worker of is a module, by address.
    pub(crate) workers: HashMap<String, bool>,
    /// The connections to shared workers that the workers have not received yet.
    pub(crate) connections: Connections,
    /// The scripts of workers that are not recorded. The scripts that they request are not, either.
    pub(crate) unrecorded: HashSet<String>,
}

/// One recording.
pub(crate) struct Shared {
    pub(crate) client: Client,
    pub(crate) scripts: Scripts,
    pub(crate) notes: Notes,
    /// The code that runs in every document before its scripts.
    pub(crate) prologue: String,
    /// Where the recorder answers the requests of the runtime.
    pub(crate) answering: Answering,
    /// What a page finds.
    pub(crate) page: PageOptions,
    /// The browser's first window.
    pub(crate) window: OnceLock<i64>,
    /// Whether the recorder answers dialogs of the page. Otherwise the user does.
    pub(crate) answers_dialogs: bool,
    /// What is kept for replays.
    pub(crate) journal: Option<Arc<Journal>>,
    /// The pictures of the page, if some are taken.
    pub(crate) pictures: Option<Pictures>,
    /// The conductor of a replay.
    pub(crate) conductor: Option<Conductor>,
    /// The answers of a replay.
    pub(crate) answers: Answers,
    /// Whether the browser belongs to a driver, and what its recordings share.
    pub(crate) guest: Option<Arc<Guest>>,
    /// The code of the isolated world in which the conditions of a test are evaluated, if it has any.
    pub(crate) world: Option<String>,
    /// What the recording must not contain.
    secrets: Mutex<Secrets>,
    monitor: Mutex<Monitor>,
    files: Mutex<Files>,
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    pub(crate) fn new(
        client: Client,
        prologue: String,
        answering: Answering,
        page: PageOptions,
        answers_dialogs: bool,
        journal: Option<Arc<Journal>>,
        (conductor, pictures): (Option<Conductor>, Option<Pictures>),
    ) -> Shared {
        Shared {
            client,
            scripts: crate::apart::scripts(),
            notes: Notes::default(),
            prologue,
            answering,
            secrets: Mutex::new(page.secrets.clone()),
            page,
            window: OnceLock::new(),
            answers_dialogs,
            journal,
            pictures,
            conductor,
            answers: Answers::default(),
            guest: None,
            world: None,
            monitor: Mutex::default(),
            files: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn secrets(&self) -> MutexGuard<'_, Secrets> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn monitor(&self) -> MutexGuard<'_, Monitor> {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes the threads that wait for it.
    pub(crate) fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Waits for a change of the state, for at most `longest`.
    pub(crate) fn wait(&self, longest: std::time::Duration) {
        let state = self.state();
        drop(self.changed.wait_timeout(state, longest));
    }

    /// Waits until the page has loaded or is gone, for at most `longest`.
    pub(crate) fn wait_for_load(&self, longest: std::time::Duration) {
        let waits = |state: &mut State| state.loading && !state.crashed && !state.closed;
        drop(self.changed.wait_timeout_while(self.state(), longest, waits));
    }

    /// Returns the name of the file at `url`.
    pub(crate) fn name(&self, url: &str) -> String {
        names::file(url, self.files().page.as_ref())
    }
}
