//! Groups races that are one problem to a reader (EventRacer Android, §7.3.3; AsyncClock, §6).
//!
//! Two races are in one group when their accesses have, in either order, the same kinds of event
//! source and the same calling contexts. The source of an event states how the event, or the
//! nearest event that led to it, was posted: input, display, ipc, else a thread. In models that
//! order whole events, the source is the event's type. A calling context is the call stack without
//! line numbers, from the bottom up to the library function that the program's code called; the
//! inside of the library does not count. For accesses without a stack, the location takes the place
//! of the context.

use std::collections::HashMap;

use races::Race;
use trace::{EventId, Id, OpId, Posting, StackId, TextId};

use crate::GroupId;
use crate::evidence::Evidence;
use crate::name::pattern;

/// The source of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Source {
    Input,
    Display,
    Ipc,
    Thread,
    Typed(TextId),
}

/// The number of a calling context. Equal contexts share a number.
type Context = u32;

/// The source and calling context of one access.
type Side = (Source, Option<Context>);

/// Assigns races to groups, numbered in the order of the first request.
pub(crate) struct Grouping<'a> {
    evidence: &'a Evidence<'a>,
    sources: Vec<Source>,
    contexts: HashMap<Vec<u8>, Context>,
    context_of: HashMap<StackId, Context>,
    groups: HashMap<([Side; 2], Option<Vec<u8>>), GroupId>,
}

impl<'a> Grouping<'a> {
    pub(crate) fn new(evidence: &'a Evidence<'a>) -> Self {
        Self {
            evidence,
            sources: sources(evidence),
            contexts: HashMap::new(),
            context_of: HashMap::new(),
            groups: HashMap::new(),
        }
    }

    /// Returns the group of a race.
    pub(crate) fn group(&mut self, race: &Race) -> GroupId {
        let mut sides = [self.side(race.first), self.side(race.second)];
        sides.sort_unstable();
        let bare = sides.iter().any(|(_, context)| context.is_none());
        let names = &self.evidence.trace.names().locations;
        let location = bare.then(|| pattern(names.get(race.location)));
        let next = GroupId(self.groups.len() as u32);
        *self.groups.entry((sides, location)).or_insert(next)
    }

    fn side(&mut self, op: OpId) -> Side {
        let trace = self.evidence.trace;
        let source = trace.event_of(op).map_or(Source::Thread, |e| self.sources[e.index()]);
        (source, trace.stack_of(op).map(|stack| self.context(op, stack)))
    }

    fn context(&mut self, op: OpId, stack: StackId) -> Context {
        if let Some(&context) = self.context_of.get(&stack) {
            return context;
        }
        let next = self.contexts.len() as u32;
        let context = *self.contexts.entry(spelled(self.evidence, op)).or_insert(next);
        self.context_of.insert(stack, context);
        context
    }
}

/// Returns the calling context of an operation as bytes.
fn spelled(evidence: &Evidence<'_>, op: OpId) -> Vec<u8> {
    let code = &evidence.code;
    let inside = code.frames(op).take_while(|frame| code.is_framework(frame)).count();
    let inside = if code.frames(op).count() == inside { 0 } else { inside.saturating_sub(1) };
    let mut out = Vec::new();
    for frame in code.frames(op).skip(inside) {
        out.push(if code.is_framework(&frame) { b'f' } else { b'u' });
        out.extend(pattern(evidence.trace.names().functions.get(frame.function)));
        out.push(0);
    }
    out
}

/// Returns the source of every event.
fn sources(evidence: &Evidence<'_>) -> Vec<Source> {
    let trace = evidence.trace;
    let mut sources = vec![Source::Thread; trace.names().events.len()];
    // A parent begins before its children unless the trace contradicts itself, so events are
    // visited by their begin.
    let mut begun: Vec<(OpId, EventId)> =
        trace.events().filter_map(|(id, event)| Some((event.begin?, id))).collect();
    begun.sort_unstable();
    for (_, event) in begun {
        let own = match trace.posting_of(event).map(|enqueue| enqueue.posting) {
            Some(Posting::Input) => Some(Source::Input),
            Some(Posting::Display) => Some(Source::Display),
            Some(Posting::Ipc) => Some(Source::Ipc),
            _ => None,
        };
        let parent = trace.event(event).enqueue.and_then(|enqueue| trace.event_of(enqueue));
        sources[event.index()] = match evidence.type_of(event) {
            Some(text) if evidence.model.orders_events() => Source::Typed(text),
            _ => own.or(parent.map(|p| sources[p.index()])).unwrap_or(Source::Thread),
        };
    }
    sources
}
