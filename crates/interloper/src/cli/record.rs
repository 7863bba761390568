//! The arguments of `interloper record`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::check::{EvidenceArgs, ReportArgs};

/// Record a program while it runs, and report its races.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper record web http://localhost:8000/
  interloper record android app.apk --explore
  interloper record android -- mvn test
  interloper record web --help
      Show the options and more examples.")]
pub(crate) struct RecordArgs {
    #[command(subcommand)]
    pub(crate) recorder: Recorder,
}

#[derive(Subcommand)]
pub(crate) enum Recorder {
    Web(Box<WebArgs>),
    Android(Box<AndroidArgs>),
}

/// Record an Android app, or its Robolectric tests, without a device, and report the races.
///
/// With APP.apk, converts the app to Java classes and runs it on Android's own framework code, without
/// a device, emulator or SDK. The app performs the steps of --steps, or is explored. It cannot reach
/// the network or files outside its scratch folder (docs/security.md).
///
/// With COMMAND, runs the command with a Java agent, which stays inert in every Java process without
/// Robolectric. Each test class is recorded into a file of its own as it runs. When COMMAND has ended,
/// the report on all recordings follows; a race that several tests show is reported once.
///
/// Exit status of an app: 0 no race at or above --fail-on, 1 some, or the app crashed, 2 it could not be
/// recorded. Of a command: that of COMMAND; with --status races as for an app. 2 if COMMAND cannot be
/// started, or the recordings cannot be read. See docs/recording-android.md.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = "Examples:
  interloper record android app.apk
      Start an app.
  interloper record android app.apk --steps buy.steps --out buy.ilt
      Do what the file says, such as `click #buy` and `back`.
  interloper record android app.apk --explore --depth 3 --time 300
      Try what can be clicked and typed, three inputs at a time, for five minutes.
  interloper record android -- mvn test
      Record all Robolectric tests of a Maven project.
  interloper record android --status races -- ./gradlew testDebugUnitTest
      Fail if there are races, as in CI.
  interloper record android --per-test --out races -- mvn test -Dtest=CartTest
      Record each test of one class into a file of its own, in the folder races.
  interloper record android --package com.example --source-root src/main/java -- mvn test
      Record the accesses of one package only, and show its source lines.")]
pub(crate) struct AndroidArgs {
    /// The app to run.
    #[arg(value_name = "APP.apk", required_unless_present = "command")]
    pub(crate) apk: Option<PathBuf>,
    /// The command that runs the tests, after `--`.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "apk")]
    pub(crate) command: Vec<OsString>,
    /// The file for the recording of an app; an earlier one is kept as FILE.ilt.old.N [default:
    /// recording.ilt, or the first of recording-2.ilt, … that does not exist]. With --explore or COMMAND
    /// the folder for the recordings, which must not have any yet [default: recordings, or the first of
    /// recordings-2, … that does not exist].
    #[arg(long, value_name = "FILE.ilt|DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) app: AppArgs,
    /// Record every test into a file of its own, instead of every class.
    #[arg(long, conflicts_with = "apk")]
    pub(crate) per_test: bool,
    /// Record the accesses of classes whose package starts so. The option can be given several times
    /// [default: all classes that come neither from a well-known library nor from the build tool's
    /// repository].
    #[arg(long = "package", value_name = "PREFIX")]
    pub(crate) packages: Vec<String>,
    /// Where the exit status comes from.
    #[arg(long, value_enum, default_value_t, conflicts_with = "apk")]
    pub(crate) status: Status,
    /// Only record. `interloper check` reports the races of one recording later.
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Show the races in the browser when the recording has ended, as `interloper explore` does.
    #[arg(long)]
    pub(crate) open: bool,
    /// Write the report to a file instead of standard output. The file is complete or absent.
    #[arg(long, value_name = "FILE")]
    pub(crate) report_to: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// How an app is run.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct AppArgs {
    /// A file with steps to perform in the app, one a line: click, long-press, type, scroll, menu, back,
    /// home, return, rotate, broadcast, wait, wait-for (docs/recording-android.md).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["explore", "command"])]
    pub(crate) steps: Option<PathBuf>,
    /// Explore the app: try what can be done in it, in sequences that each start the app anew.
    #[arg(long, conflicts_with = "command")]
    pub(crate) explore: bool,
    /// The longest sequence of explored inputs.
    #[arg(long, value_name = "K", default_value_t = 2, requires = "explore")]
    pub(crate) depth: usize,
    /// The largest number of sequences to explore.
    #[arg(long, value_name = "N", default_value_t = 30, requires = "explore")]
    pub(crate) sequences: usize,
    /// How many seconds to explore at most, or how long the steps may take [default: 60; for steps 300].
    #[arg(long, value_name = "S", conflicts_with = "command")]
    pub(crate) time: Option<f64>,
    /// The random seed of the exploration: the same app and seed give the same inputs.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "explore")]
    pub(crate) seed: u64,
    /// Write a picture of what the app shows at the end of the steps, as PNG.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["explore", "command"])]
    pub(crate) screenshot: Option<PathBuf>,
    /// A folder with Robolectric and the Android framework, as the cache has them, instead of the cache.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) jars: Option<PathBuf>,
    /// Run the app although its native code is for another kind of machine. Its native methods return 0
    /// or null.
    #[arg(long, conflicts_with = "command")]
    pub(crate) without_native: bool,
    /// Run the app with all your rights: it can use the network, and read and delete your files.
    #[arg(long, conflicts_with = "command")]
    pub(crate) unconfined: bool,
}

