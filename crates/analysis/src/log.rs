//! Engine `stream`: the passes over an STD log, in bounded memory.
//!
//! The first pass scans the log and detects races at once; it keeps no operations. If there are
//! races, the second pass extracts the accesses that race and the first fork of each thread, as a
//! small trace that is judged like any other. Its operations keep the numbers that they have in the
//! log. Atomic blocks are not extracted, so accesses have no call stacks.

use std::collections::BTreeSet;
use std::io::{self, Read, Seek};

use codec::rapid::{self, Event, Index, Operation, Scanner, StreamError};
use codec::{Completeness, Format, Loaded, ReadError};
use races::Races;
use races::fasttrack::{self, Action, FastTrack, Findings};
use trace::{Diagnostic, Escaped, Id, LocationId, OpId, Place, ThreadId, Trace, anomaly};
use triage::Lists;

use crate::batch::{LISTED, unordered};
use crate::error::Error;
use crate::outcome::{Analysis, Counts};
use crate::request::Engine;
use crate::watch::Watcher;

/// The largest number of bytes that the clocks may take. Clocks grow with the square of the
/// threads: about 20,000 threads that all use one lock reach this limit.
pub const CLOCK_LIMIT: usize = 1 << 30;

/// The result of the first pass.
struct Pass {
    findings: Findings,
    /// The first fork of each thread, ascending.
    forks: Vec<OpId>,
    index: Index,
    counts: Counts,
    diagnostics: Vec<Diagnostic>,
    completeness: Completeness,
}

/// Analyses an STD log with engine `stream`, under the default rules of model `threads`.
pub(crate) fn analyse(mut log: impl Read + Seek, watcher: &Watcher<'_>) -> Result<Analysis, Error> {
    let pass = watcher.unless_stopped(detect(&mut watcher.reading(&mut log)))?;
    let Pass { findings, forks, index, counts, diagnostics, completeness } = pass;
    let mut races = findings.races(LISTED);
    let trace = excerpt(&mut log, &index, forks, &mut races)?;
    let rules = order::THREADS.default_rules();
    Ok(Analysis {
        format: Format::Std,
        counts,
        triage: unordered(&trace, rules.model(), &races, &Lists::builtin()),
        rules,
        engine: Engine::Stream,
        races,
        racy_locations: Some(findings.locations.len()),
        levels: None,
        loaded: Loaded { trace, diagnostics, completeness, origin: None },
        order: None,
        shown: None,
    })
}

fn detect(input: &mut dyn Read) -> Result<Pass, StreamError> {
    let mut scanner = Scanner::default();
    let mut engine = FastTrack::default();
    let mut batch: Vec<fasttrack::Operation> = Vec::new();
    let (mut operations, mut accesses) = (0_u32, 0);
    let mut overgrown = None;
    let mut forks = Forks::default();
    let index = rapid::scan_all(input, &mut scanner, |events| {
        if engine.clock_bytes() > CLOCK_LIMIT {
            overgrown.get_or_insert(operations);
            return;
        }
        batch.clear();
        batch.extend(events.iter().map(|&event| operation(event)));
        engine.run(&batch);
        let is_access =
            |o: &&fasttrack::Operation| matches!(o.action, Action::Read | Action::Write);
        accesses += batch.iter().filter(is_access).count();
        if let [fasttrack::Operation { action: Action::Fork, target, .. }] = *batch {
            forks.note(ThreadId(target), OpId(operations));
        }
        operations += batch.len() as u32;
    })?;
    if let Some(operation) = overgrown {
        return Err(too_many_threads(operation, scanner.threads.len()).into());
    }
    let findings = engine.finish();
    let counts = Counts {
        operations: usize::try_from(scanner.operations()).unwrap_or(usize::MAX),
        events: 0,
        threads: scanner.threads.len(),
        locations: scanner.locations.len(),
        accesses,
    };
    let unheld = unheld_releases(&findings, &scanner);
    let (mut diagnostics, completeness) = scanner.finish();
    diagnostics.extend(unheld);
    Ok(Pass { findings, forks: forks.ops, index, counts, diagnostics, completeness })
}

fn too_many_threads(operation: u32, threads: usize) -> ReadError {
    let found = format!(
        "the clocks of {threads} threads that meet take more than {} MiB",
        CLOCK_LIMIT >> 20
    );
    ReadError::new(Place::Operation(operation), found, "a shorter log, or one of fewer threads")
}

/// The first fork of each thread.
#[derive(Default)]
struct Forks {
    threads: BTreeSet<ThreadId>,
    ops: Vec<OpId>,
}

impl Forks {
    fn note(&mut self, child: ThreadId, op: OpId) {
        if self.threads.insert(child) {
            self.ops.push(op);
        }
    }
}

fn operation(event: Event) -> fasttrack::Operation {
    let action = match event.operation {
        Operation::Read => Action::Read,
        Operation::Write => Action::Write,
        Operation::Acquire => Action::Acquire,
        Operation::Release => Action::Release,
        Operation::Fork => Action::Fork,
        Operation::Join => Action::Join,
        Operation::Begin | Operation::End | Operation::Skipped => Action::None,
    };
    fasttrack::Operation { thread: event.thread, target: event.target, action }
}

fn unheld_releases(findings: &Findings, scanner: &Scanner) -> Option<Diagnostic> {
    let (op, lock) = findings.first_unheld_release?;
    let lock = scanner.locks.spell(lock);
    let message = match findings.unheld_releases {
        1 => format!("lock {}", Escaped(&lock)),
        n => format!("lock {}, and {} more releases", Escaped(&lock), n - 1),
    };
    Some(Diagnostic::new(&anomaly::UNLOCK_WITHOUT_LOCK, Place::Operation(op.0), message))
}

/// Extracts the accesses that race and the forks from the log. Renumbers `races` to refer to the
/// resulting trace.
fn excerpt(
    log: &mut (impl Read + Seek),
    index: &Index,
    forks: Vec<OpId>,
    races: &mut Races,
) -> io::Result<Trace> {
    let mut wanted = if races.races.is_empty() { Vec::new() } else { forks };
    wanted.extend(races.races.iter().flat_map(|race| [race.first, race.second]));
    wanted.sort_unstable();
    wanted.dedup();
    let (trace, numbers) = rapid::excerpt(log, index, &wanted)?;
    // The log may have changed between the passes. Races whose accesses are gone are dropped.
    races.races.retain_mut(|race| {
        let place = |op: OpId| numbers.binary_search(&op).map(OpId::new);
        let (Ok(first), Ok(second)) = (place(race.first), place(race.second)) else { return false };
        let location = trace.op(first).access().map(|(location, _)| location);
        (race.first, race.second) = (first, second);
        race.location = location.unwrap_or(LocationId(0));
        location.is_some() && location == trace.op(second).access().map(|(location, _)| location)
    });
    for (i, race) in races.races.iter_mut().enumerate() {
        race.id = races::RaceId(i as u32);
    }
    Ok(trace.excerpted(numbers.into_iter().map(|op| op.0).collect()))
}
