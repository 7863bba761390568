//! From a native file to a report, without its accesses in memory.
//!
//! Three passes over the file. The first reads the operations that can order something, and closes
//! happens-before over them. The second streams all accesses once against that order and finds the
//! locations with a race ([`crate::lanes`]). The third reads the accesses of these few, as an
//! excerpt from which the report is told like any other: its operations keep their numbers.
//!
//! Memory: the skeleton with its clocks, sixteen bytes a location, the accesses of racy locations, and
//! what is decoded ahead for the second pass while the order is closed.

use std::io::{self, Read, Seek};

use codec::native::{self, Batches, FAR_AHEAD};
use codec::{Loaded, ReadError};
use order::{Graph, RuleSet};
use races::PairMode;
use trace::Place;
use triage::Lists;

use crate::analyze::{Engine, Request, closing, ordered};
use crate::lanes::stream;
use crate::model::Report;
use crate::threads::cores;
use crate::watch::{Milestone, Watch};

/// How a native file is analysed: what [`Request`] asks, but for the trace.
pub struct NativeRequest<'a> {
    /// The model with its switches.
    pub rules: &'a RuleSet,
    /// Which pairs are reported.
    pub pairs: PairMode,
    /// What triage knows about platforms.
    pub lists: &'a Lists,
    /// Hears how far it is.
    pub watch: Watch<'a>,
}

/// An operation takes about so many bytes of a file, not compressed.
const BYTES: u64 = 4;

/// Analyses a native file whose skeleton was read. None where that does not do: the rules order
/// nothing by tasks, or threads run on after their exit; then the whole file must be in memory.
pub fn analyze_native<F: Read + Seek + Send + 'static>(
    skeleton: &Loaded,
    open_file: impl Fn() -> io::Result<F>,
    request: &NativeRequest<'_>,
) -> Result<Option<Report>, ReadError> {
    let open = || {
        let failed = |error: io::Error| {
            ReadError::new(Place::Whole, error.to_string(), "a file that can be read again")
        };
        open_file().map_err(failed)
    };
    let ahead = FAR_AHEAD.min(BYTES * skeleton.trace.end());
    let watch = request.watch;
    watch(closing(&skeleton.trace, usize::try_from(ahead).unwrap_or(usize::MAX)));
    let cores = cores();
    // Decodes ahead while the order is closed, on one thread.
    let batches = Batches::parallel_distinct(open()?, cores.div_ceil(3)).map_err(|error| {
        ReadError::new(Place::Whole, error.to_string(), "memory and threads to decode with")
    })?;
    let graph = Graph::new(&skeleton.trace, request.rules);
    watch(Milestone::Closed { stats: Some(graph.stats()), counters: graph.counters() });
    let Some(pass) = stream(&graph, batches, cores, watch)? else { return Ok(None) };
    if skeleton.trace.end() > pass.operations {
        // The accesses cannot be read as far as the skeleton: the order is that of what can be read.
        let skeleton = native::read_skeleton_below(open()?, pass.operations)?;
        return analyze_native(&skeleton, open_file, request);
    }
    let suspects = pass.suspects.iter().filter(|&&suspect| suspect).count();
    watch(Milestone::Streamed { operations: pass.operations, suspects });
    let names = skeleton.trace.names();
    let excerpt = native::read_excerpt(open()?, cores, &pass.suspects.into(), names)?;
    let Some(Loaded { trace, diagnostics, completeness, .. }) = excerpt else { return Ok(None) };
    let order = graph.over(&trace);
    let mut report = ordered(
        &Request {
            trace: &trace,
            diagnostics: &diagnostics,
            completeness: &completeness,
            origin: None,
            format: codec::Format::Native.name(),
            rules: request.rules,
            pairs: request.pairs,
            lists: request.lists,
            compat: false,
            engine: Engine::GRAPH,
        },
        &order,
        watch,
    );
    report.trace.operations = usize::try_from(pass.operations).unwrap_or(usize::MAX);
    report.trace.accesses = usize::try_from(pass.accesses).unwrap_or(usize::MAX);
    Ok(Some(report))
}
