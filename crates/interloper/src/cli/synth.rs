//! The arguments of `interloper synth`.

use std::path::PathBuf;

use clap::Args;

/// Generate a realistic trace with planted races, and their answers beside it.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper synth --list
  interloper synth asyncclock/AnyMemo --out anymemo.ilt
      Write a trace of the size that a published evaluation used.
  interloper synth asyncclock/AnyMemo --scale 0.01 --seed 7 --out small.ilt
  interloper synth asyncclock/AnyMemo --scale 10 --out - --answers answers.json | interloper check -
      Analyse a trace that is never stored.")]
pub(crate) struct SynthArgs {
    /// The name of a profile, such as `asyncclock/AnyMemo`, or a file of your own (docs/synth.md).
    #[arg(required_unless_present = "list")]
    pub(crate) profile: Option<String>,
    /// The native file to write; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The file to write the answers to [default: FILE.answers.json, beside the trace].
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// A factor for the numbers of operations, accesses and events.
    #[arg(long, value_name = "F", default_value_t = 1.0)]
    pub(crate) scale: f64,
    /// How many times longer the trace lasts than the simulated device needs [default: the one of
    /// the profile, which gives published applications the durations of their recordings].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) stretch: Option<u32>,
    /// The random seed: the same profile, scale, stretch and seed give the same bytes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// List the profiles.
    #[arg(long)]
    pub(crate) list: bool,
}
