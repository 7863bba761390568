//! The stream engine: happens-before while a trace is read once, from its start.
//!
//! It computes what [`crate::Graph`] computes, for one operation after the other, and keeps neither a
//! graph nor the trace. Models that order operations are closed by [`operations`], and models that order
//! whole events by [`events`]. "Ordered" is final at once. "Unordered" may be provisional, because a rule
//! can reach back, and an event can state inside itself what it waited for: [`Stream::is_final`].
//!
//! With rule WINDOW, everything up to the *floor* happens before every new event, so what ended there
//! is dropped. Without it, memory grows with the number of events.

mod chains;
#[cfg(test)]
mod controls;
mod events;
mod kept;
mod log;
mod operations;

use trace::{EventId, Op, ProcessId, QueueId, ThreadId};

use super::graph::{Clock, Clocks};
use crate::model::{Closure, RuleSet};
use chains::NOWHERE;
use events::EventStream;
pub use kept::{KeptId, Settled};
use operations::{Held, OperationStream};

/// An operation that synchronises, as it is read.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The number of the operation in the trace.
    pub number: u64,
    /// The thread.
    pub thread: ThreadId,
    /// The event that the operation runs in; a begin and an end that count run in their own event.
    pub event: Option<EventId>,
    /// The operation.
    pub op: Op,
    /// The time of the operation.
    pub at: Option<u64>,
    /// What the type of the operation says.
    pub word: Word,
}

/// What the type of an operation says to the rules of models that order events: what kind of event
/// begins, or what kind of order an arc states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the words")]
pub enum Word {
    /// The operation has no type, or one of which no rule speaks.
    #[default]
    Other,
    Microtask,
    Listener,
    Module,
    Settlement,
    Parser,
    Load,
    Network,
    Interval,
    Script,
    Target,
    Learned,
    Step,
    Wait,
}

impl Word {
    /// Reads the type of an operation.
    pub fn of(text: Option<&[u8]>) -> Self {
        match text {
            Some(b"microtask") => Self::Microtask,
            Some(b"listener") => Self::Listener,
            Some(b"module") => Self::Module,
            Some(b"settlement") => Self::Settlement,
            Some(b"parser") => Self::Parser,
            Some(b"load") => Self::Load,
            Some(b"network") => Self::Network,
            Some(b"interval") => Self::Interval,
            Some(b"script") => Self::Script,
            Some(b"target") => Self::Target,
            Some(b"learned") => Self::Learned,
            Some(b"step") => Self::Step,
            Some(b"wait") => Self::Wait,
            _ => Self::Other,
        }
    }
}

/// An access, as later accesses are compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The chain of the access's task.
    pub chain: u32,
    /// The position on the chain from which on everything follows the access.
    pub position: u32,
    /// How many events had begun before the access.
    pub epoch: u32,
}

impl Point {
    /// Whether the access belongs to no task, so that nothing orders it.
    pub fn is_nowhere(&self) -> bool {
        self.chain == NOWHERE
    }
}

/// What is known where accesses stand.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// The point of accesses here.
    pub point: Point,
    /// Everything up to this epoch happens before.
    floor: u32,
    /// What happens before because of the window alone, in models that order whole events.
    start: Clock,
    held: Held,
    event: Option<EventId>,
}

impl Now {
    /// Returns what is known here, for accesses at another point of the task.
    #[must_use]
    pub fn at(self, point: Point) -> Self {
        Self { point, ..self }
    }

    /// Whether the same happens before, and the same follows.
    pub fn knows_as_much(&self, other: &Self) -> bool {
        let place = |now: &Self| (now.point.chain, now.point.position, now.event, now.floor);
        place(self) == place(other) && self.held.clock == other.held.clock
    }
}

/// Whether an access happens before those of a moment.
#[inline]
fn covers(clocks: &Clocks, now: &Now, point: Point) -> bool {
    now.point.chain == point.chain && !point.is_nowhere()
        || point.epoch < now.floor
        || clocks.get(now.held.clock, point.chain) >= point.position
}

