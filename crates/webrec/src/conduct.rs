//! Conducts a replay: holds events back until another event is over, and notices when nothing else can
//! run.
//!
//! The conductor hears the lines of the page as they arrive and computes the paths of its tasks. A held
//! request, gate or step is a thread that waits here; held tasks of the page are released by a call
//! into the page.
//!
//! **Stalled.** A replay is stalled when something is held, the driver waits for the page or has nothing left
//! to do, no answer is on its way, no task has begun for [`SILENCE`], and the pages have no timer that is due
//! ([`crate::stall`] asks them). Tasks that repeat themselves without end, such as the ticks of an
//! interval and the links of a chain of timers or frames after the [`SHALLOW`] first ones, do not count. Then
//! a step that waits for the page gives up; if there is none, the holds are opened one by one, the last
//! first. If the first hold is opened so, the other order is not possible. [`PATIENCE`] bounds the time for
//! which a page that does not answer can keep a replay waiting.

use std::collections::{HashMap, HashSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use replay::{Control, Hold, Paths, Place, Session, in_document, repeats};

use crate::data_url::percent_decoded;

/// How long no task may begin before the pages are asked whether anything is due.
const SILENCE: Duration = Duration::from_millis(300);
/// How long nothing may happen while something is held, whatever the pages say.
const PATIENCE: Duration = Duration::from_secs(12);
/// How long a server may take to answer.
const SERVER: Duration = Duration::from_secs(10);
/// How many links of a chain of posts count as something that happens.
const SHALLOW: u32 = 5;
/// How long after its last line a task counts as over, microtasks included.
const OVER: Duration = Duration::from_millis(60);
/// The interval at which a waiting thread looks.
const LOOK: Duration = Duration::from_millis(10);

/// A replay of a recording.
#[derive(Debug, Clone)]
pub struct Replay {
    /// What the recording kept.
    pub session: std::sync::Arc<Session>,
    /// What is held. The first hold is the one that turns the events round.
    pub holds: Vec<Hold>,
    /// How many times longer than usual nothing may happen before something is let go.
    pub patience: u32,
    /// Whether the servers are asked, and not the session.
    pub online: bool,
    /// Whether another program drives the page, which runs as it is apart from what is held.
    pub live: bool,
}

/// What the driver does.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Driver {
    /// It acts, or will soon.
    #[default]
    Acts,
    /// A step waits for the page.
    Waits,
    /// A step waits for the page, and nothing happens.
    WaitsInVain,
    /// A step is held.
    IsHeld,
    /// There are no more steps.
    IsDone,
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

/// The state of one hold.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct State {
    /// How many threads wait at it now.
    waiting: usize,
    /// Whether the page holds its task now.
    in_page: bool,
    /// Whether anything was ever held by it.
    is_reached: bool,
    /// Whether it was opened because nothing else could run.
    is_opened: bool,
    /// Whether the page has dropped the request whose answer was held.
    is_dropped: bool,
    /// Since when it holds, and how long it has held before.
    since: Option<Instant>,
    held: Duration,
}

impl State {
    fn is_holding(&self) -> bool {
        self.waiting > 0 || self.in_page
    }

    /// Measures how long the hold holds, after its state has changed.
    fn measure(&mut self) {
        if self.is_holding() {
            self.since.get_or_insert_with(Instant::now);
        } else if let Some(since) = self.since.take() {
            self.held += since.elapsed();
        }
    }
}

struct Progress {
    paths: Paths<(u32, String)>,
    running: HashMap<String, Running>,
    over: HashSet<String>,
    /// The state of each hold, in their order.
    holds: Vec<State>,
    /// How many answers are on their way and not held.
    coming: usize,
    /// The requests that a server has to answer, each with its control and with the time at which it was asked.
    asked: HashMap<String, (Control, Instant)>,
    /// When something last happened.
    heard: Instant,
    driver: Driver,
    end: End,
}

/// Conducts one replay.
pub(crate) struct Conductor {
    replay: Replay,
    progress: Mutex<Progress>,
    changed: Condvar,
}

/// An answer that is on its way.
pub(crate) struct Coming<'c>(&'c Conductor);

impl Drop for Coming<'_> {
    fn drop(&mut self) {
        let mut progress = self.0.progress();
        progress.coming -= 1;
        progress.heard = Instant::now();
    }
}

