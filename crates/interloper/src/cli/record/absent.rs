//! The arguments of `interloper record` in a build that cannot record.

use std::ffi::OsString;

use clap::Args;

/// Record a program while it runs (this build of interloper cannot).
#[derive(Args)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct RecordArgs {
    /// Any arguments that the full command would accept.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}
