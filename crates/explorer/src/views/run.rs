//! A run as a whole.

use report::describe;
use report::model::{DiagnosticEntry, Summary, TraceInfo};
use serde::Serialize;
use trace::Trace;

use crate::session::{Run, Session};
use crate::views::lanes::Lane;

/// One of the runs of a session.
#[derive(Serialize)]
pub(crate) struct Listed<'a> {
    id: usize,
    name: &'a str,
    state: &'static str,
    error: Option<String>,
}

/// Returns the runs of a session.
pub(crate) fn list(session: &Session) -> Vec<Listed<'_>> {
    let names = session.names().iter().enumerate();
    names
        .map(|(id, name)| {
            let (state, error) = session.state(id);
            Listed { id, name, state, error }
        })
        .collect()
}

/// A run.
#[derive(Serialize)]
pub(crate) struct RunView<'a> {
    name: &'a str,
    model: &'a str,
    engine: &'a str,
    rules: Vec<&'a str>,
    trace: &'a TraceInfo,
    summary: &'a Summary,
    conclusion: String,
    set_aside: Vec<String>,
    caveat: Option<String>,
    diagnostics: &'a [DiagnosticEntry],
    /// Whether the trace is there, and not only a report on it.
    has_trace: bool,
    /// Whether operations have times.
    has_clock: bool,
    /// One past the number of the last operation.
    end: u64,
    lanes: &'a [Lane],
    /// The operations before which there is a picture of the page, by number.
    pictures: Vec<u64>,
    order_command: String,
    explore_command: String,
}

/// Returns the view of a run.
pub(crate) fn view<'a>(session: &'a Session, run: &'a Run, id: usize) -> RunView<'a> {
    let report = &run.report;
    RunView {
        name: &session.names()[id],
        model: &report.model,
        engine: &report.engine,
        rules: report.rules.iter().map(|rule| &**rule).collect(),
        trace: &report.trace,
        summary: &report.summary,
        conclusion: describe::conclusion(report),
        set_aside: describe::set_aside(report),
        caveat: report.caveat().map(|caveat| format!("{} {}", caveat.statement, caveat.detail)),
        diagnostics: &report.diagnostics,
        has_trace: run.trace().is_some(),
        has_clock: run.trace().is_some_and(has_clock),
        end: run.trace().map_or(report.trace.operations as u64, Trace::end),
        lanes: run.analysed().map_or(&[], |run| &run.lanes().lanes),
        pictures: run.pictures().iter().map(|picture| picture.operation).collect(),
        order_command: session.command("order", id),
        explore_command: session.command("explore", id),
    }
}

/// Returns whether the begins of events have times.
fn has_clock(trace: &Trace) -> bool {
    let mut begins = trace.events().filter_map(|(_, event)| event.begin);
    begins.any(|begin| trace.attributes(begin).at.is_some())
}
