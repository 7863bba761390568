//! Prints Markdown, for comments and step summaries: the conclusion, then each group folded up.
//!
//! Text from a trace is only in code spans, in code blocks, and escaped in HTML, where Markdown
//! interprets no links, mentions or markup.

use std::fmt::Write;

use crate::escape::{code_block, code_span, markup_in_markdown};
use crate::model::{RaceEntry, Report};
use crate::name::printable;
use crate::phrase::{self, Wording};
use crate::standing::Problem;

/// Returns the report as Markdown, with at most `groups` groups.
pub fn render(report: &Report, groups: usize) -> String {
    let open = report.open_problems();
    let mut out = format!("## Interloper\n\n{}\n\n", phrase::conclusion(report, &open));
    if let Some(evidence) = phrase::evidence_of_replays(report) {
        let _ = writeln!(out, "{evidence}\n");
    }
    if let Some(caveat) = report.caveat() {
        let level = if caveat.is_error { "Error" } else { "Warning" };
        let detail = code_span(&caveat.detail);
        let _ = writeln!(out, "**{level}:** {} {detail}\n", caveat.statement);
    }
    for problem in open.iter().take(groups) {
        write_problem(&mut out, report, problem);
    }
    if open.len() > groups {
        let more = phrase::left_out(open.len() - groups);
        let _ = writeln!(out, "… and {more}; `--limit 0` shows all.\n");
    }
    let aside = phrase::set_aside(report);
    if !aside.is_empty() {
        let _ = writeln!(out, "Set aside: {}.\n", aside.join("; "));
    }
    for line in phrase::upkeep(report) {
        let _ = writeln!(out, "- **Warning:** {}", code_span(&line));
    }
    if let Some(baseline) = &report.baseline {
        for race in &baseline.gone {
            let _ = writeln!(out, "- Gone: {}", code_span(&printable(&race.title)));
        }
    }
    let _ = writeln!(
        out,
        "\n<sub>{}, {}, {} under model {}.</sub>",
        phrase::count(report.trace.operations, "operation"),
        phrase::count(report.trace.events, "event"),
        phrase::count(report.trace.threads, "thread"),
        markup_in_markdown(&printable(&report.model))
    );
    out
}

/// Returns one race as Markdown: its title, what the report shows of it, and the command that explains its order.
pub fn race(report: &Report, race: &RaceEntry, order_command: &str) -> String {
    let title = code_span(&phrase::one_line(&phrase::title(race)));
    let mut out =
        format!("**{title}**\n\n{}", code_block(&phrase::evidence(race, Wording::of(report))));
    for hint in &race.hints {
        let (kind, message) =
            (code_span(&printable(&hint.kind)), code_span(&printable(&hint.message)));
        let _ = writeln!(out, "- hint {kind}: {message}");
    }
    let _ = writeln!(out, "- fingerprint {}", code_span(&printable(&race.fingerprint)));
    let _ = writeln!(out, "- {}", code_span(&printable(order_command)));
    out
}

fn write_problem(out: &mut String, report: &Report, problem: &Problem<'_>) {
    let race = problem.lead;
    let title = markup_in_markdown(&phrase::title(race));
    let class = markup_in_markdown(&printable(&race.class));
    let _ = writeln!(
        out,
        "<details>\n<summary><b>{class}</b>: <code>{title}</code></summary>\n\n{}",
        code_block(&phrase::evidence(race, Wording::of(report)))
    );
    let mut facts = vec![format!("fingerprint {}", code_span(&printable(&race.fingerprint)))];
    facts.extend(race.labels.iter().map(|label| format!("label {}", code_span(&printable(label)))));
    facts.extend(phrase::others(report, problem));
    let _ = writeln!(out, "{}\n\n</details>\n", facts.join(" · "));
}
