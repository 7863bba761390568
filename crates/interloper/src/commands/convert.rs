//! `interloper convert`: rewrite a trace in another format.

use std::process::ExitCode;

use anyhow::{Context, Result};
use codec::Format;

use crate::cli::ConvertArgs;
use crate::{input, output};

pub(crate) fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let (_, loaded) = input::load(&args.input)?;
    let by_name = || args.out.extension().and_then(|e| e.to_str()).and_then(Format::of_extension);
    let format = args.to.or_else(by_name).with_context(|| {
        let known: Vec<&str> = Format::WRITTEN.iter().map(|f| f.name()).collect();
        format!(
            "cannot tell the format of {}; --to is one of {}",
            args.out.display(),
            known.join(", ")
        )
    })?;
    output::to(Some(&args.out), |mut out| {
        format
            .write(&loaded.trace, &mut out)
            .with_context(|| format!("cannot write {} as {}", args.out.display(), format.name()))
    })?;
    Ok(ExitCode::SUCCESS)
}
