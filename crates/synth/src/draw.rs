//! Draws the actions of usual code so that the trace reaches the figures of the plan.
//!
//! The remaining count of each figure is spread over the remaining activities. So every count
//! reaches its figure, and the mix stays the same from the first operation to the last.

use std::io::{self, Write};

use trace::ThreadId;

use crate::emit::Object;
use crate::message::{Level, Step};
use crate::plan::Kind;
use crate::world::{MILLISECOND, World};

/// The number of accesses of a worker's turn, as a fraction of an event's.
const TURN_WEIGHT: f64 = 0.25;
/// The average number of posts of a worker's turn.
const TURN_POSTS: f64 = 1.5;
/// The number of messages in a queue at which threads stop posting to it.
const BACKLOG: usize = 96;
/// The largest number of accesses of an activity.
const MOST_ACCESSES: f64 = 4e6;

impl<W: Write> World<W> {
    /// The number of events that have not begun yet.
    fn events_ahead(&self) -> f64 {
        (self.left.events() + self.pending + 1) as f64
    }

    /// Draws the number of accesses of an activity with a weight.
    fn draw_accesses(&mut self, weight: f64) -> u32 {
        let turns = self.left.of(Kind::Level1) as f64 / TURN_POSTS;
        let ahead = self.events_ahead();
        // Accesses that belong to locks, hand-overs and listeners: about one for each operation.
        let besides = self.spare_sync().max(0.0) * ahead;
        let left = (self.accesses_left() as f64 - besides).max(0.0);
        let mean = left / (ahead + turns * TURN_WEIGHT);
        // A product of two uniform numbers: many small activities, a few large ones.
        let spread = 4.0 * self.rng.f64() * self.rng.f64();
        let count = self.whole((mean * weight * spread).min(MOST_ACCESSES));
        count.min(self.accesses_left() as u32)
    }

    /// The number of operations that an event may have besides its enqueue, begin and end.
    pub(crate) fn spare_sync(&self) -> f64 {
        let ahead = self.events_ahead();
        let threads = f64::from(self.workers.1 - self.workers.0) * 5.0;
        let needed = 3.0 * self.left.events() as f64 + 2.0 * self.pending as f64 + threads;
        let left = self.plan.sync as f64 - self.out.written.sync as f64;
        (left - needed - self.director.operations_ahead()) / ahead
    }

    /// Fills the steps of an event.
    pub(crate) fn usual_event(
        &mut self,
        thread: ThreadId,
        payload: Option<(Object, u8)>,
        first: Vec<Step>,
        last: Option<Step>,
    ) -> io::Result<()> {
        let drawn = self.draw_accesses(1.0);
        let accesses = self.prepare(thread, drawn)?;
        if let Some((object, value)) = payload {
            let function = self.threads[thread.0 as usize].now.function;
            self.out.sourced(thread, object.field(0), false, (function, 1), Some(value))?;
            self.thread(thread).now.set.push(object);
        }
        let mut acts = first;
        self.draw_children(thread, &mut acts);
        self.draw_extras(thread, 1.0, &mut acts);
        if self.to_spawn > 0 && self.process_of(thread) == self.processes[0] {
            acts.push(Step::Spawn);
        }
        self.interleave(thread, acts, accesses);
        self.thread(thread).steps.extend(last);
        Ok(())
    }

    /// Draws the posts of an event.
    fn draw_children(&mut self, thread: ThreadId, acts: &mut Vec<Step>) {
        let now = &self.threads[thread.0 as usize].now;
        let level = now.level;
        let (hub, is_timer) = (now.hub, now.is_timer);
        let fifo = match level {
            Some(Level::Fifo(1)) => {
                Some((Kind::Level2, self.left.of(Kind::Level1) + self.left.of(Kind::Input)))
            }
            Some(Level::Fifo(2)) => Some((Kind::Level3, self.left.of(Kind::Level2))),
            _ => None,
        };
        if let Some((kind, sources)) = fifo {
            let mean = self.left.of(kind) as f64 / (sources as f64 + 1.0);
            for _ in 0..self.whole(mean.min(4.0)).min(self.left.of(kind) as u32) {
                acts.push(Step::Post(kind));
            }
        }
        self.start_timers(acts);
        if hub {
            self.draw_free_posts(level, acts);
            self.draw_fronts(is_timer, acts);
        }
    }

    /// Starts timers and animations until there are enough.
    fn start_timers(&mut self, acts: &mut Vec<Step>) {
        let loopers = self.loopers.len() as u64;
        let wanted = [
            (Kind::Timer, self.tally.timers, 2 * loopers + 4),
            (Kind::AtTimeChain, self.tally.animations, loopers / 2 + 2),
        ];
        for (kind, there, wanted) in wanted {
            if there < wanted && self.left.of(kind) > 0 {
                acts.push(Step::Post(kind));
            }
        }
    }

