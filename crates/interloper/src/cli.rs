//! The arguments of every command.

mod check;
mod record;
mod synth;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use codec::Format;
use order::{MODELS, Model};
use triage::Label;

pub(crate) use check::{CheckArgs, Compat, FailOn, Pairs, ReportArgs, ReportFormat};
pub(crate) use record::{RecordArgs, Recorder, WebArgs};
pub(crate) use synth::SynthArgs;

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
    Record(RecordArgs),
    Order(OrderArgs),
    Stats(StatsArgs),
    Convert(ConvertArgs),
    Doctor(DoctorArgs),
    Synth(SynthArgs),
    Robust(RobustArgs),
    Diff(DiffArgs),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
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
    /// Wait at the end of a native file (.ilt) for what its writer appends, until the writer closes
    /// it or Ctrl-C. `convert FILE - --to text` shows each operation as it comes, `stats` tells on
    /// standard error how far it is; all else comes at the end.
    #[arg(long)]
    pub(crate) follow: bool,
}

/// A happens-before model and its switches.
#[derive(Args, Clone)]
pub(crate) struct ModelArgs {
    /// The happens-before model [default: the one of the trace, else of its format].
    #[arg(long, value_parser = model_parser())]
    pub(crate) model: Option<&'static Model>,
    /// Switch a rule on or off: `--rule -NATIVE`, `--rule +AT-TIME`. May be repeated.
    #[arg(long = "rule", value_name = "±NAME", allow_hyphen_values = true)]
    pub(crate) rules: Vec<String>,
    /// How happens-before is computed [default: graph; stream for long STD logs].
    #[arg(long, value_enum)]
    pub(crate) engine: Option<Engine>,
}

/// How happens-before is computed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Clocks over the operations that order others: exact, for any trace that fits into memory.
    Graph,
    /// The definition: a fixpoint over the full relation. For traces of some ten thousand operations.
    Oracle,
    /// One pass that finds the first race of each location (model threads only). For any length.
    Stream,
}

/// What a project decided once for all its traces.
#[derive(Args, Clone)]
pub(crate) struct ConfigArgs {
    /// The configuration [default: interloper.toml in the working directory, if it is there].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Races to set aside.
#[derive(Args, Clone)]
pub(crate) struct SuppressArgs {
    /// A file of `[[suppress]]` tables, besides the configuration's. May be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) suppress: Vec<PathBuf>,
}

/// How an answer is printed.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
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
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Print the whole relation: a line for each operation, `1` where it precedes the column's.
    #[arg(long, conflicts_with_all = ["a", "format"])]
    pub(crate) matrix: bool,
    /// How the answer is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
}

/// Count what is in a trace.
#[derive(Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    /// How the counts are printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
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
    pub(crate) format: AnswerFormat,
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
    pub(crate) format: AnswerFormat,
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

/// Tell which races came and went between two traces or reports.
///
/// Exit status 1 if races came. Races that a label hides or a suppression sets aside are left out.
#[derive(Args)]
pub(crate) struct DiffArgs {
    /// The earlier trace or JSON report.
    pub(crate) a: PathBuf,
    /// The later trace or JSON report.
    pub(crate) b: PathBuf,
    /// The traces' format, when their content does not tell.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::READ))]
    pub(crate) from: Option<Format>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) suppress: SuppressArgs,
    /// Which unordered pairs of a trace are reported.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) pairs: Pairs,
    /// How the answer is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
}

/// Print the documentation of a rule, model, class, label or diagnostic code.
#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// What to explain; without it, all that can be is listed.
    pub(crate) name: Option<String>,
}

/// Print the completions for a shell.
#[derive(Args)]
pub(crate) struct CompletionsArgs {
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page, of the whole or of one command.
#[derive(Args)]
pub(crate) struct ManArgs {
    /// The command.
    pub(crate) command: Option<String>,
}

fn format_parser(formats: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(formats.iter().map(|f| f.name())).map(|name| {
        let found = formats.iter().copied().find(|f| f.name() == name);
        found.expect("only the names of formats are possible")
    })
}

fn label_parser() -> impl TypedValueParser<Value = Label> {
    PossibleValuesParser::new(Label::ALL.iter().map(|label| label.name()))
        .map(|name| Label::named(&name).expect("only the names of labels are possible"))
}

fn model_parser() -> impl TypedValueParser<Value = &'static Model> {
    let values = MODELS.iter().map(|m| clap::builder::PossibleValue::new(m.name).help(m.summary));
    PossibleValuesParser::new(values)
        .map(|name| Model::named(name.as_bytes()).expect("only the names of models are possible"))
}
