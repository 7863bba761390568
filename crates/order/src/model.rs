//! Models: named sets of rules.

use trace::Conventions;

use crate::rule::Rule;
use crate::rules;

/// A happens-before model: which rules there are, and which of them are on by default.
pub struct Model {
    /// The name used on the command line and in trace headers.
    pub name: &'static str,
    /// One line for `--help` and reports.
    pub summary: &'static str,
    /// The rules of the model, each with whether it is on by default.
    pub rules: &'static [(&'static Rule, bool)],
    /// What the rules order, and how they are closed.
    pub closure: Closure,
    /// What the rules take events for.
    pub events: Events,
    /// Whether the model's traces are of pages in a browser, whose types of events are words of web
    /// developers.
    pub in_browser: bool,
    /// Whether engine `stream` can close the model: FastTrack's algorithm, in one pass.
    pub streams: bool,
    /// What is ordinary in the model's traces.
    pub conventions: Conventions,
}

/// What the rules of a model take events for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Events {
    /// An event is a task of its own.
    Tasks,
    /// An event is a part of a task, such as a microtask or a call of a listener. [`crate::Tasks`]
    /// finds the task of an event.
    PartsOfTasks,
    /// Events order nothing: a thread is ordered as a whole.
    Ignored,
}

/// How the rules of a model are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closure {
    /// Over operations, transitively.
    Operations,
    /// Over whole events, transitively.
    Events,
    /// Over operations, as DroidRacer does. The closure is transitive only where that hides no race
    /// between tasks of a thread, and contradicts the order of the trace where an event is enabled
    /// late.
    DroidRacer,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// EventRacer Android (OOPSLA'15), as printed.
pub static EVENTRACER_ANDROID: Model = Model {
    name: "eventracer-android",
    summary: "EventRacer Android (OOPSLA'15), as printed",
    rules: &[
        (&rules::EVENT_OP, true),
        (&rules::CALLBACK_REG_1, true),
        (&rules::CALLBACK_REG_2, true),
        (&rules::CALLBACK_UNREG, true),
        (&rules::CALLBACK_INV, true),
        (&rules::LOOPER_ATOMIC, true),
        (&rules::MSG_ENQUEUE, true),
        (&rules::MSG_BEGIN_1, true),
        (&rules::MSG_BEGIN_2, true),
        (&rules::MSG_REMOVE, true),
        (&rules::MSG_BLOCKING, true),
        (&rules::THREAD_FORK, true),
        (&rules::THREAD_JOIN, true),
        (&rules::THREAD_INIT, true),
        (&rules::THREAD_EXIT, true),
        (&rules::NOTIFY_WAIT, true),
        (&rules::NATIVE, true),
        (&rules::IPC_HANDLE, true),
        (&rules::THREAD_OP, true),
        (&rules::IPC_ASYNC, true),
        (&rules::WINDOW, false),
    ],
    closure: Closure::Operations,
    events: Events::Tasks,
    in_browser: false,
    streams: false,
    conventions: Conventions::STRICT,
};

/// EventRacer Android's rules, corrected where Android's message queue behaves differently.
pub static ANDROID: Model = Model {
    name: "android",
    summary: "EventRacer Android's rules, mended to what Android's message queue does",
    rules: &[
        (&rules::EVENT_OP, true),
        (&rules::CALLBACK_REG_1, true),
        (&rules::CALLBACK_REG_2, true),
        (&rules::CALLBACK_UNREG, true),
        (&rules::CALLBACK_INV, true),
        (&rules::LOOPER_ATOMIC, true),
        (&rules::MSG_ENQUEUE, true),
        (&rules::MSG_BEGIN_1, true),
        (&rules::MSG_BEGIN_2, true),
        (&rules::MSG_REMOVE, true),
        (&rules::MSG_BLOCKING, true),
        (&rules::THREAD_FORK, true),
        (&rules::THREAD_JOIN, true),
        (&rules::THREAD_INIT, true),
        (&rules::THREAD_EXIT, true),
        (&rules::NOTIFY_WAIT, true),
        (&rules::NATIVE, true),
        (&rules::IPC_HANDLE, true),
        (&rules::THREAD_OP, true),
        (&rules::IPC_ASYNC, true),
        (&rules::REMOVE_BARRIER, true),
        (&rules::NORMAL_FORM, true),
        (&rules::FRONT_PASSES_BARRIER, true),
        (&rules::REMOVE_ON_LOOPER, true),
        (&rules::AT_TIME, false),
        (&rules::USER_THREAD_OP, false),
        (&rules::WINDOW, false),
    ],
    closure: Closure::Operations,
    events: Events::Tasks,
    in_browser: false,
    streams: false,
    conventions: Conventions::STRICT,
};

