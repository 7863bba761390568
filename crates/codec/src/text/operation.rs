//! Operation lines: `THREAD OP ARGS…`, then keys and flags.

use trace::{Enqueue, Op, OpKind, Posting, ThreadId};

use super::reader::Reader;
use super::sink::Sink;
use super::spelling::HEADERS;
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
        let kind = self.op_kind(thread)?;
        let id = self.intern(thread)?;
        self.operation_of(id, kind)
    }

    /// Reads a line without its thread: see [`super::read_line`].
    pub(super) fn line_of(&mut self, thread: ThreadId) -> Result<(), ReadError> {
        let Some(word) = self.cursor.word()? else { return Ok(()) };
        if word.bytes == b"location" {
            return self.location();
        }
        let Some(kind) = OpKind::from_word(word.bytes) else {
            return Err(self.cursor.unexpected(word, "an operation, such as `read`"));
        };
        self.operation_of(thread, kind)
    }

    /// Reads the rest of an operation line.
    fn operation_of(&mut self, id: ThreadId, kind: OpKind) -> Result<(), ReadError> {
        let op = self.arguments(kind)?;
        let trailer = self.trailer(kind)?;
        self.builder.push(id, trailer.complete(op), trailer.attributes);
        Ok(())
    }

    fn op_kind(&mut self, thread: Word<'_>) -> Result<OpKind, ReadError> {
        let Some(word) = self.cursor.word()? else {
            return Err(self.cursor.missing(operation_of(thread)));
        };
        match OpKind::from_word(word.bytes) {
            Some(kind) => Ok(kind),
            None => Err(self.cursor.unexpected(word, operation_of(thread))),
        }
    }

    /// Reads the arguments of an operation of `kind`, without the flags and postings that may
    /// follow.
    fn arguments(&mut self, kind: OpKind) -> Result<Op, ReadError> {
        Ok(match kind {
            OpKind::Init => Op::Init,
            OpKind::Exit => Op::Exit,
            OpKind::Fork => Op::Fork(self.name(THREAD)?),
            OpKind::Join => Op::Join(self.name(THREAD)?),
            OpKind::Notify => Op::Notify(self.name("a handle")?),
            OpKind::Wait => Op::Wait(self.name("a handle")?),
            OpKind::Lock => Op::Lock(self.name("a lock")?),
            OpKind::Unlock => Op::Unlock(self.name("a lock")?),
            OpKind::Attach => Op::Attach(self.name(QUEUE)?),
            OpKind::Loop => Op::Loop(self.name(QUEUE)?),
            OpKind::Enqueue => Op::Enqueue(Enqueue {
                event: self.name(MESSAGE)?,
                queue: self.name(QUEUE)?,
                posting: Posting::Delayed(0),
                is_async: false,
                sync: false,
            }),
            OpKind::EnqueueEnd => Op::EnqueueEnd(self.name(MESSAGE)?),
            OpKind::Remove => Op::Remove(self.name(MESSAGE)?),
            OpKind::Begin => Op::Begin(self.name(MESSAGE)?),
            OpKind::End => Op::End(self.name(MESSAGE)?),
            OpKind::PostBarrier => Op::PostBarrier(self.name(BARRIER)?, self.name(QUEUE)?),
            OpKind::RemoveBarrier => Op::RemoveBarrier(self.name(BARRIER)?),
            OpKind::Register => Op::Register(self.name(CALLBACK)?),
            OpKind::Invoke => Op::Invoke { callback: self.name(CALLBACK)?, sync: false },
            OpKind::Unregister => Op::Unregister(self.name(CALLBACK)?),
            OpKind::Enable => Op::Enable(self.name("an event")?),
            OpKind::Trigger => Op::Trigger(self.name("an event")?),
            OpKind::Arc => Op::Arc(self.name(MESSAGE)?, self.name(MESSAGE)?),
            OpKind::Read => Op::Read(self.name(LOCATION)?),
            OpKind::Write => Op::Write(self.name(LOCATION)?),
            OpKind::Enter => Op::Enter(self.name("a function")?),
            OpKind::Leave => Op::Leave,
        })
    }
}

impl Trailer {
    /// Returns the operation with its keys and flags applied.
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
