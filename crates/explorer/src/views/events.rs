//! Events: all of them in columns, for the timeline and the list, and one with what belongs to it.

use std::collections::HashMap;
use std::time::Duration;

use report::describe;
use report::model::{RaceEntry, SourceEntry};
use serde::Serialize;
use trace::{EventId, Id, Op, Trace};

use crate::columns::Columns;
use crate::session::{Analysed, Run};
use crate::views::lanes::Lanes;

/// The value of a column where an event has none.
const NONE: u32 = u32::MAX;

/// Strings by number, each once.
#[derive(Default)]
struct Strings {
    numbers: HashMap<String, u32>,
    strings: Vec<String>,
}

impl Strings {
    fn number(&mut self, text: String) -> u32 {
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.strings.push(text.clone());
            (self.strings.len() - 1) as u32
        })
    }
}

/// Returns the events that have begun, in the order of their begins: a table with the columns `event`, `begin`,
/// `end`, `lane`, `type`, `name`, `head` and, if there are times, `at` in milliseconds.
pub(crate) fn table(run: &Analysed) -> Vec<u8> {
    let trace = run.trace();
    let lanes = Lanes::new(run);
    let mut begun: Vec<_> =
        trace.events().filter_map(|(id, event)| Some((event.begin?, id, event.end))).collect();
    begun.sort_unstable();
    let (mut kinds, mut names) = (Strings::default(), Strings::default());
    let kind_of = |kinds: &mut Strings, event| {
        describe::event_type(trace, event).map_or(NONE, |kind| kinds.number(kind))
    };
    let kind: Vec<u32> = begun.iter().map(|&(_, id, _)| kind_of(&mut kinds, id)).collect();
    let name: Vec<u32> =
        begun.iter().map(|&(_, id, _)| names.number(describe::event_name(trace, id))).collect();
    let mut table = Columns::default();
    table.field("lanes", &lanes.lanes);
    table.field("types", &kinds.strings);
    table.field("names", &names.strings);
    let rows = || begun.iter().copied();
    table.u32s("event", rows().map(|(_, id, _)| id.0));
    table.u32s("begin", rows().map(|(begin, ..)| trace.number(begin)));
    let end = |end: Option<_>| end.map_or(trace.end() as u32, |end| trace.number(end));
    table.u32s("end", rows().map(|(.., last)| end(last)));
    table.u32s("lane", rows().map(|(_, id, _)| lanes.of(id)));
    table.u32s("type", kind.into_iter());
    table.u32s("name", name.into_iter());
    let head = |id| run.tasks().map_or(id, |tasks| tasks.head(id)).0;
    table.u32s("head", rows().map(|(_, id, _)| head(id)));
    let at = |begin| trace.attributes(begin).at;
    if rows().any(|(begin, ..)| at(begin).is_some()) {
        let milliseconds = |at: u64| Duration::from_nanos(at).as_secs_f64() * 1e3;
        table.f64s("at", rows().map(|(begin, ..)| at(begin).map_or(f64::NAN, milliseconds)));
    }
    table.finish()
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
        races: races(run, trace, id),
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

/// Returns the races with an access in an event.
fn races(run: &Run, trace: &Trace, event: EventId) -> Vec<RaceLink> {
    let is_in = |op: u32| trace.numbered(op).and_then(|op| trace.event_of(op)) == Some(event);
    let races =
        run.report.races.iter().filter(|race| is_in(race.first.op) || is_in(race.second.op));
    races.take(MOST).map(|race| RaceLink::new(run, race)).collect()
}
