//! The recording of one browser context.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use browser::{Client, Event};
use codec::native::{self, Writer};
use record::Wire;
use replay::Session;
use serde_json::{Value, json};
use url::Url;

use super::steps::Test;
use super::{Condition, Guest, Relayed};
use crate::conduct::{Conductor, Replay};
use crate::journal::Journal;
use crate::listen::{Listener, TEST};
use crate::options::{Input, PageOptions};
use crate::recording::prologue;
use crate::serve::Answering;
use crate::shared::Shared;
use crate::{scribe, stall};

/// The isolated world's part of the recorder, built from `recorder/web` by `npm run build`.
const WORLD: &str = include_str!("../../../../recorder/web/dist/conditions.js");
/// How many events may wait for the thread that handles them.
const EVENTS: usize = 4096;
/// How long the end of a recording waits for source maps.
const MAPS: Duration = Duration::from_secs(2);
/// The list of the recordings, in their folder.
const INDEX: &str = "index.jsonl";
/// The longest name of a recording, in bytes.
const NAME: usize = 100;

/// A browser context that is recorded.
pub(super) struct Context {
    pub(super) shared: Arc<Shared>,
    events: SyncSender<Event>,
    listener: JoinHandle<()>,
    scribe: JoinHandle<()>,
    path: PathBuf,
    test: Option<Test>,
}

impl Context {
    /// Starts the recording of a browser context into a file in a folder.
    pub(super) fn start(
        client: Client,
        guest: Arc<Guest>,
        tested: Option<Tested<'_>>,
        schedule: Option<&replay::Schedule>,
        folder: &Path,
        test: Option<&Test>,
    ) -> io::Result<Context> {
        let (path, file) = create(folder, test)?;
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let began = began.as_secs_f64() * 1000.0;
        let session = Session { began, ..Session::default() };
        let conductor = schedule.map(|schedule| {
            let conductor = Conductor::new(Replay {
                session: Arc::new(session.clone()),
                holds: schedule.holds.clone(),
                patience: schedule.patience,
                online: true,
                live: true,
            });
            // The driver acts on its own, so nothing is to come from the recorder.
            conductor.is_done();
            conductor
        });
        let (world, names) = tested.map(|tested| tested.code()).unzip();
        let answering = Answering::draw().map_err(io::Error::other)?;
        let prologue = prologue(Input::Ordered, began, &answering, conductor.as_ref(), names);
        let journal = Some(Arc::new(Journal::new(session, false)));
        let page = PageOptions::default();
        let parts = (conductor, None);
        let mut shared = Shared::new(client, prologue, answering, page, false, journal, parts);
        (shared.guest, shared.world) = (Some(guest), world);
        let shared = Arc::new(shared);
        stall::start(&shared);
        let (messages, lines) = scribe::channel();
        let wire = Wire::new(Writer::new(file, native::Options::default())?, "web")?;
        let scribe = scribe::start(Arc::clone(&shared), wire, lines);
        let (events, receiver) = mpsc::sync_channel(EVENTS);
        let listener = Listener::new(Arc::clone(&shared), messages);
        let listener = thread::spawn(move || listener.run(receiver));
        Ok(Context { shared, events, listener, scribe, path, test: test.cloned() })
    }

    /// The channel of the recording's events.
    pub(super) fn events(&self) -> SyncSender<Event> {
        self.events.clone()
    }

    /// Writes lines of the test's thread, after the events that came before.
    pub(super) fn tell(&self, lines: &str) {
        let params = json!({ "lines": lines });
        // Sending fails if the file cannot be written.
        let _ = self.events.send(Event { session: None, method: TEST.to_string(), params });
    }

    /// Notes an address that the driver loads. Names of files are relative to the first one.
    pub(super) fn visit(&self, url: &str) {
        let mut files = self.shared.files();
        if files.page.is_none()
            && let Ok(parsed) = Url::parse(url)
            && parsed.has_host()
        {
            files.page = Some(parsed);
            if let Some(journal) = &self.shared.journal {
                journal.start(url);
            }
        }
    }

