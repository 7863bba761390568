//! Groups races that are one problem to a reader (EventRacer Android, §7.3.3; AsyncClock, §6).
//!
//! Two races are in one group when their accesses have, in either order, the same kinds of event
//! source and the same calling contexts. The source of an event states how the event, or the
//! nearest event that led to it, was posted: input, display, ipc, else a thread. In models that
//! order whole events, the source is the event's type. A calling context is the call stack without
//! line numbers, from the bottom up to the library function that the program's code called; the
//! inside of the library does not count. For accesses without a stack, the location takes the place
//! of the context.
//!
//! In model `web` the location decides alone, because its races have one cause and one repair: races on one
//! location without the numbers of its instances and of its document are one group, and so are races on
//! the fields of objects that one place creates. Different elements are never in one group, nor are
//! variables of functions in different files.

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

/// What the races of a group have in common: their sides, their location, or both.
type Key = (Option<[Side; 2]>, Option<Vec<u8>>);

/// Assigns races to groups, numbered in the order of the first request.
pub(crate) struct Grouping<'a> {
    evidence: &'a Evidence<'a>,
    sources: Vec<Source>,
    contexts: HashMap<Vec<u8>, Context>,
    context_of: HashMap<StackId, Context>,
    groups: HashMap<Key, GroupId>,
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
        let names = &self.evidence.trace.names().locations;
        let key = if self.evidence.in_browser() {
            (None, Some(on_page(self.evidence, race)))
        } else {
            let mut sides = [self.side(race.first), self.side(race.second)];
            sides.sort_unstable();
            let bare = sides.iter().any(|(_, context)| context.is_none());
            (Some(sides), bare.then(|| pattern(names.get(race.location))))
        };
        let next = GroupId(self.groups.len() as u32);
        *self.groups.entry(key).or_insert(next)
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

/// Returns what the races of one group have in common on a page.
fn on_page(evidence: &Evidence<'_>, race: &Race) -> Vec<u8> {
    let trace = evidence.trace;
    let name = without_instances(trace.names().locations.get(race.location));
    let created = name.windows(CREATED.len()).position(|window| window == CREATED);
    let end =
        created.and_then(|at| Some(at + name[at..].iter().position(|&byte| byte == b')')? + 1));
    let is_element = trace.location_kind(race.location).is_some();
    match end {
        // The fields of objects that one place creates.
        Some(end) if !is_element => name[..end].to_vec(),
        None if name.starts_with(b"closure(") => {
            let source =
                [race.first, race.second].iter().find_map(|&op| trace.attributes(op).source);
            let file = source.map(|source| trace.text(trace.source(source).file));
            [&name, &b" in "[..], file.unwrap_or_default()].concat()
        }
        _ => name,
    }
}

const CREATED: &[u8] = b"(created at ";

/// Returns a name without the numbers after `@`, and with `#` in place of long numbers, which are random.
fn without_instances(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while at < name.len() {
        let digits = |from: usize| name[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let after = if name[at] == b'@' { digits(at + 1) } else { 0 };
        let run = digits(at);
        if after > 0 {
            at += 1 + after;
        } else if run >= LONG {
            out.push(b'#');
            at += run;
        } else {
            out.extend(&name[at..at + run.max(1)]);
            at += run.max(1);
        }
    }
    out
}

/// The number of digits from which on a number is taken for random.
const LONG: usize = 9;

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
