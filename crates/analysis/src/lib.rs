//! The pipeline from an input to its ranked races: trace, order, races, triage.
//!
//! [`run`] is the only entry point, for every caller. It chooses how to read the [`Source`]: into
//! memory, a native file in three passes (`native`) or in one ([`stream`]), an STD log in two
//! (`log`), or as another tool does ([`compat`]). The resulting [`Analysis`] owns its trace, states how complete that is,
//! and explains how two operations are ordered. All results are typed; crate `report` puts them
//! into words. This crate opens no file and reads no clock.
//!
//! # Example
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use analysis::{Request, Source};
//!
//! let notation = b"interloper-trace 1\nmain write list value=null\nworker read list value=null\n";
//! let lists = triage::Lists::builtin();
//! let source = Source::pipe(&notation[..], None);
//! let analysis = analysis::run(source, &Request::new(&lists), &|_| ControlFlow::Continue(()))?;
//! assert_eq!(analysis.races.races.len(), 1);
//! assert_eq!(analysis.triage.verdicts[0].rank, 1);
//! assert!(matches!(analysis.explain(0, 1)?, order::Explanation::Unordered { .. }));
//! # Ok::<(), analysis::Error>(())
//! ```

mod batch;
pub mod compat;
mod error;
mod lanes;
mod log;
mod native;
mod outcome;
mod request;
mod source;
pub mod stream;
pub mod threads;
mod watch;

pub use batch::detect;
pub use error::{Error, Unsuitable};
pub use lanes::{SuspectPass, find_suspects};
pub use log::CLOCK_LIMIT;
pub use outcome::{Analysis, Counts};
pub use request::{Compat, Engine, ModelChoice, Request, Thresholds, check_oracle_memory};
pub use source::{ReadAt, Source};
pub use watch::{LiveRace, Milestone, StreamState, Watch};

use std::io;

use codec::{Format, Loaded};

use crate::source::{Input, Positioned};
use crate::watch::Watcher;

/// Analyses an input.
pub fn run(source: Source<'_>, request: &Request<'_>, watch: Watch<'_>) -> Result<Analysis, Error> {
    request.check()?;
    let watcher = Watcher::new(watch);
    let Source { input, format } = source;
    let (format, loaded) = match input {
        Input::Loaded(format, loaded) => (format, *loaded),
        Input::Pipe(bytes) => {
            let (format, bytes) = source::peeked(bytes, format)?;
            if format == Some(Format::Native) && request.streams_native() {
                return stream::analyse_pipe(bytes, request, &watcher);
            }
            read(watcher.reading(bytes), format, &watcher)?
        }
        Input::Positioned(file) => {
            if let Some(analysis) = in_passes(&file, format, request, &watcher)? {
                return Ok(analysis);
            }
            read(watcher.reading(file.at_start()), format, &watcher)?
        }
    };
    batch::analyse(format, loaded, request, &watcher)
}

/// A short native file that expands to so many bytes is read in passes.
const EXPANDED: u64 = 4 << 20;

/// Analyses a file without loading all of it into memory, if its format and length suggest that and
/// the rules allow it. Returns `None` otherwise.
fn in_passes(
    file: &Positioned,
    format: Option<Format>,
    request: &Request<'_>,
    watcher: &Watcher<'_>,
) -> Result<Option<Analysis>, Error> {
    let length = file.length();
    let log = request.streams_log(length);
    let streams = request.streams_native();
    if !request.passes_native(u64::MAX) && !log && !streams {
        return Ok(None);
    }
    let format = if format.is_some() { format } else { file.detect()? };
    let is_passed = |file: &Positioned| -> io::Result<bool> {
        Ok(request.passes_native(length)
            || (request.passes_native(u64::MAX)
                && codec::native::expanded(file.at_start())? >= EXPANDED))
    };
    match format {
        Some(Format::Native) if streams => stream::analyse_file(file, request, watcher),
        Some(Format::Native) if is_passed(file)? => native::analyse(file, request, watcher),
        Some(Format::Std) if log => log::analyse(file.at_start(), watcher).map(Some),
        _ => Ok(None),
    }
}

/// Reads a whole input into memory.
fn read(
    source: impl std::io::Read,
    format: Option<Format>,
    watcher: &Watcher<'_>,
) -> Result<(Format, Loaded), Error> {
    let read = match format {
        Some(format) => format.read(source).map(|loaded| (format, loaded)),
        None => codec::read(source),
    };
    watcher.unless_stopped(read)
}
