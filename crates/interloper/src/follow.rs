//! Reading a native file that another process is still writing.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use codec::native::{Follow, Loading};
use codec::{Format, Loaded};
use signal_hook::consts::SIGINT;
use trace::TraceBuilder;

use crate::cli::TraceArgs;

/// How often the file is looked at.
const PAUSE: Duration = Duration::from_millis(50);

/// Reads the trace the arguments name until its writer closes it; `grown` sees what was read so
/// far, again and again. The first Ctrl-C ends the reading, the second the process.
pub(crate) fn load(
    args: &TraceArgs,
    mut grown: impl FnMut(&TraceBuilder) -> Result<()>,
) -> Result<(Format, Loaded)> {
    if args.trace.as_os_str() == "-" {
        bail!("--follow reads a file; standard input waits for its writer as it is");
    }
    if let Some(format) = args.from.filter(|&format| format != Format::Native) {
        bail!("--follow reads native files (.ilt), not format {}", format.name());
    }
    let name = args.trace.display();
    let file = File::open(&args.trace).with_context(|| format!("cannot read {name}"))?;
    let stopped = stopped_by_interrupt().context("cannot wait for Ctrl-C")?;
    let source = Follow::new(file, || {
        thread::sleep(PAUSE);
        !stopped.load(Ordering::Relaxed)
    });
    let broken = |error| anyhow!("{name}: {error}");
    let mut loading = Loading::new(source).map_err(broken)?;
    while loading.advance().map_err(broken)? {
        grown(loading.builder())?;
    }
    Ok((Format::Native, loading.finish()))
}

/// Becomes true at the first interrupt.
pub(crate) fn stopped_by_interrupt() -> std::io::Result<Arc<AtomicBool>> {
    let stopped = Arc::new(AtomicBool::new(false));
    // In this order, or the first interrupt would already end the process.
    signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&stopped))?;
    signal_hook::flag::register(SIGINT, Arc::clone(&stopped))?;
    Ok(stopped)
}
