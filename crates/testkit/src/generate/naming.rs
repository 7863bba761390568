//! Converts the simulation's numbers to the names and ids of a trace.
//!
//! Inside the simulation, ids are the simulation's own numbers. A name enters the trace's tables
//! when an operation first mentions it, as it would in a reader.

use trace::{Enqueue, Id, Names, Op, ThreadId, TraceBuilder};

/// Names things `prefix` and number; with `odd` also in ways that need escapes.
#[derive(Clone, Copy)]
pub(super) struct Naming {
    pub(super) odd: bool,
}

impl Naming {
    /// The name of thing `number` of the kind that `prefix` stands for.
    pub(super) fn name(self, prefix: &str, number: usize) -> Vec<u8> {
        let plain = format!("{prefix}{number}");
        if !self.odd {
            return plain.into_bytes();
        }
        match number % 8 {
            0 if number == 0 => Vec::new(),
            1 => format!("model {plain}=#%").into_bytes(),
            2 => format!("größe\u{2028}{plain}").into_bytes(),
            3 => [b"\xff\x00\n\r\t", plain.as_bytes()].concat(),
            4 if number == 4 => b"process".to_vec(),
            5 if number == 5 => b"interloper-trace".to_vec(),
            6 if number == 6 => b"front".to_vec(),
            _ => plain.into_bytes(),
        }
    }

    fn id<I: Id>(self, names: &mut Names<I>, prefix: &str, number: I) -> I {
        names.intern(&self.name(prefix, number.index()))
    }

    /// The id of simulated thread `thread` in the trace.
    pub(super) fn thread(self, builder: &mut TraceBuilder, thread: ThreadId) -> ThreadId {
        self.id(&mut builder.names().threads, "t", thread)
    }

    /// The operation with the trace's ids in place of the simulation's.
    pub(super) fn op(self, builder: &mut TraceBuilder, op: Op) -> Op {
        let n = builder.names();
        match op {
            Op::Fork(x) => Op::Fork(self.id(&mut n.threads, "t", x)),
            Op::Join(x) => Op::Join(self.id(&mut n.threads, "t", x)),
            Op::Notify(x) => Op::Notify(self.id(&mut n.handles, "h", x)),
            Op::Wait(x) => Op::Wait(self.id(&mut n.handles, "h", x)),
            Op::Lock(x) => Op::Lock(self.id(&mut n.locks, "l", x)),
            Op::Unlock(x) => Op::Unlock(self.id(&mut n.locks, "l", x)),
            Op::Attach(x) => Op::Attach(self.id(&mut n.queues, "q", x)),
            Op::Loop(x) => Op::Loop(self.id(&mut n.queues, "q", x)),
            Op::Enqueue(e) => {
                let event = self.id(&mut n.events, "m", e.event);
                Op::Enqueue(Enqueue { event, queue: self.id(&mut n.queues, "q", e.queue), ..e })
            }
            Op::EnqueueEnd(x) => Op::EnqueueEnd(self.id(&mut n.events, "m", x)),
            Op::Remove(x) => Op::Remove(self.id(&mut n.events, "m", x)),
            Op::Begin(x) => Op::Begin(self.id(&mut n.events, "m", x)),
            Op::End(x) => Op::End(self.id(&mut n.events, "m", x)),
            Op::PostBarrier(b, q) => {
                let barrier = self.id(&mut n.barriers, "b", b);
                Op::PostBarrier(barrier, self.id(&mut n.queues, "q", q))
            }
            Op::RemoveBarrier(x) => Op::RemoveBarrier(self.id(&mut n.barriers, "b", x)),
            Op::Register(x) => Op::Register(self.id(&mut n.callbacks, "c", x)),
            Op::Invoke { callback, sync } => {
                Op::Invoke { callback: self.id(&mut n.callbacks, "c", callback), sync }
            }
            Op::Unregister(x) => Op::Unregister(self.id(&mut n.callbacks, "c", x)),
            Op::Enable(x) => Op::Enable(self.id(&mut n.environment, "e", x)),
            Op::Trigger(x) => Op::Trigger(self.id(&mut n.environment, "e", x)),
            Op::Arc(from, to) => {
                let from = self.id(&mut n.events, "m", from);
                Op::Arc(from, self.id(&mut n.events, "m", to))
            }
            Op::Read(x) => Op::Read(self.id(&mut n.locations, "x", x)),
            Op::Write(x) => Op::Write(self.id(&mut n.locations, "x", x)),
            Op::Enter(x) => Op::Enter(self.id(&mut n.functions, "f", x)),
            Op::Init | Op::Exit | Op::Leave => op,
        }
    }
}
