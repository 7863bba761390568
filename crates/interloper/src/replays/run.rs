//! Runs a recorded page again.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use browser::Network;
use codec::native::{self, Writer};
use order::Tasks;
use replay::{Began, Hold, Observation, Outcome, Picture, Plan, Session, Witness};
use trace::Trace;
use triage::Visibility;
use url::Url;
use webrec::{Input, Keep, Options, PageOptions, Ready, Replay, Step, Viewport};

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
    browser: Option<PathBuf>,
    supplied: Supplied,
    stop: Arc<AtomicBool>,
}

/// A run that has ended.
pub(super) struct Ran {
    pub(super) seen: Observation,
    pub(super) picture: Option<Vec<u8>>,
    pub(super) missing: Vec<String>,
    /// What the tasks of the race did that is watched.
    pub(super) witness: Witness,
    is_held: bool,
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
        Outcome { is_flipped, is_stalled, seen: self.seen.clone() }
    }
}

impl Runner {
    pub(super) fn new(
        session: Session,
        browser: Option<PathBuf>,
        supplied: Supplied,
        stop: &Arc<AtomicBool>,
    ) -> Self {
        Self { session: Arc::new(session), browser, supplied, stop: Arc::clone(stop) }
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Whether the user wants to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs the page with something held back.
    pub(super) fn run(&self, holds: &[Hold], watched: Option<Watched<'_>>) -> Result<Ran> {
        let session = &self.session;
        let url = Url::parse(&session.url).context("the session has no address")?;
        let viewport = session.viewport.map(|(width, height)| Viewport { width, height });
        let options = Options {
            browser: browser::Options {
                path: self.browser.clone(),
                headed: false,
                network: Network::Nothing,
                ignore_certificate_errors: true,
                user_agent: session.user_agent.clone(),
            },
            page: PageOptions {
                viewport,
                storage: self.supplied.storage.clone(),
                secrets: self.supplied.secrets.clone(),
                ..PageOptions::default()
            },
            input: Input::Ordered,
            load_timeout: LOAD,
            step_timeout: STEP,
            early_steps: session.early_steps,
            keep: Keep::Nothing,
            replay: Some(Replay { session: Arc::clone(session), holds: holds.to_vec() }),
            stop: Arc::clone(&self.stop),
            progress: Box::new(|_, _| {}),
        };
        let file = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
        let writer = Writer::new(file.reopen()?, native::Options::default())?;
        let recording = Ready::start(options)?.record(writer)?;
        let steps: Vec<_> = session.steps.iter().map(|step| step.text.as_str()).collect();
        let steps = Step::parse_all(&steps.join("\n")).context("the session's steps")?;
        recording.goto(url.as_str())?;
        recording.run_steps(&steps)?;
        let replayed = recording.observe()?;
        let summary = recording.finish();
        if let Some(error) = summary.failed {
            return Err(error).context("cannot write the trace of a replay");
        }
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
            picture: replayed.picture,
            missing: replayed.missing,
            is_held: replayed.is_held,
            is_stalled: replayed.is_stalled,
            began: Began::of(trace),
        })
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
