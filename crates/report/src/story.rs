//! The story of a race: what is certain, what nothing decides, and how it may end.
//!
//! What is certain follows from happens-before: each of the two accesses comes after what led to it, and
//! sometimes the causes of one come before the causes of the other. What is free is the explanation of the
//! report. The two ends are the values that stay or that the read sees, in this run and in the other order;
//! a value that the trace does not show is unknown, never guessed.

use order::{Explanation, HappensBefore, Step};
use serde::Serialize;
use trace::{Op, OpId, Trace};

use crate::entries;
use crate::event::capitalised;
use crate::model::{AccessEntry, CauseEntry, RaceEntry, Report};
use crate::name::printable;
use crate::phrase::{self, Wording};

/// The story of one race.
#[derive(Debug, Serialize)]
pub struct Story {
    /// What must be so, in the order in which it happens.
    pub certain: Vec<Certain>,
    /// What nothing decides, in sentences.
    pub free: String,
    /// How it ends in this run, and how in the other order.
    pub ends: [End; 2],
    /// The number of a later write of the location that comes after both accesses in every order.
    pub later_write: Option<u32>,
}

/// Something that happens-before guarantees.
#[derive(Debug, Serialize)]
pub struct Certain {
    /// A sentence.
    pub text: String,
    /// The rules that guarantee it, each once.
    pub rules: Vec<&'static str>,
    /// The two operations that the rules order, by number.
    pub ops: [u32; 2],
}

/// How a race ends in one of the two orders.
#[derive(Debug, Serialize)]
pub struct End {
    /// Whether the trace shows this order.
    pub recorded: bool,
    /// The number of the access that comes first in this order: 1 or 2.
    pub first: u8,
    /// The value that stays, or that the read sees; none if the trace does not show it.
    pub value: Option<String>,
    /// What the value is, in a few words.
    pub what: &'static str,
}

/// An order that can be asked for explanations.
pub trait Explains {
    /// Returns how two operations, given by number, relate.
    fn explain(&self, a: u32, b: u32) -> Option<Explanation>;
}

impl Story {
    /// Returns the story of a race of `report`, which is on a trace. The accesses of the race's location are given
    /// in the order of the trace.
    pub fn new(
        report: &Report,
        race: &RaceEntry,
        (trace, accesses): (&Trace, &[OpId]),
        order: Option<(&dyn HappensBefore, &dyn Explains)>,
    ) -> Self {
        let wording = Wording::of(report);
        let certain = order.map(|(_, order)| certain(race, wording, trace, order));
        Self {
            certain: certain.unwrap_or_default(),
            free: race.why.clone(),
            ends: ends(race, trace, accesses),
            later_write: order.and_then(|(order, _)| later_write(race, trace, accesses, order)),
        }
    }
}

/// Returns the nearest cause of an access whose post or fork the trace contains.
fn posted(access: &AccessEntry) -> Option<(&CauseEntry, u32)> {
    access.causes.iter().find_map(|cause| Some((cause, cause.op?)))
}

fn certain(
    race: &RaceEntry,
    wording: Wording,
    trace: &Trace,
    order: &dyn Explains,
) -> Vec<Certain> {
    let mut found = Vec::new();
    let sides = [&race.first, &race.second];
    if let [Some((a, post_a)), Some((b, post_b))] = sides.map(posted)
        && let Some((earlier, later, steps)) = match order.explain(post_a, post_b) {
            Some(Explanation::Before(steps)) => Some(((a, post_a), (b, post_b), steps)),
            Some(Explanation::After(steps)) => Some(((b, post_b), (a, post_a), steps)),
            _ => None,
        }
    {
        let ((first, _), (second, _)) =
            (phrase::ends_of(earlier.0, wording), phrase::ends_of(later.0, wording));
        let (verb_first, verb_second) =
            (phrase::verb(earlier.0, wording), phrase::verb(later.0, wording));
        let text = if verb_first == verb_second {
            format!("{first} is {verb_first} before {second}.")
        } else {
            format!("{first} is {verb_first} before {second} is {verb_second}.")
        };
        found.push(Certain {
            text: capitalised(&text),
            rules: rules(&steps),
            ops: [earlier.1, later.1],
        });
    }
    for access in sides {
        let Some((cause, post)) = posted(access) else { continue };
        let (of, Some(within)) = phrase::ends_of(cause, wording) else { continue };
        let Some(begin) = begin(trace, access.op) else { continue };
        let Some(Explanation::Before(steps)) = order.explain(post, begin) else { continue };
        if of == within {
            continue;
        }
        let text = format!("{of} comes after {within}.");
        found.push(Certain { text: capitalised(&text), rules: rules(&steps), ops: [post, begin] });
    }
    found.sort_by_key(|certain| certain.ops);
    found.dedup_by(|a, b| a.text == b.text);
    found
}

/// Returns the number of the first operation of the event in which an operation runs.
fn begin(trace: &Trace, number: u32) -> Option<u32> {
    let op = trace.numbered(number)?;
    let event = trace.event_of(op)?;
    trace.event(event).begin.map(|begin| trace.number(begin))
}

/// Returns the rules of a path, each once.
fn rules(steps: &[Step]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for step in steps {
        if !step.rule.is_program_order() && !names.contains(&step.rule.name) {
            names.push(step.rule.name);
        }
    }
    names
}

fn ends(race: &RaceEntry, trace: &Trace, accesses: &[OpId]) -> [End; 2] {
    let value = |access: &AccessEntry| access.value.as_deref().map(printable);
    let (first, second) = (&race.first, &race.second);
    let (this_run, other, what) = match (&*first.kind, &*second.kind) {
        ("write", "write") => (value(second), value(first), "stays"),
        ("write", _) => (value(second), before(trace, accesses, first.op), "is read"),
        _ => (value(first), value(second), "is read"),
    };
    [
        End { recorded: true, first: 1, value: this_run, what },
        End { recorded: false, first: 2, value: other, what },
    ]
}

/// Returns the value of the last write among `accesses` before one of them in the trace.
fn before(trace: &Trace, accesses: &[OpId], number: u32) -> Option<String> {
    let op = trace.numbered(number)?;
    let earlier = &accesses[..accesses.partition_point(|&other| other < op)];
    let &write = earlier.iter().rev().find(|&&op| matches!(trace.op(op), Op::Write(_)))?;
    entries::value_of(trace, write).map(|value| printable(&value))
}

/// The largest number of later writes that are compared with both accesses.
const LATER: usize = 1000;

/// Returns the first write among `accesses` that comes after both accesses of a race in every order.
fn later_write(
    race: &RaceEntry,
    trace: &Trace,
    accesses: &[OpId],
    order: &dyn HappensBefore,
) -> Option<u32> {
    let (first, second) = (trace.numbered(race.first.op)?, trace.numbered(race.second.op)?);
    let last = first.max(second);
    let later = &accesses[accesses.partition_point(|&op| op <= last)..];
    let writes = later.iter().filter(|&&op| matches!(trace.op(op), Op::Write(_)));
    let mut writes = writes.take(LATER);
    writes
        .find(|&&op| order.before(first, op) && order.before(second, op))
        .map(|&op| trace.number(op))
}
