//! The arguments of `interloper record`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::ReportArgs;

/// Record a program while it runs, and report its races.
#[derive(Args)]
pub(crate) struct RecordArgs {
    #[command(subcommand)]
    pub(crate) recorder: Recorder,
}

#[derive(Subcommand)]
pub(crate) enum Recorder {
    Web(Box<WebArgs>),
}

/// Record a web page in Chromium, and report its races.
///
/// Opens the page in a browser with an empty profile, rewrites its scripts as they come in so that
/// they tell what they read and write, and writes everything to FILE.ilt as it happens. It ends
/// after --time, when the window is closed, or on Ctrl-C; then comes the report that `interloper
/// check FILE.ilt` prints. docs/recording-web.md tells more.
///
/// Exit status: 0 no race at or above --fail-on, 1 some, 2 the page could not be recorded. What was
/// recorded until then is in the file in any case.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper record web http://localhost:8000/
      The page loads and runs for 5 seconds.
  interloper record web http://localhost:8000/ --headed
      Use the page yourself; close the window when you are done.
  interloper record web http://localhost:8000/ --steps buy.steps --out buy.ilt
      Do what the file says, such as `click #buy` and `wait-for .done`.
  interloper record web http://localhost:8000/ --explore --depth 2
      Try what can be clicked and typed, two inputs at a time.")]
pub(crate) struct WebArgs {
    /// The page: http://… or https://….
    pub(crate) url: String,
    /// The recording [default: recording.ilt, or the first of recording-2.ilt, … that is free].
    #[arg(long, value_name = "FILE.ilt")]
    pub(crate) out: Option<PathBuf>,
    /// Show the browser's window, for you to use the page.
    #[arg(long)]
    pub(crate) headed: bool,
    /// The browser [default: chromium, chromium-browser or google-chrome, as installed].
    #[arg(long, value_name = "PATH")]
    pub(crate) browser: Option<PathBuf>,
    /// How many seconds to record after the page has loaded and the steps are done, or to explore
    /// at most [default: 5; after steps 1; exploring 60; with --headed no limit].
    #[arg(long, value_name = "S")]
    pub(crate) time: Option<f64>,
    /// Do these steps with the page: goto, click, type, select, press, wait-for, wait, scroll,
    /// hover, submit, one a line (docs/recording-web.md).
    #[arg(long, value_name = "FILE")]
    pub(crate) steps: Option<PathBuf>,
    /// Use what is visible: click, type, select, hover, submit, scroll, in sequences that start
    /// with the page loaded anew. Explored inputs are independent, so two clicks can race.
    #[arg(long, conflicts_with = "headed")]
    pub(crate) explore: bool,
    /// The longest sequence of explored inputs.
    #[arg(long, value_name = "K", default_value_t = 2, requires = "explore")]
    pub(crate) depth: usize,
    /// The most sequences explored.
    #[arg(long, value_name = "N", default_value_t = 30, requires = "explore")]
    pub(crate) sequences: usize,
    /// What the order of explored inputs is drawn from: the same page and seed, the same inputs.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "explore")]
    pub(crate) seed: u64,
    /// How many seconds the page may take to load.
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    pub(crate) load_timeout: f64,
    /// Only record; `interloper check FILE.ilt` reports later.
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Write the report to a file, complete or not at all, instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) report_to: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}
