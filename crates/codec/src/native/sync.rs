//! Sync blocks: the operations that can order others, one row each.
//!
//! A row consists of its tag, the mask of its attributes, the difference of its operation number to
//! the row before, its thread, its arguments and its attributes.

use trace::{
    Attributes, BarrierId, CallbackId, Enqueue, EnvironmentId, EventId, HandleId, LockId, Op,
    Posting, QueueId, ThreadId,
};

use super::attributes::{Previous, mask_of};
use super::layout::WindowRange;
use super::rows::SyncRow;
use super::varint::{self, Cursor, Malformed, unzigzag, zigzag};

/// Encodes rows into one block.
#[derive(Default)]
pub(crate) struct SyncEncoder {
    pub(crate) out: Vec<u8>,
    next: u64,
    previous: Previous,
}

impl SyncEncoder {
    /// Starts an empty block of a window that starts at operation `first`.
    pub(crate) fn restart(&mut self, first: u64) {
        self.out.clear();
        self.next = first;
        self.previous = Previous::default();
    }

    /// Appends operation `number`. Numbers must ascend.
    pub(crate) fn push(&mut self, number: u64, thread: ThreadId, op: Op, attributes: &Attributes) {
        let mask = mask_of(attributes);
        let (tag, arguments) = arguments(op);
        self.out.extend_from_slice(&[tag, mask]);
        varint::put(&mut self.out, number - self.next);
        self.next = number + 1;
        varint::put(&mut self.out, u64::from(thread.0));
        for argument in arguments.into_iter().flatten() {
            varint::put(&mut self.out, u64::from(argument));
        }
        if let Op::Enqueue(enqueue) = op {
            put_posting(&mut self.out, enqueue);
        }
        self.previous.put(&mut self.out, mask, attributes);
    }
}

/// Returns the tag of an operation and the ids that it names, in the order in which they are
/// written.
fn arguments(op: Op) -> (u8, [Option<u32>; 2]) {
    let one = |tag: u8, id: u32| (tag, [Some(id), None]);
    match op {
        Op::Init => (0, [None, None]),
        Op::Exit => (1, [None, None]),
        Op::Fork(thread) => one(2, thread.0),
        Op::Join(thread) => one(3, thread.0),
        Op::Notify(handle) => one(4, handle.0),
        Op::Wait(handle) => one(5, handle.0),
        Op::Lock(lock) => one(6, lock.0),
        Op::Unlock(lock) => one(7, lock.0),
        Op::Attach(queue) => one(8, queue.0),
        Op::Loop(queue) => one(9, queue.0),
        Op::Enqueue(e) => (10, [Some(e.event.0), Some(e.queue.0)]),
        Op::EnqueueEnd(event) => one(11, event.0),
        Op::Remove(event) => one(12, event.0),
        Op::Begin(event) => one(13, event.0),
        Op::End(event) => one(14, event.0),
        Op::PostBarrier(barrier, queue) => (15, [Some(barrier.0), Some(queue.0)]),
        Op::RemoveBarrier(barrier) => one(16, barrier.0),
        Op::Register(callback) => one(17, callback.0),
        Op::Invoke { callback, sync: false } => one(18, callback.0),
        Op::Invoke { callback, sync: true } => one(19, callback.0),
        Op::Unregister(callback) => one(20, callback.0),
        Op::Enable(event) => one(21, event.0),
        Op::Trigger(event) => one(22, event.0),
        Op::Arc(from, to) => (23, [Some(from.0), Some(to.0)]),
        Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave => {
            unreachable!("{op:?} belongs in a data block")
        }
    }
}

const ASYNC: u8 = 0x10;
const SYNC: u8 = 0x20;

