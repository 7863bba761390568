//! From a trace that was read to its report, as arguments and configuration ask.

use anyhow::{Result, bail};
use codec::{Format, Loaded, Origin};
use order::{Closure, RuleSet};
use report::{Engine, Report, Request, analyze_watched, suppress};

use crate::cli::{self, Compat, ModelArgs, Pairs};
use crate::config::Config;
use crate::today::today;
use crate::watch::Watch;
use crate::{input, stream};

/// How a trace is to be analysed.
pub(crate) struct Asked<'a> {
    pub(crate) model: &'a ModelArgs,
    pub(crate) pairs: Pairs,
    pub(crate) compat: Option<Compat>,
    pub(crate) watch: &'a Watch,
}

/// Analyses a trace and applies the configuration's suppressions.
pub(crate) fn report(
    (format, loaded): &(Format, Loaded),
    asked: &Asked<'_>,
    config: &Config,
) -> Result<Report> {
    let rules = input::rules(asked.model, config, &loaded.trace)?;
    let engine = match asked.model.engine {
        Some(cli::Engine::Stream) => {
            stream::check_rules(&rules)?;
            stream::check_size(&loaded.trace)?;
            Engine::Stream
        }
        Some(cli::Engine::Oracle) => {
            input::check_size(&loaded.trace, &rules)?;
            Engine::ORACLE
        }
        Some(cli::Engine::Graph) | None => Engine::GRAPH,
    };
    let compat = asked.compat == Some(Compat::Eventracer);
    if compat && !is_eventracer(loaded, &rules) {
        bail!("--compat eventracer is for logs of that tool, under its own model event");
    }
    let request = Request {
        trace: &loaded.trace,
        diagnostics: &loaded.diagnostics,
        completeness: &loaded.completeness,
        origin: loaded.origin.as_ref(),
        format: format.name(),
        rules: &rules,
        pairs: asked.pairs.into(),
        lists: &config.lists,
        compat,
        engine,
    };
    let report = analyze_watched(&request, &|milestone| asked.watch.hear(milestone));
    Ok(suppressed(report, config))
}

/// The report with the configuration's suppressions applied.
pub(crate) fn suppressed(mut report: Report, config: &Config) -> Report {
    suppress::apply(&mut report, &config.suppressions, today());
    report
}

fn is_eventracer(loaded: &Loaded, rules: &RuleSet) -> bool {
    matches!(loaded.origin, Some(Origin::EventRacer(_))) && rules.model().closure == Closure::Events
}
