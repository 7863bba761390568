//! The locations with a race, in one pass over all accesses of a file.
//!
//! Locations do not care about each other. So they are dealt out to lanes, each a thread with its own
//! [`Suspects`]; all lanes walk along the same batches, each with a cursor of its own, and look at their
//! own locations only. What is found does not depend on how many lanes there are.
//!
//! Cost: what [`Suspects`] says, divided by the lanes, and a look at every access in each of them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use codec::ReadError;
use codec::native::{Batch, Batches, Step};
use order::{Cursor, Graph, HappensBefore};
use races::Suspects;
use trace::{LocationId, OpId};

use crate::threads::joined;
use crate::watch::{Milestone, Watch};

/// What the pass gives.
pub struct Streamed {
    /// The locations with a race.
    pub suspects: Vec<bool>,
    /// How many operations there are.
    pub operations: u64,
    /// How many of them are accesses.
    pub accesses: u64,
}

/// So many batches wait for a lane.
const WAITING: usize = 4;

/// Some of the locations: each `of`-th, from the `first` on.
struct Lane<'g> {
    first: u32,
    of: u32,
    cursor: Cursor<'g>,
    /// How many operations that order others have come by.
    passed: u32,
    suspects: Suspects,
}

impl Lane<'_> {
    fn walk(&mut self, batch: &Batch) {
        for step in batch.steps() {
            match step {
                Step::Sync(_) => {
                    self.cursor.pass(OpId(self.passed));
                    self.passed += 1;
                }
                Step::Call(_) => {}
                Step::Run(run) => {
                    let moment = self.cursor.moment(run.thread, run.event);
                    let locations = batch.accesses.locations[run.rows()].iter();
                    let own = locations
                        .zip(&batch.accesses.writes[run.rows()])
                        .filter(|(location, _)| location.0 % self.of == self.first)
                        .map(|(location, &write)| (LocationId(location.0 / self.of), write));
                    self.suspects.add(&self.cursor, moment.as_ref(), own);
                }
            }
        }
    }

    fn walk_all(mut self, batches: &Receiver<Arc<Batch>>) -> Vec<bool> {
        for batch in batches {
            self.walk(&batch);
        }
        self.suspects.found()
    }
}

/// Streams all accesses against the order of the skeleton they lie in, in so many lanes; none where the
/// rules order nothing by tasks.
pub fn stream(
    graph: &Graph<'_>,
    mut batches: Batches<'_>,
    lanes: usize,
    watch: Watch<'_>,
) -> Result<Option<Streamed>, ReadError> {
    let of = u32::try_from(lanes.max(1)).unwrap_or(u32::MAX);
    let lane = |first| {
        let (cursor, suspects) = (graph.cursor()?, Suspects::default());
        Some(Lane { first, of, cursor, passed: 0, suspects })
    };
    let Some(lanes) = (0..of).map(lane).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let mut accesses = 0;
    let mut each = |take: &mut dyn FnMut(Batch)| -> Result<(), ReadError> {
        while let Some(batch) = batches.next() {
            let batch = batch?;
            accesses += batch.accessed();
            take(batch);
            watch(Milestone::Passed(batches.operations()));
        }
        Ok(())
    };
    let found = match <[Lane<'_>; 1]>::try_from(lanes) {
        Ok([mut lane]) => {
            each(&mut |batch| lane.walk(&batch))?;
            vec![lane.suspects.found()]
        }
        Err(lanes) => side_by_side(lanes, each)?,
    };
    let operations = batches.operations();
    Ok(Some(Streamed { suspects: interleaved(&found), operations, accesses }))
}

/// What each lane finds, on a thread of its own.
fn side_by_side(
    lanes: Vec<Lane<'_>>,
    mut each: impl FnMut(&mut dyn FnMut(Batch)) -> Result<(), ReadError>,
) -> Result<Vec<Vec<bool>>, ReadError> {
    thread::scope(|scope| {
        let (senders, threads): (Vec<_>, Vec<_>) = lanes
            .into_iter()
            .map(|lane| {
                let (sender, receiver) = sync_channel(WAITING);
                (sender, scope.spawn(move || lane.walk_all(&receiver)))
            })
            .unzip();
        let told = each(&mut |batch| {
            let batch = Arc::new(batch);
            for sender in &senders {
                // A lane that is gone has panicked, which shows when it is joined.
                let _ = sender.send(Arc::clone(&batch));
            }
        });
        drop(senders);
        let found = threads.into_iter().map(joined).collect();
        told.map(|()| found)
    })
}

/// The locations of all lanes, in their order.
fn interleaved(lanes: &[Vec<bool>]) -> Vec<bool> {
    let longest = lanes.iter().map(Vec::len).max().unwrap_or(0);
    let row = |row: usize| lanes.iter().map(move |lane| lane.get(row).is_some_and(|&found| found));
    (0..longest).flat_map(row).collect()
}
