//! Objects that several strands access. Something other than a strand orders their accesses:
//!
//! - A lock protects an object. Many threads access it, but only one strand of each looper, because
//!   locks do not protect events of one looper from each other. After some critical sections the
//!   object is replaced, so that no location collects accesses without end.
//! - An object is handed over by `notify`: it is written before, and read after the `wait` of its
//!   one taker.
//! - A listener's object is written before the listener is registered, read where it is invoked,
//!   and written after it is unregistered.
//! - A worker's last object is read by the thread that joins the worker.

use std::collections::VecDeque;
use std::io::{self, Write};

use hashbrown::HashMap;
use trace::{BarrierId, CallbackId, EventId, HandleId, LockId, Op, QueueId, ThreadId};

use crate::emit::Object;
use crate::strand::StrandId;
use crate::world::{Served, World};

const LOCKS: usize = 24;
const HANDLES: usize = 48;
/// The number of critical sections after which the object that a lock protects is replaced.
const SECTIONS: u32 = 48;
/// The largest number of pending hand-overs, listeners or ended workers.
const MOST: usize = 48;

#[derive(Default)]
pub(crate) struct Shared {
    locks: Vec<Guarded>,
    /// The one strand of a looper that accesses the object that a lock protects.
    admitted: HashMap<(LockId, QueueId), StrandId>,
    handles: Vec<HandleId>,
    handed: VecDeque<(HandleId, Object)>,
    listeners: Vec<(CallbackId, Object)>,
    removable: VecDeque<(EventId, QueueId)>,
    ended: VecDeque<ThreadId>,
    /// The queue of each posted barrier.
    pub(crate) barrier_queues: HashMap<BarrierId, QueueId>,
}

struct Guarded {
    lock: LockId,
    object: Option<Object>,
    sections: u32,
}

impl Shared {
    /// Notes that a worker ended.
    pub(crate) fn worker_ended(&mut self, thread: ThreadId) {
        self.ended.push_back(thread);
    }

    /// Whether a worker waits to be joined.
    pub(crate) fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }

    /// Notes a posted message that may be removed.
    pub(crate) fn may_remove(&mut self, event: EventId, queue: QueueId) {
        self.removable.push_back((event, queue));
    }

    pub(crate) fn removals_waiting(&self) -> usize {
        self.removable.len()
    }
}

impl<W: Write> World<W> {
    pub(crate) fn make_shared(&mut self) {
        for i in 0..LOCKS {
            let lock = self.out.lock(&format!("lock{i}"));
            self.shared.locks.push(Guarded { lock, object: None, sections: 0 });
        }
        for i in 0..HANDLES {
            let handle = self.out.handle(&format!("handle{i}"));
            self.shared.handles.push(handle);
        }
    }

    /// Acquires a lock, accesses the object that it protects or one of the strand's own, and
    /// releases it.
    pub(crate) fn locked(&mut self, thread: ThreadId) -> io::Result<()> {
        let index = self.rng.usize(..LOCKS);
        let lock = self.shared.locks[index].lock;
        self.op(thread, Op::Lock(lock))?;
        if self.may_touch(thread, lock) && self.rng.u8(..) < 80 && self.accesses_left() > 64 {
            self.touch_guarded(thread, index)?;
        } else {
            let few = self.rng.u32(..4).min(self.accesses_left() as u32);
            self.accesses(thread, few)?;
        }
        self.op(thread, Op::Unlock(lock))
    }

    /// The number of accesses that remain in the plan.
    pub(crate) fn accesses_left(&self) -> u64 {
        self.plan.accesses.saturating_sub(self.out.written.accesses)
    }

    /// Whether the running code may access the object that the lock protects.
    fn may_touch(&mut self, thread: ThreadId, lock: LockId) -> bool {
        let now = &self.threads[thread.0 as usize].now;
        let Some(open) = &now.open else { return true };
        if let Served::Crew { .. } = self.queues[open.queue.0 as usize] {
            return true;
        }
        let Some(strand) = now.strand else { return false };
        *self.shared.admitted.entry((lock, open.queue)).or_insert(strand) == strand
    }

