//! `interloper synth`: generates a trace with known answers.

use std::ffi::OsString;
use std::io::BufWriter;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use synth::{Profile, Summary};

use crate::cli::SynthArgs;
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
    if out.as_os_str() == "-" {
        bail!("the answers stand in a file beside the trace: --out must name a file");
    }
    let profile = profile(name)?;
    let mut progress = Progress::new();
    let mut made = None;
    let trace = output::prepare(out, |sink| {
        let sink = BufWriter::with_capacity(1 << 20, sink);
        let show = &mut |done, total| progress.show(done, total);
        let result = synth::generate(name, &profile, (args.scale, args.seed), sink, show);
        made = Some(result.with_context(|| format!("cannot write {}", out.display()))?);
        Ok(())
    })?;
    progress.clear();
    let (summary, answers) = made.expect("made if it was written");
    let beside = answers_path(out);
    let written_answers = output::prepare(Path::new(&beside), |mut sink| {
        serde_json::to_writer_pretty(&mut sink, &answers)?;
        Ok(writeln!(sink)?)
    })?;
    // Both files are on the disk, so a trace never gets the answers of another.
    trace.commit()?;
    written_answers.commit()?;
    print(&summary, answers.answers.len())?;
    Ok(ExitCode::SUCCESS)
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

fn print(summary: &Summary, planted: usize) -> Result<()> {
    let levels = summary.levels.map(|share| format!("{:.1}", share * 100.0));
    output::to(None, |out| {
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
    })
}
