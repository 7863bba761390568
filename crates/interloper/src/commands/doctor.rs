//! `interloper doctor`: examines a native file, and recovers what can be read of a damaged one.

use std::fs::File;
use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use codec::Extent;
use codec::native::{self, Options, Report};

use crate::cli::{AnswerFormat, DoctorArgs};
use crate::output;

pub(crate) fn run(args: &DoctorArgs) -> Result<ExitCode> {
    let name = args.file.display();
    let open = || File::open(&args.file).with_context(|| format!("cannot read {name}"));
    let report = native::doctor(open()?).with_context(|| format!("cannot read {name}"))?;
    if report.blocks.is_empty() && report.damaged.is_empty() {
        bail!("{name} holds no block of a native file (.ilt)");
    }
    if let Some(repaired) = &args.repair {
        output::to(Some(repaired), |out| {
            native::repair(open()?, out, Options::default())?;
            Ok(())
        })?;
    }
    output::to(None, |out| match args.format {
        AnswerFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &report)?;
            Ok(writeln!(out)?)
        }
        AnswerFormat::Text => print(out, &report),
    })?;
    Ok(if report.is_healthy() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn print(out: &mut dyn Write, report: &Report) -> Result<()> {
    writeln!(
        out,
        "{:<12}{:>10}{:>16}{:>16}{:>16}",
        "block", "blocks", "bytes", "unpacked", "operations"
    )?;
    for count in &report.blocks {
        writeln!(
            out,
            "{:<12}{:>10}{:>16}{:>16}{:>16}",
            count.kind, count.blocks, count.stored_bytes, count.raw_bytes, count.operations
        )?;
    }
    for damage in &report.damaged {
        writeln!(out, "damaged: {} bytes at {}: {}", damage.bytes, damage.offset, damage.what)?;
    }
    for diagnostic in &report.diagnostics {
        writeln!(out, "{}", report::name::printable_message(diagnostic))?;
    }
    if !report.closed {
        writeln!(out, "not closed: the recording was cut off, or goes on")?;
    }
    writeln!(out, "{} operations load as the file is", report.readable)?;
    let consequence = match report.completeness {
        Extent::Whole => None,
        Extent::TailMissing => {
            Some("only its end is missing: other commands warn, and use what was read")
        }
        Extent::Damaged => Some("damaged: other commands exit with 2, unless --allow-damaged"),
        Extent::Nothing => {
            Some("no operation can be read: other commands exit with 2, unless --allow-damaged")
        }
    };
    if let Some(consequence) = consequence {
        writeln!(out, "{consequence}")?;
    }
    if report.is_healthy() {
        writeln!(out, "nothing is wrong with it")?;
        return Ok(());
    }
    let repair = &report.repair;
    writeln!(out, "--repair OUT keeps {} operations", repair.operations)?;
    if repair.lost_between > 0 {
        writeln!(out, "  {} between them are lost", repair.lost_between)?;
    }
    if repair.placeholders > 0 {
        writeln!(out, "  {} names, positions or stacks are lost", repair.placeholders)?;
    }
    if let Some(why) = &repair.stopped {
        writeln!(out, "  and nothing after: {}", report::name::printable_message(why))?;
    }
    Ok(())
}
