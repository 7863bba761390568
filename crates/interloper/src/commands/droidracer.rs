//! `interloper check --format droidracer`: the report as DroidRacer appends it to its log.

use std::process::ExitCode;

use anyhow::{Result, bail};
use codec::{Loaded, Origin};
use droidracer::analyse;
use droidracer::trailer::Trailer;
use order::{Closure, RuleSet};

use crate::cli::{CheckArgs, FailOn, Pairs};
use crate::config::Config;
use crate::output;

pub(crate) fn run(
    args: &CheckArgs,
    config: &Config,
    loaded: &Loaded,
    rules: &RuleSet,
) -> Result<ExitCode> {
    let Some(Origin::DroidRacer(origin)) = &loaded.origin else {
        bail!("--format droidracer ends an abc_log as DroidRacer does, and this input is none");
    };
    if rules.model().closure != Closure::DroidRacer || matches!(args.report.pairs, Pairs::All) {
        bail!("--format droidracer prints the pairs of model droidracer that the tool would print");
    }
    let (analysis, _) = analyse(&origin.log, order::droidracer_rules(rules));
    output::to(args.out.as_deref(), |out| {
        Ok(write!(out, "{}", Trailer::new(&analysis, &origin.log.names))?)
    })?;
    let fails = match args.report.fail_on.or(config.fail_on).unwrap_or_default() {
        FailOn::Uncovered | FailOn::Any => !analysis.races.printed.is_empty(),
        FailOn::Harmful | FailOn::Never => false,
    };
    Ok(if fails { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
