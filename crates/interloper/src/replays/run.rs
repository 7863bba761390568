//! Runs a recorded page again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use browser::Network;
use codec::native::{self, Writer};
use order::Tasks;
use replay::{Began, Observation, Outcome, Picture, Plan, Schedule, Session, Witness};
use report::replay::RunEntry;
use trace::Trace;
use triage::Visibility;
use url::Url;
use webrec::{
    Identity, Input, Keep, Options, PageOptions, Ready, Recording, Replay, Replayed, Step, Viewport,
};

use super::Supplied;

/// How long a page may take to load, and a step to find its element.
const LOAD: Duration = Duration::from_secs(40);
const STEP: Duration = Duration::from_secs(8);

/// The events of inputs that a user means. How often the pointer enters an element on its way, and when a page
/// scrolls, depends on time.
const MEANT: [&str; 16] = [
    "click",
    "dblclick",
    "contextmenu",
    "mousedown",
    "mouseup",
    "pointerdown",
    "pointerup",
    "touchstart",
    "touchend",
    "keydown",
    "keypress",
    "keyup",
    "input",
    "submit",
    "drop",
    "paste",
];

/// Runs the page of a session.
pub(super) struct Runner {
    session: Arc<Session>,
    place: Place,
    supplied: Supplied,
    stop: Arc<AtomicBool>,
    /// How many runs were kept.
    kept: AtomicUsize,
}

/// Where pages run, and what is kept of their runs.
#[derive(Clone, Default)]
pub(crate) struct Place {
    pub(crate) browser: Option<PathBuf>,
    /// Whether the servers are asked, and not the session.
    pub(crate) online: bool,
    /// The folder for the trace and the schedule of each run.
    pub(crate) runs: Option<PathBuf>,
}

/// A run that has ended.
pub(super) struct Ran {
    pub(super) seen: Observation,
    pub(super) picture: Option<Vec<u8>>,
    pub(super) missing: Vec<String>,
    /// How many requests got another answer than their own.
    pub(super) approximate: usize,
    /// What the tasks of the race did that is watched.
    pub(super) witness: Witness,
    /// The report's statement of the run.
    pub(super) entry: RunEntry,
    /// How many milliseconds the first event was held.
    pub(super) held_for: u64,
    is_held: bool,
    /// Whether the page has dropped what was held, or may have: it has aborted the request, or cleared the timer.
    is_dropped: bool,
    is_stalled: bool,
    began: Began,
}

/// A race that a replay watches, with the name of its location.
#[derive(Clone, Copy)]
pub(super) struct Watched<'r> {
    pub(super) plan: &'r Plan,
    pub(super) location: &'r str,
}

impl Ran {
    /// Whether the two tasks of a race ran in the recorded order.
    pub(super) fn keeps(&self, plan: &Plan) -> bool {
        self.began.before(&plan.first, &plan.second) == Some(true)
    }

    /// The outcome of a run in which the two tasks were to run in the other order.
    pub(super) fn outcome(&self, plan: &Plan) -> Outcome {
        let is_flipped = self.began.is_flipped(plan, self.is_held);
        let is_stalled = self.is_stalled && self.began.is_kept(plan);
        let is_aborted = self.is_dropped && self.began.is_cancelled(plan);
        Outcome { is_flipped, is_aborted, is_stalled, seen: self.seen.clone() }
    }
}

