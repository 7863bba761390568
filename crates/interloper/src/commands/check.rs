//! `interloper check`: report the races of a trace.

use std::process::ExitCode;

use anyhow::{Result, bail};
use codec::Origin;
use order::{Closure, RuleSet};
use races::PairMode;
use report::text::TextOptions;
use report::{Engine, Report, Request, analyze};
use triage::Lists;

use super::droidracer;
use crate::cli::{CheckArgs, CheckFormat, Compat, FailOn, Pairs};
use crate::{cli, input, output, sources, stream};

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode> {
    if stream::takes(args)? {
        return finish(args, &stream::report(&args.input)?);
    }
    let (format, loaded) = input::load(&args.input)?;
    let rules = input::rules(&args.model, &loaded.trace)?;
    let engine = match args.model.engine {
        Some(cli::Engine::Stream) => {
            stream::check_rules(&rules)?;
            Engine::Stream
        }
        Some(cli::Engine::Oracle) | None => {
            input::check_size(&loaded.trace, &rules)?;
            Engine::Oracle
        }
    };
    let compat = args.compat == Some(Compat::Eventracer);
    if compat && !(matches!(loaded.origin, Some(Origin::EventRacer(_))) && is_event(&rules)) {
        bail!("--compat eventracer is for logs of that tool, under its own model event");
    }
    if args.format == CheckFormat::Droidracer {
        return droidracer::run(args, &loaded, &rules);
    }
    let report = analyze(&Request {
        trace: &loaded.trace,
        diagnostics: &loaded.diagnostics,
        origin: loaded.origin.as_ref(),
        format: format.name(),
        rules: &rules,
        pairs: match args.pairs {
            Pairs::Candidates => PairMode::Candidates,
            Pairs::All => PairMode::All,
        },
        lists: &Lists::builtin(),
        compat,
        engine,
    });
    finish(args, &report)
}

/// Prints the report; what it holds decides the exit status.
fn finish(args: &CheckArgs, report: &Report) -> Result<ExitCode> {
    output::to(args.out.as_deref(), |out| {
        match args.format {
            CheckFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, report)?;
                writeln!(out)?;
            }
            CheckFormat::Text | CheckFormat::Droidracer => {
                let sources = sources::Below::new(&args.input.trace, &args.source_root);
                let groups = if args.limit == 0 { usize::MAX } else { args.limit };
                let styled = output::is_styled(args.out.as_deref());
                let options = TextOptions { sources: &sources, groups, styled };
                out.write_all(report::text::render(report, &options).as_bytes())?;
            }
        }
        Ok(())
    })?;
    Ok(if fails(report, args.fail_on) { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn is_event(rules: &RuleSet) -> bool {
    rules.model().closure == Closure::Events
}

/// Whether the report holds something at or above the threshold.
fn fails(report: &Report, fail_on: FailOn) -> bool {
    let harmful = ["uninitialised", "readystate"];
    match fail_on {
        FailOn::Harmful => harmful.iter().any(|label| report.summary.labels.contains_key(label)),
        FailOn::Uncovered => report.summary.uncovered_races > 0,
        FailOn::Any => report.races.iter().any(|race| !race.hidden),
        FailOn::Never => false,
    }
}
