//! `interloper synth`: generates a trace with known answers.

use std::ffi::OsString;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use synth::{Answers, Profile, Summary};

use crate::cli::SynthArgs;
use crate::output::Prepared;
use crate::progress::Progress;
use crate::{output, suggest};

pub(crate) fn run(args: &SynthArgs) -> Result<ExitCode> {
    if args.list || args.profile.as_deref() == Some("list") {
        return list();
    }
    let (Some(name), Some(out)) = (&args.profile, &args.out) else {
        bail!("name a profile and a file: interloper synth PROFILE --out FILE");
    };
    if !(args.scale.is_finite() && args.scale > 0.0) {
        bail!("--scale {} is not a positive number", args.scale);
    }
    let mut profile = profile(name)?;
    profile.stretch = args.stretch.unwrap_or(profile.stretch);
    refuse_too_long(name, &profile, args.scale)?;
    if out.as_os_str() == "-" {
        return to_pipe(args, name, &profile);
    }
    let mut made = None;
    let trace = output::prepare(out, |sink| {
        made = Some(generate(args, (name, &profile), sink)?);
        Ok(())
    })?;
    let (summary, answers) = made.expect("made if it was written");
    let beside = args.answers.clone().unwrap_or_else(|| answers_path(out).into());
    let written_answers = prepare_answers(&beside, &answers)?;
    // Both files are on the disk, so a trace never gets the answers of another.
    trace.commit()?;
    written_answers.commit()?;
    output::to(None, |out| print(out, &summary, answers.answers.len()))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the trace to standard output while it is generated. The figures go to standard error.
fn to_pipe(args: &SynthArgs, name: &str, profile: &Profile) -> Result<ExitCode> {
    let Some(beside) = &args.answers else {
        bail!("the answers have no place beside standard output: add --answers FILE");
    };
    if std::io::stdout().is_terminal() {
        bail!("a trace is not for a terminal: pipe it, as in `… --out - | interloper check -`");
    }
    let mut made = None;
    output::to(None, |sink| {
        made = Some(generate(args, (name, profile), sink)?);
        Ok(())
    })?;
    // Without a result, the reader closed the pipe and needs no answers.
    if let Some((summary, answers)) = made {
        prepare_answers(beside, &answers)?.commit()?;
        print(&mut anstream::stderr(), &summary, answers.answers.len())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn generate(
    args: &SynthArgs,
    (name, profile): (&str, &Profile),
    sink: &mut dyn Write,
) -> Result<(Summary, Answers)> {
    let mut progress = Progress::new();
    let show = &mut |done, total| progress.show(done, total);
    let sink = BufWriter::with_capacity(1 << 20, sink);
    let made = synth::generate(name, profile, (args.scale, args.seed), sink, show);
    progress.clear();
    made.with_context(|| {
        format!("cannot write {}", args.out.as_deref().unwrap_or(Path::new("-")).display())
    })
}

fn prepare_answers<'p>(path: &'p Path, answers: &Answers) -> Result<Prepared<'p>> {
    output::prepare(path, |mut sink| {
        serde_json::to_writer_pretty(&mut sink, answers)?;
        Ok(writeln!(sink)?)
    })
}

/// Fails if the trace would have more operations than other commands read.
fn refuse_too_long(name: &str, profile: &Profile, scale: f64) -> Result<()> {
    let (operations, most) = (profile.operations_at(scale), u64::from(u32::MAX));
    // The plan is approximate.
    if operations > most / 100 * 99 {
        #[allow(clippy::cast_precision_loss, reason = "shown with two decimals")]
        let largest = (scale * (most as f64 * 99.0) / operations as f64).floor() / 100.0;
        bail!(
            "{name} at scale {scale} has about {operations} operations; traces have fewer than \
             {most}, because operations have 32-bit numbers: --scale {largest} is the largest"
        );
    }
    Ok(())
}

fn answers_path(out: &Path) -> OsString {
    let mut name = out.as_os_str().to_owned();
    name.push(".answers.json");
    name
}

/// Returns the profile with this name, or the one in the file with this name.
fn profile(name: &str) -> Result<Profile> {
    if let Some(profile) = Profile::named(name) {
        return Ok(profile);
    }
    let path = Path::new(name);
    if !path.exists() {
        let names: Vec<String> = Profile::catalogue().into_iter().map(|(name, _)| name).collect();
        let similar = suggest::nearest(name, names.iter().map(String::as_str));
        let hint = similar.map_or_else(String::new, |known| format!(" Did you mean {known}?"));
        bail!(
            "no profile and no file is called {name}.{hint} `interloper synth --list` shows the profiles"
        );
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    Profile::parse(&text).with_context(|| format!("{name} is no profile"))
}

fn list() -> Result<ExitCode> {
    output::to(None, |out| {
        for (name, profile) in Profile::catalogue() {
            let events = match profile.model {
                synth::Model::Android => profile.looper_events + profile.binder_events,
                synth::Model::Event => profile.event_actions,
            };
            let accesses = profile.accesses_at(1.0);
            writeln!(out, "{name:<32} {events:>8} events {accesses:>11} accesses")?;
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut dyn Write, summary: &Summary, planted: usize) -> Result<()> {
    let levels = summary.levels.map(|share| format!("{:.1}", share * 100.0));
    writeln!(out, "operations   {}", summary.operations)?;
    writeln!(out, "  sync       {}", summary.sync_operations)?;
    writeln!(out, "  accesses   {}", summary.accesses)?;
    writeln!(out, "events       {}", summary.looper_events + summary.binder_events)?;
    writeln!(out, "  looper     {}", summary.looper_events)?;
    writeln!(out, "  binder     {}", summary.binder_events)?;
    writeln!(out, "threads      {}", summary.threads)?;
    writeln!(out, "locations    {}", summary.locations)?;
    writeln!(out, "FIFO levels  {} % of the looper events", levels.join(" / "))?;
    writeln!(out, "chains       {}", summary.chains)?;
    writeln!(out, "planted      {planted} locations")?;
    Ok(())
}
