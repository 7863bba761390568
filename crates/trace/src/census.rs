//! Counts the content of a trace: its operations, messages, threads, queues and locations.
//!
//! [`Census::of`] counts a trace in memory. [`crate::TraceBuilder::counting`] takes the same census
//! of operations that nobody keeps, so that a trace of any length can be counted while it is read.

use std::collections::BTreeMap;

use crate::op::{Attributes, Op};
use crate::table::{LocationKind, QueueKind, Trace};
use crate::words::OpKind;

/// The number of kinds of operations.
const KINDS: usize = OpKind::ALL.len();

/// Counts over one trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    operations: Operations,
    /// The numbers of enqueues, by the word for how they ask to be dispatched.
    pub postings: BTreeMap<&'static str, usize>,
    /// The number of messages, whether posted or dispatched.
    pub messages: usize,
    /// The number of messages that were dispatched.
    pub events: usize,
    /// The number of threads.
    pub threads: usize,
    /// The number of processes.
    pub processes: usize,
    /// The number of queues that are Loopers.
    pub loopers: usize,
    /// The number of queues that are binders.
    pub binders: usize,
    /// The number of all other queues.
    pub pools: usize,
    /// The number of locations.
    pub locations: usize,
    /// The numbers of locations with a declared kind, by the name of the kind.
    pub location_kinds: BTreeMap<Vec<u8>, usize>,
    /// The model that the trace names.
    pub model: Option<Vec<u8>>,
}

/// The counts that every operation changes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Operations {
    kinds: [usize; KINDS],
    /// The first and the last time.
    times: Option<(u64, u64)>,
}

impl Default for Operations {
    fn default() -> Self {
        Self { kinds: [0; KINDS], times: None }
    }
}

impl Census {
    /// Counts a trace.
    pub fn of(trace: &Trace) -> Self {
        let mut census = Self::default();
        for op in trace.ops() {
            census.count(trace.op(op), &trace.attributes(op));
        }
        census.count_tables(trace);
        census
    }

    /// The numbers of operations by kind, for the kinds that occur.
    pub fn operations(&self) -> impl Iterator<Item = (OpKind, usize)> {
        let counted = OpKind::ALL.iter().copied().zip(self.operations.kinds);
        counted.filter(|&(_, count)| count > 0)
    }

    /// The number of all operations.
    pub fn total(&self) -> usize {
        self.operations.kinds.iter().sum()
    }

    /// The number of reads and writes.
    pub fn accesses(&self) -> usize {
        [OpKind::Read, OpKind::Write].map(|kind| self.operations.kinds[kind as usize]).iter().sum()
    }

    /// The time from the first timestamp to the last, in nanoseconds. None without a timestamp.
    pub fn duration(&self) -> Option<u64> {
        self.operations.times.map(|(first, last)| last - first)
    }

    /// Counts an operation.
    pub(crate) fn count(&mut self, op: Op, attributes: &Attributes) {
        let operations = &mut self.operations;
        operations.kinds[op.kind() as usize] += 1;
        if let Op::Enqueue(enqueue) = op {
            *self.postings.entry(enqueue.posting.word()).or_default() += 1;
        }
        if let Some(at) = attributes.at {
            let (first, last) = operations.times.unwrap_or((at, at));
            operations.times = Some((first.min(at), last.max(at)));
        }
    }

    /// Counts accesses without a time.
    pub(crate) fn count_accesses(&mut self, accesses: usize, writes: usize) {
        self.operations.kinds[OpKind::Read as usize] += accesses - writes;
        self.operations.kinds[OpKind::Write as usize] += writes;
    }

    /// Counts everything but operations, from the tables of a finished trace.
    pub(crate) fn count_tables(&mut self, trace: &Trace) {
        let names = trace.names();
        self.messages = names.events.len();
        self.events = trace.events().filter(|(_, event)| event.begin.is_some()).count();
        self.threads = names.threads.len();
        self.processes = names.processes.len();
        for queue in names.queues.ids() {
            *match trace.queue(queue).kind {
                QueueKind::Looper => &mut self.loopers,
                QueueKind::Binder => &mut self.binders,
                QueueKind::Pool => &mut self.pools,
            } += 1;
        }
        self.locations = names.locations.len();
        for location in names.locations.ids() {
            let Some(kind) = trace.location_kind(location) else { continue };
            let name = match kind {
                LocationKind::Other(name) => trace.text(name),
                kind => kind.word().unwrap_or_default().as_bytes(),
            };
            match self.location_kinds.get_mut(name) {
                Some(count) => *count += 1,
                None => drop(self.location_kinds.insert(name.to_vec(), 1)),
            }
        }
        self.model = trace.model().map(<[u8]>::to_vec);
    }
}
