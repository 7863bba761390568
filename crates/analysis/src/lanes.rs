//! Finds the locations with a race, in one pass over all accesses of a file.
//!
//! Locations are independent of each other, so they are divided among *lanes*. Each lane is a
//! thread with its own [`Suspects`]. One writer advances the timeline past the operations that
//! synchronise, and takes the moment of every run of accesses. The lanes share a view of the
//! timeline, and each processes only its own locations. The result does not depend on the number of
//! lanes.
//!
//! Cost: that of [`Suspects`] divided by the number of lanes, and in each lane one test for every
//! access.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use codec::native::{Batch, Batches, Run, Step};
use order::{Graph, HappensBefore, Timeline, View};
use races::Suspects;
use trace::{LocationId, OpId};

use crate::error::Error;
use crate::threads::joined;

/// The result of the pass.
pub struct SuspectPass {
    /// For each location, whether it has a race.
    pub suspects: Vec<bool>,
    /// The number of operations in the file.
    pub operations: u64,
    /// The number of operations that are accesses.
    pub accesses: u64,
}

/// The number of batches that may wait for a lane.
const WAITING: usize = 4;

/// One lane: every `of`-th location, starting with location `first`.
struct Lane {
    first: u32,
    of: u32,
    suspects: Suspects,
}

impl Lane {
    /// Adds those accesses of a run that belong to this lane.
    fn add<V: View>(&mut self, view: &V, batch: &Batch, run: &Run, moment: Option<&V::Moment>) {
        let locations = batch.accesses.locations[run.rows()].iter();
        let own = locations
            .zip(&batch.accesses.writes[run.rows()])
            .filter(|(location, _)| location.0 % self.of == self.first)
            .map(|(location, &write)| (LocationId(location.0 / self.of), write));
        self.suspects.add(view, moment, own);
    }

    fn add_all<V: View>(mut self, view: &V, batches: &Receiver<Arc<Timed<V>>>) -> Vec<bool> {
        for timed in batches {
            for (run, moment) in timed.batch.runs.iter().zip(&timed.moments) {
                self.add(view, &timed.batch, run, moment.as_ref());
            }
        }
        self.suspects.found()
    }
}

/// A batch with the moment of each of its runs.
struct Timed<V: View> {
    batch: Batch,
    /// The moment of each run.
    moments: Vec<Option<V::Moment>>,
}

/// The owner of the timeline, which advances it.
struct Writer<T> {
    timeline: T,
    /// The number of synchronising operations passed so far.
    passed: u32,
}

impl<T: Timeline> Writer<T> {
    /// Advances past a batch, and calls `each` for every run with its moment.
    fn walk(&mut self, batch: &Batch, mut each: impl FnMut(&Run, Option<T::Moment>)) {
        for step in batch.steps() {
            match step {
                Step::Sync(_) => {
                    self.timeline.pass(OpId(self.passed));
                    self.passed += 1;
                }
                Step::Call(_) => {}
                Step::Run(run) => each(run, self.timeline.moment(run.thread, run.event)),
            }
        }
    }
}

/// Compares all accesses with the order of the file's skeleton, divided among `lanes` lanes, and
/// returns the locations with a race. Returns `None` if the rules do not order tasks. Calls
/// `passed` after each batch with the number of operations so far, and stops if it fails.
pub fn find_suspects(
    graph: &Graph<'_>,
    mut batches: Batches<'_>,
    lanes: usize,
    passed: &dyn Fn(u64) -> Result<(), Error>,
) -> Result<Option<SuspectPass>, Error> {
    let of = u32::try_from(lanes.max(1)).unwrap_or(u32::MAX);
    let Some(timeline) = graph.cursor() else { return Ok(None) };
    let view = timeline.view();
    let mut writer = Writer { timeline, passed: 0 };
    let lane = |first| Lane { first, of, suspects: Suspects::default() };
    let mut accesses = 0;
    let mut each = |take: &mut dyn FnMut(Batch)| -> Result<(), Error> {
        while let Some(batch) = batches.next() {
            let batch = batch?;
            accesses += batch.accessed();
            take(batch);
            passed(batches.operations())?;
        }
        Ok(())
    };
    let found = if of == 1 {
        let mut lane = lane(0);
        each(&mut |batch| {
            writer.walk(&batch, |run, moment| lane.add(&view, &batch, run, moment.as_ref()));
        })?;
        vec![lane.suspects.found()]
    } else {
        side_by_side((0..of).map(lane).collect(), &view, &mut writer, each)?
    };
    writer.timeline.finish();
    debug_assert_eq!(writer.timeline.approximations(), 0, "the graph engine is exact");
    let operations = batches.operations();
    Ok(Some(SuspectPass { suspects: interleaved(&found), operations, accesses }))
}

/// Runs each lane on a thread of its own, and returns their results.
fn side_by_side<T: Timeline>(
    lanes: Vec<Lane>,
    view: &T::View,
    writer: &mut Writer<T>,
    mut each: impl FnMut(&mut dyn FnMut(Batch)) -> Result<(), Error>,
) -> Result<Vec<Vec<bool>>, Error>
where
    T::Moment: Send + Sync,
{
    thread::scope(|scope| {
        let (senders, threads): (Vec<_>, Vec<_>) = lanes
            .into_iter()
            .map(|lane| {
                let (sender, receiver) = sync_channel(WAITING);
                (sender, scope.spawn(move || lane.add_all(view, &receiver)))
            })
            .unzip();
        let read = each(&mut |batch| {
            let mut moments = Vec::new();
            writer.walk(&batch, |_, moment| moments.push(moment));
            let timed = Arc::new(Timed { batch, moments });
            for sender in &senders {
                // A lane that has ended has panicked; joining it resumes the panic.
                let _ = sender.send(Arc::clone(&timed));
            }
        });
        drop(senders);
        let found = threads.into_iter().map(joined).collect();
        read.map(|()| found)
    })
}

/// Merges the results of all lanes into the order of the locations.
fn interleaved(lanes: &[Vec<bool>]) -> Vec<bool> {
    let longest = lanes.iter().map(Vec::len).max().unwrap_or(0);
    let row = |row: usize| lanes.iter().map(move |lane| lane.get(row).is_some_and(|&found| found));
    (0..longest).flat_map(row).collect()
}
