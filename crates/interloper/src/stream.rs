//! Engine `stream`: which inputs it takes straight from the file, and which it refuses.

use std::fs::File;

use anyhow::{Context, Result, anyhow, bail};
use codec::Format;
use codec::rapid::StreamError;
use order::RuleSet;
use races::fasttrack;
use report::{CLOCK_LIMIT, Report, analyze_log};
use trace::Trace;

use crate::cli::{CheckArgs, Engine, Pairs, TraceArgs};
use crate::input;

/// STD logs longer than this, some forty thousand operations, go to engine `stream` by default: the
/// oracle is meant for some ten thousand.
const LONG: u64 = 512 << 10;

/// Whether the input is an STD log that is best read straight from its file.
pub(crate) fn takes(args: &CheckArgs) -> Result<bool> {
    let asked = args.report.model.engine == Some(Engine::Stream);
    let all_pairs = matches!(args.report.pairs, Pairs::All);
    if asked && all_pairs {
        bail!(
            "--engine stream finds the first race of each location; --pairs all needs --engine \
             graph"
        );
    }
    let own_model = args.report.model.model.is_none_or(|m| m.name == order::THREADS.name);
    if matches!(args.report.model.engine, Some(Engine::Oracle | Engine::Graph))
        || all_pairs
        || !own_model
    {
        return Ok(false);
    }
    let path = &args.input.trace;
    if args.input.follow || path.as_os_str() == "-" || !args.report.model.rules.is_empty() {
        return Ok(false);
    }
    let format = input::file_format(path, args.input.from, |len| asked || len > LONG)?;
    Ok(format == Some(Format::Std))
}

/// Insists on what engine `stream` knows.
pub(crate) fn check_rules(rules: &RuleSet) -> Result<()> {
    let model = rules.model();
    if model.name != order::THREADS.name {
        bail!("--engine stream knows model threads only, not {}; use --engine graph", model.name);
    }
    if let Some((rule, _)) = model.rules.iter().find(|(rule, _)| !rules.contains(rule)) {
        bail!("--engine stream cannot switch {} off; use --engine graph", rule.name);
    }
    Ok(())
}

/// Insists that clocks will fit.
pub(crate) fn check_size(trace: &Trace) -> Result<()> {
    let needed = fasttrack::bytes_needed(trace);
    if needed > CLOCK_LIMIT {
        bail!(
            "--engine stream might need {} MiB for the clocks of {} threads; {} MiB are its limit",
            needed >> 20,
            trace.names().threads.len(),
            CLOCK_LIMIT >> 20
        );
    }
    Ok(())
}

/// The report on an STD log.
pub(crate) fn report(args: &TraceArgs) -> Result<Report> {
    let cannot_read = || format!("cannot read {}", args.trace.display());
    let file = File::open(&args.trace).with_context(cannot_read)?;
    analyze_log(file, &order::THREADS.default_rules()).map_err(|error| match error {
        StreamError::Io(error) => anyhow!(error).context(cannot_read()),
        StreamError::Log(error) => input::unreadable(&args.trace, error),
    })
}