    /// The approximate number of hub events that have not begun yet.
    fn hubs_ahead(&self) -> f64 {
        let seen = self.tally.events() as f64 + 1.0;
        self.events_ahead() * (self.tally.hub_events as f64 + 1.0) / seen
    }

    /// Draws posts to the front. Timers make nine of ten, because their posts to the front are
    /// ordered.
    fn draw_fronts(&mut self, is_timer: bool, acts: &mut Vec<Step>) {
        let left = self.left.of(Kind::Front) as f64;
        let timers = self.left.of(Kind::Timer) + self.left.of(Kind::AtTimeChain);
        let mean = match (is_timer, timers) {
            (true, _) => 0.9 * left / (timers as f64 + 1.0),
            (false, 0) => left / self.hubs_ahead(),
            (false, _) => 0.1 * left / self.hubs_ahead(),
        };
        for _ in 0..self.whole(mean.min(12.0)).min(left as u32) {
            acts.push(Step::Post(Kind::Front));
        }
    }

    /// Draws posts of the other kinds, by events that may make them.
    fn draw_free_posts(&mut self, level: Option<Level>, acts: &mut Vec<Step>) {
        let mean = self.left.free() as f64 / self.hubs_ahead();
        let is_level = matches!(level, Some(Level::Thread | Level::Fifo(1 | 2)));
        for _ in 0..self.whole(mean.min(12.0)) {
            match self.left.draw_free(&mut self.rng) {
                Some(Kind::Plain) if is_level => {}
                Some(kind) => acts.push(Step::Post(kind)),
                None => return,
            }
        }
    }

    /// Draws the other operations of an activity that are no accesses.
    fn draw_extras(&mut self, thread: ThreadId, weight: f64, acts: &mut Vec<Step>) {
        let spread = 2.0 * self.rng.f64();
        let mut spare = self.spare_sync() * weight * spread;
        if self.shared.has_ended() && self.rng.u8(..) < 64 {
            acts.push(Step::Reap);
            spare -= 1.0;
        }
        let pairs = self.whole((spare / 2.0).clamp(0.0, 2000.0));
        let in_event = self.threads[thread.0 as usize].now.open.is_some();
        for _ in 0..pairs {
            match self.rng.u8(..100) {
                0..44 => acts.push(Step::Locked),
                44..70 => {
                    let function = self.rng.usize(..240);
                    acts.push(Step::Enter(function));
                    acts.push(Step::Work(0));
                    acts.push(Step::Leave);
                }
                70..82 => acts.extend([Step::HandOver, Step::TakeOver]),
                82..92 => acts.extend([Step::Listen, Step::Listen]),
                92..98 => acts.push(Step::Removal),
                _ if in_event => acts.extend([Step::Listen, Step::Listen]),
                _ => acts.push(Step::Locked),
            }
        }
    }

    /// Spreads accesses between acts, and makes all of them the steps of the thread. Acts between
    /// an enter and its leave stay there.
    fn interleave(&mut self, thread: ThreadId, acts: Vec<Step>, accesses: u32) {
        let parts = acts.len() as u32 + 1;
        let part = accesses / parts;
        let mut steps = Vec::with_capacity(acts.len() * 2 + 1);
        steps.push(Step::Work(accesses - part * (parts - 1)));
        for act in acts {
            match act {
                Step::Work(_) => steps.push(Step::Work(part)),
                act => {
                    steps.push(act);
                    steps.push(Step::Work(part));
                }
            }
        }
        steps.retain(|step| !matches!(step, Step::Work(0)));
        self.thread(thread).steps.extend(steps);
    }

    /// Gives a worker its next turn, or its end.
    pub(crate) fn work_item(&mut self, thread: ThreadId) -> io::Result<()> {
        if self.is_over() {
            self.thread(thread).steps.push_back(Step::Exit);
            return Ok(());
        }
        let more = self.workers.0 < self.workers.1;
        if self.thread(thread).quota == 0 && (more || self.workers_alive > 1) {
            if self.workers_alive == 1 {
                self.to_spawn += 1;
                self.thread(thread).steps.push_back(Step::Spawn);
            } else if more {
                self.to_spawn += 1;
            }
            self.thread(thread).steps.push_back(Step::Exit);
            return Ok(());
        }
        let nap = MILLISECOND + self.rng.u64(..8 * MILLISECOND);
        let targets = self.threads[thread.0 as usize].targets;
        let full =
            targets.iter().any(|&t| self.backlog(self.loopers[t % self.loopers.len()]) > BACKLOG);
        if full || self.workers_ahead() {
            self.thread(thread).steps.push_back(Step::Sleep(nap));
            return Ok(());
        }
        self.start_turn(thread)?;
        self.thread(thread).steps.push_back(Step::Sleep(nap));
        Ok(())
    }

