//! Planted conflicts whose verdict is known.
//!
//! They run on *islands*: threads that only their fork orders after other operations, and that
//! order no operation of another thread. So the scenario alone decides whether two planted accesses
//! are ordered. Scenarios run one after the other: races of different scenarios cannot cover each
//! other, because a covering race lies between the covered accesses.

mod ad_hoc;
mod distant;
mod kit;
mod near_misses;
mod races;

use std::io::{self, Write};

use hashbrown::HashMap;
use trace::{EventId, LocationId, QueueId, ThreadId};

use crate::answers::{Answer, Verdict};
use crate::message::{Mark, Step};
use crate::profile::Planted;
use crate::world::{Role, World};
use distant::Distant;
pub(crate) use kit::Actor;
use kit::{Kit, Need, Scenario};

/// The approximate number of operations of a scenario that are no accesses.
const OPERATIONS: f64 = 9.0;
/// The approximate number of events of a scenario.
pub(crate) const EVENTS: f64 = 1.8;
const MARKS: usize = 8;

/// The accesses of a planted location.
#[derive(Default)]
struct Note {
    operations: Vec<u64>,
    /// The time of the first begin after the first access.
    followed: Option<u64>,
    /// The time of the task of the last access.
    task: u64,
}

#[derive(Default)]
pub(crate) struct Director {
    scenarios: Vec<&'static Scenario>,
    started: usize,
    /// The number of unfinished parts of the running scenario.
    parts: u32,
    sent: [Option<(EventId, QueueId)>; MARKS],
    signalled: [bool; MARKS],
    waiting: Vec<(Mark, ThreadId)>,
    notes: HashMap<LocationId, Note>,
    /// The locations whose first access no event has begun after.
    unfollowed: Vec<LocationId>,
    distant: Distant,
    answers: Vec<(LocationId, Answer)>,
    actors: Vec<ThreadId>,
    pub(crate) joining: Option<ThreadId>,
}

impl Director {
    pub(crate) fn new(planted: Planted, rng: &mut fastrand::Rng) -> Self {
        let mut scenarios = Vec::new();
        for (kinds, count) in [
            (races::SCENARIOS, planted.races),
            (ad_hoc::SCENARIOS, planted.ad_hoc),
            (near_misses::SCENARIOS, planted.near_misses),
        ] {
            scenarios.extend(kinds.iter().cycle().take(count as usize));
        }
        rng.shuffle(&mut scenarios);
        Self { scenarios, distant: Distant::new(planted.distant), ..Self::default() }
    }

    /// Whether there are races far apart, which need two islands of their own.
    pub(crate) fn needs_distant(&self) -> bool {
        !self.distant.is_done()
    }

    /// Sets the actors: two islands, one in another process, the thread that delivers input, and the two
    /// islands of races far apart, if there are any.
    pub(crate) fn cast(&mut self, actors: Vec<ThreadId>) {
        self.actors = actors;
    }

    pub(crate) fn is_done(&self) -> bool {
        self.started == self.scenarios.len() && self.parts == 0 && self.distant.is_done()
    }

    /// The approximate number of operations of the remaining scenarios.
    pub(crate) fn operations_ahead(&self) -> f64 {
        (self.scenarios.len() - self.started) as f64 * OPERATIONS
    }

    /// Notes the number of a planted access, and the time of its task: that of the begin of its event or,
    /// outside events, that of the access.
    pub(crate) fn note(&mut self, at: LocationId, number: u64, task: u64) {
        let note = self.notes.entry(at).or_default();
        if note.operations.is_empty() {
            self.unfollowed.push(at);
        }
        note.operations.push(number);
        note.task = task;
    }

    /// Notes that an event begins.
    pub(crate) fn begun(&mut self, at: u64) {
        for location in self.unfollowed.drain(..) {
            if let Some(note) = self.notes.get_mut(&location) {
                note.followed = Some(at);
            }
        }
    }

    pub(crate) fn part_over(&mut self) {
        self.parts -= 1;
    }

    pub(crate) fn part_sent(&mut self, mark: Option<Mark>, event: EventId, queue: QueueId) {
        self.parts += 1;
        if let Some(mark) = mark {
            self.sent[usize::from(mark)] = Some((event, queue));
        }
    }

    pub(crate) fn sent(&self, mark: Mark) -> (EventId, QueueId) {
        self.sent[usize::from(mark)].expect("sent before it is removed")
    }

