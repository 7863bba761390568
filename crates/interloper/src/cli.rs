//! The arguments of every command.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use codec::Format;
use order::{MODELS, Model};

/// Finds the event that can get there first.
///
/// Reads the recording of an event-driven program, works out what must happen before what, and
/// reports the accesses whose order nothing guarantees.
#[derive(Parser)]
#[command(name = "interloper", version, max_term_width = 100)]
pub(crate) struct Cli {
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t)]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Order(OrderArgs),
    Stats(StatsArgs),
    Convert(ConvertArgs),
    Doctor(DoctorArgs),
    Robust(RobustArgs),
}

/// When to use colours.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// Makes the choice the one of everything printed from here on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// A trace to read.
#[derive(Args)]
pub(crate) struct TraceArgs {
    /// The trace; `-` is standard input.
    pub(crate) trace: PathBuf,
    /// The trace's format, when its content does not tell.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::READ))]
    pub(crate) from: Option<Format>,
}

/// A happens-before model and its switches.
#[derive(Args)]
pub(crate) struct ModelArgs {
    /// The happens-before model [default: the one of the trace, else of its format].
    #[arg(long, value_parser = model_parser())]
    pub(crate) model: Option<&'static Model>,
    /// Switch a rule on or off: `--rule -NATIVE`, `--rule +AT-TIME`. May be repeated.
    #[arg(long = "rule", value_name = "±NAME", allow_hyphen_values = true)]
    pub(crate) rules: Vec<String>,
    /// How happens-before is computed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) engine: Engine,
}

/// How happens-before is computed.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum Engine {
    /// The definition: a fixpoint over the full relation. For traces of some ten thousand operations.
    #[default]
    Oracle,
}

/// Report the races of a trace.
#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Which unordered pairs are reported.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) pairs: Pairs,
    /// Report a log of another tool as that tool does, flaws included.
    #[arg(long, value_enum, value_name = "TOOL", conflicts_with_all = ["pairs", "rules"])]
    pub(crate) compat: Option<Compat>,
    /// How the report is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: CheckFormat,
    /// Write the report to a file, complete or not at all, instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// What makes the exit status 1.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) fail_on: FailOn,
    /// How many groups of races the text report tells in full; 0 is all.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
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

/// How a report is printed.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: interloper-report/1.
    Json,
}

/// A tool to be taken literally.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// Its order, coverage, tags and levels, on its own logs.
    Eventracer,
}

/// How a check is printed.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: interloper-report/1.
    Json,
    /// As DroidRacer ends its own logs. For its logs under model droidracer.
    Droidracer,
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

/// Tell why two operations are ordered, or what both depend on.
///
/// Operations are numbered from 0 in the order of the trace.
#[derive(Args)]
pub(crate) struct OrderArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    /// An operation.
    #[arg(required_unless_present = "matrix", requires = "b")]
    pub(crate) a: Option<u32>,
    /// The other operation.
    #[arg(requires = "a")]
    pub(crate) b: Option<u32>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Print the whole relation: a line for each operation, `1` where it precedes the column's.
    #[arg(long, conflicts_with_all = ["a", "format"])]
    pub(crate) matrix: bool,
    /// How the answer is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
}

/// Count what is in a trace.
#[derive(Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    /// How the counts are printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
}

/// Rewrite a trace in another format.
#[derive(Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    /// Where to write; `-` is standard output.
    pub(crate) out: PathBuf,
    /// The format to write, when the file name does not tell.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::WRITTEN))]
    pub(crate) to: Option<Format>,
}

/// Tell what is in a native file, what is damaged, and what can be recovered.
///
/// Exit status 1 means that something is wrong with the file.
#[derive(Args)]
pub(crate) struct DoctorArgs {
    /// The file.
    pub(crate) file: PathBuf,
    /// Write what can be recovered to a new file.
    #[arg(long, value_name = "OUT")]
    pub(crate) repair: Option<PathBuf>,
    /// How the findings are printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
}

/// Check whether concurrency can change what an event-driven program does.
///
/// The program is written in a small language (docs/robustness.md). Exit status: 0 proved, 1 a
/// violation, 3 unknown.
#[derive(Args)]
pub(crate) struct RobustArgs {
    /// The program, `.evp`; `-` is standard input.
    pub(crate) program: PathBuf,
    /// What to check.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) criterion: Criteria,
    /// What decides.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) engine: RobustEngine,
    /// Print what the program is reduced to instead of checking it; needs one criterion.
    #[arg(long, value_enum)]
    pub(crate) emit: Option<Emit>,
    /// Write the interleaving of a violation as a trace, `.ilt` or `.trace`.
    #[arg(long, value_name = "OUT")]
    pub(crate) witness: Option<PathBuf>,
    /// How the verdict is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
}

/// What to check.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum Criteria {
    /// Conflict-determinism of each event.
    Det,
    /// Conflict-serializability of the events.
    Ser,
    #[default]
    Both,
}

/// What decides robustness.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum RobustEngine {
    /// Procedure summaries over finite domains; symbolic where explicit sets grow too large.
    #[default]
    Summaries,
    /// Constrained Horn clauses, solved by the program `z3`: for unbounded integers.
    Chc,
    /// Brute force over all interleavings.
    Explore,
}

/// What a program is reduced to.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Emit {
    /// The instrumented sequential program.
    Sequential,
    /// Constrained Horn clauses in SMT-LIB.
    Smt,
}

fn format_parser(formats: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(formats.iter().map(|f| f.name())).map(|name| {
        let found = formats.iter().copied().find(|f| f.name() == name);
        found.expect("only the names of formats are possible")
    })
}

fn model_parser() -> impl TypedValueParser<Value = &'static Model> {
    let values = MODELS.iter().map(|m| clap::builder::PossibleValue::new(m.name).help(m.summary));
    PossibleValuesParser::new(values)
        .map(|name| Model::named(name.as_bytes()).expect("only the names of models are possible"))
}
