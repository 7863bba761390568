//! `interloper stats`: counts the content of a trace.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use codec::{Format, Loaded};
use report::stats::Stats;

use crate::cli::{AnswerFormat, StatsArgs, TraceArgs};
use crate::{follow, input, output};

pub(crate) fn run(args: &StatsArgs) -> Result<ExitCode> {
    let (format, loaded) = if args.input.follow {
        follow_with_progress(&args.input)?
    } else {
        input::load(&args.input)?
    };
    let input = input::entry(&args.input, &loaded);
    let stats = Stats::new(&loaded, input, format.name());
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

/// Follows a file, and prints its progress from time to time.
fn follow_with_progress(args: &TraceArgs) -> Result<(Format, Loaded)> {
    let mut printed: Option<Instant> = None;
    follow::load(args, |builder| {
        if printed.is_none_or(|printed| printed.elapsed() >= Duration::from_secs(1)) {
            let trace = builder.so_far();
            let (all, accesses) = (trace.len(), trace.accesses());
            output::note(format_args!("{all} operations, {accesses} of them accesses"));
            printed = Some(Instant::now());
        }
        Ok(())
    })
}
