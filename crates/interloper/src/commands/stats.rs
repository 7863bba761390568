//! `interloper stats`: count what is in a trace.

use std::process::ExitCode;

use anyhow::Result;
use report::stats::Stats;

use crate::cli::{AnswerFormat, StatsArgs};
use crate::{input, output};

pub(crate) fn run(args: &StatsArgs) -> Result<ExitCode> {
    let (format, loaded) = input::load(&args.input)?;
    let stats = Stats::new(&loaded.trace, &loaded.diagnostics, format.name());
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
    Ok(ExitCode::SUCCESS)
}
