//! `interloper check --format droidracer`: the report as DroidRacer appends it to its log.
//!
//! Only what is printed is DroidRacer's. Suppressions, baselines and the exit status are those of the
//! report on the same races, whatever the format.

use anyhow::{Result, bail};
use codec::{Loaded, Origin};
use droidracer::analyse;
use droidracer::trailer::Trailer;
use order::Closure;

use crate::cli::{CheckArgs, Pairs};
use crate::config::Config;
use crate::input;

/// What DroidRacer appends to its log.
pub(crate) fn trailer(args: &CheckArgs, config: &Config, loaded: &Loaded) -> Result<String> {
    let rules = input::rules(&args.report.model, config, &loaded.trace)?;
    let Some(Origin::DroidRacer(origin)) = &loaded.origin else {
        bail!("--format droidracer ends an abc_log as DroidRacer does, and this input is none");
    };
    if rules.model().closure != Closure::DroidRacer || matches!(args.report.pairs, Pairs::All) {
        bail!("--format droidracer prints the pairs of model droidracer that the tool would print");
    }
    let (analysis, _) = analyse(&origin.log, order::droidracer_rules(&rules));
    Ok(Trailer::new(&analysis, &origin.log.names).to_string())
}
