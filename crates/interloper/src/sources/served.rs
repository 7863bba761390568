//! What a recorded page was served: the documents and scripts in the session of its recording.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use replay::Session;

/// The texts of the files of a recorded page, by the names that the trace has for them.
pub(super) struct Served {
    texts: HashMap<String, String>,
}

impl Served {
    /// Returns what the session of a recording contains. A trace without a session has nothing.
    pub(super) fn by(trace: &Path) -> Self {
        let session = session(trace).map(|session| webrec::served(&session).collect());
        Self { texts: session.unwrap_or_default() }
    }

    pub(super) fn get(&self, file: &str) -> Option<String> {
        self.texts.get(file).cloned()
    }
}

fn session(trace: &Path) -> Option<Session> {
    let file = File::open(trace).ok()?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let payload = codec::native::session(file).ok().flatten()?;
    Session::read(&payload).ok()
}
