//! `interloper check`: report the races of a trace.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use report::Report;
use report::baseline::Baseline;
use report::model::RaceEntry;
use report::robustness::Robustness;
use report::text::TextOptions;
use triage::Label;

use super::droidracer;
use crate::analysis::{self, Asked};
use crate::cli::{CheckArgs, FailOn, ReportFormat};
use crate::config::Config;
use crate::{input, native, output, sources, stream};

/// How many groups are told in full when nothing else is said.
const LIMIT: usize = 10;

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode> {
    let config = Config::load(&args.report.config, &args.report.suppress)?;
    let mut report = if stream::takes(args)? {
        analysis::suppressed(stream::report(&args.input)?, &config)
    } else if let Some(report) = native::report(args, &config)? {
        analysis::suppressed(report, &config)
    } else {
        let loaded = input::load(&args.input)?;
        if matches!(args.report.format, ReportFormat::Droidracer) {
            let rules = input::rules(&args.report.model, &config, &loaded.1.trace)?;
            return droidracer::run(args, &config, &loaded.1, &rules);
        }
        let asked =
            Asked { model: &args.report.model, pairs: args.report.pairs, compat: args.compat };
        let mut report = analysis::report(&loaded, &asked, &config)?;
        report.robustness = args.report.robustness.then(|| Robustness::new(&loaded.1.trace));
        report
    };
    show(&mut report, &args.report.show);
    let accepts = args.report.write_baseline.is_some();
    let of_config = config.baseline.as_deref().filter(|_| !accepts);
    if let Some(path) = args.report.baseline.as_deref().or(of_config) {
        read_baseline(path)?.compare(&mut report);
    }
    output::to(args.out.as_deref(), |out| print(&report, args, &config, out))?;
    if let Some(path) = &args.report.write_baseline {
        let baseline = Baseline::of(&report).write();
        output::to(Some(path), |out| Ok(out.write_all(baseline.as_bytes())?))?;
    }
    let fail_on = args.report.fail_on.or(config.fail_on).unwrap_or_default();
    let fails = !accepts && report.races.iter().any(|race| counts(race, fail_on));
    Ok(if fails { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Shows races that only the labels asked for hide.
fn show(report: &mut Report, labels: &[Label]) {
    for race in &mut report.races {
        let hides = |name: &str| {
            Label::named(name).is_some_and(|label| label.hides() && !labels.contains(&label))
        };
        race.hidden = race.hidden && race.labels.iter().any(|name| hides(name));
    }
}

fn read_baseline(path: &Path) -> Result<Baseline> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| {
        format!("cannot read the baseline {name}; --write-baseline {name} makes one")
    })?;
    Baseline::read(&bytes).with_context(|| format!("{name}"))
}

fn print(report: &Report, args: &CheckArgs, config: &Config, out: &mut dyn Write) -> Result<()> {
    let groups = match args.report.limit.or(config.limit).unwrap_or(LIMIT) {
        0 => usize::MAX,
        limit => limit,
    };
    let text = match args.report.format {
        ReportFormat::Json | ReportFormat::Sarif => {
            return print_json(report, args.report.format, out);
        }
        ReportFormat::Text | ReportFormat::Droidracer => {
            let roots = [args.report.source_root.as_slice(), &config.source_roots].concat();
            let sources = sources::Below::new(&args.input.trace, &roots);
            let styled = output::is_styled(args.out.as_deref());
            report::text::render(report, &TextOptions { sources: &sources, groups, styled })
        }
        ReportFormat::Junit => report::junit::render(report),
        ReportFormat::Github => report::github::render(report),
        ReportFormat::Markdown => report::markdown::render(report, groups),
        ReportFormat::Html => report::html::render(report),
    };
    Ok(out.write_all(text.as_bytes())?)
}

fn print_json(report: &Report, format: ReportFormat, out: &mut dyn Write) -> Result<()> {
    // The serialiser writes a few bytes at a time: a buffer of a known type takes half the time.
    let mut out = BufWriter::new(out);
    if matches!(format, ReportFormat::Sarif) {
        report::sarif::write(report, &mut out)?;
    } else {
        serde_json::to_writer_pretty(&mut out, report)?;
    }
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Whether a race is at or above the threshold. What people set aside never is, and a pair that a
/// common lock protects is no race between threads.
fn counts(race: &RaceEntry, fail_on: FailOn) -> bool {
    let protected = race.labels.iter().any(|label| label == Label::LockProtected.name());
    !race.is_set_aside()
        && !protected
        && match fail_on {
            FailOn::Harmful => race.is_likely_harmful(),
            FailOn::Uncovered => !race.covered,
            FailOn::Any => true,
            FailOn::Never => false,
        }
}
