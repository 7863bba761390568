//! Stores operations as rows of the trace's tables: the inverse of [`Trace::op`].

use crate::column::Sparse;
use crate::id::{EventId, Id, LocationId, OpId, StackId, ThreadId};
use crate::op::{Attributes, Op};
use crate::table::{Kind, NO_EVENT, Trace};

fn append<T>(table: &mut Vec<T>, row: T) -> u32 {
    table.push(row);
    u32::try_from(table.len() - 1).expect("table outgrew 32 bits")
}

fn put<T: Copy>(column: &mut Sparse<T>, id: OpId, value: Option<T>) {
    if let Some(value) = value {
        column.push(id, value);
    }
}

impl Trace {
    /// Returns the trace with further stated orders of the kind `by` at its end: `arc M N by=…` for each pair of
    /// events. All other operations keep their numbers. An order is left out unless its first event has ended
    /// when the second begins.
    #[must_use]
    pub fn with_arcs(mut self, arcs: &[(EventId, EventId)], by: &[u8]) -> Trace {
        let event_type = Some(self.names.texts.intern(by));
        for &(from, to) in arcs {
            let (Some(end), Some(begin)) = (self.event(from).end, self.event(to).begin) else {
                continue;
            };
            if end < begin {
                let (id, thread) = (OpId::new(self.len()), self.thread_of(begin));
                self.store(thread, Op::Arc(from, to), None, None);
                self.store_attributes(id, Attributes { event_type, ..Attributes::default() });
            }
        }
        self
    }

    /// Appends an operation that runs on `thread`, in `event`, under `stack`.
    pub(crate) fn store(
        &mut self,
        thread: ThreadId,
        op: Op,
        event: Option<EventId>,
        stack: Option<StackId>,
    ) {
        let id = OpId::new(self.len());
        let (kind, arg) = self.encode(op);
        self.kinds.push(kind);
        self.args.push(arg);
        self.threads_of.push(thread);
        self.events_of.push(event.map_or(NO_EVENT, |e| e.0));
        self.stacks_of.push(id, stack);
    }

    /// Appends accesses that run on `thread`, in `event`, under `stack`.
    pub(crate) fn store_accesses(
        &mut self,
        thread: ThreadId,
        event: Option<EventId>,
        stack: Option<StackId>,
        accesses: impl ExactSizeIterator<Item = (LocationId, bool)>,
    ) {
        let first = self.len();
        if accesses.len() > 0 {
            self.stacks_of.push(OpId::new(first), stack);
            self.source_ids.push(OpId::new(first), None);
        }
        self.kinds.reserve(accesses.len());
        self.args.reserve(accesses.len());
        for (location, write) in accesses {
            self.kinds.push(if write { Kind::Write } else { Kind::Read });
            self.args.push(location.0);
        }
        let len = OpId::new(self.len()).index();
        self.threads_of.resize(len, thread);
        self.events_of.resize(len, event.map_or(NO_EVENT, |e| e.0));
    }

    /// Stores the attributes of operation `id`, which must be the operation stored last.
    pub(crate) fn store_attributes(&mut self, id: OpId, attributes: Attributes) {
        put(&mut self.at, id, attributes.at);
        put(&mut self.values, id, attributes.value);
        put(&mut self.sources, id, attributes.source);
        put(&mut self.event_types, id, attributes.event_type);
        put(&mut self.event_names, id, attributes.event_name);
        put(&mut self.provenances, id, attributes.provenance);
        let shift = attributes.source_id.map(|source| source.wrapping_sub(u64::from(id.0)));
        self.source_ids.push(id, shift);
    }

    fn encode(&mut self, op: Op) -> (Kind, u32) {
        match op {
            Op::Init => (Kind::Init, 0),
            Op::Exit => (Kind::Exit, 0),
            Op::Fork(thread) => (Kind::Fork, thread.0),
            Op::Join(thread) => (Kind::Join, thread.0),
            Op::Notify(handle) => (Kind::Notify, handle.0),
            Op::Wait(handle) => (Kind::Wait, handle.0),
            Op::Lock(lock) => (Kind::Lock, lock.0),
            Op::Unlock(lock) => (Kind::Unlock, lock.0),
            Op::Attach(queue) => (Kind::Attach, queue.0),
            Op::Loop(queue) => (Kind::Loop, queue.0),
            Op::Enqueue(enqueue) => (Kind::Enqueue, append(&mut self.enqueues, enqueue)),
            Op::EnqueueEnd(event) => (Kind::EnqueueEnd, event.0),
            Op::Remove(event) => (Kind::Remove, event.0),
            Op::Begin(event) => (Kind::Begin, event.0),
            Op::End(event) => (Kind::End, event.0),
            Op::PostBarrier(barrier, queue) => {
                (Kind::PostBarrier, append(&mut self.barrier_posts, (barrier, queue)))
            }
            Op::RemoveBarrier(barrier) => (Kind::RemoveBarrier, barrier.0),
            Op::Register(callback) => (Kind::Register, callback.0),
            Op::Invoke { callback, sync: false } => (Kind::Invoke, callback.0),
            Op::Invoke { callback, sync: true } => (Kind::InvokeSync, callback.0),
            Op::Unregister(callback) => (Kind::Unregister, callback.0),
            Op::Enable(event) => (Kind::Enable, event.0),
            Op::Trigger(event) => (Kind::Trigger, event.0),
            Op::Arc(from, to) => (Kind::Arc, append(&mut self.arcs, (from, to))),
            Op::Read(location) => (Kind::Read, location.0),
            Op::Write(location) => (Kind::Write, location.0),
            Op::Enter(function) => (Kind::Enter, function.0),
            Op::Leave => (Kind::Leave, 0),
        }
    }
}
