//! Causes: the events that a part of a task waits for.
//!
//! A part of a task, which is a microtask, a listener's call or a module of a graph, runs when its last cause is there. The
//! causes of a part are the events that the rules which the trace alone decides order directly before
//! it: the task that it is part of, the event that queues it, the event that adds the listener or calls
//! `then`, the event that settles the promise, the listener's call before it in the same dispatch.
//!
//! Two parts may have a cause in common. Then the calls that queue them decide: `enqueue`, or the
//! `register` that the part's `invoke` belongs to. The last of these calls in the cause counts. An arc
//! names no call, so it is in order with every other one.

use hashbrown::HashMap;
use trace::{EventId, Id, Op, OpId, Trace};

use crate::engine::events::conclude;
use crate::facts::Facts;
use crate::model::RuleSet;

/// What an event is to its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It starts a task.
    Task,
    /// It is a listener's call.
    Listener,
    /// It is the evaluation of a module after the first one of its graph.
    Module,
    /// It is a microtask.
    Microtask,
}

impl Kind {
    /// Whether the event is a part of a task that another event starts.
    pub(crate) fn is_part(self) -> bool {
        self != Self::Task
    }
}

/// An event that a part of a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    pub(crate) event: EventId,
    /// The last operation of the event that queues the part, if the trace states it.
    pub(crate) call: Option<OpId>,
}

impl Cause {
    /// Whether the call of this cause comes before the call of `other`, which is in the same event, or
    /// is the same call. An unknown call comes before and after every other one.
    pub(crate) fn is_called_before(self, other: Self) -> bool {
        match (self.call, other.call) {
            (Some(call), Some(other)) => call <= other,
            _ => true,
        }
    }
}

/// The kinds of the events of a trace, and the causes of those that are parts of tasks.
pub struct Causes {
    kinds: Vec<Kind>,
    of: Vec<Vec<Cause>>,
}

impl Causes {
    /// Finds the causes in `trace` under `rules`, which order whole events. O(operations).
    pub fn under(trace: &Trace, rules: &RuleSet) -> Self {
        let (edges, _) = conclude(&Facts::new(trace), rules);
        Self::new(trace, edges.iter().map(|edge| (edge.from, edge.to)))
    }

    /// The events that a part of a task waits for; none for an event that starts a task.
    pub fn events(&self, part: EventId) -> impl Iterator<Item = EventId> + '_ {
        self.of(part).iter().map(|cause| cause.event)
    }

    /// Whether an event is a microtask.
    pub fn is_microtask(&self, event: EventId) -> bool {
        self.kind(event) == Kind::Microtask
    }

    /// Returns the causes of some parts of tasks, each with whether it is a microtask, in a trace with so
    /// many events.
    pub(crate) fn of_parts(
        events: usize,
        parts: impl Iterator<Item = (EventId, bool, Vec<EventId>)>,
    ) -> Self {
        let mut found = Self { kinds: vec![Kind::Task; events], of: vec![Vec::new(); events] };
        for (part, is_microtask, causes) in parts {
            let kind = if is_microtask { Kind::Microtask } else { Kind::Listener };
            found.kinds[part.index()] = kind;
            let causes = causes.into_iter().map(|event| Cause { event, call: None });
            found.of[part.index()] = causes.collect();
        }
        found
    }

    /// Finds the causes among `edges`, which the trace alone decides. O(operations + edges).
    pub(crate) fn new(trace: &Trace, edges: impl Iterator<Item = (EventId, EventId)>) -> Self {
        let kinds: Vec<Kind> = trace.events().map(|(event, _)| kind(trace, event)).collect();
        let calls = calls(trace, &kinds);
        let mut of: Vec<Vec<Cause>> = vec![Vec::new(); kinds.len()];
        for (from, to) in edges.filter(|(_, to)| kinds[to.index()].is_part()) {
            let call = calls.get(&(from, to)).copied();
            of[to.index()].push(Cause { event: from, call });
        }
        for causes in &mut of {
            causes.sort_unstable_by_key(|cause| cause.event);
            causes.dedup();
        }
        Self { kinds, of }
    }

    pub(crate) fn kind(&self, event: EventId) -> Kind {
        self.kinds[event.index()]
    }

    /// The causes of a part of a task, by event, each once; none for an event that starts a task.
    pub(crate) fn of(&self, event: EventId) -> &[Cause] {
        &self.of[event.index()]
    }
}

/// What an event is to its task, by its type.
pub(crate) fn kind(trace: &Trace, event: EventId) -> Kind {
    let begin = trace.event(event).begin;
    let of_type = begin.and_then(|begin| trace.attributes(begin).event_type);
    match of_type.map(|text| trace.text(text)) {
        Some(b"microtask") => Kind::Microtask,
        Some(b"listener") => Kind::Listener,
        Some(b"module") => Kind::Module,
        _ => Kind::Task,
    }
}

/// For each part and each event that queues it, the last call that does.
fn calls(trace: &Trace, kinds: &[Kind]) -> HashMap<(EventId, EventId), OpId> {
    let mut calls: HashMap<(EventId, EventId), OpId> = HashMap::new();
    let mut note = |call: Option<OpId>, part: EventId| {
        if let Some(call) = call
            && let Some(from) = trace.event_of(call)
        {
            let last = calls.entry((from, part)).or_insert(call);
            *last = call.max(*last);
        }
    };
    for (event, row) in trace.events() {
        if kinds[event.index()].is_part() {
            note(row.enqueue.filter(|&post| Some(post) < row.begin), event);
        }
    }
    let mut registered: Vec<Option<OpId>> = vec![None; trace.names().callbacks.len()];
    for op in trace.ops() {
        match trace.op(op) {
            Op::Register(callback) => registered[callback.index()] = Some(op),
            Op::Invoke { callback, .. } => {
                let part = trace.event_of(op).filter(|event| kinds[event.index()].is_part());
                if let Some(part) = part {
                    note(registered[callback.index()], part);
                }
            }
            _ => {}
        }
    }
    calls
}
