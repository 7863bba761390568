//! Prints the report for people: the races worth reading, each with its evidence, then the counts.
//!
//! One race of each group is shown, in the order of reading. The summary comes last, where it stays
//! visible in a terminal. All text from the trace passes through [`printable`].

mod excerpt;

use std::fmt::Write;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet};

use crate::model::{RaceEntry, Report, SourceEntry};
use crate::name::{printable, printable_message};
use crate::phrase::{self, Wording, count};
use crate::standing::Problem;
use excerpt::Excerpt;

/// A source of files for excerpts. This crate opens none itself.
pub trait SourceFiles {
    /// Returns the text of `file`, by its name in the trace, if it may be shown.
    fn get(&self, file: &str) -> Option<String>;
}

/// The options of the text format.
pub struct TextOptions<'a> {
    /// The source files for excerpts.
    pub sources: &'a dyn SourceFiles,
    /// The largest number of groups that are shown in full.
    pub groups: usize,
    /// Whether to use colours.
    pub styled: bool,
    /// The command that explains a pair of operations, up to their numbers, such as `interloper
    /// order shop.ilt`. `None` if there is no file to name. If the report is on several recordings,
    /// the command names none: the file of each race follows it.
    pub order_command: Option<&'a str>,
}

/// Returns the report as text.
pub fn render(report: &Report, options: &TextOptions<'_>) -> String {
    let mut out = String::new();
    let open = report.open_problems();
    if let Some(evidence) = phrase::evidence_of_replays(report) {
        let _ = writeln!(out, "{evidence}\n");
    }
    for problem in open.iter().take(options.groups) {
        let others = phrase::others(report, problem);
        out.push_str(&render_race(problem.lead, others, Wording::of(report), options));
        out.push_str("\n\n");
    }
    if open.len() > options.groups {
        let more = phrase::left_out(open.len() - options.groups);
        let _ = writeln!(out, "… and {more}; --limit 0 shows all.\n");
    }
    if let Some(robustness) = &report.robustness {
        out.push_str(&robustness.text());
        out.push('\n');
    }
    write_summary(&mut out, report, &open);
    out
}

fn render_race(
    race: &RaceEntry,
    others: Option<String>,
    wording: Wording,
    options: &TextOptions<'_>,
) -> String {
    let side = |access| phrase::access_in_full(access, wording);
    let mut group = Level::WARNING
        .with_name("race")
        .primary_title(phrase::title(race))
        .id(&*race.class)
        .elements(excerpts(race, options.sources))
        .element(Level::NOTE.with_name("first").message(side(&race.first)))
        .element(Level::NOTE.with_name("second").message(side(&race.second)))
        .element(Level::NOTE.with_name("why").message(phrase::sentence(&race.why)));
    if let Some((name, lines)) = phrase::replay(race) {
        group = group.element(Level::NOTE.with_name(name).message(lines));
    }
    for hint in &race.hints {
        group = group.element(Level::NOTE.with_name("hint").message(phrase::hint(hint)));
    }
    group = group.element(Level::NOTE.with_name("rank").message(phrase::rank(race)));
    if let Some(others) = others {
        group = group.element(Level::NOTE.with_name("also").message(others));
    }
    if let Some(command) = options.order_command {
        let of = race.recording.as_deref().map(|file| format!(" {}", printable(file)));
        let (command, of) = (printable(command), of.unwrap_or_default());
        let command = format!("{command}{of} {} {}", race.first.op, race.second.op);
        group = group.element(Level::NOTE.with_name("order").message(command));
    }
    let renderer = if options.styled { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).render(&[group])
}

/// Returns the source lines of both accesses, as one snippet for each file.
fn excerpts(
    race: &RaceEntry,
    sources: &dyn SourceFiles,
) -> Vec<Snippet<'static, Annotation<'static>>> {
    let mut snippets: Vec<(String, Excerpt, Vec<Annotation<'static>>)> = Vec::new();
    let sides = [(&race.first, "first"), (&race.second, "second")];
    let places: Vec<&SourceEntry> = sides.iter().filter_map(|(it, _)| it.source.as_ref()).collect();
    for (access, label) in sides {
        let Some(source) = &access.source else { continue };
        let kind =
            if snippets.is_empty() { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = format!("{label}: this {}", access.kind);
        if let Some((_, excerpt, annotations)) =
            snippets.iter_mut().find(|(file, ..)| *file == source.file)
        {
            let span = excerpt.span(source);
            annotations.extend(span.map(|span| kind.span(span).label(label)));
            continue;
        }
        let Some(content) = sources.get(&source.file) else { continue };
        let wanted = places.iter().filter(|place| place.file == source.file);
        let Some(excerpt) = Excerpt::new(&content, wanted.copied()) else { continue };
        let Some(span) = excerpt.span(source) else { continue };
        let annotations = vec![kind.span(span).label(label)];
        snippets.push((source.file.clone(), excerpt, annotations));
    }
    snippets
        .into_iter()
        .map(|(file, excerpt, annotations)| {
            Snippet::source(excerpt.text)
                .line_start(excerpt.first + 1)
                .path(printable(&file))
                .annotations(annotations)
        })
        .collect()
}

fn write_summary(out: &mut String, report: &Report, open: &[Problem<'_>]) {
    let s = &report.summary;
    for diagnostic in report.diagnostics.iter().filter(|d| d.severity != "info") {
        let _ = writeln!(
            out,
            "{}: {} at {}: {}",
            printable(&diagnostic.severity),
            printable(&diagnostic.code),
            printable(&diagnostic.at),
            printable_message(&diagnostic.message)
        );
    }
    let infos = report.diagnostics.iter().filter(|d| d.severity == "info").count();
    if infos > 0 {
        let _ = writeln!(out, "{} about the trace: see --format json.", count(infos, "note"));
    }
    for line in phrase::upkeep(report) {
        let _ = writeln!(out, "warning: {line}.");
    }
    if let Some(caveat) = report.caveat() {
        let _ = writeln!(out, "{}: {}", caveat.level(), caveat.statement);
    }
    let _ = writeln!(out, "{}", phrase::conclusion(report, open));
    let aside = phrase::set_aside(report);
    if !aside.is_empty() {
        let _ = writeln!(out, "Set aside: {}.", aside.join("; "));
    }
    if !s.classes.is_empty() {
        let classes: Vec<String> =
            s.classes.iter().map(|(class, n)| format!("{class} {n}")).collect();
        let _ = writeln!(out, "Locations by class: {}.", classes.join(", "));
    }
    if let Some(levels) = &s.levels {
        let levels: Vec<String> = levels.iter().map(|(level, n)| format!("{level}: {n}")).collect();
        let _ = writeln!(out, "Locations at a filter level or above: {}.", levels.join(", "));
    }
    let _ = writeln!(
        out,
        "{}, {}, {} under model {}.",
        count(report.trace.operations, "operation"),
        count(report.trace.events, "event"),
        count(report.trace.threads, "thread"),
        report.model
    );
}
