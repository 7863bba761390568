//! Conducts a replay: answers requests from the session of a recording, and holds events back until
//! another event is over.
//!
//! The conductor hears the lines of the page as they arrive and computes the paths of its tasks. A held
//! request, script or step is a thread that waits here; held tasks of the page are released by a call
//! into the page. If nothing happens for [`PATIENCE`] while something is held, a step that waits for the
//! page gives up; if there is none, the replay is *stalled*, and everything is let go.

use std::collections::{HashMap, HashSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use replay::{Control, Exchange, Hold, Paths, Session};

use crate::data_url::percent_decoded;

/// How long nothing may happen while something is held.
const PATIENCE: Duration = Duration::from_millis(3500);
/// How long after its last line a task counts as over, microtasks included.
const OVER: Duration = Duration::from_millis(60);
/// The interval at which a waiting thread looks.
const LOOK: Duration = Duration::from_millis(10);

/// A replay of a recording.
#[derive(Debug, Clone)]
pub struct Replay {
    /// What the recording kept.
    pub session: std::sync::Arc<Session>,
    /// What is held.
    pub holds: Vec<Hold>,
}

/// What the current step does.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum StepState {
    #[default]
    Acts,
    /// It waits for the page.
    Waits,
    /// It waits, and nothing happens.
    WaitsInVain,
}

/// Whether a replay goes on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum End {
    #[default]
    GoesOn,
    /// Everything was let go, because nothing else could run.
    Stalled,
    /// The replay has ended, and had not stalled.
    Ended,
}

/// The task that runs on a thread, or ran last.
struct Running {
    path: String,
    /// The event that begins the task, and when it ended.
    event: String,
    ended: Option<Instant>,
}

#[derive(Default)]
struct Progress {
    paths: Paths<(u32, String)>,
    running: HashMap<String, Running>,
    over: HashSet<String>,
    /// How often each method and address was asked for.
    asked: HashMap<(String, String), u32>,
    /// How many threads wait at a hold.
    held: usize,
    /// Inline scripts that are held, by number.
    scripts: Vec<(Control, String)>,
    heard: Option<Instant>,
    step: StepState,
    end: End,
    /// Requests that the session does not have.
    missing: Vec<String>,
}

/// Conducts one replay.
pub(crate) struct Conductor {
    replay: Replay,
    progress: Mutex<Progress>,
    changed: Condvar,
}

impl Conductor {
    pub(crate) fn new(replay: Replay) -> Self {
        Self { replay, progress: Mutex::default(), changed: Condvar::new() }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears lines of a page.
    pub(crate) fn hear(&self, thread: &str, realm: u32, payload: &str) {
        let mut progress = self.progress();
        progress.heard = Some(Instant::now());
        for line in payload.lines() {
            let mut words = line.split(' ');
            let (verb, event) = (words.next(), words.next().unwrap_or_default());
            let key = (realm, event.to_string());
            match verb {
                Some("enqueue") => {
                    let queue = decoded(words.next().unwrap_or_default());
                    progress.paths.enqueue(thread, key, &queue);
                }
                Some("begin") => {
                    let (mut kind, mut name) = (String::new(), String::new());
                    for word in words {
                        if let Some(text) = word.strip_prefix("type=") {
                            kind = decoded(text);
                        } else if let Some(text) = word.strip_prefix("name=") {
                            name = decoded(text);
                        }
                    }
                    let path = progress.paths.begin(thread, realm, &key, &kind, &name);
                    if let Some(path) = path.map(str::to_owned) {
                        let running = Running { path, event: event.to_string(), ended: None };
                        let before = progress.running.insert(thread.to_string(), running);
                        progress.over.extend(before.map(|before| before.path));
                    }
                }
                Some("end") => {
                    if let Some(running) = progress.running.get_mut(thread)
                        && running.event == event
                    {
                        running.ended = Some(Instant::now());
                    }
                }
                _ => {}
            }
        }
        drop(progress);
        self.changed.notify_all();
    }

    /// Returns the next answer to a request, with its number among the answers to such requests.
    pub(crate) fn answer(&self, method: &str, url: &str) -> (u32, Option<&Exchange>) {
        let nth = {
            let mut progress = self.progress();
            progress.heard = Some(Instant::now());
            let count = progress.asked.entry((method.into(), url.into())).or_default();
            *count += 1;
            *count - 1
        };
        let all = &self.replay.session.exchanges;
        let mut same = all.iter().filter(|one| one.method == method && one.url == url);
        let found = same.clone().nth(nth as usize).or_else(|| same.next_back());
        if found.is_none() {
            self.progress().missing.push(format!("{method} {url}"));
        }
        (nth, found)
    }

    /// The requests so far, each with its number.
    pub(crate) fn requests(&self) -> Vec<(String, u32)> {
        let progress = self.progress();
        progress
            .asked
            .iter()
            .map(|((method, url), &count)| (format!("{method} {url}"), count))
            .collect()
    }

    /// Notes the code of an inline script that is held, and returns its number.
    pub(crate) fn keep_script(&self, control: Control, code: String) -> usize {
        let scripts = &mut self.progress().scripts;
        scripts.push((control, code));
        scripts.len() - 1
    }

    /// Returns the code of an inline script, once it may run.
    pub(crate) fn script(&self, number: usize) -> Option<String> {
        let (control, code) = self.progress().scripts.get(number)?.clone();
        self.wait(&control);
        Some(code)
    }

    /// The inline script of a document that is held, if one is.
    pub(crate) fn inline(&self, document: &str) -> Option<(Control, u32)> {
        self.replay.holds.iter().find_map(|hold| match &hold.control {
            Control::Inline { document: of, nth } if of == document => {
                Some((hold.control.clone(), *nth))
            }
            _ => None,
        })
    }

    /// Waits as long as a control is held.
    pub(crate) fn wait(&self, control: &Control) {
        let Some(hold) = self.replay.holds.iter().find(|hold| hold.control == *control) else {
            return;
        };
        self.progress().held += 1;
        self.changed.notify_all();
        self.wait_until(hold);
        self.progress().held -= 1;
    }

    /// Waits until the task that a hold waits for is over, or the replay is stalled or ends.
    pub(crate) fn wait_until(&self, hold: &Hold) {
        loop {
            let mut progress = self.progress();
            if progress.is_over(&hold.until) || progress.end != End::GoesOn {
                return;
            }
            if progress.heard.is_some_and(|heard| heard.elapsed() >= PATIENCE) {
                progress.give_up();
                continue;
            }
            drop(self.changed.wait_timeout(progress, LOOK));
        }
    }

    /// The tasks that are held in the page, by their paths.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = (&str, &Hold)> {
        self.replay.holds.iter().filter_map(|hold| match &hold.control {
            Control::Task(path) => Some((&**path, hold)),
            _ => None,
        })
    }

