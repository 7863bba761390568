//! `interloper record` in a build that cannot record. It states why, and what to use instead.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::cli::RecordArgs;

/// The reason why this build cannot record.
const WHY: &str = if cfg!(unix) {
    "it was built without the feature record-web; build it with cargo's default features"
} else {
    "recording drives Chromium over inherited pipes, which needs Linux or macOS; record there, and \
     check the recording here"
};

pub(crate) fn run(_: &RecordArgs) -> Result<ExitCode> {
    bail!("this interloper cannot record web pages: {WHY}")
}
