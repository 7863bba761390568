//! The arguments of every command.

mod check;
#[cfg(all(unix, feature = "record-web"))]
pub(crate) mod playwright;
#[cfg_attr(not(all(unix, feature = "record-web")), path = "cli/record/absent.rs")]
pub(crate) mod record;
#[cfg(all(unix, feature = "record-web"))]
pub(crate) mod replay;
mod synth;

use std::path::PathBuf;

use analysis::Engine;
use anyhow::Context as _;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use codec::Format;
use order::{MODELS, Model};
use triage::Label;

pub(crate) use check::{
    CheckArgs, Compat, EvidenceArgs, FailOn, GivenArgs, Pairs, Replaying, ReportArgs, ReportFormat,
};
pub(crate) use record::RecordArgs;
pub(crate) use synth::SynthArgs;

/// Find races in event-driven programs.
///
/// A race is two accesses to the same data whose order nothing guarantees. Interloper reads a
/// recording of one run (a trace), computes which operations the platform keeps in order, and reports
/// the accesses that could also happen the other way round.
#[derive(Parser)]
#[command(name = "interloper", version, max_term_width = 100)]
#[command(after_help = "Examples:
  interloper check run.ilt
      Report the races of a recording.
  interloper explain
      List every rule, model, label, hint and code that can be explained.
  interloper check --help
      Show the options of a command; -h shows them in brief.")]
pub(crate) struct Cli {
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, display_order = 900)]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Record(RecordArgs),
    #[cfg(all(unix, feature = "record-web"))]
    Replay(replay::ReplayArgs),
    #[cfg(all(unix, feature = "record-web"))]
    Playwright(playwright::PlaywrightArgs),
    #[cfg(all(unix, feature = "record-web"))]
    #[command(hide = true)]
    BrowserPipe(playwright::BrowserPipeArgs),
    Order(OrderArgs),
    Stats(StatsArgs),
    Convert(ConvertArgs),
    Doctor(DoctorArgs),
    Synth(SynthArgs),
    Robust(RobustArgs),
    Diff(DiffArgs),
    Explore(ExploreArgs),
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
    /// Even into a file or a pipe.
    Always,
    /// Plain text.
    Never,
}

impl Color {
    /// Applies the choice to everything that is printed from here on.
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
#[derive(Args, Clone)]
pub(crate) struct TraceArgs {
    /// The trace to read; `-` is standard input.
    pub(crate) trace: PathBuf,
    /// The format of the trace [default: detected from its content].
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::READ))]
    pub(crate) from: Option<Format>,
    /// Accept an input that is damaged or empty, and use what can be read of it. Without this option
    /// the exit status is 2. An input of which only the end is missing is used anyway, with a warning.
    #[arg(long)]
    pub(crate) allow_damaged: bool,
    /// Keep reading a native file (.ilt) while another program writes it, until that program closes
    /// the file or you press Ctrl-C. `convert FILE - --to text` prints each operation as it arrives,
    /// and `stats` shows its progress on standard error. Other commands print at the end.
    #[arg(long)]
    pub(crate) follow: bool,
}

/// A happens-before model and its switches.
#[derive(Args, Clone, Default)]
pub(crate) struct ModelArgs {
    /// The happens-before model: which rules order the operations [default: the model that the trace
    /// or its format names, else android].
    #[arg(long, value_parser = model_parser())]
    pub(crate) model: Option<&'static Model>,
    /// Switch a rule of the model on or off, as in `--rule +AT-TIME` or `--rule -NATIVE`. May be
    /// repeated. `interloper explain MODEL` lists the rules.
    #[arg(long = "rule", value_name = "±NAME", allow_hyphen_values = true)]
    pub(crate) rules: Vec<String>,
    /// The algorithm that computes happens-before [default: graph; stream for long STD logs, and for
    /// native files whose order would not fit into memory].
    #[arg(long, value_parser = engine_parser())]
    pub(crate) engine: Option<Engine>,
    /// Take everything older than this for ordered before every new event (rule WINDOW), as in
    /// `--window 120s`. The report is approximate, and the memory of engine stream does not grow with
    /// the trace.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) window: Option<u64>,
}

/// Parses a duration, such as `500ms`, `120s` or `2m`, to nanoseconds.
fn duration(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err("expected a number and a unit, such as 500ms, 120s or 2m".to_owned()),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "expected a whole number and a unit, such as 500ms, 120s or 2m".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "a window of more than 500 years".to_owned())
}

/// What replays have taught about a page.
#[derive(Args, Clone, Default)]
pub(crate) struct LearnedArgs {
    /// Take for ordered what replays could not turn round (rule LEARNED): a file that `interloper replay --learn`
    /// has written.
    #[arg(long, value_name = "FILE")]
    pub(crate) learned: Option<PathBuf>,
}

