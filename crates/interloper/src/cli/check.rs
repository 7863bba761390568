//! The arguments of `interloper check`, and those of every command that ends with a report.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use races::PairMode;
use report::standing::Threshold;
use triage::Label;

use super::{ConfigArgs, LearnedArgs, ModelArgs, SuppressArgs, TraceArgs, label_parser};

/// Report the races of a trace.
///
/// Exit status: 0 nothing found at or above --fail-on, 1 something found, 2 the trace could not be
/// checked.
#[derive(Args, Clone)]
#[command(after_help = "Examples:
  interloper check run.ilt
      Print the open races, with their evidence.
  interloper check run.ilt --format html --out races.html
      Write one file for the browser.
  interloper check run.ilt --write-baseline known.json
      Accept the races that there are now.
  interloper check run.ilt --baseline known.json --fail-on harmful
      Fail only on new races that are likely harmful.
  interloper check run.ilt --replay top=10 --fail-on shown
      Replay the first ten groups of a recorded page, and fail only on what was shown to be harmful.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Report a log of another tool exactly as that tool does, including its flaws.
    #[arg(long, value_enum, value_name = "TOOL", conflicts_with_all = ["pairs", "rules"])]
    pub(crate) compat: Option<Compat>,
    /// Write the report to a file instead of standard output. The file is complete or absent.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) evidence: EvidenceArgs,
    /// The browser for --replay [default: chromium, chromium-browser or google-chrome, as installed].
    #[arg(long, value_name = "PATH")]
    pub(crate) browser: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) given: GivenArgs,
    /// Whether a recording that cannot be replayed is reported without evidence.
    #[arg(skip)]
    pub(crate) spares_evidence: bool,
    /// Whether evidence contains pictures, unless they go to a folder.
    #[arg(skip)]
    pub(crate) embeds_pictures: bool,
}

/// What a recorded page was given, and its recording does not keep.
#[derive(Args, Clone, Default)]
pub(crate) struct GivenArgs {
    /// A secret that a step types, by the name in its placeholder `{secret:NAME}`. The option can be given
    /// several times. The environment variable `INTERLOPER_SECRET_NAME` does the same, and other users of the
    /// machine cannot see it.
    #[arg(long = "secret", value_name = "NAME=VALUE")]
    pub(crate) secrets: Vec<String>,
    /// Start with a cookie for the page's host, as the recording did. The option can be given several times.
    #[arg(long = "cookie", value_name = "NAME=VALUE")]
    pub(crate) cookies: Vec<String>,
    /// Start with the cookies and the local storage that Playwright's `storageState` has written, as the
    /// recording did.
    #[arg(long, value_name = "FILE")]
    pub(crate) storage_state: Option<PathBuf>,
    /// Send a header to the page's own origin, as the recording did. The recorded answers do not need it.
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
}

/// The replays that follow an analysis.
#[derive(Args, Clone, Default)]
pub(crate) struct EvidenceArgs {
    /// Replay the first N open groups of a recorded page, as `interloper replay` does, before the report:
    /// what is shown to be harmful comes first, and what is harmless is set aside. `none` replays nothing.
    #[arg(long, value_name = "none|top=N", value_parser = Replaying::parse)]
    pub(crate) replay: Option<Replaying>,
    /// How many seconds the replays may take in all.
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    pub(crate) replay_budget: f64,
    /// The folder for pictures of both orders of the races that are shown to be harmful [default: none; a
    /// page of --format html contains them].
    #[arg(long, value_name = "DIR")]
    pub(crate) pictures: Option<PathBuf>,
}

/// Which groups are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaying {
    Nothing,
    /// The first open groups.
    Top(usize),
}

impl Replaying {
    fn parse(text: &str) -> Result<Self, String> {
        match text.strip_prefix("top=").map(str::parse) {
            _ if text == "none" => Ok(Self::Nothing),
            Some(Ok(most)) if most > 0 => Ok(Self::Top(most)),
            _ => Err("expected none or top=N, such as top=10".to_owned()),
        }
    }
}

/// What is reported, how it is printed, and which races fail the check.
#[derive(Args, Clone)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) learned: LearnedArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) suppress: SuppressArgs,
    /// Which unordered pairs are reported.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) pairs: Pairs,
    /// How the report is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
    /// Do not count the races that this baseline or JSON report contains.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Accept the races of this trace: write them as a baseline, and exit with 0.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// What makes the exit status 1 [default: uncovered].
    #[arg(long, value_enum)]
    pub(crate) fail_on: Option<FailOn>,
    /// How many groups of races text and Markdown show in full; 0 shows all [default: 10].
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Contain in JSON all races that are covered or that a label hides, also for model `web`, where JSON
    /// otherwise has only some of each group.
    #[arg(long)]
    pub(crate) full: bool,
    /// Also check whether conflicts between and inside events break serializability or determinism,
    /// in the recorded order or in another one. Does not change the exit status.
    #[arg(long)]
    pub(crate) robustness: bool,
    /// Show races that this label hides: they are open, for the exit status too. May be repeated.
    #[arg(long, value_name = "LABEL", value_parser = label_parser())]
    pub(crate) show: Vec<Label>,
    /// Print on standard error how long each phase takes, and how often each rule added an order.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// A folder with source files to show excerpts from, in addition to the folder of the trace. May
    /// be repeated.
    #[arg(long, value_name = "DIR")]
    pub(crate) source_root: Vec<PathBuf>,
}

/// Which unordered pairs are reported.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum Pairs {
    /// Within a Looper, neighbouring accesses only: they cover the other pairs. All pairs elsewhere.
    #[default]
    Candidates,
    /// Every unordered conflicting pair.
    All,
}

impl From<Pairs> for PairMode {
    fn from(pairs: Pairs) -> Self {
        match pairs {
            Pairs::Candidates => Self::Candidates,
            Pairs::All => Self::All,
        }
    }
}

/// How a report is printed.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For the terminal.
    #[default]
    Text,
    /// For programs: schema interloper-report/1.
    Json,
    /// For code scanning and editors: SARIF 2.1.0.
    Sarif,
    /// For test reports: `JUnit` XML.
    Junit,
    /// For GitHub Actions: annotations of source lines.
    Github,
    /// For comments and job summaries.
    Markdown,
    /// For the browser: one file that works offline.
    Html,
    /// The trailer of DroidRacer's own logs; for such logs under model droidracer.
    Droidracer,
}

/// A tool whose results are reproduced literally.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// EventRacer's order, coverage, tags and levels, for its own logs.
    Eventracer,
}

/// What makes the exit status 1. Suppressed races, and those the baseline knows, never do.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum FailOn {
    /// An open race that a label marks as likely harmful.
    Harmful,
    /// An open race: uncovered, and not hidden by a label.
    #[default]
    Uncovered,
    /// An open, covered or hidden race, except hidden ones that a common lock protects.
    Any,
    /// An open race that a replay has shown to be harmful; --replay must have replayed some race.
    Shown,
    /// Nothing.
    Never,
}

impl From<FailOn> for Threshold {
    fn from(fail_on: FailOn) -> Self {
        match fail_on {
            FailOn::Harmful => Self::Harmful,
            FailOn::Uncovered => Self::Uncovered,
            FailOn::Any => Self::Any,
            FailOn::Shown => Self::Shown,
            FailOn::Never => Self::Never,
        }
    }
}