fn put_posting(out: &mut Vec<u8>, enqueue: Enqueue) {
    let (kind, number) = match enqueue.posting {
        Posting::Delayed(0) => (0, None),
        Posting::Delayed(delay) => (1, Some(delay)),
        Posting::AtTime(time) => (2, Some(time)),
        Posting::Front => (3, None),
        Posting::Idle => (4, None),
        Posting::Input => (5, None),
        Posting::Display => (6, None),
        Posting::Ipc => (7, None),
    };
    let flags = if enqueue.is_async { ASYNC } else { 0 } | if enqueue.sync { SYNC } else { 0 };
    out.push(kind | flags);
    if let Some(number) = number {
        varint::put(out, zigzag(number));
    }
}

fn enqueue(from: &mut Cursor) -> Result<Enqueue, Malformed> {
    let (event, queue) = (EventId(from.id()?), QueueId(from.id()?));
    let byte = from.byte()?;
    let posting = match byte & !(ASYNC | SYNC) {
        0 => Posting::Delayed(0),
        1 => Posting::Delayed(unzigzag(from.long()?)),
        2 => Posting::AtTime(unzigzag(from.long()?)),
        3 => Posting::Front,
        4 => Posting::Idle,
        5 => Posting::Input,
        6 => Posting::Display,
        7 => Posting::Ipc,
        _ => return Err(Malformed("a posting is of no known kind")),
    };
    Ok(Enqueue { event, queue, posting, is_async: byte & ASYNC != 0, sync: byte & SYNC != 0 })
}

fn operation(tag: u8, from: &mut Cursor) -> Result<Op, Malformed> {
    Ok(match tag {
        0 => Op::Init,
        1 => Op::Exit,
        2 => Op::Fork(ThreadId(from.id()?)),
        3 => Op::Join(ThreadId(from.id()?)),
        4 => Op::Notify(HandleId(from.id()?)),
        5 => Op::Wait(HandleId(from.id()?)),
        6 => Op::Lock(LockId(from.id()?)),
        7 => Op::Unlock(LockId(from.id()?)),
        8 => Op::Attach(QueueId(from.id()?)),
        9 => Op::Loop(QueueId(from.id()?)),
        10 => Op::Enqueue(enqueue(from)?),
        11 => Op::EnqueueEnd(EventId(from.id()?)),
        12 => Op::Remove(EventId(from.id()?)),
        13 => Op::Begin(EventId(from.id()?)),
        14 => Op::End(EventId(from.id()?)),
        15 => Op::PostBarrier(BarrierId(from.id()?), QueueId(from.id()?)),
        16 => Op::RemoveBarrier(BarrierId(from.id()?)),
        17 => Op::Register(CallbackId(from.id()?)),
        18 => Op::Invoke { callback: CallbackId(from.id()?), sync: false },
        19 => Op::Invoke { callback: CallbackId(from.id()?), sync: true },
        20 => Op::Unregister(CallbackId(from.id()?)),
        21 => Op::Enable(EnvironmentId(from.id()?)),
        22 => Op::Trigger(EnvironmentId(from.id()?)),
        23 => Op::Arc(EventId(from.id()?), EventId(from.id()?)),
        _ => return Err(Malformed("a sync row has an unknown tag")),
    })
}

/// Decodes the rows of a sync block. Their `event` is not filled in yet.
pub(crate) fn decode(padded: &[u8], window: WindowRange) -> Result<Vec<SyncRow>, Malformed> {
    let mut from = Cursor::new(padded);
    let mut previous = Previous::default();
    let mut next = window.first;
    let mut rows = Vec::new();
    while !from.at_end()? {
        let tag = from.byte()?;
        let mask = from.byte()?;
        if mask & 0x80 != 0 {
            return Err(Malformed("a sync row announces an unknown attribute"));
        }
        let number = next
            .checked_add(from.long()?)
            .filter(|&number| number < window.end())
            .ok_or(Malformed("a sync row lies outside its window"))?;
        next = number + 1;
        let thread = ThreadId(from.id()?);
        let op = operation(tag, &mut from)?;
        let attributes = previous.get(&mut from, mask)?;
        rows.push(SyncRow { number, thread, event: None, op, attributes });
    }
    Ok(rows)
}
