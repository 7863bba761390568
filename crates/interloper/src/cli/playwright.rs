//! The arguments of `interloper playwright` and of the program that it puts in the place of the browser.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::AnswerFormat;

/// Explain why Playwright tests are flaky.
///
/// Runs the tests three times, without a change in the project. The first run is your own: its output and
/// its exit status are those of your command. The second run is recorded, and Interloper reports which steps of
/// a test race with which events of the page. In the third run each such event is held back, in its test
/// alone, until the racing step has ended: a test that then fails twice is shown to be flaky; one that passes
/// twice has the wait that it needs. See docs/flaky-tests.md.
///
/// Tests in Chromium are recorded. Tests in other browsers run as they are, and are named.
///
/// Exit status: that of your command, if it is not 0; else 1 if something was found at --fail-on, else 0. It is 2
/// if the tests could not be run or recorded.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper playwright -- npx playwright test
      Explain the tests of this project.
  interloper playwright -- npx playwright test menu.spec.ts --project=chromium
      Explain the tests of one file.
  interloper playwright --format json --report flaky.json -- npx playwright test
      Write the findings to a file.")]
pub(crate) struct PlaywrightArgs {
    /// The folder for the recordings, one for each browser context. What an earlier run left there is removed.
    #[arg(long, value_name = "DIR", default_value = "interloper-playwright")]
    pub(crate) out: PathBuf,
    /// Report what may race without running the tests again to see whether they fail.
    #[arg(long)]
    pub(crate) no_proof: bool,
    /// How many racing pairs of a test to try.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) tries: usize,
    /// What makes the exit status 1.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) fail_on: PlaywrightFailOn,
    /// The form of the report.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
    /// Write the report to a file [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// The browser, if Playwright has none of its own [default: chromium, chromium-browser or google-chrome, as
    /// installed].
    #[arg(long, value_name = "PATH")]
    pub(crate) browser: Option<PathBuf>,
    /// The command that runs the tests.
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What makes the exit status of `interloper playwright` 1.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlaywrightFailOn {
    /// A test that was shown to be flaky.
    #[default]
    Shown,
    /// A test that was shown to be flaky, or may be.
    Possible,
    /// Nothing.
    Never,
}

/// Stand in for a browser that Playwright starts. `interloper playwright` uses it.
#[derive(Args)]
pub(crate) struct BrowserPipeArgs {
    /// The arguments of the browser.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}
