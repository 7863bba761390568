//! The command line: parses arguments, calls the library, and returns the exit status.
//!
//! Exit status: 0 nothing found at or above `--fail-on`, 1 something found, 2 the command failed.
//! The error on standard error states what failed, where, and what to do.

mod analyse;
mod cli;
mod commands;
mod config;
mod follow;
mod input;
#[cfg_attr(not(all(unix, feature = "record-web")), path = "learned/absent.rs")]
mod learned;
mod lock;
mod output;
mod pipe;
mod place;
mod progress;
mod replace;
#[cfg(all(unix, feature = "record-web"))]
mod replays;
#[cfg(all(unix, feature = "record-web"))]
mod rewriter;
mod signals;
mod sources;
mod suggest;
mod today;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};

/// Says nothing about panics that are reported as errors.
fn contain_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !codec::is_contained(std::thread::current().name()) {
            before(panic);
        }
    }));
}

fn main() -> ExitCode {
    #[cfg(all(unix, feature = "record-web"))]
    if let Some(code) = rewriter::serve_or_offer() {
        return code;
    }
    contain_panics();
    let cli = Cli::parse();
    cli.color.apply();
    let outcome = match &cli.command {
        Command::Check(args) => commands::check::run(args),
        Command::Record(args) => commands::record::run(args),
        #[cfg(all(unix, feature = "record-web"))]
        Command::Replay(args) => commands::replay::run(args),
        #[cfg(all(unix, feature = "record-web"))]
        Command::Playwright(args) => commands::playwright::run(args),
        #[cfg(all(unix, feature = "record-web"))]
        Command::BrowserPipe(args) => commands::playwright::relay(args),
        Command::Order(args) => commands::order::run(args),
        Command::Stats(args) => commands::stats::run(args),
        Command::Convert(args) => commands::convert::run(args),
        Command::Doctor(args) => commands::doctor::run(args),
        Command::Synth(args) => commands::synth::run(args),
        Command::Robust(args) => commands::robust::run(args),
        Command::Diff(args) => commands::diff::run(args),
        Command::Explore(args) => commands::explore::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Completions(args) => commands::shell::completions(args),
        Command::Man(args) => commands::shell::man(args),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            output::problem(output::Problem::Error, format_args!("{error:#}"));
            ExitCode::from(2)
        }
    }
}