    fn touch_guarded(&mut self, thread: ThreadId, index: usize) -> io::Result<()> {
        let guarded = &mut self.shared.locks[index];
        guarded.sections += 1;
        let renew = guarded.object.is_none() || guarded.sections.is_multiple_of(SECTIONS);
        if renew {
            let object = self.new_object(thread, 3)?;
            self.shared.locks[index].object = Some(object);
        }
        let Some(object) = self.shared.locks[index].object else { return Ok(()) };
        for _ in 0..=self.rng.u32(..3) {
            let field = self.rng.u32(..object.fields);
            let write = self.rng.u8(..) < 80;
            self.access(thread, object.field(field), write)?;
        }
        Ok(())
    }

    /// Hands a new object over.
    pub(crate) fn hand_over(&mut self, thread: ThreadId) -> io::Result<()> {
        if self.shared.handed.len() >= MOST {
            return self.take_over(thread);
        }
        let object = self.new_object(thread, 2)?;
        let handle = self.shared.handles[self.rng.usize(..HANDLES)];
        self.op(thread, Op::Notify(handle))?;
        self.shared.handed.push_back((handle, object));
        Ok(())
    }

    /// Takes an object that was handed over, or else hands one over.
    pub(crate) fn take_over(&mut self, thread: ThreadId) -> io::Result<()> {
        let Some((handle, object)) = self.shared.handed.pop_front() else {
            return self.hand_over(thread);
        };
        self.op(thread, Op::Wait(handle))?;
        self.access(thread, object.field(0), false)?;
        self.access(thread, object.field(1), true)
    }

    /// Registers a listener, or invokes or unregisters one.
    pub(crate) fn listen(&mut self, thread: ThreadId) -> io::Result<()> {
        let count = self.shared.listeners.len();
        let die = self.rng.u8(..8);
        if count == 0 || die == 0 && count < MOST {
            let object = self.new_object(thread, 2)?;
            let callback = self.out.callback()?;
            self.op(thread, Op::Register(callback))?;
            self.shared.listeners.push((callback, object));
            return Ok(());
        }
        let place = self.rng.usize(..count);
        let (callback, object) = self.shared.listeners[place];
        if die == 1 {
            self.shared.listeners.swap_remove(place);
            self.op(thread, Op::Unregister(callback))?;
            return self.access(thread, object.field(0), true);
        }
        self.op(thread, Op::Invoke { callback, sync: die < 5 })?;
        self.access(thread, object.field(1), false)
    }

    /// Removes the oldest removable message from its queue. It is too late if it was dispatched.
    pub(crate) fn remove_oldest(&mut self, thread: ThreadId) -> io::Result<()> {
        let Some((event, queue)) = self.shared.removable.pop_front() else { return Ok(()) };
        self.op(thread, Op::Remove(event))?;
        self.take_out(event, queue);
        Ok(())
    }

    /// Removes a message from a looper's queue, if it still waits there.
    pub(crate) fn take_out(&mut self, event: EventId, queue: QueueId) {
        if let Served::Looper { queue, .. } = self.served(queue)
            && queue.remove(event).is_some()
        {
            self.pending -= 1;
        }
    }

    /// Joins a worker that has ended, and reads its last object.
    pub(crate) fn reap(&mut self, thread: ThreadId) -> io::Result<()> {
        let Some(ended) = self.shared.ended.pop_front() else { return Ok(()) };
        self.op(thread, Op::Join(ended))?;
        let home = self.threads[ended.0 as usize].home;
        if let Some(&object) = self.strands.get(home).objects.last() {
            self.access(thread, object.field(0), false)?;
        }
        Ok(())
    }
}
