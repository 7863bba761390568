//! The passes over a native file, which do not hold its accesses in memory.
//!
//! The analysis makes three passes over the file. The first reads the *skeleton*, the operations
//! that can order something, and closes happens-before over it. The second compares all accesses
//! with that order and finds the locations with a race ([`crate::lanes`]). The third reads the
//! accesses of these few locations, as an excerpt that is judged like any other trace; its
//! operations keep their numbers.
//!
//! Memory: the skeleton with its clocks, 16 bytes for each location, the accesses of racy
//! locations, and the batches that are decoded ahead for the second pass while the order is closed.

use codec::native::{FAR_AHEAD, Passes};
use codec::{Format, Loaded, ReadError};
use order::{Graph, Order, RuleSet};
use trace::{Id, LocationId, Place};

use crate::batch::{Judged, closing, judge};
use crate::error::Error;
use crate::lanes::find_suspects;
use crate::outcome::{Analysis, Counts};
use crate::request::{Engine, Request};
use crate::source::Positioned;
use crate::threads::cores;
use crate::watch::{Milestone, Watcher};

/// The approximate number of bytes of an operation in a file, not compressed.
const BYTES: u64 = 4;

/// Analyses a native file. Returns `None` if the whole file must be in memory instead: the rules do
/// not order tasks, or threads run on after their exit.
pub(crate) fn analyse(
    file: &Positioned,
    request: &Request<'_>,
    watcher: &Watcher<'_>,
) -> Result<Option<Analysis>, Error> {
    let reading = Passes::default();
    let skeleton = reading.skeleton(watcher.reading(file.at_start()));
    let skeleton = watcher.unless_stopped(skeleton)?;
    let rules = request.model.rules(&skeleton.trace)?;
    let (_, needed) = order::Graph::estimate(&skeleton.trace);
    if let Some(free) = request.outgrows(needed, &rules) {
        watcher.reach(Milestone::Streaming { needed, free })?;
        drop(skeleton);
        return crate::stream::analyse_file(file, request, watcher);
    }
    passes((file, &reading), &skeleton, &rules, request, watcher)
}

/// Runs the second and third pass, after the skeleton was read.
fn passes(
    (file, reading): (&Positioned, &Passes),
    skeleton: &Loaded,
    rules: &RuleSet,
    request: &Request<'_>,
    watcher: &Watcher<'_>,
) -> Result<Option<Analysis>, Error> {
    let ahead = FAR_AHEAD.min(BYTES * skeleton.trace.end());
    watcher.reach(closing(&skeleton.trace, usize::try_from(ahead).unwrap_or(usize::MAX)))?;
    let cores = cores();
    // Decoding runs ahead while one thread closes the order.
    let batches = reading.distinct(file.at_start(), cores.div_ceil(3));
    let batches = batches.map_err(|error| {
        ReadError::new(Place::Whole, error.to_string(), "memory and threads to decode with")
    })?;
    let graph = Graph::new(&skeleton.trace, rules);
    watcher.reach(Milestone::Closed { stats: Some(graph.stats()), counters: graph.counters() })?;
    let passed = |operations| watcher.reach(Milestone::Passed(operations));
    let Some(pass) = find_suspects(&graph, batches, cores, &passed)? else { return Ok(None) };
    if skeleton.trace.end() > pass.operations {
        // The accesses are readable only up to some point of the skeleton, so the order is closed
        // again up to that point.
        let skeleton = reading.skeleton_below(file.at_start(), pass.operations)?;
        return passes((file, reading), &skeleton, rules, request, watcher);
    }
    let suspects = pass.suspects.iter().filter(|&&suspect| suspect).count();
    watcher.reach(Milestone::FoundSuspects { operations: pass.operations, suspects })?;
    let names = skeleton.trace.names();
    let mut kept = pass.suspects;
    if rules.model().in_browser {
        kept.resize(kept.len().max(names.locations.len()), false);
        let decide = |id: &LocationId| triage::decides_others(&skeleton.trace, *id);
        for id in names.locations.ids().filter(decide) {
            kept[id.index()] = true;
        }
    }
    let excerpt = reading.excerpt(file.at_start(), cores, &kept.into(), names)?;
    let Some(loaded) = excerpt else { return Ok(None) };
    let order = Order::Graph(graph.over(&loaded.trace));
    let Judged { races, triage, levels } = judge(&loaded, &order, rules, request, watcher)?;
    let order = Some(order.detached());
    Ok(Some(Analysis {
        format: Format::Native,
        counts: Counts {
            operations: usize::try_from(pass.operations).unwrap_or(usize::MAX),
            accesses: usize::try_from(pass.accesses).unwrap_or(usize::MAX),
            ..Counts::of(&loaded.trace)
        },
        rules: rules.clone(),
        engine: Engine::Graph,
        races,
        triage,
        racy_locations: None,
        levels,
        loaded,
        order,
        shown: None,
    }))
}
