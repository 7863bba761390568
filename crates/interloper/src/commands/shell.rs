//! `interloper completions` and `interloper man`: print what the shell needs to know about the
//! commands.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs, ManArgs};
use crate::{output, suggest};

pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "interloper", &mut script);
    output::to(None, |out| Ok(out.write_all(&script)?))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(args: &ManArgs) -> Result<ExitCode> {
    let mut command = Cli::command();
    // Sets the full names of subcommands and their shared options.
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => command.find_subcommand(name).cloned().with_context(|| {
            let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            match suggest::nearest(name, known.iter().copied()) {
                Some(nearest) => format!("there is no command {name}; did you mean {nearest}?"),
                None => format!("there is no command {name}; there are {}", known.join(", ")),
            }
        })?,
    };
    let page = page.disable_help_subcommand(true);
    output::to(None, |mut out| Ok(clap_mangen::Man::new(page).render(&mut out)?))?;
    Ok(ExitCode::SUCCESS)
}
