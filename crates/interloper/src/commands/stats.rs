//! `interloper stats`: counts the content of a trace.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use analysis::threads::cores;
use anyhow::Result;
use codec::Format;
use codec::native::{self, Counted};
use report::stats::Stats;
use trace::Census;

use crate::cli::{AnswerFormat, StatsArgs, TraceArgs};
use crate::input::Opened;
use crate::{follow, input, output};

pub(crate) fn run(args: &StatsArgs) -> Result<ExitCode> {
    let (format, mut counted) = if args.input.follow {
        (Format::Native, follow_with_progress(&args.input)?)
    } else {
        count(&args.input)?
    };
    let input = input::entry(&args.input, &counted.completeness);
    counted.completeness.note_in(&mut counted.diagnostics);
    let stats = Stats::new(&counted.census, &counted.diagnostics, input, format.name());
    output::to(None, |out| {
        match args.format {
            AnswerFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, &stats)?;
                writeln!(out)?;
            }
            AnswerFormat::Text => write!(out, "{stats}")?,
        }
        Ok(())
    })?;
    input::accept(&args.input.trace, &stats.input)?;
    Ok(ExitCode::SUCCESS)
}

/// Counts the content of a trace: a native file in one pass, anything else in memory.
fn count(args: &TraceArgs) -> Result<(Format, Counted)> {
    let opened = match Opened::new(args)? {
        Opened::Native(source) => {
            let counted = native::count(source, cores());
            return Ok((
                Format::Native,
                counted.map_err(|error| input::unreadable(&args.trace, error))?,
            ));
        }
        other @ Opened::Other(_) => other,
    };
    let (format, loaded) = opened.load(args)?;
    let census = Census::of(&loaded.trace);
    let (diagnostics, completeness) = (loaded.diagnostics, loaded.completeness);
    Ok((format, Counted { census, diagnostics, completeness }))
}

/// Follows a file, and prints its progress from time to time.
fn follow_with_progress(args: &TraceArgs) -> Result<Counted> {
    let mut printed: Option<Instant> = None;
    follow::count(args, |builder| {
        if printed.is_none_or(|printed| printed.elapsed() >= Duration::from_secs(1)) {
            let (all, accesses) = (builder.len(), builder.accesses());
            output::note(format_args!("{all} operations, {accesses} of them accesses"));
            printed = Some(Instant::now());
        }
        Ok(())
    })
}