    /// Whether something waits at a hold now.
    pub(crate) fn is_holding(&self) -> bool {
        self.progress().held > 0
    }

    /// Whether everything was let go because nothing else could run.
    pub(crate) fn is_stalled(&self) -> bool {
        self.progress().end == End::Stalled
    }

    /// Notes that a step begins or ends to wait for the page.
    pub(crate) fn waits(&self, is_waiting: bool) {
        let mut progress = self.progress();
        progress.step = if is_waiting { StepState::Waits } else { StepState::Acts };
        progress.heard = Some(Instant::now());
    }

    /// Whether a step waits in vain for the page: nothing happens, and what it waits for may be held.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.progress().step == StepState::WaitsInVain
    }

    /// Lets everything go, because the replay ends.
    pub(crate) fn end(&self) {
        let mut progress = self.progress();
        if progress.end == End::GoesOn {
            progress.end = End::Ended;
        }
        drop(progress);
        self.changed.notify_all();
    }

    /// The requests that the session does not have.
    pub(crate) fn missing(&self) -> Vec<String> {
        self.progress().missing.clone()
    }
}

impl Progress {
    /// Lets something go, because nothing happens: first a step that waits for the page, then everything.
    fn give_up(&mut self) {
        if self.step == StepState::Waits {
            self.step = StepState::WaitsInVain;
            self.heard = Some(Instant::now());
        } else {
            self.end = End::Stalled;
        }
    }

    /// Whether a task is over, with the microtasks that follow it.
    fn is_over(&self, path: &str) -> bool {
        self.over.contains(path)
            || self.running.values().any(|running| {
                running.path == path && running.ended.is_some_and(|ended| ended.elapsed() >= OVER)
            })
    }
}

fn decoded(word: &str) -> String {
    String::from_utf8_lossy(&percent_decoded(word)).into_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn conductor(until: &str) -> Conductor {
        let hold = Hold { control: Control::Step(0), until: until.into() };
        Conductor::new(Replay { session: Arc::default(), holds: vec![hold] })
    }

    #[test]
    fn a_hold_ends_when_its_task_is_over() {
        let conductor = conductor("click:a#1/timers#1");
        conductor.hear(
            "main",
            1,
            "begin r1.1 type=click name=a\nenqueue r1.2 r1.timers\nend r1.1\n",
        );
        assert!(!conductor.progress().is_over("click:a#1/timers#1"));
        conductor.hear(
            "main",
            1,
            "begin r1.2 type=timer name=f\nend r1.2\nbegin r1.3 type=parse name=p\n",
        );
        conductor.wait(&Control::Step(0));
        assert!(!conductor.is_stalled() && !conductor.is_holding());
        conductor.wait(&Control::Step(1));
    }

    #[test]
    fn a_hold_that_nothing_ends_stalls() {
        let conductor = conductor("never#1");
        conductor.hear("main", 1, "begin r1.1 type=click name=a%20b\nend r1.1\n");
        let started = Instant::now();
        conductor.wait(&Control::Step(0));
        assert!(conductor.is_stalled() && started.elapsed() >= PATIENCE);
    }
}