/// Where the exit status comes from.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Status {
    /// From the command.
    #[default]
    Program,
    /// From the races.
    Races,
}

/// Record a web page in Chromium, and report its races.
///
/// Opens the page in a browser with an empty profile, rewrites its scripts as they load so that they
/// report what they read and write, and writes everything to FILE.ilt as it happens. The recording
/// ends after --time, when the window is closed, or on Ctrl-C, SIGTERM or SIGHUP. Then the first five
/// open groups are replayed for at most 30 seconds (--replay none turns that off), and the report
/// follows, as `interloper check FILE.ilt --replay top=5` prints it. See docs/recording-web.md.
///
/// Exit status: 0 no race at or above --fail-on, 1 some, 2 the page could not be recorded. What was
/// recorded until then is in the file in any case.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = "Examples:
  interloper record web http://localhost:8000/
      The page loads and runs for 5 seconds.
  interloper record web http://localhost:8000/ --headed
      Use the page yourself; close the window when you are done.
  interloper record web http://localhost:8000/ --headed --live --no-trace --window 120s
      Show races while you use the page, for as long as you like, and keep no file.
  interloper record web http://localhost:8000/ --steps buy.steps --out buy.ilt
      Do what the file says, such as `click #buy` and `wait-for .done`.
  interloper record web http://localhost:8000/ --until .ready --screenshot page.png
      End when the page shows an element, and keep a picture of it.
  interloper record web https://staging.example/ --storage-state signed-in.json
      Start signed in, with what Playwright has saved.
  interloper record web http://localhost:8000/ --explore --depth 2
      Try what can be clicked and typed, two inputs at a time.")]
