//! From a trace that was read to its report, as arguments and configuration ask.

use anyhow::Result;
use codec::{Format, Loaded};
use races::PairMode;
use report::{Report, Request, analyze, suppress};

use crate::cli::{ModelArgs, Pairs};
use crate::config::Config;
use crate::input;
use crate::today::today;

/// Analyses a trace and applies the configuration's suppressions.
pub(crate) fn report(
    (format, loaded): &(Format, Loaded),
    model: &ModelArgs,
    pairs: Pairs,
    config: &Config,
) -> Result<Report> {
    let rules = input::rules(model, config, &loaded.trace)?;
    input::check_size(&loaded.trace, &rules)?;
    let mut report = analyze(&Request {
        trace: &loaded.trace,
        diagnostics: &loaded.diagnostics,
        format: format.name(),
        rules: &rules,
        pairs: match pairs {
            Pairs::Candidates => PairMode::Candidates,
            Pairs::All => PairMode::All,
        },
    });
    suppress::apply(&mut report, &config.suppressions, today());
    Ok(report)
}