    /// Closes the file, in a thread, and adds it to the list of the recordings.
    pub(super) fn close(self) -> JoinHandle<()> {
        thread::spawn(move || {
            let Context { shared, events, listener, scribe, path, test } = self;
            let journal = shared.journal.as_ref();
            let session = journal.map(|journal| journal.close(Duration::ZERO, &shared.secrets()));
            shared.change(|state| state.session = session);
            shared.scripts.settle(MAPS);
            let held = shared.conductor.as_ref().is_some_and(Conductor::is_held);
            if let Some(conductor) = &shared.conductor {
                conductor.end();
            }
            drop(events);
            listener.join().expect("the listener does not panic");
            scribe.join().expect("the scribe does not panic");
            if shared.state().counts.operations == 0 {
                let _ = fs::remove_file(&path);
                return;
            }
            let mut notes: Vec<_> = shared
                .notes
                .all()
                .iter()
                .map(|note| format!("{}: {}", note.code, note.text))
                .collect();
            notes.extend(shared.state().failed.take().map(|error| format!("not written: {error}")));
            let entry = Relayed { trace: path.clone(), test, notes, held };
            // A recording that is not in the list is not reported.
            if let Err(error) = list(&path, &entry) {
                eprintln!("interloper: {}: {error}", path.display());
            }
        })
    }
}

/// Adds a recording to the list in its folder.
fn list(path: &Path, entry: &Relayed) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    let mut list = OpenOptions::new().create(true).append(true).open(path.with_file_name(INDEX))?;
    // One call, so that lines of several processes do not mix.
    list.write_all(&line)
}

/// Makes the file of a recording, named after its test and its retry.
fn create(folder: &Path, test: Option<&Test>) -> io::Result<(PathBuf, File)> {
    let name = test.map_or_else(|| "context".to_string(), name);
    for number in 1..10_000 {
        let name = if number == 1 { format!("{name}.ilt") } else { format!("{name}-{number}.ilt") };
        let path = folder.join(name);
        match File::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many recordings of this test"))
}

/// The name of a test's recordings: its titles in letters, digits and hyphens.
fn name(test: &Test) -> String {
    let mut name = String::new();
    let words = std::iter::once(&test.project).chain(&test.titles);
    for char in words.flat_map(|word| word.chars().chain(std::iter::once(' '))) {
        if char.is_alphanumeric() {
            name.extend(char.to_lowercase());
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
        if name.len() >= NAME {
            break;
        }
    }
    let name = name.trim_matches('-');
    let name = if name.is_empty() { "test" } else { name };
    if test.retry == 0 { name.to_string() } else { format!("{name}-retry{}", test.retry) }
}

/// The conditions of a test, and the driver's code by which elements are found.
pub(super) struct Tested<'t> {
    pub(super) finder: &'t str,
    pub(super) conditions: &'t [Condition],
}

impl Tested<'_> {
    /// The code of the isolated world that evaluates the conditions, and what the runtime in the page must know.
    /// The two talk by an event whose name the page cannot guess.
    fn code(&self) -> (String, Value) {
        let channel = format!("il{:016x}", fastrand::u64(..));
        let names: Vec<_> = self.conditions.iter().map(|condition| &condition.name).collect();
        let world = format!(
            "({}).start(() => ({}), {}, {});",
            WORLD.trim(),
            self.finder,
            json!(self.conditions),
            json!(channel)
        );
        (world, json!({ "channel": channel, "names": names }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_named_after_test_and_retry() {
        let folder = tempfile::tempdir().expect("a folder");
        let test = |title: &str, retry| Test {
            titles: vec!["a.spec.ts".into(), title.into()],
            retry,
            ..Test::default()
        };
        let made = |test: &Test| {
            let (path, _) = create(folder.path(), Some(test)).expect("writable");
            path.file_name().and_then(|name| name.to_str()).expect("a name").to_string()
        };
        assert_eq!(made(&test("opens the menu!", 0)), "a-spec-ts-opens-the-menu.ilt");
        assert_eq!(made(&test("opens the menu!", 0)), "a-spec-ts-opens-the-menu-2.ilt");
        assert_eq!(made(&test("../../x", 1)), "a-spec-ts-x-retry1.ilt");
        assert!(made(&test(&"é".repeat(500), 0)).len() < 120);
    }
}