/// AsyncClock (ASPLOS'17), as printed.
pub static ASYNCCLOCK: Model = Model {
    name: "asyncclock",
    summary: "AsyncClock (ASPLOS'17), as printed",
    rules: &[
        (&rules::PO, true),
        (&rules::FORK, true),
        (&rules::JOIN, true),
        (&rules::SIGNAL, true),
        (&rules::SEND, true),
        (&rules::LOOPBEGIN, true),
        (&rules::LOOPEND, true),
        (&rules::PRIORITY, true),
        (&rules::ATOMIC, true),
        (&rules::ATFRONT, true),
        (&rules::INPUT, true),
        (&rules::IPC_HANDLE_IN_ASYNCCLOCK, true),
        (&rules::IPC_ASYNC_IN_ASYNCCLOCK, true),
        (&rules::WINDOW, false),
    ],
    closure: Closure::Operations,
    events: Events::Tasks,
    in_browser: false,
    streams: false,
    conventions: Conventions::STRICT,
};

/// EventRacer for the web (OOPSLA'13).
pub static EVENT: Model = Model {
    name: "event",
    summary: "EventRacer (OOPSLA'13): event actions ordered by forks and joins",
    rules: &[
        (&rules::EVENT_ORDER, true),
        (&rules::FORK_EVENT, true),
        (&rules::ARC, true),
        (&rules::WINDOW_IN_EVENTS, false),
    ],
    closure: Closure::Events,
    events: Events::Tasks,
    in_browser: false,
    streams: false,
    conventions: Conventions::STRICT,
};

/// DroidRacer (PLDI'14), as the tool behaves.
pub static DROIDRACER: Model = Model {
    name: "droidracer",
    summary: "DroidRacer (PLDI'14), as the tool behaves",
    rules: &[
        (&rules::droidracer::PO, true),
        (&rules::droidracer::FORK, true),
        (&rules::droidracer::JOIN, true),
        (&rules::droidracer::NOTIFY, true),
        (&rules::droidracer::ATTACH, true),
        (&rules::droidracer::LOOP, true),
        (&rules::droidracer::POST, true),
        (&rules::droidracer::PARENT, true),
        (&rules::droidracer::LOCK, true),
        (&rules::droidracer::ENABLE_EVENT, true),
        (&rules::droidracer::ENABLE_FOCUS, true),
        (&rules::droidracer::ENABLE_LIFECYCLE, true),
        (&rules::droidracer::ACTIVITY, true),
        (&rules::droidracer::SERVICE, true),
        (&rules::droidracer::BROADCAST, true),
        (&rules::droidracer::BROADCAST_ORDER, true),
        (&rules::droidracer::IDLE, true),
        (&rules::droidracer::FIFO, true),
        (&rules::droidracer::NOPRE, true),
        (&rules::droidracer::TRANS, true),
    ],
    closure: Closure::DroidRacer,
    events: Events::Tasks,
    in_browser: false,
    streams: false,
    conventions: Conventions::STRICT,
};

/// FastTrack (PLDI'09): threads, and locks that order.
pub static THREADS: Model = Model {
    name: "threads",
    summary: "FastTrack (PLDI'09): threads ordered by forks, joins, locks and notifications",
    rules: &[
        (&rules::THREAD_ORDER, true),
        (&rules::FORK_THREAD, true),
        (&rules::JOIN_THREAD, true),
        (&rules::LOCK_ORDER, true),
        (&rules::NOTIFY_WAIT, true),
    ],
    closure: Closure::Operations,
    events: Events::Ignored,
    in_browser: false,
    streams: true,
    conventions: Conventions::STRICT,
};

/// Today's web: tasks and their parts, ordered by what browsers guarantee.
pub static WEB: Model = Model {
    name: "web",
    summary: "Today's web: tasks, microtasks and listeners, ordered by what the standards guarantee",
    rules: &[
        (&rules::EVENT_ORDER, true),
        (&rules::FORK_EVENT, true),
        (&rules::ARC_IN_WEB, true),
        (&rules::PARSER_ORDER, true),
        (&rules::LOAD_ORDER, true),
        (&rules::NETWORK_ORDER, true),
        (&rules::INTERVAL_ORDER, true),
        (&rules::SCRIPT_ORDER, true),
        (&rules::TARGET_ORDER, true),
        (&rules::LISTENER, true),
        (&rules::TASK_ORDER, true),
        (&rules::MICROTASK_ORDER, true),
        (&rules::CHECKPOINT, true),
        (&rules::TIMER_ORDER, true),
        (&rules::FRAME_ORDER, true),
        (&rules::IDLE_ORDER, true),
        (&rules::INPUT_ORDER, true),
        (&rules::TEST_STEP, true),
        (&rules::TEST_WAIT, true),
        (&rules::LEARNED, false),
        (&rules::WINDOW_IN_EVENTS, false),
    ],
    closure: Closure::Events,
    events: Events::PartsOfTasks,
    in_browser: true,
    streams: false,
    conventions: Conventions::BROWSER,
};

