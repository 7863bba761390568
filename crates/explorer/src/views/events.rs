//! Events: all of them in columns, for the timeline and the list, and one with what belongs to it.

use std::collections::HashMap;

use report::describe;
use report::model::{RaceEntry, SourceEntry};
use serde::Serialize;
use trace::{EventId, Id, Op, OpId, TextId, Trace};

use crate::columns::{Columns, NONE, Numbered};
use crate::session::{Analysed, Run};

/// Returns the events that have begun, in the order of their begins: a table with the columns `event`, `begin`,
/// `end`, `lane`, `type`, `name`, `head` and, if there are times, `at` in nanoseconds. The columns `type` and `name`
/// are numbers in `types` and `names`.
pub(crate) fn table(run: &Analysed) -> Vec<u8> {
    let trace = run.trace();
    let lanes = run.lanes();
    let mut begun: Vec<_> =
        trace.events().filter_map(|(id, event)| Some((event.begin?, id, event.end))).collect();
    begun.sort_unstable();
    let mut names = Words::default();
    let name: Vec<u32> = begun.iter().map(|&(begin, id, _)| names.name(trace, begin, id)).collect();
    let kind: Vec<u32> = begun.iter().map(|&(begin, ..)| names.kind(trace, begin)).collect();
    let mut table = Columns::default();
    table.field("lanes", &lanes.lanes);
    table.field("types", names.kinds.values());
    table.texts("names", names.names.values().iter().map(String::as_str));
    let rows = || begun.iter().copied();
    table.steps("event", rows().map(|(_, id, _)| id.0));
    table.steps("begin", rows().map(|(begin, ..)| trace.number(begin)));
    let end = |end: Option<_>| end.map_or(trace.end() as u32, |end| trace.number(end));
    table.steps("end", rows().map(|(.., last)| end(last)));
    table.u32s("lane", rows().map(|(_, id, _)| lanes.of(id)));
    table.u32s("type", kind.into_iter());
    table.u32s("name", name.into_iter());
    let head = |id| run.tasks().map_or(id, |tasks| tasks.head(id)).0;
    table.steps("head", rows().map(|(_, id, _)| head(id)));
    let at = |begin| trace.attributes(begin).at;
    if rows().any(|(begin, ..)| at(begin).is_some()) {
        table.times("at", rows().map(|(begin, ..)| at(begin)));
    }
    table.finish()
}

/// The names and types of events by number. What the trace states with one text is printed once.
#[derive(Default)]
struct Words {
    names: Numbered<String>,
    kinds: Numbered<String>,
    of_text: HashMap<TextId, u32>,
    kind_of_text: HashMap<TextId, u32>,
}

impl Words {
    fn name(&mut self, trace: &Trace, begin: OpId, event: EventId) -> u32 {
        let names = &mut self.names;
        let mut number = || names.number(describe::event_name(trace, event));
        match trace.attributes(begin).event_name {
            Some(text) => *self.of_text.entry(text).or_insert_with(number),
            None => number(),
        }
    }

    fn kind(&mut self, trace: &Trace, begin: OpId) -> u32 {
        let Some(text) = trace.attributes(begin).event_type else { return NONE };
        let kinds = &mut self.kinds;
        *self
            .kind_of_text
            .entry(text)
            .or_insert_with(|| kinds.number(report::name::text(trace.text(text))))
    }
}

/// One event.
#[derive(Serialize)]
pub(crate) struct EventView {
    event: u32,
    noun: String,
    of_type: Option<String>,
    thread: Option<String>,
    begin: Option<u32>,
    end: Option<u32>,
    at: Option<u64>,
    /// The post, and the event that contains it.
    post: Option<Link>,
    /// The events that it posted and that have begun, a few of them.
    posts: Vec<Link>,
    reads: usize,
    writes: usize,
    /// The races with an access in it.
    races: Vec<RaceLink>,
}

/// An event at the other end of a post.
#[derive(Serialize)]
struct Link {
    event: Option<u32>,
    op: u32,
    text: String,
    source: Option<SourceEntry>,
}

/// A race, in short.
#[derive(Serialize)]
pub(crate) struct RaceLink {
    fingerprint: String,
    nth: usize,
    location: String,
    standing: &'static str,
}

impl RaceLink {
    pub(crate) fn new(run: &Run, race: &RaceEntry) -> Self {
        Self {
            fingerprint: race.fingerprint.clone(),
            nth: run.nth(race),
            location: race.location.clone(),
            standing: race.standing().name(),
        }
    }
}

/// The largest number of posts or races of an answer.
const MOST: usize = 200;

/// Returns the view of an event.
pub(crate) fn one(run: &Run, analysed: &Analysed, number: u32) -> Option<EventView> {
    let trace = analysed.trace();
    let id = EventId(number);
    if id.index() >= trace.events().len() {
        return None;
    }
    let event = trace.event(id);
    let (begin, end) = (event.begin, event.end);
    let within = |op| trace.event_of(op) == Some(id);
    let last = end.map_or(trace.len(), |end| end.index() + 1);
    let ops = begin.into_iter().flat_map(|begin| (begin.index()..last).map(trace::OpId::new));
    let (mut reads, mut writes, mut posts) = (0, 0, Vec::new());
    for op in ops.filter(|&op| within(op)) {
        match trace.op(op) {
            Op::Enqueue(enqueue) if posts.len() < MOST => {
                posts.push(link(analysed, Some(enqueue.event), op));
            }
            other => match other.access() {
                Some((_, true)) => writes += 1,
                Some((_, false)) => reads += 1,
                None => {}
            },
        }
    }
    let post = event.enqueue.map(|post| link(analysed, trace.event_of(post), post));
    Some(EventView {
        event: number,
        noun: describe::event(trace, analysed.model(), id),
        of_type: describe::event_type(trace, id),
        thread: begin.map(|op| report::name::text(trace.names().threads.get(trace.thread_of(op)))),
        begin: begin.map(|op| trace.number(op)),
        end: end.map(|op| trace.number(op)),
        at: begin.and_then(|op| trace.attributes(op).at),
        post,
        posts,
        reads,
        writes,
        races: run.races_in(id).take(MOST).map(|race| RaceLink::new(run, race)).collect(),
    })
}

fn link(run: &Analysed, event: Option<EventId>, op: trace::OpId) -> Link {
    let trace = run.trace();
    let text = event.map(|event| describe::event(trace, run.model(), event));
    Link {
        event: event.map(|event| event.0),
        op: trace.number(op),
        text: text.unwrap_or_else(|| "outside events".to_owned()),
        source: describe::position(trace, op),
    }
}
