//! The arguments of `interloper synth`.

use std::path::PathBuf;

use clap::Args;

/// Make a realistic trace from a profile, with planted races whose answers are written beside it.
#[derive(Args)]
pub(crate) struct SynthArgs {
    /// A profile by name, as `asyncclock/AnyMemo`, or a file of one's own.
    #[arg(required_unless_present = "list")]
    pub(crate) profile: Option<String>,
    /// The native file to write; the answers go to FILE.answers.json.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Multiplies operations, accesses and events.
    #[arg(long, value_name = "F", default_value_t = 1.0)]
    pub(crate) scale: f64,
    /// What all choices are drawn from: the same seed gives the same bytes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// List the profiles.
    #[arg(long)]
    pub(crate) list: bool,
}