impl Conductor {
    pub(crate) fn new(replay: Replay) -> Self {
        let progress = Progress {
            paths: Paths::default(),
            running: HashMap::new(),
            over: HashSet::new(),
            holds: replay.holds.iter().map(|_| State::default()).collect(),
            coming: 0,
            asked: HashMap::new(),
            heard: Instant::now(),
            driver: Driver::default(),
            end: End::default(),
        };
        Self { replay, progress: Mutex::new(progress), changed: Condvar::new() }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn session(&self) -> &Session {
        &self.replay.session
    }

    /// Whether anything is to be held.
    pub(crate) fn has_holds(&self) -> bool {
        !self.replay.holds.is_empty()
    }

    /// Hears lines of a page.
    pub(crate) fn hear(&self, thread: &str, realm: u32, payload: &str) {
        let mut progress = self.progress();
        for line in payload.lines() {
            let mut words = line.split(' ');
            let (verb, event) = (words.next(), words.next().unwrap_or_default());
            // Messages between agents have names that both know.
            let key = (if event.starts_with('r') { realm } else { 0 }, event.to_string());
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
                        progress.begin(thread, path, event);
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

    /// Notes that an answer is on its way until the result is dropped.
    pub(crate) fn coming(&self) -> Coming<'_> {
        let mut progress = self.progress();
        progress.coming += 1;
        progress.heard = Instant::now();
        Coming(self)
    }

    fn hold(&self, control: &Control) -> Option<usize> {
        self.replay.holds.iter().position(|hold| hold.control == *control)
    }

    /// Waits as long as an answer that is on its way is held.
    pub(crate) fn wait_on_way(&self, control: &Control) {
        if self.hold(control).is_none() {
            return;
        }
        self.progress().coming -= 1;
        self.wait(control);
        self.progress().coming += 1;
    }

    /// Waits as long as a step is held, unless the replay is over.
    pub(crate) fn wait_at_step(&self, step: usize, is_over: impl Fn() -> bool) {
        self.progress().driver = Driver::IsHeld;
        self.wait_unless(&Control::Step(step), is_over);
        self.progress().driver = Driver::Acts;
    }

    /// Waits as long as a control is held.
    fn wait(&self, control: &Control) {
        self.wait_unless(control, || false);
    }

    fn wait_unless(&self, control: &Control, is_over: impl Fn() -> bool) {
        let Some(at) = self.hold(control) else { return };
        if self.is_open(at, &self.progress()) {
            return;
        }
        {
            let state = &mut self.progress().holds[at];
            state.waiting += 1;
            state.is_reached = true;
            state.measure();
        }
        self.wait_until_open(at, is_over);
        let state = &mut self.progress().holds[at];
        state.waiting -= 1;
        state.measure();
    }

    fn is_open(&self, at: usize, progress: &Progress) -> bool {
        progress.end != End::GoesOn
            || progress.holds[at].is_opened
            || progress.is_over(&self.replay.holds[at].until)
    }

    /// Waits until a hold is open: the task that it waits for is over, or the replay is stalled or ends.
    pub(crate) fn wait_until_open(&self, at: usize, is_over: impl Fn() -> bool) {
        let mut progress = self.progress();
        while !self.is_open(at, &progress) && !is_over() {
            let waited = self.changed.wait_timeout(progress, LOOK);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The places of a document that are held, each with the number of its hold.
    pub(crate) fn gates(&self, url: &str, nth: u32, file: &str) -> Vec<(usize, Gate<'_>)> {
        let all = self.replay.holds.iter().enumerate();
        let gates = all.filter_map(|(at, hold)| match &hold.control {
            Control::Gate { url: of, nth: number, place } if of == url && *number == nth => {
                Some((at, Gate::At(place)))
            }
            Control::Inline { document, nth } if is_named(file, document) => {
                Some((at, Gate::Inline(*nth as usize)))
            }
            _ => None,
        });
        gates.collect()
    }

    /// Waits as long as a gate is held. Returns whether there is such a gate.
    pub(crate) fn pass_gate(&self, number: usize) -> bool {
        let hold = self.replay.holds.get(number);
        if let Some(hold) = hold {
            let _coming = self.coming();
            self.wait_on_way(&hold.control);
        }
        hold.is_some()
    }

    /// The tasks that are held in the page, by the numbers of their holds, with their paths in the page.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = (usize, &str)> {
        self.replay.holds.iter().enumerate().filter_map(|(at, hold)| match &hold.control {
            Control::Task(path) => Some((at, in_document(path))),
            _ => None,
        })
    }

    /// Whether a task of a document, by its path in the document, is to be held now. A document holds all tasks
    /// with such a path, also those that another document was meant to hold, or that may run by now.
    pub(crate) fn holds(&self, thread: &str, document: u32, path: &str) -> bool {
        let progress = self.progress();
        let whole = format!("{}{path}", progress.paths.start_of(thread, document));
        let mut holds = self.replay.holds.iter().enumerate();
        holds.any(|(at, hold)| {
            matches!(&hold.control, Control::Task(held) if *held == whole)
                && !self.is_open(at, &progress)
        })
    }

    /// Notes that the page holds a task, or no longer does.
    pub(crate) fn held_in_page(&self, path: &str, is_held: bool) {
        let found: Vec<_> = self.tasks().filter(|(_, own)| *own == path).collect();
        let mut progress = self.progress();
        for (at, _) in found {
            let state = &mut progress.holds[at];
            state.in_page = is_held;
            state.is_reached |= is_held;
            state.measure();
        }
    }

    /// Whether something is held now.
    pub(crate) fn is_holding(&self) -> bool {
        self.progress().holds.iter().any(State::is_holding)
    }

    /// Whether the first hold has ever held anything.
    pub(crate) fn is_held(&self) -> bool {
        self.progress().holds.first().is_some_and(|state| state.is_reached)
    }

    /// Notes that the page has dropped a request.
    pub(crate) fn drop_request(&self, control: &Control) {
        if let Some(at) = self.hold(control) {
            let state = &mut self.progress().holds[at];
            state.is_dropped |= state.is_reached;
        }
    }

    /// Whether the page has dropped the request whose answer the first hold held.
    pub(crate) fn is_dropped(&self) -> bool {
        self.progress().holds.first().is_some_and(|state| state.is_dropped)
    }

    /// How long the first hold has held something.
    pub(crate) fn held_for(&self) -> Duration {
        let progress = self.progress();
        progress.holds.first().map_or(Duration::ZERO, |state| {
            state.held + state.since.map(|since| since.elapsed()).unwrap_or_default()
        })
    }

    /// Whether the servers are asked.
    pub(crate) fn is_online(&self) -> bool {
        self.replay.online
    }

    /// Whether another program drives the page.
    pub(crate) fn is_live(&self) -> bool {
        self.replay.live
    }

    /// Notes that a server is asked for an answer, which is on its way until it [arrives](Self::arrive).
    pub(crate) fn ask(&self, request: &str, control: Control) {
        let mut progress = self.progress();
        progress.heard = Instant::now();
        progress.asked.insert(request.to_string(), (control, Instant::now()));
    }

    /// Waits as long as the answer of a server, which has arrived, is held. Returns the number of its request among
    /// those that are alike.
    pub(crate) fn arrive(&self, request: &str) -> u32 {
        let asked = self.progress().asked.remove(request);
        let Some((control, _)) = asked else { return 0 };
        let _coming = self.coming();
        self.wait_on_way(&control);
        match control {
            Control::Answer { nth, .. } => nth,
            _ => 0,
        }
    }

    /// Whether everything was let go because nothing else could run.
    pub(crate) fn is_stalled(&self) -> bool {
        self.progress().end == End::Stalled
    }

    /// Whether an answer is on its way, held or not.
    pub(crate) fn is_coming(&self) -> bool {
        let progress = self.progress();
        progress.is_coming() || progress.holds.iter().any(|state| state.waiting > 0)
    }

    /// Whether something is held, and nothing else happens or is on its way from the network.
    pub(crate) fn is_stuck(&self) -> bool {
        let progress = self.progress();
        progress.holds.iter().any(State::is_holding)
            && !progress.is_coming()
            && progress.heard.elapsed() >= SILENCE * self.replay.patience.max(1)
    }

    /// Whether the replay is stalled, if the pages have nothing that is due.
    pub(crate) fn may_be_stalled(&self) -> bool {
        let driver = self.progress().driver;
        driver != Driver::Acts && self.is_stuck()
    }

    /// Whether the replay has waited so long that what the pages and the driver do does not matter.
    pub(crate) fn is_out_of_patience(&self) -> bool {
        self.is_stuck() && self.progress().heard.elapsed() >= PATIENCE
    }

    /// Lets something go, because nothing happens: first a step that waits for the page, then the holds, the
    /// last first.
    pub(crate) fn give_up(&self) {
        let mut progress = self.progress();
        if progress.end != End::GoesOn {
            return;
        }
        if progress.driver == Driver::Waits {
            progress.driver = Driver::WaitsInVain;
        } else {
            let last = progress.holds.iter().rposition(|hold| hold.is_holding() && !hold.is_opened);
            match last {
                Some(at @ 1..) => progress.holds[at].is_opened = true,
                _ => progress.end = End::Stalled,
            }
        }
        progress.heard = Instant::now();
        drop(progress);
        self.changed.notify_all();
    }

    /// Notes that a step begins or ends to wait for the page.
    pub(crate) fn waits(&self, is_waiting: bool) {
        let mut progress = self.progress();
        progress.driver = if is_waiting { Driver::Waits } else { Driver::Acts };
        progress.heard = Instant::now();
    }

    /// Notes that there are no more steps.
    pub(crate) fn is_done(&self) {
        self.progress().driver = Driver::IsDone;
    }

    /// Whether a step waits in vain for the page: nothing happens, and what it waits for may be held.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.progress().driver == Driver::WaitsInVain
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

    /// Whether the replay has neither stalled nor ended.
    pub(crate) fn goes_on(&self) -> bool {
        self.progress().end == End::GoesOn
    }
}

/// Whether an inline script with a name is in a document: scripts in frames have the last part of its name.
fn is_named(file: &str, script: &str) -> bool {
    file.strip_suffix(script).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// Where a gate stands in a document.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Gate<'r> {
    /// At a place.
    At(&'r Place),
    /// Before an inline script, counted from 0.
    Inline(usize),
}

impl Progress {
    /// Whether an answer is on its way and not held. A server that does not answer is not waited for.
    fn is_coming(&self) -> bool {
        let is_awaited = |(_, asked): &(Control, Instant)| asked.elapsed() < SERVER;
        self.coming > 0 || self.asked.values().any(is_awaited)
    }

    /// Notes that a task begins.
    fn begin(&mut self, thread: &str, path: String, event: &str) {
        // The first tick of an interval was posted, and the others were not.
        let is_endless = repeats(&path) > SHALLOW || in_document(&path).starts_with("timer:");
        if !is_endless {
            self.heard = Instant::now();
        }
        let running = Running { path, event: event.to_string(), ended: None };
        let before = self.running.insert(thread.to_string(), running);
        self.over.extend(before.map(|before| before.path));
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

    /// How many threads wait at a hold.
    fn waiting(conductor: &Conductor) -> usize {
        conductor.progress().holds.iter().map(|state| state.waiting).sum()
    }

    fn conductor(until: &str) -> Conductor {
        let hold = |step| Hold { control: Control::Step(step), until: until.into() };
        let holds = vec![hold(0), hold(1)];
        Conductor::new(Replay {
            session: Arc::default(),
            holds,
            patience: 1,
            online: false,
            live: false,
        })
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
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| conductor.wait(&Control::Step(0)));
            while !conductor.is_holding() {
                std::thread::sleep(LOOK);
            }
            conductor.hear(
                "main",
                1,
                "begin r1.2 type=timer name=f\nend r1.2\nbegin r1.3 type=parse name=p\n",
            );
            waits.join().expect("no panic");
        });
        assert!(conductor.is_held() && !conductor.is_stalled() && !conductor.is_holding());
        conductor.wait(&Control::Step(1));
        conductor.wait(&Control::Step(2));
    }

    #[test]
    fn a_hold_that_is_never_reached_has_held_nothing() {
        let conductor = conductor("click:a#1");
        let lines = "begin r1.1 type=click name=a\nend r1.1\nbegin r1.2 type=x name=\n";
        conductor.hear("main", 1, lines);
        conductor.wait(&Control::Step(0));
        assert!(!conductor.is_held());
    }

    #[test]
    fn holds_that_nothing_ends_are_opened_the_last_first() {
        let conductor = conductor("never#1");
        std::thread::scope(|scope| {
            scope.spawn(|| conductor.wait(&Control::Step(0)));
            let second = scope.spawn(|| conductor.wait(&Control::Step(1)));
            while waiting(&conductor) < 2 {
                std::thread::sleep(LOOK);
            }
            conductor.waits(true);
            conductor.give_up();
            assert!(conductor.is_in_vain() && waiting(&conductor) == 2);
            conductor.is_done();
            conductor.give_up();
            second.join().expect("no panic");
            assert!(!conductor.is_stalled() && waiting(&conductor) == 1);
            conductor.give_up();
        });
        assert!(conductor.is_stalled() && !conductor.is_holding());
    }

    #[test]
    fn a_held_step_can_stall_and_ends_with_the_replay() {
        let conductor = conductor("never#1");
        std::thread::scope(|scope| {
            scope.spawn(|| conductor.wait_at_step(0, || false));
            while !conductor.may_be_stalled() {
                std::thread::sleep(LOOK);
            }
            conductor.give_up();
        });
        assert!(conductor.is_stalled());
        let other = self::conductor("never#1");
        other.wait_at_step(0, || true);
        assert!(other.is_held());
    }

    #[test]
    fn what_repeats_itself_without_end_is_no_progress() {
        let conductor = conductor("never#1");
        conductor.held_in_page("never#1", true);
        let tick = |event: u32, lines: &str| {
            conductor.hear("main", 1, &format!("begin r1.{event} type=frame name=f\n{lines}"));
        };
        tick(0, "enqueue r1.1 r1.frames\n");
        for event in 1..20 {
            tick(event, &format!("enqueue r1.{} r1.frames\n", event + 1));
            if event == 10 {
                std::thread::sleep(SILENCE);
            }
        }
        assert!(conductor.progress().heard.elapsed() >= SILENCE);
        conductor.hear("main", 1, "begin r1.99 type=click name=a\n");
        assert!(conductor.progress().heard.elapsed() < SILENCE);
    }
}