/// A part of the engine without which it is wrong. Only tests leave one out, to see that they notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needed {
    /// Rules that reach back let begins of the past gain.
    Telling,
    /// A verdict waits until nothing can gain any more.
    HoldingVerdicts,
    /// What open and unsettled events may still ask for is not dropped.
    LowestFloor,
    /// The clock of an event is computed again when the event has ended.
    ClosingAgain,
    /// An event is not settled before those that it follows.
    WaitingForOthers,
    /// Parts that run late are looked at every time.
    LateParts,
    /// Messages that were overtaken are looked at every time.
    Overtaken,
}

/// Which parts of the engine are there: all of them, except in tests.
#[derive(Clone, Copy, Default)]
struct Parts {
    #[cfg(test)]
    left_out: Option<Needed>,
}

impl Parts {
    #[allow(clippy::unused_self, reason = "tests have something to ask")]
    fn has(self, part: Needed) -> bool {
        #[cfg(test)]
        return self.left_out != Some(part);
        #[cfg(not(test))]
        {
            let _ = part;
            true
        }
    }
}

/// How much a window has dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Events with their clocks.
    pub events: u64,
    /// Lists of notifications, callbacks and the like.
    pub lists: u64,
}

/// Why a set of rules cannot be closed in one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotStreamable {
    /// The model does not order operations by tasks.
    Model,
    /// This rule must be on.
    Off(&'static str),
    /// This rule must be off.
    On(&'static str),
}

/// Happens-before over a trace that is read once.
pub struct Stream {
    pass: Pass,
}

enum Pass {
    Operations(Box<OperationStream>),
    Events(Box<EventStream>),
}

/// Calls a method of the pass that closes the model.
macro_rules! of_pass {
    ($stream:expr, $pass:ident => $call:expr) => {
        match $stream.pass {
            Pass::Operations(ref $pass) => $call,
            Pass::Events(ref $pass) => $call,
        }
    };
    (mut $stream:expr, $pass:ident => $call:expr) => {
        match $stream.pass {
            Pass::Operations(ref mut $pass) => $call,
            Pass::Events(ref mut $pass) => $call,
        }
    };
}

impl Stream {
    /// Starts a pass under a set of rules.
    pub fn new(rules: &RuleSet) -> Result<Self, NotStreamable> {
        let pass = match rules.model().closure {
            Closure::Operations => Pass::Operations(Box::new(OperationStream::new(rules)?)),
            Closure::Events => Pass::Events(Box::new(EventStream::new(rules)?)),
            Closure::DroidRacer => return Err(NotStreamable::Model),
        };
        Ok(Self { pass })
    }

    /// Puts a thread into a process.
    pub fn assign_process(&mut self, thread: ThreadId, process: ProcessId) {
        if let Pass::Operations(pass) = &mut self.pass {
            pass.assign_process(thread, process);
        }
    }

    /// Moves past an operation that synchronises.
    pub fn pass(&mut self, row: &Row) {
        of_pass!(mut self, pass => pass.pass(row));
    }

    /// Ends the trace, and with it the events whose end is missing.
    pub fn finish(&mut self) {
        of_pass!(mut self, pass => pass.finish());
    }

    /// Returns what is known where accesses on `thread`, in `event`, stand.
    pub fn now(&mut self, thread: ThreadId, event: Option<EventId>) -> Now {
        of_pass!(mut self, pass => pass.now(thread, event))
    }

    /// Whether an earlier access happens before those here.
    #[inline]
    pub fn covers(&self, now: &Now, point: Point) -> bool {
        covers(of_pass!(self, pass => pass.clocks()), now, point)
    }

    /// The position up to which a chain happens before what stands here.
    #[inline]
    pub fn reach(&self, now: &Now, chain: u32) -> u32 {
        of_pass!(self, pass => pass.clocks()).get(now.held.clock, chain)
    }

    /// Whether "unordered" is final here.
    pub fn is_final(&self, now: &Now) -> bool {
        of_pass!(self, pass => pass.is_final(now))
    }

    /// Whether the model orders whole events, so that all accesses are compared as those of one looper.
    pub fn orders_events(&self) -> bool {
        matches!(self.pass, Pass::Events(_))
    }

    /// The looper on which an event runs, in models that order operations.
    pub fn looper(&self, event: Option<EventId>) -> Option<QueueId> {
        match &self.pass {
            Pass::Operations(pass) => pass.looper(event),
            Pass::Events(_) => None,
        }
    }

    /// Whether an event is kept.
    pub fn holds(&self, event: EventId) -> bool {
        of_pass!(self, pass => pass.holds(event))
    }

    /// Whether there is a window.
    pub fn has_window(&self) -> bool {
        of_pass!(self, pass => pass.has_window())
    }

    /// Lets [`Self::is_dropped`] answer for what is still to come from here on.
    pub fn start_dropping(&mut self) {
        of_pass!(mut self, pass => pass.start_dropping());
    }

    /// Whether everything after the last call of [`Self::start_dropping`] follows an access, because of the
    /// window.
    pub fn is_dropped(&self, point: Point) -> bool {
        of_pass!(self, pass => pass.is_dropped(point))
    }

    /// Whether the window orders an access of another chain before those here. Other rules may do so too.
    #[inline]
    pub fn is_below_floor(&self, now: &Now, point: Point) -> bool {
        point.epoch < now.floor
            || now.start != Clock::EMPTY
                && of_pass!(self, pass => pass.clocks()).get(now.start, point.chain)
                    >= point.position
    }

    /// Keeps a moment, which may still gain.
    pub fn keep(&mut self, now: Now) -> KeptId {
        of_pass!(mut self, pass => pass.keep(now))
    }

    /// Returns a moment that was kept, up to date.
    pub fn kept(&mut self, id: KeptId) -> Now {
        of_pass!(mut self, pass => pass.kept(id))
    }

    /// Forgets a moment that was kept.
    pub fn release(&mut self, id: KeptId) {
        of_pass!(mut self, pass => pass.release(id));
    }

    /// Keeps what orders an event with others, for [`Settled`]; and so for the causes of a part of a task,
    /// which it returns.
    pub fn watch(&mut self, event: EventId) -> Vec<EventId> {
        of_pass!(mut self, pass => pass.watch(event))
    }

    /// Forgets the events that are watched and that `is_needed` does not return, in models that order
    /// operations.
    pub fn unwatch(&mut self, is_needed: impl FnMut(EventId) -> bool) {
        if let Pass::Operations(pass) = &mut self.pass {
            pass.unwatch(is_needed);
        }
    }

    /// Whether one event is known to end before another begins, both of which are watched.
    pub fn watched_before(&mut self, t: EventId, u: EventId) -> bool {
        of_pass!(mut self, pass => pass.watched_before(t, u))
    }

    /// Ends the pass, and returns the order of what was watched and kept.
    pub fn into_settled(self) -> Settled {
        match self.pass {
            Pass::Operations(pass) => pass.into_settled(),
            Pass::Events(pass) => pass.into_settled(),
        }
    }

    /// Drops what it can at every end of an event: for tests, which would otherwise drop little.
    pub fn drop_eagerly(&mut self) {
        of_pass!(mut self, pass => pass.drop_eagerly());
    }

    /// How much the window has dropped.
    pub fn dropped(&self) -> Dropped {
        of_pass!(self, pass => pass.dropped())
    }

    /// How many answers may differ from the definition, because the pass had to decide too early.
    pub fn approximations(&self) -> u64 {
        of_pass!(self, pass => pass.approximations())
    }

    /// How many chains the tasks lie on.
    pub fn chains(&self) -> usize {
        of_pass!(self, pass => pass.chains())
    }

    /// How many events are kept.
    pub fn events(&self) -> usize {
        of_pass!(self, pass => pass.events())
    }

    /// How many events have begun.
    pub fn epoch(&self) -> u32 {
        of_pass!(self, pass => pass.epoch())
    }

    /// About how many bytes the pass takes.
    pub fn bytes(&self) -> usize {
        of_pass!(self, pass => pass.bytes())
    }
}
