//! `interloper record android`: runs an app, or its Robolectric tests, with the Java agent, and
//! reports the races of all recordings.

mod agent;
mod apk;
mod app;
mod child;
mod confine;
mod driver;
mod explore;
mod folder;
mod jars;
mod java;
mod outcome;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use report::Report;

use super::super::check::{self, Shown};
use crate::cli::GivenArgs;
use crate::cli::record::{AndroidArgs, Status};
use crate::cli::{CheckArgs, EvidenceArgs, TraceArgs};
use crate::config::Config;
use crate::watch::Watch;
use crate::{analyse, output};

pub(crate) fn run(args: &AndroidArgs) -> Result<ExitCode> {
    let config = Config::load(&args.report.config, &args.report.suppress)?;
    match &args.apk {
        Some(apk) => app::run(apk, args, &config),
        None => tests(args, &config),
    }
}

/// Runs a command with the agent.
fn tests(args: &AndroidArgs, config: &Config) -> Result<ExitCode> {
    let jar = agent::Module::Agent.find()?;
    let folder = folder::prepare(args.out.as_deref())?;
    let status = child::run(&args.command, &agent::environment(&jar, &folder, args)?)?;
    let files = folder::recordings(&folder)?;
    let name = folder.display();
    if files.is_empty() {
        folder::remove_if_empty(&folder);
        output::note(
            "nothing was recorded: the command started no Java process that ran Robolectric tests. \
             A build tool may have found the tests up to date: see docs/recording-android.md",
        );
        return if args.status == Status::Races { Ok(ExitCode::from(2)) } else { Ok(status) };
    }
    let plural = if files.len() == 1 { "recording" } else { "recordings" };
    output::note(format_args!("{name}: {} {plural}", files.len()));
    if args.no_check {
        return Ok(status);
    }
    let Some(report) = merged(&files, args, config)? else {
        bail!("{name} has no recording that can be read");
    };
    let races = check::conclude(&checked(args, folder.clone()), config, report.into())?;
    if args.open {
        super::explore(folder, &args.report, Shown::new())?;
    }
    Ok(if args.status == Status::Races { races } else { status })
}

/// Analyses every recording, and merges the reports.
fn merged(files: &[PathBuf], args: &AndroidArgs, config: &Config) -> Result<Option<Report>> {
    let watch = Watch::new(args.report.verbose);
    let mut reports = Vec::with_capacity(files.len());
    for file in files {
        let analysis = analyse::check(&checked(args, file.clone()), config, &watch)
            .with_context(|| format!("{}", file.display()))?;
        reports.push((shown(file), Report::in_full(&analysis)));
    }
    let mut report = Report::merge(reports);
    if let Some(report) = &mut report {
        analyse::suppress(report, config);
    }
    Ok(report)
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

/// Returns the arguments of `interloper check` for a recording, or for the folder of all.
fn checked(args: &AndroidArgs, trace: PathBuf) -> CheckArgs {
    CheckArgs {
        input: TraceArgs { trace, from: None, follow: false, allow_damaged: false },
        report: args.report.clone(),
        compat: None,
        out: args.report_to.clone(),
        evidence: EvidenceArgs::default(),
        given: GivenArgs::default(),
        browser: None,
        spares_evidence: false,
        embeds_pictures: false,
    }
}
