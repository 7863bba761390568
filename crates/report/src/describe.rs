//! Descriptions of single operations, events and races, for views that show more than a report does.
//!
//! All text is printable: one line, of bounded length, without control characters.

use order::{Miss, Model, Premise};
use trace::{EventId, OpId, Trace};

use crate::entries;
use crate::event::{Platform, noun};
use crate::model::{AccessEntry, RaceEntry, Report, SourceEntry};
use crate::name::printable;
use crate::phrase::{self, Wording};

/// Returns the noun phrase for an event, such as "the click on `button#buy`".
pub fn event(trace: &Trace, model: &Model, event: EventId) -> String {
    let platform = if model.in_browser { Platform::Page } else { Platform::Other };
    let kind = entries::event_type(trace, event);
    noun(
        platform,
        kind.as_deref().map(printable).as_deref(),
        &printable(&entries::event_name(trace, event)),
    )
}

/// Returns the name of an event: the one that its `begin` states, else the message's.
pub fn event_name(trace: &Trace, event: EventId) -> String {
    printable(&entries::event_name(trace, event))
}

/// Returns the type of an event, if its `begin` states one.
pub fn event_type(trace: &Trace, event: EventId) -> Option<String> {
    entries::event_type(trace, event).map(|kind| printable(&kind))
}

/// Returns the value that an access read or wrote, if the trace states it.
pub fn value(trace: &Trace, access: OpId) -> Option<String> {
    entries::value_of(trace, access).map(|value| printable(&value))
}

/// Returns the position of an operation in the source, if the trace states it.
pub fn position(trace: &Trace, op: OpId) -> Option<SourceEntry> {
    entries::source_of(trace, op)
}

/// Returns the title of a race, in a sentence without a full stop.
pub fn title(race: &RaceEntry) -> String {
    crate::event::capitalised(&phrase::one_line(&phrase::title(race)))
}

/// Describes an access and the event in which it runs.
pub fn access(report: &Report, access: &AccessEntry) -> String {
    phrase::access(access, Wording::of(report))
}

/// Describes the posts and forks that led to an access, nearest first.
pub fn causes(report: &Report, access: &AccessEntry) -> Vec<String> {
    let wording = Wording::of(report);
    access.causes.iter().map(|cause| phrase::cause(cause, wording)).collect()
}

/// Returns the sentence that concludes a report.
pub fn conclusion(report: &Report) -> String {
    phrase::conclusion(report, &report.open_problems())
}

/// Returns the reasons why races are not open, each with the number of races.
pub fn set_aside(report: &Report) -> Vec<String> {
    phrase::set_aside(report)
}

/// Says which premise of a rule fails, as in "would order them if both ran on one thread.". The rule's
/// name goes before it.
pub fn miss(trace: &Trace, miss: &Miss) -> String {
    let number = |op: OpId| trace.number(op);
    match miss.premise {
        Premise::Before(x, y) => {
            let (x, y) = (number(x), number(y));
            format!("would order them if operation {x} happened before operation {y}.")
        }
        Premise::Holds(statement, None) => format!("would order them if {statement}."),
        Premise::Holds(statement, Some((x, y))) if x == y => {
            format!("would order them if {statement} (operation {}).", number(x))
        }
        Premise::Holds(statement, Some((x, y))) => {
            format!("would order them if {statement} (operations {} and {}).", number(x), number(y))
        }
    }
}