/// The settings of a project for all its traces.
#[derive(Args, Clone, Default)]
pub(crate) struct ConfigArgs {
    /// The configuration file [default: interloper.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Races to set aside.
#[derive(Args, Clone, Default)]
pub(crate) struct SuppressArgs {
    /// A file with more `[[suppress]]` tables, in addition to those in the configuration. May be
    /// repeated.
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

/// Explain why two operations are ordered, or what both depend on.
///
/// Operations are numbered from 0 in the order of the trace, and reports name them by these numbers.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper order run.ilt 20 25
      Print the path of rules from one operation to the other, or that nothing orders them.
  interloper order run.trace --matrix --engine oracle
      Print the whole relation of a small trace.")]
pub(crate) struct OrderArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    /// The number of an operation.
    #[arg(required_unless_present = "matrix", requires = "b")]
    pub(crate) a: Option<u32>,
    /// The number of the other operation.
    #[arg(requires = "a")]
    pub(crate) b: Option<u32>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) learned: LearnedArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Print the whole relation: a line for each operation and a column for each operation, with `1`
    /// where the line's operation happens before the column's.
    #[arg(long, conflicts_with_all = ["a", "format"])]
    pub(crate) matrix: bool,
    /// How the answer is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
}

/// Show the races of a recording in the browser: both accesses, how they came about, and why nothing orders
/// them.
///
/// The explorer runs on this machine only, and nobody but its own page can read the recording from it. It
/// ends with Ctrl-C.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper explore run.ilt
  interloper explore recordings/
      Explore all recordings and JSON reports of a folder, and compare two of them.
  interloper explore report.json --no-open
      Print the address instead of opening it.")]
pub(crate) struct ExploreArgs {
    /// A trace, a JSON report, or a folder of them.
    pub(crate) path: PathBuf,
    /// The port to listen on [default: a free one].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Print the address, and open no browser.
    #[arg(long)]
    pub(crate) no_open: bool,
    /// A folder with the sources that the recording names, besides its own folder. May be repeated.
    #[arg(long, value_name = "DIR")]
    pub(crate) source_root: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) suppress: SuppressArgs,
}

/// Count the operations, events, threads and locations of a trace.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper stats run.ilt
  interloper stats run.ilt --format json
  interloper stats recording.ilt --follow
      Watch a recording grow.")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    /// How the counts are printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
}

/// Write a trace in another format.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper convert run.ilt run.trace
      Turn a recording into text that people can read and edit.
  interloper convert run.ilt run.parquet
      Make a table for DuckDB or pandas.
  interloper convert run.ilt timeline.json
      Make a timeline that Perfetto opens.
  interloper convert run.ilt - --to text
      Print a recording as text.")]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) input: TraceArgs,
    /// The file to write; `-` is standard output.
    pub(crate) out: PathBuf,
    /// The format to write [default: the one that the extension of OUT stands for].
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::WRITTEN))]
    pub(crate) to: Option<Format>,
}

/// Examine a native file (.ilt), and recover what can be read of a damaged one.
///
/// Exit status: 0 the file is healthy, 1 something is wrong with it, 2 it could not be read.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper doctor run.ilt
  interloper doctor run.ilt --repair repaired.ilt")]
pub(crate) struct DoctorArgs {
    /// The native file to examine.
    pub(crate) file: PathBuf,
    /// Write what can be recovered to a new file.
    #[arg(long, value_name = "OUT")]
    pub(crate) repair: Option<PathBuf>,
    /// How the findings are printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
}