impl Runner {
    pub(super) fn new(
        session: Session,
        place: Place,
        supplied: Supplied,
        stop: &Arc<AtomicBool>,
    ) -> Self {
        let (session, stop) = (Arc::new(session), Arc::clone(stop));
        Self { session, place, supplied, stop, kept: AtomicUsize::new(0) }
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Whether the user wants to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn options(&self, url: &mut Url, schedule: &Schedule, headed: bool) -> Options {
        let session = &self.session;
        let viewport = session.viewport.map(|(width, height)| Viewport { width, height });
        let online = self.place.online;
        let network = match online {
            false => Network::Nothing,
            true if webrec::is_local(url) => Network::Local,
            true => Network::Public,
        };
        let headers = self.supplied.headers.clone();
        let identity = online.then(|| Identity::new(url, headers));
        Options {
            browser: browser::Options {
                path: self.place.browser.clone(),
                headed,
                network,
                ignore_certificate_errors: true,
                user_agent: session.user_agent.clone(),
            },
            page: PageOptions {
                viewport,
                identity,
                storage: self.supplied.storage.clone(),
                secrets: self.supplied.secrets.clone(),
                ..PageOptions::default()
            },
            input: Input::Ordered,
            load_timeout: LOAD,
            step_timeout: STEP,
            early_steps: session.early_steps,
            keep: Keep::Nothing,
            screenshots: false,
            replay: Some(Replay {
                session: Arc::clone(session),
                holds: schedule.holds.clone(),
                patience: schedule.patience,
                online,
                live: false,
            }),
            stop: Arc::clone(&self.stop),
            progress: Box::new(|_, _| {}),
        }
    }

    /// Starts the page and drives it to its end. Returns what was observed there, too.
    fn drive(
        &self,
        schedule: &Schedule,
        headed: bool,
        file: File,
    ) -> Result<(Recording, Replayed)> {
        let mut url = Url::parse(&self.session.url).context("the session has no address")?;
        let options = self.options(&mut url, schedule, headed);
        let writer = Writer::new(file, native::Options::default())?;
        let recording = Ready::start(options)?.record(writer)?;
        let steps: Vec<_> = self.session.steps.iter().map(|step| step.text.as_str()).collect();
        let steps = Step::parse_all(&steps.join("\n")).context("the session's steps")?;
        recording.goto(url.as_str())?;
        recording.run_steps(&steps)?;
        let replayed = recording.observe()?;
        Ok((recording, replayed))
    }

    /// Runs the page by a schedule.
    pub(super) fn run(&self, schedule: &Schedule, watched: Option<Watched<'_>>) -> Result<Ran> {
        let began = Instant::now();
        let file = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
        let (recording, replayed) = self.drive(schedule, false, file.reopen()?)?;
        let summary = recording.finish();
        if let Some(error) = summary.failed {
            return Err(error).context("cannot write the trace of a replay");
        }
        let ms = began.elapsed().as_millis() as u64;
        let entry = self.keep(schedule, file.path(), ms)?;
        let loaded = native::read(File::open(file.path())?)?;
        let trace = &loaded.trace;
        let listeners = listeners(trace);
        let picture = replayed.picture.as_deref().and_then(Picture::read);
        let seen = Observation { listeners, picture, ..replayed.seen };
        let is_shown = |location| triage::visibility(trace, location) == Visibility::Shown;
        let witness = watched
            .map(|Watched { plan, location }| replay::witness(trace, plan, location, is_shown));
        Ok(Ran {
            seen,
            witness: witness.unwrap_or_default(),
            entry,
            held_for: replayed.held_for.as_millis() as u64,
            picture: replayed.picture,
            missing: replayed.missing,
            approximate: replayed.approximate.len(),
            is_held: replayed.is_held,
            is_dropped: replayed.is_dropped || replayed.is_held && schedule.holds_task(),
            is_stalled: replayed.is_stalled,
            began: Began::of(trace),
        })
    }

    /// Keeps the trace and the schedule of a run, if there is a folder for them.
    fn keep(&self, schedule: &Schedule, trace: &Path, ms: u64) -> Result<RunEntry> {
        let order = if schedule.race.is_empty() { "recorded" } else { "flip" };
        let mut entry = RunEntry { order: order.into(), trace: None, schedule: None, ms };
        if let Some(folder) = &self.place.runs {
            let number = self.kept.fetch_add(1, Ordering::Relaxed) + 1;
            let file = |ending: &str| folder.join(format!("run-{number}-{order}.{ending}"));
            let place = || format!("cannot write to {}", folder.display());
            fs::create_dir_all(folder).with_context(place)?;
            fs::copy(trace, file("ilt")).with_context(place)?;
            fs::write(file("json"), schedule.write()).with_context(place)?;
            let name = |ending: &str| Some(file(ending).display().to_string());
            (entry.trace, entry.schedule) = (name("ilt"), name("json"));
        }
        Ok(entry)
    }

    /// Runs the page by a schedule in a window, and leaves it there until the user closes it or stops the program.
    pub(super) fn keep_open(&self, schedule: &Schedule) -> Result<()> {
        let file = tempfile::tempfile().context("cannot make a temporary file")?;
        let (recording, _) = self.drive(schedule, true, file)?;
        match recording.run_for(Duration::MAX, "the page is open; Ctrl-C ends it") {
            Ok(()) | Err(webrec::Error::Stopped | webrec::Error::Closed) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// How many listeners each input called, by the input's type, target and number.
fn listeners(trace: &Trace) -> BTreeMap<String, u32> {
    let tasks = Tasks::new(trace);
    let mut begun: Vec<_> =
        trace.events().filter_map(|(id, event)| Some((event.begin?, id))).collect();
    begun.sort_unstable();
    let text = |id: Option<trace::TextId>| {
        id.map(|id| String::from_utf8_lossy(trace.text(id)).into_owned()).unwrap_or_default()
    };
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut names = BTreeMap::new();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (begin, event) in begun {
        let attributes = trace.attributes(begin);
        let (kind, name) = (text(attributes.event_type), text(attributes.event_name));
        let queue = trace.posting_of(event).map(|posting| trace.names().queues.get(posting.queue));
        if queue == Some(b"input") && MEANT.contains(&&*kind) {
            let input = format!("{kind} on {name}");
            let number = numbers.entry(input.clone()).or_default();
            *number += 1;
            let input = format!("{input} (number {number})");
            counts.insert(input.clone(), 0);
            names.insert(event, input);
        } else if kind == "listener"
            && let Some(input) = names.get(&tasks.head(event))
        {
            *counts.entry(input.clone()).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count > 0);
    counts
}
