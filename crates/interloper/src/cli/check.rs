//! The arguments of `interloper check`, and those of every command that ends with a report.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use races::PairMode;
use triage::Label;

use super::{ConfigArgs, ModelArgs, SuppressArgs, TraceArgs, label_parser};

/// Report the races of a trace.
#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Report a log of another tool as that tool does, flaws included.
    #[arg(long, value_enum, value_name = "TOOL", conflicts_with_all = ["pairs", "rules"])]
    pub(crate) compat: Option<Compat>,
    /// Write the report to a file, complete or not at all, instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// What is reported, how it is printed, and what fails.
#[derive(Args, Clone)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
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
    /// Races known from this baseline or JSON report do not count.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Accept the races there are: write them as a baseline, and exit with 0.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// What makes the exit status 1 [default: uncovered].
    #[arg(long, value_enum)]
    pub(crate) fail_on: Option<FailOn>,
    /// How many groups of races text and Markdown tell in full; 0 is all [default: 10].
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Tell also whether conflicts between and inside events can break serializability or
    /// determinism, in this order and in others. Does not change the exit status.
    #[arg(long)]
    pub(crate) robustness: bool,
    /// Show races that this label would hide. May be repeated.
    #[arg(long, value_name = "LABEL", value_parser = label_parser())]
    pub(crate) show: Vec<Label>,
    /// A folder that sources are shown from, besides the trace's own. May be repeated.
    #[arg(long, value_name = "DIR")]
    pub(crate) source_root: Vec<PathBuf>,
}

/// Which unordered pairs are reported.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum Pairs {
    /// Neighbours within a Looper, which cover what they leave out; all pairs otherwise.
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
    /// For people.
    #[default]
    Text,
    /// For programs: interloper-report/1.
    Json,
    /// For code scanning and editors: SARIF 2.1.0.
    Sarif,
    /// For test reports: `JUnit` XML.
    Junit,
    /// For GitHub Actions: annotations of the lines.
    Github,
    /// For comments and summaries.
    Markdown,
    /// For reading: one file that needs nothing else.
    Html,
    /// As DroidRacer ends its own logs. For its logs under model droidracer.
    Droidracer,
}

/// A tool to be taken literally.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// Its order, coverage, tags and levels, on its own logs.
    Eventracer,
}

/// What makes the exit status 1.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum FailOn {
    /// A race labelled likely harmful.
    Harmful,
    /// A race that no other race covers.
    #[default]
    Uncovered,
    /// Any race.
    Any,
    /// Nothing.
    Never,
}
