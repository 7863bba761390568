//! What the threads of a recording share.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use browser::Client;
use record::{Counts, Notes, Scripts, names};
use url::Url;

/// How far a recording is.
#[derive(Default)]
pub(crate) struct State {
    /// The session of the page that is recorded, once it is set up.
    pub(crate) page: Option<String>,
    /// Its top frame.
    pub(crate) frame: String,
    /// Whether that frame is loading a document.
    pub(crate) loading: bool,
    /// How often that page's load event came.
    pub(crate) loads: u64,
    /// The page's process crashed.
    pub(crate) crashed: bool,
    /// The page or the browser is gone.
    pub(crate) closed: bool,
    /// The file cannot be written any more.
    pub(crate) failed: Option<io::Error>,
    /// What was written.
    pub(crate) counts: Counts,
}

/// What is known about the files of the page.
#[derive(Default)]
pub(crate) struct Files {
    /// The page's address as first asked for: files are named as seen from there.
    pub(crate) page: Option<Url>,
    /// Whether a script that a document asks for is a module.
    pub(crate) modules: HashMap<String, bool>,
    /// Modules loaded so far: what they ask for is a module, too.
    pub(crate) importers: HashSet<String>,
    /// Scripts of workers: what they ask for runs there.
    pub(crate) workers: HashSet<String>,
}

/// One recording.
pub(crate) struct Shared {
    pub(crate) client: Client,
    pub(crate) scripts: Scripts,
    pub(crate) notes: Notes,
    /// What is run in every document before its scripts.
    pub(crate) prologue: String,
    /// Dialogs of the page are answered; otherwise they are the user's.
    pub(crate) answers_dialogs: bool,
    files: Mutex<Files>,
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    pub(crate) fn new(client: Client, prologue: String, answers_dialogs: bool) -> Shared {
        Shared {
            client,
            scripts: Scripts::default(),
            notes: Notes::default(),
            prologue,
            answers_dialogs,
            files: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes whoever waits for it.
    pub(crate) fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Waits for a change of the state, not longer than said.
    pub(crate) fn wait(&self, longest: std::time::Duration) {
        let state = self.state();
        drop(self.changed.wait_timeout(state, longest));
    }

    /// Waits until the page has loaded or is gone, not longer than said.
    pub(crate) fn wait_for_load(&self, longest: std::time::Duration) {
        let waits = |state: &mut State| state.loading && !state.crashed && !state.closed;
        drop(self.changed.wait_timeout_while(self.state(), longest, waits));
    }

    /// What a file is called.
    pub(crate) fn name(&self, url: &str) -> String {
        names::file(url, self.files().page.as_ref())
    }
}