/// All models.
pub static MODELS: &[&Model] =
    &[&EVENTRACER_ANDROID, &ANDROID, &ASYNCCLOCK, &EVENT, &WEB, &DROIDRACER, &THREADS];

impl Model {
    /// Returns the model called `name`.
    pub fn named(name: &[u8]) -> Option<&'static Self> {
        MODELS.iter().copied().find(|m| m.name.as_bytes() == name)
    }

    /// Whether the model orders whole events instead of operations.
    pub fn orders_events(&self) -> bool {
        self.closure == Closure::Events
    }

    /// Whether events are parts of tasks: microtasks, calls of listeners.
    pub fn has_tasks(&self) -> bool {
        self.events == Events::PartsOfTasks
    }

    /// Returns the rules that are on by default.
    pub fn default_rules(&'static self) -> RuleSet {
        let on = self.rules.iter().filter(|(_, on)| *on).map(|&(rule, _)| rule).collect();
        RuleSet { model: self, on, window: TWO_MINUTES }
    }
}

/// A model with its switches set.
#[derive(Clone, Debug)]
pub struct RuleSet {
    model: &'static Model,
    on: Vec<&'static Rule>,
    /// The length of the window in nanoseconds, which matters if rule WINDOW is on.
    window: u64,
}

/// The length of AsyncClock's window.
const TWO_MINUTES: u64 = 120_000_000_000;

impl RuleSet {
    /// The model the rules belong to.
    pub fn model(&self) -> &'static Model {
        self.model
    }

    /// The length of the window in nanoseconds, if rule WINDOW is on.
    pub fn window(&self) -> Option<u64> {
        self.contains(&rules::WINDOW).then_some(self.window)
    }

    /// The length of the window in nanoseconds, whether rule WINDOW is on or not.
    pub(crate) fn window_length(&self) -> u64 {
        self.window
    }

    /// Switches rule WINDOW on, with a window of so many nanoseconds. Fails if the model does not have
    /// the rule.
    pub fn set_window(&mut self, length: u64) -> Result<(), UnknownRule> {
        self.switch(rules::WINDOW.name, true)?;
        self.window = length;
        Ok(())
    }

    /// The rules that are on, in the model's order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &'static Rule> + '_ {
        self.on.iter().copied()
    }

    /// Whether `rule` is on.
    pub fn contains(&self, rule: &Rule) -> bool {
        self.on.contains(&rule)
    }

    /// Switches the rule called `name` on or off. The case of letters does not matter. Fails if the
    /// model has no such rule.
    pub fn switch(&mut self, name: &str, on: bool) -> Result<(), UnknownRule> {
        let found = self.model.rules.iter().find(|(r, _)| r.name.eq_ignore_ascii_case(name));
        let &(rule, _) =
            found.ok_or_else(|| UnknownRule { name: name.to_owned(), model: self.model })?;
        self.on.retain(|r| *r != rule);
        if on {
            let position = |r: &Rule| self.model.rules.iter().position(|(m, _)| *m == r);
            let after = self.on.partition_point(|r| position(r) < position(rule));
            self.on.insert(after, rule);
        }
        Ok(())
    }
}

/// The error for a rule that the model does not have.
#[derive(Clone, Debug)]
pub struct UnknownRule {
    /// The name as given.
    pub name: String,
    /// The model that has no such rule.
    pub model: &'static Model,
}

impl std::fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.model.rules.iter().map(|(r, _)| r.name).collect();
        write!(
            f,
            "model {} has no rule {:?}; its rules are {}",
            self.model.name,
            self.name,
            names.join(", ")
        )
    }
}

impl std::error::Error for UnknownRule {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_checked_by_the_conventions_of_its_model() {
        for model in MODELS {
            assert_eq!(
                Conventions::of_model(model.name.as_bytes()),
                model.conventions,
                "{model:?}"
            );
        }
    }
}