/// Prove that concurrency cannot change what an event-driven program does.
///
/// The program is written in the small language of docs/robustness.md, or is code for the JVM with a
/// driver class that states its events. Exit status: 0 proved, or holds for the driver; 1 a violation
/// was found; 2 the program could not be checked; 3 unknown.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper robust corpus/robustness/fig7a.evp
  interloper robust program.evp --criterion ser --witness violation.trace
      Check one criterion, and write the execution that violates it as a trace.
  interloper robust program.evp --engine chc
      Decide a program with unbounded integers, with z3.
  interloper robust --jvm build/classes:libs/gson.jar --driver com.example.ChatDriver
      Check compiled Java or Kotlin for the events that the driver class declares:
        public class ChatDriver {
            public static void main(interloper.robust.Driver driver) {
                Chat chat = new Chat();
                var send = driver.event(\"send\", chat::onSend);
                driver.event(\"type\", chat::onType).afterStart(send);
            }
        }
      Compile it against interloper-robust.jar, which also has models of Android's AsyncTask,
      Handler and Activity. The answer is about these events and the data that they use.
  interloper robust --jvm build/classes --driver com.example.ChatDriver --witness violation.ilt
  interloper check --robustness violation.ilt
      Write the violation as it was replayed on threads, and find it there again.")]
pub(crate) struct RobustArgs {
    /// The program (.evp); `-` is standard input.
    #[arg(required_unless_present = "jvm")]
    pub(crate) program: Option<PathBuf>,
    /// Check code for the JVM, with `java` on the PATH: a class path with the application, its libraries and
    /// the driver.
    #[arg(long, value_name = "CLASSPATH", conflicts_with_all = ["program", "engine", "emit"], requires = "driver")]
    pub(crate) jvm: Option<String>,
    /// The class that declares the events (docs/robustness.md).
    #[arg(long, value_name = "CLASS", requires = "jvm")]
    pub(crate) driver: Option<String>,
    /// Instrument only classes whose names start with this. The default is all of the class path. May be
    /// given more than once. A call of a class that is left out makes the answer unknown.
    #[arg(long, value_name = "PREFIX", requires = "jvm")]
    pub(crate) include: Vec<String>,
    /// How long to explore, in seconds. If that is not enough, the answer is unknown.
    #[arg(long, value_name = "N", default_value_t = 60, requires = "jvm", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,
    /// What to check.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) criterion: Criteria,
    /// The method that decides.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) engine: RobustEngine,
    /// Print what the program is reduced to, instead of checking it. Needs `--criterion det` or
    /// `--criterion ser`.
    #[arg(long, value_enum)]
    pub(crate) emit: Option<Emit>,
    /// Write the execution that shows a violation as a trace (.ilt or .trace).
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
    /// Both of them.
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
    /// Every interleaving, one by one: for small programs.
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

/// Compare the races of two traces or reports.
///
/// Exit status: 0 no new races, 1 new races, 2 the inputs could not be compared. Races that a label hides or a suppression sets aside are left out.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper diff main.json branch.ilt
      Compare a branch with the report of the main branch.
  interloper diff before.ilt after.ilt --format json")]
pub(crate) struct DiffArgs {
    /// The earlier trace or JSON report.
    pub(crate) a: PathBuf,
    /// The later trace or JSON report.
    pub(crate) b: PathBuf,
    /// The format of the traces [default: detected from their content].
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::READ))]
    pub(crate) from: Option<Format>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) suppress: SuppressArgs,
    /// Compare an input that is damaged or empty by what can be read of it. Without this option the
    /// exit status is 2.
    #[arg(long)]
    pub(crate) allow_damaged: bool,
    /// Which unordered pairs of a trace are reported.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) pairs: Pairs,
    /// How the answer is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
}

/// Print the documentation of a rule, model, class, label, hint or diagnostic code.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper explain
      List everything that can be explained.
  interloper explain late-handler
  interloper explain TIMER-ORDER")]
pub(crate) struct ExplainArgs {
    /// The name to explain; without it, the names are listed.
    pub(crate) name: Option<String>,
}

/// Print the completion script for a shell.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper completions bash >~/.local/share/bash-completion/completions/interloper
  interloper completions fish >~/.config/fish/completions/interloper.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page of interloper, or of one of its commands.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper man >interloper.1
  interloper man check >interloper-check.1")]
pub(crate) struct ManArgs {
    /// The command; without it, the page of interloper itself.
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
    let values = MODELS.iter().map(|m| PossibleValue::new(m.name).help(m.summary));
    PossibleValuesParser::new(values)
        .map(|name| Model::named(name.as_bytes()).expect("only the names of models are possible"))
}

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    let help = |engine| match engine {
        Engine::Graph => {
            "Exact, for traces of any length whose ordering operations fit into memory"
        }
        Engine::Oracle => {
            "Exact and slow: the definition itself, for traces of up to some ten thousand operations"
        }
        Engine::Stream => {
            "One pass, without the trace in memory, for traces and pipes of any length. For \
             all models but droidracer; in threads it finds the first race of \
             each location"
        }
    };
    let value = |engine: Engine| PossibleValue::new(engine.name()).help(help(engine));
    PossibleValuesParser::new(Engine::ALL.map(value)).map(|name| {
        let engine = Engine::ALL.into_iter().find(|engine| engine.name() == name);
        engine.expect("only the names of engines are possible")
    })
}

/// The longest time that an option may state, in seconds: some thirty years.
const LONGEST: f64 = 1e9;

/// Returns the time that an option states in seconds.
pub(crate) fn seconds(option: &str, value: f64) -> anyhow::Result<std::time::Duration> {
    let time = std::time::Duration::try_from_secs_f64(value).ok().filter(|_| value <= LONGEST);
    time.with_context(|| format!("{option} {value} is no time in seconds"))
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::Cli;

    /// Collects the commands that the help of `command` and of its subcommands shows as examples.
    fn examples(command: &Command, found: &mut Vec<String>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines = help.lines().filter(|line| line.starts_with("  interloper "));
        let before = found.len();
        let commands = lines.flat_map(|line| line.split(" >").next().unwrap_or(line).split(" | "));
        found.extend(commands.map(str::to_string));
        let is_shown = !command.is_hide_set() && command.get_name() != "help";
        assert!(!is_shown || found.len() > before, "{} has no example", command.get_name());
        command.get_subcommands().for_each(|sub| examples(sub, found));
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        let mut found = Vec::new();
        examples(&Cli::command(), &mut found);
        for example in found {
            let parsed = Cli::command().try_get_matches_from(example.split_whitespace());
            let is_help = |error: &clap::Error| error.exit_code() == 0;
            assert!(parsed.as_ref().err().is_none_or(is_help), "{example}: {parsed:?}");
        }
    }
}
