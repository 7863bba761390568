//! `interloper diff`: which races came and went between two traces or reports.

use std::path::Path;
use std::process::ExitCode;

use analysis::Source;
use anyhow::{Context, Result};
use report::Report;
use report::diff::Diff;

use crate::cli::{AnswerFormat, DiffArgs};
use crate::config::Config;
use crate::watch::Watch;
use crate::{analyse, input, output};

pub(crate) fn run(args: &DiffArgs) -> Result<ExitCode> {
    let config = Config::load(&args.config, &args.suppress)?;
    let before = report_of(&args.a, args, &config)?;
    let after = report_of(&args.b, args, &config)?;
    let diff = Diff::of(&before, &after);
    output::to(None, |out| {
        match args.format {
            AnswerFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, &diff)?;
                writeln!(out)?;
            }
            AnswerFormat::Text => write!(out, "{diff}")?,
        }
        Ok(())
    })?;
    input::accept(&args.a, &before.input)?;
    input::accept(&args.b, &after.input)?;
    Ok(if diff.new.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Returns the report in a file, or the report on the trace in it.
fn report_of(path: &Path, args: &DiffArgs, config: &Config) -> Result<Report> {
    let bytes = input::read(path)?;
    let mut report = if Report::is_json(&bytes) {
        Report::from_json(&bytes).with_context(|| input::name(path))?
    } else {
        let request = analyse::request(&args.model, args.pairs, config);
        let source = Source::pipe(bytes.as_slice(), args.from);
        let analysis = analyse::run(source, &request, &Watch::new(false));
        analyse::report(&analysis.map_err(|error| analyse::failure(path, error))?, config)
    };
    report.input.judged |= args.allow_damaged;
    Ok(report)
}