pub(crate) struct WebArgs {
    /// The page: http://… or https://…. A name and a password before the host (`NAME:PASSWORD@`) answer
    /// the server's HTTP authentication.
    pub(crate) url: String,
    /// The file to write; an earlier one is kept as FILE.ilt.old.N [default: recording.ilt, or the
    /// first of recording-2.ilt, … that does not exist].
    #[arg(long, value_name = "FILE.ilt")]
    pub(crate) out: Option<PathBuf>,
    /// Show the browser's window, so that you can use the page yourself.
    #[arg(long)]
    pub(crate) headed: bool,
    /// The browser [default: chromium, chromium-browser or google-chrome, as installed].
    #[arg(long, value_name = "PATH")]
    pub(crate) browser: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) visit: VisitArgs,
    /// How many seconds to record after the page has loaded and the steps are done, or to explore
    /// at most [default: 5; after steps 1; exploring 60; with --headed no limit].
    #[arg(long, value_name = "S")]
    pub(crate) time: Option<f64>,
    /// When to end, instead of after --time: as soon as an element is visible (a CSS selector), or
    /// `quiet`: the page has had no request and no timer within 3 seconds for half a second. --time
    /// is then the longest wait [default: 30].
    #[arg(long, value_name = "SELECTOR|quiet", conflicts_with = "explore")]
    pub(crate) until: Option<String>,
    /// A file with steps to perform on the page, one a line: goto, click, type, select, press,
    /// wait-for, wait, scroll, hover, submit (docs/recording-web.md).
    #[arg(long, value_name = "FILE")]
    pub(crate) steps: Option<PathBuf>,
    /// How many seconds a step waits for its element.
    #[arg(long, value_name = "S", default_value_t = 10.0, requires = "steps")]
    pub(crate) step_timeout: f64,
    /// Perform each step as soon as its element is there, even before the page has loaded.
    #[arg(long, requires = "steps")]
    pub(crate) early_steps: bool,
    /// Explore the page: click, type, select, hover, submit and scroll whatever is visible, in
    /// sequences that each start by reloading the page. Explored inputs are independent of each other,
    /// so two clicks can race.
    #[arg(long, conflicts_with = "headed")]
    pub(crate) explore: bool,
    /// The longest sequence of explored inputs.
    #[arg(long, value_name = "K", default_value_t = 2, requires = "explore")]
    pub(crate) depth: usize,
    /// The largest number of sequences to explore.
    #[arg(long, value_name = "N", default_value_t = 30, requires = "explore")]
    pub(crate) sequences: usize,
    /// The random seed of the exploration: the same page and seed give the same inputs.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "explore")]
    pub(crate) seed: u64,
    /// How many seconds the page may take to load.
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    pub(crate) load_timeout: f64,
    /// Write a picture of the page at the end of the recording, as PNG.
    #[arg(long, value_name = "FILE")]
    pub(crate) screenshot: Option<PathBuf>,
    /// Keep no pictures of the page in the recording. The explorer shows them in its timeline.
    #[arg(long)]
    pub(crate) no_screenshots: bool,
    /// Keep no answers of the network in the recording. Replays need them.
    #[arg(long)]
    pub(crate) no_bodies: bool,
    #[command(flatten)]
    pub(crate) evidence: EvidenceArgs,
    /// Only record. `interloper check FILE.ilt` reports the races later.
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Analyse the page while it runs, with engine stream: print each race on standard error as soon as
    /// its verdict is final, and the report at the end. --window bounds the memory.
    #[arg(long, conflicts_with_all = ["no_check", "robustness"])]
    pub(crate) live: bool,
    /// With --live: write no file.
    #[arg(long, requires = "live", conflicts_with = "out")]
    pub(crate) no_trace: bool,
    /// Show the races in the browser when the recording has ended, as `interloper explore` does.
    #[arg(long, conflicts_with = "no_trace")]
    pub(crate) open: bool,
    /// Write the report to a file instead of standard output. The file is complete or absent.
    #[arg(long, value_name = "FILE")]
    pub(crate) report_to: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// What the page finds in its browser, and what its server gets.
#[derive(Args)]
pub(crate) struct VisitArgs {
    /// The size of the page's viewport in CSS pixels [default: 1280x800; with --headed the window's].
    #[arg(long, value_name = "WxH")]
    pub(crate) viewport: Option<String>,
    /// Send a header with every request to the page's own origin, and to no other. The option can be
    /// given several times. It does not apply to web sockets.
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// Start with a cookie for the page's host. The option can be given several times.
    #[arg(long = "cookie", value_name = "NAME=VALUE")]
    pub(crate) cookies: Vec<String>,
    /// Start with the cookies and the local storage in a file that Playwright's `storageState` has
    /// written.
    #[arg(long, value_name = "FILE")]
    pub(crate) storage_state: Option<PathBuf>,
    /// The text by which the browser identifies itself.
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,
    /// Use a source map for a script, in place of the one that the script names. FILE is the script's
    /// name in the report (js/app.js) or its address. The option can be given several times.
    #[arg(long = "source-map", value_name = "FILE=MAP")]
    pub(crate) source_maps: Vec<String>,
    /// Accept certificates that are self-signed, expired or for another host.
    #[arg(long)]
    pub(crate) ignore_certificate_errors: bool,
}
