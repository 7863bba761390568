//! `interloper robust`: checks whether concurrency can change what a program does.
//!
//! Exit status: 0 proved, 1 a violation, 3 unknown, 2 the program could not be read.

use std::path::Path;
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use anyhow::{Context, Result, bail};
use codec::Format;
use robust::lang::{self, Error};
use robust::{Criterion, Options, reach, reduce};

mod jvm;

use crate::cli::{AnswerFormat, Criteria, Emit, RobustArgs, RobustEngine};
use crate::{input, output};

pub(crate) fn run(args: &RobustArgs) -> Result<ExitCode> {
    let criteria = match args.criterion {
        Criteria::Det => vec![Criterion::Determinism],
        Criteria::Ser => vec![Criterion::Serializability],
        Criteria::Both => vec![Criterion::Determinism, Criterion::Serializability],
    };
    if let Some(class_path) = &args.jvm {
        return jvm::run(class_path, args, &criteria);
    }
    let path = args.program.as_deref().context("a program is needed: a file in .evp, or --jvm")?;
    let source = input::read_program(path)?;
    let name = input::name(path);
    if let Some(emit) = args.emit {
        let [criterion] = criteria[..] else {
            bail!("--emit needs one criterion: --criterion det or --criterion ser");
        };
        return match emitted(&source, criterion, emit) {
            Ok(text) => {
                output::to(None, |out| Ok(out.write_all(text.as_bytes())?))?;
                Ok(ExitCode::SUCCESS)
            }
            Err(errors) => Ok(complain(path, &source, &errors)),
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
        Err(errors) => return Ok(complain(path, &source, &errors)),
    };
    if let Some(path) = &args.witness {
        let trace = criteria.iter().find_map(|&criterion| report.recording(criterion));
        write_witness(trace.as_ref(), path)?;
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

/// Writes the trace of a violation, in the format that the name of the file states.
fn write_witness(trace: Option<&trace::Trace>, path: &Path) -> Result<()> {
    let Some(trace) = trace else {
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
    output::to(Some(path), |mut out| Ok(format.write(trace, &mut out)?))
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
        output::styled(format_args!("{}\n", renderer.render(&[group])));
    }
    if path.extension().is_none_or(|extension| extension != "evp") {
        output::note(format_args!(
            "{name} was read as a program in the language .evp (docs/robustness.md)"
        ));
    }
    ExitCode::from(2)
}
