//! `interloper convert`: rewrite a trace in another format.

use std::io::Read;
use std::process::ExitCode;

use analysis::threads::cores;
use anyhow::{Context, Result, anyhow};
use codec::native::{self, ConvertError};
use codec::{Format, text};

use crate::cli::ConvertArgs;
use crate::input::Opened;
use crate::{follow, input, output};

pub(crate) fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let by_name = || args.out.extension().and_then(|e| e.to_str()).and_then(Format::of_extension);
    let format = args.to.or_else(by_name).with_context(|| {
        let known: Vec<&str> = Format::WRITTEN.iter().map(|f| f.name()).collect();
        format!(
            "the format of {} is unknown; --to is one of {}",
            args.out.display(),
            known.join(", ")
        )
    })?;
    if args.input.follow && format == Format::Text && args.out.as_os_str() == "-" {
        return show_as_it_grows(args);
    }
    let (_, loaded) = if args.input.follow {
        input::load(&args.input)?
    } else {
        match Opened::new(&args.input)? {
            Opened::Native(source) if format == Format::Native => return copy(args, source),
            opened => opened.load(&args.input)?,
        }
    };
    output::to(Some(&args.out), |mut out| {
        format
            .write(&loaded.trace, &mut out)
            .with_context(|| format!("cannot write {} as {}", args.out.display(), format.name()))
    })?;
    input::accept(&args.input.trace, &input::entry(&args.input, &loaded.completeness))?;
    Ok(ExitCode::SUCCESS)
}

/// Copies a native file in one pass.
fn copy(args: &ConvertArgs, source: Box<dyn Read + Send>) -> Result<ExitCode> {
    let mut read = None;
    output::to(Some(&args.out), |out| {
        let copied = native::convert(source, cores(), out, native::Options::default());
        read = Some(copied.map_err(|error| match error {
            ConvertError::Read(error) => input::unreadable(&args.input.trace, error),
            ConvertError::Write(error) => {
                anyhow!(error).context(format!("cannot write {} as native", args.out.display()))
            }
        })?);
        Ok(())
    })?;
    if let Some(read) = read {
        input::accept(&args.input.trace, &input::entry(&args.input, &read))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the operations of a file on standard output while the file is written.
fn show_as_it_grows(args: &ConvertArgs) -> Result<ExitCode> {
    let mut read = None;
    output::to(None, |mut out| {
        let mut stream = text::Stream::default();
        let (_, loaded) = follow::load(&args.input, |builder| {
            stream.write(builder, &mut out)?;
            Ok(out.flush()?)
        })?;
        if !stream.finish(&loaded.trace, &mut out)? {
            output::note(format_args!(
                "some declarations came after the first operations and are not in the header; \
                 converting {} again, now that it is complete, gives them all",
                args.input.trace.display()
            ));
        }
        read = Some(input::entry(&args.input, &loaded.completeness));
        Ok(())
    })?;
    if let Some(read) = read {
        input::accept(&args.input.trace, &read)?;
    }
    Ok(ExitCode::SUCCESS)
}
