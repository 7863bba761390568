//! Converts arguments and configuration to an analysis, and its errors to messages that name flags.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;

use analysis::{
    Analysis, CLOCK_LIMIT, Compat, Engine, Error, ModelChoice, Request, Source, Thresholds,
    Unsuitable,
};
use anyhow::{Context, Error as Failure, Result, anyhow};
use report::{Report, suppress};
use trace::Escaped;

use crate::cli::{
    self, CheckArgs, ModelArgs, Pairs, Replaying, ReportArgs, ReportFormat, TraceArgs,
};
use crate::config::Config;
use crate::pipe::Pipe;
use crate::today::today;
use crate::watch::{Watch, free_memory};
use crate::{follow, input, learned};

/// Returns the part of a request that does not depend on the input: from the flags, else from the
/// configuration.
pub(crate) fn request<'a>(model: &'a ModelArgs, pairs: Pairs, config: &'a Config) -> Request<'a> {
    Request {
        model: model_choice(model, config),
        pairs: pairs.into(),
        engine: model.engine,
        lists: &config.lists,
        compat: None,
        whole_trace: false,
        thresholds: Thresholds::default(),
        memory: free_memory(),
        live: false,
    }
}

/// Returns the model that flags and configuration name.
pub(crate) fn model_choice<'a>(args: &'a ModelArgs, config: &'a Config) -> ModelChoice<'a> {
    ModelChoice {
        model: args.model,
        switches: &args.rules,
        project_model: config.model,
        project_switches: &config.rules,
        window: args.window,
    }
}

/// Analyses the input of `check`.
pub(crate) fn check(args: &CheckArgs, config: &Config, watch: &Watch) -> Result<Analysis> {
    let as_droidracer = matches!(args.report.format, ReportFormat::Droidracer);
    let as_eventracer = args.compat == Some(cli::Compat::Eventracer);
    let request = Request {
        compat: match (as_droidracer, as_eventracer) {
            (true, _) => Some(Compat::DroidRacer),
            (false, true) => Some(Compat::EventRacer),
            (false, false) => None,
        },
        whole_trace: args.report.robustness
            || as_droidracer
            || args.report.learned.learned.is_some()
            || matches!(args.evidence.replay, Some(Replaying::Top(_))),
        live: watch.is_live(),
        ..request(&args.report.model, args.report.pairs, config)
    };
    let named = |error| failure(&args.input.trace, error);
    request.check().map_err(named)?;
    let streams = request.engine == Some(Engine::Stream);
    let analysis = run(source(&args.input, streams)?, &request, watch).map_err(named)?;
    if as_droidracer && as_eventracer {
        // A log belongs to one tool.
        return Err(named(Unsuitable::NoEventRacerLog.into()));
    }
    match &args.report.learned.learned {
        Some(file) => learned::applied(file, analysis, &request, watch),
        None => Ok(analysis),
    }
}

/// Analyses a source.
pub(crate) fn run(
    source: Source<'_>,
    request: &Request<'_>,
    watch: &Watch,
) -> Result<Analysis, Error> {
    analysis::run(source, request, &|milestone| {
        watch.hear(milestone);
        ControlFlow::Continue(())
    })
}

/// Returns the source that the arguments name. If engine `stream` reads it, a pipe or a file that
/// grows is read as it comes, and the first Ctrl-C ends it.
fn source(args: &TraceArgs, streams: bool) -> Result<Source<'static>> {
    if streams && args.follow {
        return Ok(Source::pipe(follow::source(args)?, args.from));
    }
    if streams && args.trace.as_os_str() == "-" {
        let pipe = Pipe::new(std::io::stdin()).context("cannot read standard input")?;
        return Ok(Source::pipe(pipe, args.from));
    }
    if args.follow {
        let (format, loaded) = follow::load(args, |_| Ok(()))?;
        return Ok(Source::loaded(format, loaded));
    }
    if args.trace.as_os_str() == "-" {
        return Ok(Source::pipe(std::io::stdin().lock(), args.from));
    }
    let opened = File::open(&args.trace).and_then(|file| Source::file(file, args.from));
    opened.with_context(|| format!("cannot read {}", args.trace.display()))
}

/// Returns the report on an analysis, with the configuration's suppressions applied. It describes every
/// race in full if `args` ask for that, or for races that a label hides.
pub(crate) fn report(analysis: &Analysis, config: &Config, args: &ReportArgs) -> Report {
    let in_full = args.full || !args.show.is_empty();
    let mut report = if in_full { Report::in_full(analysis) } else { Report::of(analysis) };
    suppress(&mut report, config);
    report
}

/// Applies the configuration's suppressions to a report.
pub(crate) fn suppress(report: &mut Report, config: &Config) {
    suppress::apply(report, &config.suppressions, today());
}

/// Returns the error to print if the input at `path` cannot be analysed.
pub(crate) fn failure(path: &Path, error: Error) -> Failure {
    match error {
        Error::Io(error) => anyhow!(error).context(format!("cannot read {}", path.display())),
        Error::Unreadable(error) => input::unreadable(path, error),
        Error::UnknownModel(name) => {
            let known: Vec<&str> = order::MODELS.iter().map(|m| m.name).collect();
            anyhow!(
                "the trace asks for model {}, which is not known; --model chooses one of {}",
                Escaped(&name),
                known.join(", ")
            )
        }
        Error::UnknownRule(unknown) => anyhow!(unknown),
        Error::Switch(switch) => {
            anyhow!("--rule {switch}: expected + or - and the name of a rule")
        }
        Error::Unsuitable(what) => unsuitable(&what),
        error @ (Error::NoOperation(_) | Error::NoOrder | Error::Stopped) => anyhow!(error),
    }
}

fn unsuitable(what: &Unsuitable) -> Failure {
    match what {
        Unsuitable::StreamAllPairs => anyhow!(
            "--engine stream does not find all pairs of a location; --pairs all needs --engine \
             graph"
        ),
        Unsuitable::StreamModel(model) => {
            anyhow!("--engine stream cannot close model {model} in one pass; use --engine graph")
        }
        Unsuitable::StreamRuleOn(rule) => {
            anyhow!("--engine stream cannot switch {rule} on; use --engine graph")
        }
        Unsuitable::StreamRule(rule) => {
            anyhow!("--engine stream cannot switch {rule} off; use --engine graph")
        }
        Unsuitable::StreamMemory { needed, threads } => anyhow!(
            "--engine stream might need {} MiB for the clocks of {threads} threads; {} MiB are its \
             limit",
            needed >> 20,
            CLOCK_LIMIT >> 20
        ),
        Unsuitable::OracleMemory { needed, operations } => anyhow!(
            "the oracle would need {} GiB for {operations} operations; it is meant for some ten \
             thousand; leave --engine away, or use --engine graph",
            needed >> 30
        ),
        Unsuitable::NoEventRacerLog => {
            anyhow!("--compat eventracer is for logs of that tool, under its own model event")
        }
        Unsuitable::NoDroidRacerLog => anyhow!(
            "--format droidracer ends an abc_log as DroidRacer does, and this input is none"
        ),
        Unsuitable::NotDroidRacersPairs => anyhow!(
            "--format droidracer prints the pairs of model droidracer that the tool would print"
        ),
    }
}
