//! `interloper diff`: which races came and went between two traces or reports.

use std::fs::File;
use std::io::Read;
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
    let analysed = |source: Source<'_>| {
        let request = analyse::request(&args.model, args.pairs, config);
        let analysis = analyse::run(source, &request, &Watch::new(false));
        let analysis = analysis.map_err(|error| analyse::failure(path, error))?;
        let mut report = Report::of(&analysis);
        analyse::suppress(&mut report, config);
        anyhow::Ok(report)
    };
    let mut report = if let Some(file) = trace_file(path) {
        let source = Source::file(file, args.from);
        analysed(source.with_context(|| format!("cannot read {}", path.display()))?)?
    } else {
        let bytes = input::read(path)?;
        if Report::is_json(&bytes) {
            Report::from_json(&bytes).with_context(|| input::name(path))?
        } else {
            analysed(Source::pipe(bytes.as_slice(), args.from))?
        }
    };
    report.input.judged |= args.allow_damaged;
    Ok(report)
}

/// Returns a file that contains no report, so that its trace need not be read into memory. Returns
/// none for anything else, and for what cannot be opened.
pub(crate) fn trace_file(path: &Path) -> Option<File> {
    const HEAD: u64 = 4096;
    let mut head = Vec::new();
    let is_file = |file: &File| file.metadata().is_ok_and(|metadata| metadata.is_file());
    File::open(path).ok().filter(is_file)?.take(HEAD).read_to_end(&mut head).ok()?;
    let first = head.trim_ascii_start().first()?;
    if *first == b'{' { None } else { File::open(path).ok() }
}
