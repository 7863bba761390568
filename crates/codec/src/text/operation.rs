//! Operation lines: `THREAD OP ARGS…`, then keys and flags.

use trace::{BarrierId, CallbackId, Enqueue, EventId, Op, Posting, QueueId, ThreadId};

use super::reader::Reader;
use super::sink::Sink;
use super::spelling::{HEADERS, Verb};
use super::trailer::Trailer;
use super::word::{Quoted, Word};
use crate::ReadError;

const THREAD: &str = "a thread";
const MESSAGE: &str = "a message";
const QUEUE: &str = "a queue";
const CALLBACK: &str = "a callback";
const BARRIER: &str = "a barrier";
const LOCATION: &str = "a location";

impl<S: Sink> Reader<'_, S> {
    /// Reads the rest of the operation line that `thread` starts.
    pub(super) fn operation(&mut self, thread: Word<'_>) -> Result<(), ReadError> {
        if thread.equals.is_some() {
            return Err(self.cursor.unexpected(thread, "a thread (`=` in a name is `%3D`)"));
        }
        let verb = self.verb(thread)?;
        let id = self.intern(thread, |names| &mut names.threads)?;
        self.operation_of(id, verb)
    }

    /// Reads a line without its thread: see [`super::read_line`].
    pub(super) fn line_of(&mut self, thread: ThreadId) -> Result<(), ReadError> {
        let Some(word) = self.cursor.word()? else { return Ok(()) };
        if word.bytes == b"location" {
            return self.location();
        }
        let Some(verb) = Verb::parse(word.bytes) else {
            return Err(self.cursor.unexpected(word, "an operation, such as `read`"));
        };
        self.operation_of(thread, verb)
    }

    /// Reads the rest of an operation line.
    fn operation_of(&mut self, id: ThreadId, verb: Verb) -> Result<(), ReadError> {
        let op = self.arguments(verb)?;
        let trailer = self.trailer(verb)?;
        self.builder.push(id, trailer.complete(op), trailer.attributes);
        Ok(())
    }

    fn verb(&mut self, thread: Word<'_>) -> Result<Verb, ReadError> {
        let Some(word) = self.cursor.word()? else {
            return Err(self.cursor.missing(operation_of(thread)));
        };
        match Verb::parse(word.bytes) {
            Some(verb) => Ok(verb),
            None => Err(self.cursor.unexpected(word, operation_of(thread))),
        }
    }

    /// The arguments of `verb`; flags and postings are still those of a plain operation.
    fn arguments(&mut self, verb: Verb) -> Result<Op, ReadError> {
        Ok(match verb {
            Verb::Init => Op::Init,
            Verb::Exit => Op::Exit,
            Verb::Fork => Op::Fork(self.name(THREAD, |n| &mut n.threads)?),
            Verb::Join => Op::Join(self.name(THREAD, |n| &mut n.threads)?),
            Verb::Notify => Op::Notify(self.name("a handle", |n| &mut n.handles)?),
            Verb::Wait => Op::Wait(self.name("a handle", |n| &mut n.handles)?),
            Verb::Lock => Op::Lock(self.name("a lock", |n| &mut n.locks)?),
            Verb::Unlock => Op::Unlock(self.name("a lock", |n| &mut n.locks)?),
            Verb::Attach => Op::Attach(self.queue()?),
            Verb::Loop => Op::Loop(self.queue()?),
            Verb::Enqueue => Op::Enqueue(Enqueue {
                event: self.message()?,
                queue: self.queue()?,
                posting: Posting::Delayed(0),
                is_async: false,
                sync: false,
            }),
            Verb::EnqueueEnd => Op::EnqueueEnd(self.message()?),
            Verb::Remove => Op::Remove(self.message()?),
            Verb::Begin => Op::Begin(self.message()?),
            Verb::End => Op::End(self.message()?),
            Verb::PostBarrier => Op::PostBarrier(self.barrier()?, self.queue()?),
            Verb::RemoveBarrier => Op::RemoveBarrier(self.barrier()?),
            Verb::Register => Op::Register(self.callback()?),
            Verb::Invoke => Op::Invoke { callback: self.callback()?, sync: false },
            Verb::Unregister => Op::Unregister(self.callback()?),
            Verb::Enable => Op::Enable(self.name("an event", |n| &mut n.environment)?),
            Verb::Trigger => Op::Trigger(self.name("an event", |n| &mut n.environment)?),
            Verb::Arc => Op::Arc(self.message()?, self.message()?),
            Verb::Read => Op::Read(self.name(LOCATION, |n| &mut n.locations)?),
            Verb::Write => Op::Write(self.name(LOCATION, |n| &mut n.locations)?),
            Verb::Enter => Op::Enter(self.name("a function", |n| &mut n.functions)?),
            Verb::Leave => Op::Leave,
        })
    }

    fn message(&mut self) -> Result<EventId, ReadError> {
        self.name(MESSAGE, |names| &mut names.events)
    }

    fn queue(&mut self) -> Result<QueueId, ReadError> {
        self.name(QUEUE, |names| &mut names.queues)
    }

    fn barrier(&mut self) -> Result<BarrierId, ReadError> {
        self.name(BARRIER, |names| &mut names.barriers)
    }

    fn callback(&mut self) -> Result<CallbackId, ReadError> {
        self.name(CALLBACK, |names| &mut names.callbacks)
    }
}

impl Trailer {
    /// The operation with what its keys and flags say.
    fn complete(&self, op: Op) -> Op {
        match op {
            Op::Enqueue(enqueue) => Op::Enqueue(Enqueue {
                posting: self.posting.unwrap_or(enqueue.posting),
                is_async: self.is_async,
                sync: self.sync,
                ..enqueue
            }),
            Op::Invoke { callback, .. } => Op::Invoke { callback, sync: self.sync },
            _ => op,
        }
    }
}

fn operation_of(thread: Word<'_>) -> String {
    let name = Quoted(thread.bytes);
    if HEADERS.contains(&thread.bytes) {
        return format!(
            "an operation of thread {name} (header lines stand before the first operation)"
        );
    }
    format!("an operation of thread {name}, such as `read` or `enqueue`")
}
