//! `interloper robust`: checks whether concurrency can change what a program does.
//!
//! Exit status: 0 proved, 1 a violation, 3 unknown, 2 the program could not be read.

use std::path::Path;
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use anyhow::{Context, Result, bail};
use codec::Format;
use robust::lang::{self, Error};
use robust::{Criterion, Options, Report, reach, reduce};

use crate::cli::{AnswerFormat, Criteria, Emit, RobustArgs, RobustEngine};
use crate::{input, output};

pub(crate) fn run(args: &RobustArgs) -> Result<ExitCode> {
    let source = input::read_program(&args.program)?;
    let name = input::name(&args.program);
    let criteria = match args.criterion {
        Criteria::Det => vec![Criterion::Determinism],
        Criteria::Ser => vec![Criterion::Serializability],
        Criteria::Both => vec![Criterion::Determinism, Criterion::Serializability],
    };
    if let Some(emit) = args.emit {
        let [criterion] = criteria[..] else {
            bail!("--emit needs one criterion: --criterion det or --criterion ser");
        };
        return match emitted(&source, criterion, emit) {
            Ok(text) => {
                output::to(None, |out| Ok(out.write_all(text.as_bytes())?))?;
                Ok(ExitCode::SUCCESS)
            }
            Err(errors) => Ok(complain(&args.program, &source, &errors)),
        };
    }
    let engine = match args.engine {
        RobustEngine::Summaries => robust::Engine::Summaries,
        RobustEngine::Chc => robust::Engine::Chc,
        RobustEngine::Explore => robust::Engine::Explore,
    };
    let options = Options { criteria: criteria.clone(), engine, ..Options::default() };
    let report = match robust::check(&name, &source, &options) {
        Ok(report) => report,
        Err(errors) => return Ok(complain(&args.program, &source, &errors)),
    };
    if let Some(path) = &args.witness {
        write_witness(&report, &criteria, path)?;
    }
    output::to(None, |out| match args.format {
        AnswerFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &report.json())?;
            Ok(writeln!(out)?)
        }
        AnswerFormat::Text => Ok(write!(out, "{}", report.text())?),
    })?;
    Ok(ExitCode::from(report.status().exit_code()))
}

/// Returns the program that the reduction makes of `source`, as text.
fn emitted(source: &str, criterion: Criterion, emit: Emit) -> Result<String, Vec<Error>> {
    let program = lang::read(source)?;
    let sequential = reduce::reduce(&program, criterion, &reduce::Options::default())?;
    Ok(match emit {
        Emit::Sequential => robust::core::print(&sequential.program),
        Emit::Smt => reach::horn::smt(&sequential.sliced()),
    })
}

/// Writes the interleaving of the first violation as a trace.
fn write_witness(report: &Report, criteria: &[Criterion], path: &Path) -> Result<()> {
    let recording = criteria.iter().find_map(|&criterion| report.recording(criterion));
    let Some(trace) = recording else {
        output::note(format_args!("no violation was found: {} is not written", path.display()));
        return Ok(());
    };
    let extension = path.extension().and_then(|e| e.to_str());
    let format = extension.and_then(Format::of_extension).with_context(|| {
        format!(
            "the format of {} is unknown; its name should end in .ilt or .trace",
            path.display()
        )
    })?;
    output::to(Some(path), |mut out| Ok(format.write(&trace, &mut out)?))
}

/// Prints the errors of a program, with excerpts.
fn complain(path: &Path, source: &str, errors: &[Error]) -> ExitCode {
    let name = &input::name(path);
    let styled = output::is_styled_error();
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    for error in errors {
        let span = error.span.start as usize..error.span.end as usize;
        let excerpt =
            Snippet::source(source).path(name).annotation(AnnotationKind::Primary.span(span));
        let group = Level::ERROR
            .primary_title(report::name::printable_message(&error.message))
            .id(error.code.name)
            .element(excerpt)
            .element(Level::HELP.message(report::name::printable_message(&error.advice)));
        output::note(format_args!("{}\n", renderer.render(&[group])));
    }
    if path.extension().is_none_or(|extension| extension != "evp") {
        output::note(format_args!(
            "{name} was read as a program in the language .evp (docs/robustness.md)"
        ));
    }
    ExitCode::from(2)
}
