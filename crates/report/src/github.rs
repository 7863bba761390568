//! GitHub annotations: workflow commands that show races beside the lines of a pull request.
//!
//! GitHub shows ten annotations of a kind for each step of a workflow and silently drops the rest.
//! At most ten are printed, and then one notice with the total. If the input is incomplete, a
//! separate annotation states that first.

use std::fmt::Write;

use crate::escape::{command_data, command_property};
use crate::model::{Report, SourceEntry};
use crate::name::printable;
use crate::phrase::{self, Wording};
use crate::standing::Problem;

/// The largest number of groups that get an annotation.
const ANNOTATIONS: usize = 10;

/// Returns the report as workflow commands.
pub fn render(report: &Report) -> String {
    let open = report.open_problems();
    let mut out = String::new();
    if let Some(caveat) = report.caveat() {
        let message = command_data(&format!("{}\n{}", caveat.statement, caveat.detail));
        let _ = writeln!(out, "::{} title=incomplete input::{message}", caveat.level());
    }
    for problem in open.iter().take(ANNOTATIONS) {
        write_annotation(&mut out, problem, Wording::of(report));
    }
    let mut notice: Vec<String> = phrase::evidence_of_replays(report).into_iter().collect();
    notice.push(phrase::conclusion(report, &open));
    if open.len() > ANNOTATIONS {
        notice.push(format!("The first {ANNOTATIONS} are annotated."));
    }
    let aside = phrase::set_aside(report);
    if !aside.is_empty() {
        notice.push(format!("Set aside: {}.", aside.join("; ")));
    }
    notice.extend(phrase::upkeep(report).into_iter().map(|line| format!("Warning: {line}.")));
    let _ = writeln!(out, "::notice title=interloper::{}", command_data(&notice.join("\n")));
    out
}

fn write_annotation(out: &mut String, problem: &Problem<'_>, wording: Wording) {
    let race = problem.lead;
    let level = if race.is_likely_harmful() { "error" } else { "warning" };
    let source = race.first.source.as_ref().or(race.second.source.as_ref());
    let place = source.map_or_else(String::new, place);
    let title = command_property(&format!("{} race", printable(&race.class)));
    let message = format!("{}\n{}", phrase::title(race), phrase::evidence(race, wording));
    let _ = writeln!(out, "::{level} {place}title={title}::{}", command_data(message.trim_end()));
}

fn place(source: &SourceEntry) -> String {
    let mut place = format!("file={},", command_property(&printable(&source.file)));
    if source.line > 0 {
        let _ = write!(place, "line={},", source.line);
        if let Some(column) = source.column.filter(|&column| column > 0) {
            let _ = write!(place, "col={column},");
        }
    }
    place
}
