//! Reads a native file that another process is still writing.

use std::fs::File;
use std::io::Read;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use codec::native::{Counted, Follow, Loading};
use codec::{Format, Loaded, ReadError};
use trace::TraceBuilder;

use crate::cli::TraceArgs;
use crate::input;
use crate::signals::Stop;

/// The interval at which the file is checked for new data.
const PAUSE: Duration = Duration::from_millis(50);

/// Reads the trace that the arguments name until its writer closes it. `grown` is called repeatedly
/// with what was read so far. The first Ctrl-C, SIGTERM or SIGHUP ends the reading, and the second
/// one the process.
pub(crate) fn load(
    args: &TraceArgs,
    grown: impl FnMut(&TraceBuilder) -> Result<()>,
) -> Result<(Format, Loaded)> {
    let loading = Loading::new(source(args)?);
    Ok((Format::Native, read(args, loading, grown)?.finish()))
}

/// Like [`load`], but only counts the operations.
pub(crate) fn count(
    args: &TraceArgs,
    grown: impl FnMut(&TraceBuilder) -> Result<()>,
) -> Result<Counted> {
    let loading = Loading::counting(source(args)?);
    Ok(read(args, loading, grown)?.finish_census())
}

/// Returns the bytes of the file that the arguments name, until its writer closes it or a signal
/// arrives.
pub(crate) fn source(args: &TraceArgs) -> Result<impl Read + 'static> {
    if args.trace.as_os_str() == "-" {
        bail!("--follow reads a file; standard input waits for its writer as it is");
    }
    if let Some(format) = args.from.filter(|&format| format != Format::Native) {
        bail!("--follow reads native files (.ilt), not format {}", format.name());
    }
    let name = args.trace.display();
    let file = File::open(&args.trace).with_context(|| format!("cannot read {name}"))?;
    let stop = Stop::new().context("cannot wait for signals")?;
    Ok(Follow::new(file, move || {
        thread::sleep(PAUSE);
        !stop.flag().load(Ordering::Relaxed)
    }))
}

fn read<'a>(
    args: &TraceArgs,
    loading: Result<Loading<'a>, ReadError>,
    mut grown: impl FnMut(&TraceBuilder) -> Result<()>,
) -> Result<Loading<'a>> {
    let broken = |error| input::unreadable(&args.trace, error);
    let mut loading = loading.map_err(broken)?;
    while loading.advance().map_err(broken)? {
        grown(loading.builder())?;
    }
    Ok(loading)
}
