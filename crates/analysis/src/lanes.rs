//! The locations with a race, in one pass over all accesses of a file.
//!
//! Locations do not care about each other. So they are dealt out to lanes, each a thread with its own
//! [`Suspects`]. One writer passes the operations that synchronise and takes the moment of every run of
//! accesses; the lanes share a view of what is known, and look at their own locations only. What is
//! found does not depend on how many lanes there are.
//!
//! Cost: what [`Suspects`] says, divided by the lanes, and a look at every access in each of them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use codec::native::{Batch, Batches, Run, Step};
use order::{Graph, HappensBefore, Timeline, View};
use races::Suspects;
use trace::{LocationId, OpId};

use crate::error::Error;
use crate::threads::joined;

/// What the pass finds.
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
struct Lane {
    first: u32,
    of: u32,
    suspects: Suspects,
}

impl Lane {
    /// Adds those accesses of a run that are this lane's.
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

/// A batch with what is known at each of its runs.
struct Timed<V: View> {
    batch: Batch,
    /// One for each run.
    moments: Vec<Option<V::Moment>>,
}

/// The one who passes operations.
struct Writer<T> {
    timeline: T,
    /// How many operations that order others have come by.
    passed: u32,
}

impl<T: Timeline> Writer<T> {
    /// Walks along a batch. Calls `each` for every run, with its moment.
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

/// Streams all accesses against the order of the skeleton they lie in, in so many lanes; none where the
/// rules order nothing by tasks. Calls `passed` after each batch with the number of operations so far,
/// and stops when that fails.
pub fn stream(
    graph: &Graph<'_>,
    mut batches: Batches<'_>,
    lanes: usize,
    passed: &dyn Fn(u64) -> Result<(), Error>,
) -> Result<Option<Streamed>, Error> {
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
    Ok(Some(Streamed { suspects: interleaved(&found), operations, accesses }))
}

/// What each lane finds, on a thread of its own.
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
                // A lane that is gone has panicked, which shows when it is joined.
                let _ = sender.send(Arc::clone(&timed));
            }
        });
        drop(senders);
        let found = threads.into_iter().map(joined).collect();
        read.map(|()| found)
    })
}

/// The locations of all lanes, in their order.
fn interleaved(lanes: &[Vec<bool>]) -> Vec<bool> {
    let longest = lanes.iter().map(Vec::len).max().unwrap_or(0);
    let row = |row: usize| lanes.iter().map(move |lane| lane.get(row).is_some_and(|&found| found));
    (0..longest).flat_map(row).collect()
}