    /// Signals a mark, and returns the threads that waited for it.
    pub(crate) fn signal(&mut self, mark: Mark) -> Vec<ThreadId> {
        self.signalled[usize::from(mark)] = true;
        let woken = self.waiting.iter().filter(|w| w.0 == mark).map(|w| w.1).collect();
        self.waiting.retain(|w| w.0 != mark);
        woken
    }

    /// Whether a thread has to wait for a mark. If it has, the thread is noted as waiting.
    pub(crate) fn awaits(&mut self, mark: Mark, thread: ThreadId) -> bool {
        let signalled = self.signalled[usize::from(mark)];
        if !signalled {
            self.waiting.push((mark, thread));
        }
        signalled
    }

    /// Returns the answers about all planted locations.
    pub(crate) fn answers(mut self) -> Vec<Answer> {
        for (location, answer) in &mut self.answers {
            let note = self.notes.remove(location).unwrap_or_default();
            answer.longest_window = note.followed.and_then(|begin| note.task.checked_sub(begin));
            answer.operations = note.operations;
        }
        self.answers.into_iter().map(|(_, answer)| answer).collect()
    }
}

impl<W: Write> World<W> {
    /// Starts the next scenario if the last one is over and the trace is long enough.
    pub(crate) fn direct(&mut self) -> io::Result<()> {
        self.direct_distant()?;
        let director = &self.director;
        if director.parts > 0 || director.started == director.scenarios.len() {
            return Ok(());
        }
        let due = (director.started as f64 + 0.5) / (director.scenarios.len() as f64 + 1.0);
        if self.left.events() > 0 && self.left.progress() < due {
            return Ok(());
        }
        let number = director.started;
        let scenario = director.scenarios[number];
        let kit = self.kit(scenario, number)?;
        self.director.signalled = [false; MARKS];
        self.director.started += 1;
        let parts = (scenario.parts)(&kit);
        self.director.parts = parts.len() as u32;
        for (actor, mut steps) in parts {
            steps.push(Step::Over);
            let thread = self.director.actors[actor as usize];
            self.thread(thread).steps.extend(steps);
            self.make_ready(thread);
        }
        Ok(())
    }

    /// Makes the locations and threads that a scenario needs, and notes its answers.
    fn kit(&mut self, scenario: &'static Scenario, number: usize) -> io::Result<Kit> {
        let verdict = match scenario.verdict {
            Verdict::Race => "race",
            Verdict::Covered => "ad-hoc",
            Verdict::Ordered | Verdict::LockProtected => "near-miss",
        };
        let name = format!("planted/{verdict}/{number}");
        let x = self.out.location(&name)?;
        let mut answer = Answer {
            location: name.clone(),
            kind: scenario.name,
            verdict: scenario.verdict,
            covered_by: None,
            operations: Vec::new(),
            longest_window: None,
        };
        let place = self.rng.usize(..self.loopers.len());
        let mut kit = Kit {
            x,
            looper: self.loopers[place],
            main: self.loopers[0],
            pool: self.pool,
            binder: self.binders[0],
            second_writes: self.rng.bool(),
            ..Kit::default()
        };
        match scenario.need {
            Need::Nothing => {}
            Need::Flag => {
                let flag_name = format!("{name}/flag");
                kit.flag = self.out.location(&flag_name)?;
                answer.covered_by = Some(flag_name.clone());
                let flag = Answer {
                    location: flag_name,
                    kind: scenario.name,
                    verdict: Verdict::Race,
                    covered_by: None,
                    operations: Vec::new(),
                    longest_window: None,
                };
                self.director.answers.push((kit.flag, flag));
            }
            Need::Child => {
                let name = format!("island-child-{number}");
                kit.child = self.add_thread(&name, Role::Island, self.processes[0])?;
            }
            Need::Handle => kit.handle = self.out.handle(&name),
            Need::Locks => {
                kit.locks = [self.out.lock(&name), self.out.lock(&format!("{name}/other"))];
            }
            Need::Callback => kit.callback = self.out.callback()?,
            Need::Barrier => kit.barrier = self.out.barrier()?,
        }
        self.director.answers.push((x, answer));
        Ok(kit)
    }
}

/// The actors, in the order of [`Director::cast`].
pub(crate) const ACTORS: [Actor; 4] = [Actor::A, Actor::B, Actor::Remote, Actor::Input];
