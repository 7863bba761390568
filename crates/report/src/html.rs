//! Prints the report as one HTML file that needs nothing else: no script, no network, readable from
//! `file://`.
//!
//! The page's content security policy forbids everything but its own style. All text passes through
//! `name` or `line`. Names are in isolated elements, so that their direction of writing ends with
//! them. Every group has the anchors `#group-ID` and `#race-FINGERPRINT`.

use std::fmt::Write;

use crate::escape::markup;
use crate::glossary::meaning;
use crate::model::{AccessEntry, CauseEntry, RaceEntry, Report, SourceEntry};
use crate::name::printable;
use crate::phrase::{self, Wording, count};
use crate::standing::Problem;

/// The largest number of groups that a page shows. A page with more is slow to open.
const GROUPS: usize = 500;

/// The largest number of further races of a group that are listed.
const OTHERS: usize = 20;

const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("html.css");

/// A page that replaces the static report when its script starts.
pub struct Application<'a> {
    /// The content security policy. It names the script and all styles by their hashes.
    pub policy: &'a str,
    /// How many groups the static report shows.
    pub groups: usize,
    /// The style of the application.
    pub style: &'a str,
    /// The script.
    pub script: &'a str,
    /// The data of the application, in base64.
    pub data: &'a str,
}

/// Returns the report as one HTML file: alone, or with an application that takes its place.
pub fn render(report: &Report, application: Option<&Application<'_>>) -> String {
    let (policy, most) = application.map_or((POLICY, GROUPS), |app| (app.policy, app.groups));
    let problems = report.problems();
    let open = report.open_problems();
    let conclusion = line(&phrase::conclusion(report, &open));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Interloper: {conclusion}</title>\n<style id=\"static\">{STYLE}</style>\n"
    );
    if let Some(Application { style, .. }) = application {
        // The style applies when the script has started.
        let _ = writeln!(out, "<style id=\"style\" media=\"not all\">{style}</style>");
    }
    out.push_str("</head>\n<body>\n<div id=\"app\">\n");
    write_header(&mut out, report, &conclusion);
    out.push_str("<div class=\"page\">\n");
    write_contents(&mut out, &open[..open.len().min(most)]);
    out.push_str("<main>\n");
    for problem in open.iter().take(most) {
        write_problem(&mut out, report, problem);
    }
    if open.len() > most {
        let more = phrase::left_out(open.len() - most);
        let _ = writeln!(out, "<p class=\"more\">The JSON report has {more}.</p>");
    }
    write_aside(&mut out, report, &problems[open.len()..]);
    write_notes(&mut out, report);
    out.push_str("</main>\n</div>\n</div>\n");
    if let Some(Application { script, data, .. }) = application {
        let _ = writeln!(out, "<script type=\"text/plain\" id=\"data\">{data}</script>");
        let _ = writeln!(out, "<script>{script}</script>");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// Escapes a name or value of the trace.
fn name(text: &str) -> String {
    format!("<code>{}</code>", markup(&printable(text)))
}

/// Escapes a line of the product that may quote the trace. Quotations in backquotes become code.
fn line(text: &str) -> String {
    let escaped = markup(&phrase::sentence(text));
    let mut rest = escaped.as_str();
    let mut out = String::new();
    while let Some((before, quoted)) = rest.split_once('`')
        && let Some((quoted, after)) = quoted.split_once('`')
    {
        let _ = write!(out, "{before}<code>{quoted}</code>");
        rest = after;
    }
    out + rest
}

fn write_header(out: &mut String, report: &Report, conclusion: &str) {
    let _ =
        write!(out, "<header>\n<h1>Interloper</h1>\n<p class=\"conclusion\">{conclusion}</p>\n");
    if let Some(caveat) = report.caveat() {
        let (level, statement) = (caveat.level(), line(&caveat.statement));
        let _ = writeln!(
            out,
            "<p class=\"caveat {level}\" role=\"alert\"><b>{level}</b>: {statement} <code>{}</code></p>",
            markup(&caveat.detail)
        );
    }
    let facts = [
        ("operations", report.trace.operations.to_string()),
        ("events", report.trace.events.to_string()),
        ("threads", report.trace.threads.to_string()),
        ("races", report.summary.races.to_string()),
        ("open", report.summary.open_races.to_string()),
        ("locations", report.summary.locations.to_string()),
        ("model", markup(&printable(&report.model))),
    ];
    out.push_str("<dl class=\"facts\">\n");
    for (what, value) in facts {
        let _ = writeln!(out, "<div><dt>{what}</dt><dd>{value}</dd></div>");
    }
    out.push_str("</dl>\n</header>\n");
}

fn write_contents(out: &mut String, open: &[Problem<'_>]) {
    out.push_str("<nav aria-label=\"Groups\">\n<h2>To read</h2>\n<ol>\n");
    for problem in open {
        let race = problem.lead;
        let _ = writeln!(
            out,
            "<li><a href=\"#group-{}\">{}<span class=\"class\">{}, {}</span></a></li>",
            problem.group.id,
            name(&race.location),
            markup(&printable(&race.class)),
            phrase::kinds(race)
        );
    }
    out.push_str(
        "</ol>\n<p><a href=\"#aside\">Set aside</a> · <a href=\"#notes\">Notes</a></p>\n</nav>\n",
    );
}

fn write_problem(out: &mut String, report: &Report, problem: &Problem<'_>) {
    let race = problem.lead;
    let fingerprint = markup(&printable(&race.fingerprint));
    let title = if race.headline.is_empty() {
        format!("{} of {} may come in either order", phrase::kinds(race), name(&race.location))
    } else {
        line(&race.headline)
    };
    let _ = write!(
        out,
        "<article id=\"group-{}\">\n<header>\n<h2 id=\"race-{fingerprint}\">{title}</h2>\n\
         <p class=\"tags\">",
        problem.group.id,
    );
    out.push_str(&tag("class", &race.class));
    for label in &race.labels {
        out.push_str(&tag(if race.is_likely_harmful() { "harmful" } else { "label" }, label));
    }
    if race.baseline.as_deref() == Some("new") {
        out.push_str("<span class=\"tag new\">new</span>");
    }
    let _ = write!(
        out,
        "<a class=\"fingerprint\" href=\"#race-{fingerprint}\" title=\"Stays equal between \
         recordings\">{fingerprint}</a></p>\n</header>\n<p class=\"why\">{}</p>\n",
        line(&race.why)
    );
    for hint in &race.hints {
        let _ = writeln!(
            out,
            "<p class=\"hint\">{} {}</p>",
            tag("kind", &hint.kind),
            line(&hint.message)
        );
    }
    out.push_str("<div class=\"sides\">\n");
    let wording = Wording::of(report);
    write_access(out, "First", &race.first, wording);
    write_access(out, "Second", &race.second, wording);
    out.push_str("</div>\n");
    let _ = writeln!(out, "<p class=\"rank\">Rank {}</p>", markup(&phrase::rank(race)));
    write_others(out, report, problem);
    out.push_str("</article>\n");
}

/// Returns a class, label or hint, with its meaning as a tooltip.
fn tag(style: &str, word: &str) -> String {
    let title = meaning(word).map_or_else(String::new, |m| format!(" title=\"{}\"", markup(m)));
    format!("<span class=\"tag {style}\"{title}>{}</span>", markup(&printable(word)))
}

fn write_access(out: &mut String, which: &str, access: &AccessEntry, wording: Wording) {
    let _ = write!(
        out,
        "<section class=\"access\">\n<h3>{which}: {}</h3>\n<dl>\n",
        markup(&printable(&access.kind))
    );
    let mut row = |what: &str, value: String| {
        let _ = writeln!(out, "<div><dt>{what}</dt><dd>{value}</dd></div>");
    };
    if let Some(value) = &access.value {
        row("value", name(value));
    }
    if wording.names_threads {
        row("thread", name(&access.thread));
    }
    row("operation", access.op.to_string());
    if let Some(event) = &access.event {
        let of_type = access.event_type.as_ref().map(|t| format!(" ({})", name(t)));
        row("event", name(event) + &of_type.unwrap_or_default());
    }
    if let Some(source) = &access.source {
        row("at", position(source));
    }
    if !access.stack.is_empty() {
        row("stack", stack(access));
    }
    out.push_str("</dl>\n");
    if !access.causes.is_empty() {
        out.push_str("<h4>How it came about</h4>\n<ol class=\"chain\">\n");
        for cause in access.causes.iter().rev() {
            let _ = writeln!(out, "<li>{}</li>", cause_item(cause, wording));
        }
        let _ = writeln!(
            out,
            "<li class=\"end\">this {}</li>\n</ol>",
            markup(&printable(&access.kind))
        );
    }
    out.push_str("</section>\n");
}

fn stack(access: &AccessEntry) -> String {
    let mut out = String::from("<ol class=\"stack\">");
    for frame in &access.stack {
        let framework =
            if frame.kind.as_deref() == Some("framework") { " class=\"dim\"" } else { "" };
        let at = frame.source.as_ref().map_or_else(String::new, |s| format!(" {}", position(s)));
        let _ = write!(out, "<li{framework}>{}{at}</li>", name(&frame.function));
    }
    out + "</ol>"
}

fn position(source: &SourceEntry) -> String {
    format!("<code class=\"position\">{}</code>", markup(&phrase::position(source)))
}

fn cause_item(cause: &CauseEntry, wording: Wording) -> String {
    let mut out = line(&phrase::cause(cause, wording));
    if let Some(op) = cause.op {
        let _ = write!(out, " <span class=\"dim\">operation {op}</span>");
    }
    if let Some(source) = &cause.source {
        let _ = write!(out, " {}", position(source));
    }
    out
}

fn write_others(out: &mut String, report: &Report, problem: &Problem<'_>) {
    let Some(summary) = phrase::others(report, problem) else { return };
    let lead = problem.lead.id;
    let others = problem.group.races.len() + problem.group.left_out - 1;
    let _ = write!(out, "<details>\n<summary>{summary}</summary>\n<ul>\n");
    let listed = report.races_of(problem.group).filter(|race| race.id != lead).take(OTHERS);
    for race in listed {
        let _ = writeln!(out, "<li>{}</li>", other(race));
    }
    if others > OTHERS {
        let _ = writeln!(out, "<li>and {} more</li>", others - OTHERS);
    }
    out.push_str("</ul>\n</details>\n");
}

fn other(race: &RaceEntry) -> String {
    let excuse = race.excuse().map_or_else(String::new, |e| format!(" ({})", line(&e)));
    format!(
        "{} by operations {} and {}{excuse}",
        name(&race.location),
        race.first.op,
        race.second.op
    )
}

/// Writes the groups that are not open, one on each line.
fn write_aside(out: &mut String, report: &Report, rest: &[Problem<'_>]) {
    out.push_str("<section id=\"aside\">\n<h2>Set aside</h2>\n");
    let reasons = phrase::set_aside(report);
    if reasons.is_empty() {
        out.push_str("<p>Nothing.</p>\n");
    } else {
        let _ = writeln!(out, "<p>{}.</p>", line(&reasons.join("; ")));
    }
    if !rest.is_empty() {
        let groups = count(rest.len(), "group");
        let _ = write!(out, "<details>\n<summary>{groups} with no open race</summary>\n<ul>\n");
        for problem in rest.iter().take(GROUPS) {
            let excuse = problem.lead.excuse().unwrap_or_default();
            let kinds = phrase::kinds(problem.lead);
            let location = name(&problem.lead.location);
            let _ = writeln!(
                out,
                "<li id=\"group-{}\">{kinds} of {location}: {}</li>",
                problem.group.id,
                line(&excuse)
            );
        }
        if rest.len() > GROUPS {
            let _ = writeln!(out, "<li>and {} more</li>", rest.len() - GROUPS);
        }
        out.push_str("</ul>\n</details>\n");
    }
    out.push_str("</section>\n");
}

/// Writes the diagnostics of the trace and the notes on the suppressions and the baseline.
fn write_notes(out: &mut String, report: &Report) {
    out.push_str("<section id=\"notes\">\n<h2>Notes</h2>\n<ul>\n");
    for warning in phrase::upkeep(report) {
        let _ = writeln!(out, "<li><b>warning</b>: {}</li>", line(&warning));
    }
    for diagnostic in &report.diagnostics {
        let _ = writeln!(
            out,
            "<li><b>{}</b>: {} at {}: {}</li>",
            markup(&printable(&diagnostic.severity)),
            name(&diagnostic.code),
            markup(&printable(&diagnostic.at)),
            line(&diagnostic.message)
        );
    }
    let rules: Vec<String> = report.rules.iter().map(|rule| name(rule)).collect();
    let _ = writeln!(out, "<li>Rules that were on: {}</li>", rules.join(" "));
    out.push_str("</ul>\n</section>\n");
}
