//! Operation lines: `THREAD OP ARGS…`, then keys and flags.

use trace::{Enqueue, Op, Posting, ThreadId};

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
        let id = self.intern(thread)?;
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
            Verb::Fork => Op::Fork(self.name(THREAD)?),
            Verb::Join => Op::Join(self.name(THREAD)?),
            Verb::Notify => Op::Notify(self.name("a handle")?),
            Verb::Wait => Op::Wait(self.name("a handle")?),
            Verb::Lock => Op::Lock(self.name("a lock")?),
            Verb::Unlock => Op::Unlock(self.name("a lock")?),
            Verb::Attach => Op::Attach(self.name(QUEUE)?),
            Verb::Loop => Op::Loop(self.name(QUEUE)?),
            Verb::Enqueue => Op::Enqueue(Enqueue {
                event: self.name(MESSAGE)?,
                queue: self.name(QUEUE)?,
                posting: Posting::Delayed(0),
                is_async: false,
                sync: false,
            }),
            Verb::EnqueueEnd => Op::EnqueueEnd(self.name(MESSAGE)?),
            Verb::Remove => Op::Remove(self.name(MESSAGE)?),
            Verb::Begin => Op::Begin(self.name(MESSAGE)?),
            Verb::End => Op::End(self.name(MESSAGE)?),
            Verb::PostBarrier => Op::PostBarrier(self.name(BARRIER)?, self.name(QUEUE)?),
            Verb::RemoveBarrier => Op::RemoveBarrier(self.name(BARRIER)?),
            Verb::Register => Op::Register(self.name(CALLBACK)?),
            Verb::Invoke => Op::Invoke { callback: self.name(CALLBACK)?, sync: false },
            Verb::Unregister => Op::Unregister(self.name(CALLBACK)?),
            Verb::Enable => Op::Enable(self.name("an event")?),
            Verb::Trigger => Op::Trigger(self.name("an event")?),
            Verb::Arc => Op::Arc(self.name(MESSAGE)?, self.name(MESSAGE)?),
            Verb::Read => Op::Read(self.name(LOCATION)?),
            Verb::Write => Op::Write(self.name(LOCATION)?),
            Verb::Enter => Op::Enter(self.name("a function")?),
            Verb::Leave => Op::Leave,
        })
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