    /// Whether callers or timers, which continue by themselves, have to catch up with the workers.
    fn workers_ahead(&self) -> bool {
        let callers = self.left.looper_progress() > self.left.binder_progress() + 0.02;
        let timers = self.left.kind_progress(Kind::Level1) > self.left.progress() + 0.02;
        let timers_left = self.left.of(Kind::Timer) + self.left.of(Kind::AtTimeChain);
        let timers_run = self.tally.timers + self.tally.animations > 0;
        callers && self.left.binder() > 0 || timers && timers_left > 0 && timers_run
    }

    /// Starts a worker's turn: some work, and a post or two.
    fn start_turn(&mut self, thread: ThreadId) -> io::Result<()> {
        let home = self.thread(thread).home;
        let function = self.rng.usize(..240);
        let now = &mut self.thread(thread).now;
        (now.strand, now.level, now.function) = (Some(home), Some(Level::Thread), function);
        let drawn = self.draw_accesses(TURN_WEIGHT);
        let accesses = self.prepare(thread, drawn)?;
        let mut acts = Vec::new();
        if self.left.of(Kind::Level1) == 0 {
            self.finish_kinds(&mut acts);
        }
        for _ in 0..=self.rng.u64(..2) {
            if self.left.of(Kind::Level1) > 0 {
                acts.push(Step::Post(Kind::Level1));
            }
        }
        let state = self.thread(thread);
        state.quota = state.quota.saturating_sub(acts.len() as u64);
        let mean = self.left.binder() as f64 * 0.3 / (self.left.of(Kind::Level1) as f64 + 1.0);
        for _ in 0..self.whole(mean.min(2.0)).min(self.left.binder() as u32) {
            acts.push(Step::Call { sync: self.rng.bool() });
        }
        self.draw_extras(thread, 0.2, &mut acts);
        self.interleave(thread, acts, accesses);
        Ok(())
    }

    /// Lets threads make the remaining posts of other kinds, once all plain posts of threads are
    /// made.
    fn finish_kinds(&mut self, acts: &mut Vec<Step>) {
        if self.rng.u8(..) < 16 {
            self.left.flatten();
        }
        if let Some(kind) = self.left.draw_free(&mut self.rng).filter(|&kind| kind != Kind::Plain) {
            acts.push(Step::Post(kind));
        }
        if self.left.of(Kind::Front) > 0 {
            acts.push(Step::Post(Kind::Front));
        }
        self.start_timers(acts);
    }

    /// Gives a caller from another process its next call.
    pub(crate) fn call_item(&mut self, thread: ThreadId) {
        if self.is_over() {
            self.thread(thread).steps.push_back(Step::Exit);
            return;
        }
        let ahead = self.left.binder_progress() > self.left.looper_progress() + 0.02;
        let full = self.backlog(self.binders[0]) > BACKLOG;
        if self.left.binder() > 0 && !full && !(ahead && self.left.looper() > 0) {
            let sync = self.rng.u8(..) < 100;
            self.thread(thread).steps.push_back(Step::Call { sync });
        }
        let nap = MILLISECOND / 2 + self.rng.u64(..6 * MILLISECOND);
        self.thread(thread).steps.push_back(Step::Sleep(nap));
    }

    /// Delivers the next input or frame, if it is time.
    pub(crate) fn native_item(&mut self, thread: ThreadId, kind: Kind) {
        if self.is_over() {
            self.thread(thread).steps.push_back(Step::Exit);
            return;
        }
        let behind = self.left.kind_progress(kind) - self.left.progress();
        let alone = self.left.of(Kind::Level1) == 0;
        let full = self.backlog(self.loopers[0]) > BACKLOG;
        if self.left.of(kind) > 0 && !full && (behind < 0.01 || alone) {
            self.thread(thread).steps.push_back(Step::Deliver(kind));
        }
        let nap = if behind < -0.01 { MILLISECOND } else { 16 * MILLISECOND };
        self.thread(thread).steps.push_back(Step::Sleep(nap));
    }

    /// Whether all planned events were posted.
    pub(crate) fn is_over(&self) -> bool {
        self.left.events() == 0 && self.director.is_done()
    }
}
