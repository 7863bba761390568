//! From a native file to a report, without its accesses in memory.
//!
//! Three passes over the file. The first reads the operations that can order something, and closes
//! happens-before over them. The second streams all accesses once against that order and finds the
//! locations with a race ([`races::Suspects`]). The third reads the accesses of these few, as an
//! excerpt from which the report is told like any other: its operations keep their numbers.
//!
//! Memory: the skeleton with its clocks, sixteen bytes a location, and the accesses of racy locations.

use std::io::{self, Read, Seek};

use codec::native::{self, Batches, Step};
use codec::{Loaded, ReadError};
use order::{Graph, HappensBefore, RuleSet};
use races::{PairMode, Suspects};
use trace::{OpId, Place};
use triage::Lists;

use crate::analyze::{Engine, Request, closing, ordered};
use crate::model::Report;
use crate::watch::{Milestone, Watch};

/// What the second pass gives.
pub struct Streamed {
    /// The locations with a race.
    pub suspects: Vec<bool>,
    /// How many operations there are.
    pub operations: u64,
    /// How many of them are accesses.
    pub accesses: u64,
}

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

/// How many threads the machine runs at once.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Analyses a native file whose skeleton was read. None where that does not do: the rules order
/// nothing by tasks, or threads run on after their exit; then the whole file must be in memory.
pub fn analyze_native<F: Read + Seek + Send + 'static>(
    skeleton: &Loaded,
    open: impl Fn() -> io::Result<F>,
    request: &NativeRequest<'_>,
) -> Result<Option<Report>, ReadError> {
    let open = || {
        let failed = |error: io::Error| {
            ReadError::new(Place::Whole, error.to_string(), "a file that can be read again")
        };
        open().map_err(failed)
    };
    let watch = request.watch;
    watch(closing(&skeleton.trace));
    let graph = Graph::new(&skeleton.trace, request.rules);
    watch(Milestone::Closed { stats: Some(graph.stats()), counters: graph.counters() });
    let workers = cores().saturating_sub(1).max(1);
    let batches = Batches::parallel_distinct(open()?, workers).map_err(|error| {
        ReadError::new(Place::Whole, error.to_string(), "memory and threads to decode with")
    })?;
    let Some(pass) = stream(&graph, batches, watch)? else { return Ok(None) };
    let suspects = pass.suspects.iter().filter(|&&suspect| suspect).count();
    watch(Milestone::Streamed { operations: pass.operations, suspects });
    let excerpt = native::read_excerpt(open()?, cores(), &pass.suspects.into())?;
    let Some(Loaded { trace, diagnostics, .. }) = excerpt else { return Ok(None) };
    let order = graph.over(&trace);
    let mut report = ordered(
        &Request {
            trace: &trace,
            diagnostics: &diagnostics,
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

/// Streams all accesses against the order of the skeleton they lie in; none where the rules order
/// nothing by tasks.
pub fn stream(
    graph: &Graph<'_>,
    mut batches: Batches<'_>,
    watch: Watch<'_>,
) -> Result<Option<Streamed>, ReadError> {
    let Some(mut cursor) = graph.cursor() else { return Ok(None) };
    let mut suspects = Suspects::default();
    let (mut passed, mut accesses) = (0_u32, 0);
    while let Some(batch) = batches.next() {
        let batch = batch?;
        for step in batch.steps() {
            match step {
                Step::Sync(_) => {
                    cursor.pass(OpId(passed));
                    passed += 1;
                }
                Step::Call(_) => {}
                Step::Run(run) => {
                    let moment = cursor.moment(run.thread, run.event);
                    let locations = batch.accesses.locations[run.rows()].iter().copied();
                    let writes = batch.accesses.writes[run.rows()].iter().copied();
                    suspects.add(&cursor, moment.as_ref(), locations.zip(writes));
                    accesses += u64::from(run.len);
                }
            }
        }
        watch(Milestone::Passed(batches.operations()));
    }
    let operations = batches.operations();
    Ok(Some(Streamed { suspects: suspects.found(), operations, accesses }))
}
