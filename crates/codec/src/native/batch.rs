//! Batches: decoded stretches of the trace, in trace order.

use trace::{Attributes, Id, Op, StackId, TextId};

use super::context::Contexts;
use super::data::DataRows;
use super::layout::WindowRange;
use super::name_table::NameTable;
use super::rows::{Accesses, Call, CallRow, Run, SyncRow, accesses_of};
use super::tables::{Counts, Declaration, Declarations};
use super::varint::Malformed;

/// Consecutive operations of a trace, and the declarations that come before them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The declarations of names that this and later batches use.
    pub declarations: Vec<Declarations>,
    /// The operations that can order others, in trace order.
    pub sync: Vec<SyncRow>,
    /// The calls and returns of functions, in trace order.
    pub calls: Vec<CallRow>,
    /// The runs of accesses, in trace order. All accesses of a run have the same context.
    pub runs: Vec<Run>,
    /// The accesses that the reader asked for. `runs` index into them.
    pub accesses: Accesses,
    /// The order in which sync rows, calls and runs interleave.
    order: Vec<Slot>,
}

/// The kind of the next piece in trace order: a sync row, a call or a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Sync,
    Call,
    Run,
}

/// One piece of a batch, in trace order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// An operation that can order others.
    Sync(&'a SyncRow),
    /// A function entered or left.
    Call(&'a CallRow),
    /// Accesses of one context.
    Run(&'a Run),
}

impl Batch {
    /// All pieces of the batch, in trace order.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let (mut sync, mut calls, mut runs) =
            (self.sync.iter(), self.calls.iter(), self.runs.iter());
        self.order.iter().filter_map(move |slot| match slot {
            Slot::Sync => sync.next().map(Step::Sync),
            Slot::Call => calls.next().map(Step::Call),
            Slot::Run => runs.next().map(Step::Run),
        })
    }

    /// The number of operations in the stretch of the trace that the batch covers.
    pub fn operations(&self) -> u64 {
        (self.sync.len() + self.calls.len()) as u64 + self.accessed()
    }

    /// The number of accesses in the stretch of the trace, whether the reader asked for them or
    /// not.
    pub fn accessed(&self) -> u64 {
        accesses_of(&self.runs)
    }
}

/// The state that a reader keeps from one batch to the next.
pub(crate) struct Known {
    pub(crate) counts: Counts,
    /// The parent of every stack.
    parents: Vec<Option<StackId>>,
    contexts: Contexts,
    /// The first enter that did not continue its thread's stack, and the number of such enters.
    pub(crate) stack_mismatch: Option<(u64, u64)>,
}

impl Known {
    pub(crate) fn new() -> Self {
        Self {
            counts: Counts::initial(),
            parents: Vec::new(),
            contexts: Contexts::default(),
            stack_mismatch: None,
        }
    }

    /// Assumes the rows that a lost tables block held.
    pub(crate) fn bridge(&mut self, counts: Counts) {
        self.counts = counts;
        self.parents.resize(counts.frames as usize, None);
    }

    /// Checks a tables block and remembers the parts that later blocks need.
    pub(crate) fn declare(&mut self, padded: Vec<u8>) -> Result<Declarations, Malformed> {
        let declarations = Declarations::check(padded, &mut self.counts)?;
        self.parents.extend(declarations.iter().filter_map(|declaration| match declaration {
            Declaration::Frame(frame) => Some(frame.parent),
            _ => None,
        }));
        Ok(declarations)
    }

    /// Interleaves the rows of a window up to the first gap in its numbers, and gives each its
    /// context. Rows after a gap are dropped.
    pub(crate) fn interleave(
        &mut self,
        window: WindowRange,
        sync: Vec<SyncRow>,
        data: DataRows,
    ) -> Result<Batch, Malformed> {
        self.check_ids(&sync, &data)?;
        let DataRows { accesses, runs, calls, .. } = data;
        let mut batch = Batch { sync, calls, runs, accesses, ..Batch::default() };
        let (mut syncs, mut calls, mut runs) = (0, 0, 0);
        let mut next = window.first;
        while next < window.end() {
            if let Some(row) = batch.sync.get_mut(syncs).filter(|row| row.number == next) {
                row.event = self.contexts.sync(row.thread, row.op);
                (syncs, next) = (syncs + 1, next + 1);
                batch.order.push(Slot::Sync);
            } else if let Some(run) = batch.runs.get_mut(runs).filter(|run| run.first == next) {
                (run.event, run.stack) = self.contexts.current(run.thread);
                (runs, next) = (runs + 1, next + u64::from(run.len));
                batch.order.push(Slot::Run);
            } else if let Some(row) = batch.calls.get(calls).filter(|row| row.number == next) {
                self.call(row);
                (calls, next) = (calls + 1, next + 1);
                batch.order.push(Slot::Call);
            } else {
                break;
            }
        }
        batch.sync.truncate(syncs);
        batch.calls.truncate(calls);
        batch.runs.truncate(runs);
        batch.accesses.truncate(batch.runs.last().map_or(0, |run| run.rows().end));
        Ok(batch)
    }

    /// Returns a batch of only the sync rows of a window. Stacks stay unknown.
    pub(crate) fn skeleton(&mut self, mut sync: Vec<SyncRow>) -> Result<Batch, Malformed> {
        self.check_ids(&sync, &DataRows::default())?;
        for row in &mut sync {
            row.event = self.contexts.sync(row.thread, row.op);
        }
        let order = vec![Slot::Sync; sync.len()];
        Ok(Batch { sync, order, ..Batch::default() })
    }

    fn call(&mut self, row: &CallRow) {
        match row.call {
            Call::Enter(stack) => {
                let (_, current) = self.contexts.current(row.thread);
                if self.parents[stack.index()] != current {
                    let (_, count) = self.stack_mismatch.get_or_insert((row.number, 0));
                    *count += 1;
                }
                self.contexts.enter(row.thread, stack);
            }
            Call::Leave => self.contexts.leave(row.thread, |stack| self.parents[stack.index()]),
        }
    }

    /// Checks that every id that rows mention is in a table.
    pub(crate) fn check_ids(&self, sync: &[SyncRow], data: &DataRows) -> Result<(), Malformed> {
        let accesses = &data.accesses;
        let known = sync.iter().all(|row| self.knows_row(row))
            && data.runs.iter().all(|run| run.thread.0 < self.counts.of(NameTable::Threads))
            && data.calls.iter().all(|row| self.knows_call(row))
            && (data.runs.is_empty() || data.max_location < self.counts.of(NameTable::Locations))
            && accesses.values.all(|text| text.0 < self.counts.of(NameTable::Texts))
            && accesses.sources.all(|source| source.0 < self.counts.sources);
        if known { Ok(()) } else { Err(Malformed("an operation names what no table holds")) }
    }

    fn knows_call(&self, row: &CallRow) -> bool {
        row.thread.0 < self.counts.of(NameTable::Threads)
            && !matches!(row.call, Call::Enter(stack) if stack.0 >= self.counts.frames)
            && self.knows_attributes(&row.attributes)
    }

    fn knows_row(&self, row: &SyncRow) -> bool {
        row.thread.0 < self.counts.of(NameTable::Threads)
            && self.knows_attributes(&row.attributes)
            && self.knows_operation(row.op)
    }

    fn knows_attributes(&self, attributes: &Attributes) -> bool {
        let text =
            |id: Option<TextId>| id.is_none_or(|text| text.0 < self.counts.of(NameTable::Texts));
        text(attributes.value)
            && text(attributes.event_type)
            && text(attributes.event_name)
            && attributes.source.is_none_or(|source| source.0 < self.counts.sources)
    }

    fn knows_operation(&self, op: Op) -> bool {
        let in_table = |table: NameTable, id: u32| id < self.counts.of(table);
        match op {
            Op::Init | Op::Exit | Op::Leave => true,
            Op::Fork(thread) | Op::Join(thread) => in_table(NameTable::Threads, thread.0),
            Op::Notify(handle) | Op::Wait(handle) => in_table(NameTable::Handles, handle.0),
            Op::Lock(lock) | Op::Unlock(lock) => in_table(NameTable::Locks, lock.0),
            Op::Attach(queue) | Op::Loop(queue) => in_table(NameTable::Queues, queue.0),
            Op::Enqueue(enqueue) => {
                in_table(NameTable::Events, enqueue.event.0)
                    && in_table(NameTable::Queues, enqueue.queue.0)
            }
            Op::EnqueueEnd(event) | Op::Remove(event) | Op::Begin(event) | Op::End(event) => {
                in_table(NameTable::Events, event.0)
            }
            Op::PostBarrier(barrier, queue) => {
                in_table(NameTable::Barriers, barrier.0) && in_table(NameTable::Queues, queue.0)
            }
            Op::RemoveBarrier(barrier) => in_table(NameTable::Barriers, barrier.0),
            Op::Register(callback) | Op::Unregister(callback) | Op::Invoke { callback, .. } => {
                in_table(NameTable::Callbacks, callback.0)
            }
            Op::Enable(event) | Op::Trigger(event) => in_table(NameTable::Environment, event.0),
            Op::Arc(from, to) => {
                in_table(NameTable::Events, from.0) && in_table(NameTable::Events, to.0)
            }
            Op::Read(location) | Op::Write(location) => in_table(NameTable::Locations, location.0),
            Op::Enter(function) => in_table(NameTable::Functions, function.0),
        }
    }
}
