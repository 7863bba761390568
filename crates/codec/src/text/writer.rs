//! Writes the notation, in one canonical form.
//!
//! The header lines are the model, one line for each process except the default one, and one for
//! each location of a declared kind. An operation has its keys in a fixed order and its flags last,
//! without defaults. Reading a canonical text and writing it gives the same text.

use std::io::{self, Write};

use trace::{
    Attributes, DEFAULT_PROCESS, Enqueue, Id, LocationKind, Names, Op, OpId, OpKind, Posting,
    SourceId, ThreadId, Trace, is_plain,
};

use super::source::split_number;
use super::spelling::{Flag, HEADERS, Key, MAGIC, VERSION};
use super::word::EMPTY;

/// The number of bytes that are buffered before they are written.
const CHUNK: usize = 1 << 16;

/// Writes `trace` in the text notation.
///
/// An attribute that the notation does not allow on the operation (a value on a `fork`) is left
/// out.
pub fn write(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&header(trace))?;
    operations(trace, trace.ops(), out)
}

/// Returns the lines before the operations.
pub(super) fn header(trace: &Trace) -> Vec<u8> {
    let mut writer = Writer { trace, text: Vec::new() };
    writer.header();
    writer.text
}

/// Writes the lines of some operations.
pub(super) fn operations(
    trace: &Trace,
    ops: impl Iterator<Item = OpId>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut writer = Writer { trace, text: Vec::with_capacity(CHUNK + 1024) };
    for op in ops {
        writer.operation(op);
        if writer.text.len() >= CHUNK {
            out.write_all(&writer.text)?;
            writer.text.clear();
        }
    }
    out.write_all(&writer.text)
}

/// Returns one operation in the notation, without the line end.
pub fn line(trace: &Trace, op: OpId) -> String {
    let mut writer = Writer { trace, text: Vec::new() };
    writer.operation(op);
    writer.text.pop();
    String::from_utf8(writer.text).expect("the notation is ASCII")
}

struct Writer<'a> {
    trace: &'a Trace,
    text: Vec<u8>,
}

impl Writer<'_> {
    fn header(&mut self) {
        self.text.extend_from_slice(MAGIC);
        self.word(VERSION);
        self.line_end();
        if let Some(model) = self.trace.model() {
            self.text.extend_from_slice(b"model");
            self.name(model);
            self.line_end();
        }
        self.processes();
        let locations = &self.trace.names().locations;
        for location in locations.ids() {
            let Some(kind) = self.trace.location_kind(location) else { continue };
            self.text.extend_from_slice(b"location");
            self.name(locations.get(location));
            match kind {
                LocationKind::Other(text) => self.key(Key::Kind, self.trace.text(text)),
                kind => {
                    let word = kind.word().expect("every other kind has a word");
                    self.key(Key::Kind, word.as_bytes());
                }
            }
            self.line_end();
        }
    }

    fn processes(&mut self) {
        let names = self.trace.names();
        let mut members: Vec<Vec<ThreadId>> = vec![Vec::new(); names.processes.len()];
        for thread in names.threads.ids() {
            members[self.trace.thread(thread).process.index()].push(thread);
        }
        for (process, members) in names.processes.ids().zip(members) {
            let name = names.processes.get(process);
            if name == DEFAULT_PROCESS || members.is_empty() {
                continue;
            }
            self.text.extend_from_slice(b"process");
            self.name(name);
            for thread in members {
                self.name(names.threads.get(thread));
            }
            self.line_end();
        }
    }

    fn operation(&mut self, id: OpId) {
        let thread = self.trace.names().threads.get(self.trace.thread_of(id));
        if id.index() == 0 && HEADERS.contains(&thread) {
            escape(&mut self.text, thread[0]);
            self.text.extend_from_slice(&thread[1..]);
        } else {
            name(&mut self.text, thread);
        }
        let op = self.trace.op(id);
        let kind = op.kind();
        self.word(kind.word().as_bytes());
        self.arguments(op);
        self.attributes(kind, self.trace.attributes(id));
        match op {
            Op::Enqueue(enqueue) => self.enqueue_flags(enqueue),
            Op::Invoke { sync: true, .. } => self.flag(Flag::Sync),
            _ => {}
        }
        self.line_end();
    }

    fn arguments(&mut self, op: Op) {
        let names = self.trace.names();
        match op {
            Op::Init | Op::Exit | Op::Leave => {}
            Op::Fork(thread) | Op::Join(thread) => self.named(&names.threads, thread),
            Op::Notify(handle) | Op::Wait(handle) => self.named(&names.handles, handle),
            Op::Lock(lock) | Op::Unlock(lock) => self.named(&names.locks, lock),
            Op::Attach(queue) | Op::Loop(queue) => self.named(&names.queues, queue),
            Op::Enqueue(enqueue) => {
                self.named(&names.events, enqueue.event);
                self.named(&names.queues, enqueue.queue);
                match enqueue.posting {
                    Posting::Delayed(delay) if delay != 0 => self.number(Key::Delay, delay),
                    Posting::AtTime(time) => self.number(Key::Time, time),
                    _ => {}
                }
            }
            Op::EnqueueEnd(event) | Op::Remove(event) | Op::Begin(event) | Op::End(event) => {
                self.named(&names.events, event);
            }
            Op::PostBarrier(barrier, queue) => {
                self.named(&names.barriers, barrier);
                self.named(&names.queues, queue);
            }
            Op::RemoveBarrier(barrier) => self.named(&names.barriers, barrier),
            Op::Register(callback) | Op::Unregister(callback) | Op::Invoke { callback, .. } => {
                self.named(&names.callbacks, callback);
            }
            Op::Enable(event) | Op::Trigger(event) => self.named(&names.environment, event),
            Op::Arc(from, to) => {
                self.named(&names.events, from);
                self.named(&names.events, to);
            }
            Op::Read(location) | Op::Write(location) => self.named(&names.locations, location),
            Op::Enter(function) => self.named(&names.functions, function),
        }
    }

    fn attributes(&mut self, op: OpKind, attributes: Attributes) {
        let texts = [
            (Key::Type, attributes.event_type),
            (Key::By, attributes.event_type),
            (Key::Name, attributes.event_name),
            (Key::Value, attributes.value),
        ];
        for (key, text) in texts {
            if let Some(text) = text.filter(|_| key.is_of(op)) {
                self.key(key, self.trace.text(text));
            }
        }
        if let Some(kind) = attributes.provenance.filter(|_| Key::Kind.is_of(op)) {
            self.key(Key::Kind, kind.word().as_bytes());
        }
        if let Some(source) = attributes.source {
            self.source(source);
        }
        if let Some(at) = attributes.at {
            self.number(Key::At, at);
        }
        if let Some(id) = attributes.source_id {
            self.number(Key::Id, id);
        }
    }

    fn source(&mut self, source: SourceId) {
        let source = self.trace.source(source);
        let file = self.trace.text(source.file);
        self.key(Key::Source, b"");
        match split_number(file) {
            Some((stem, number)) if source.column.is_none() => {
                escaped(&mut self.text, stem);
                escape(&mut self.text, b':');
                self.text.extend_from_slice(number);
            }
            _ => escaped(&mut self.text, file),
        }
        self.display(format_args!(":{}", source.line));
        if let Some(column) = source.column {
            self.display(format_args!(":{column}"));
        }
    }

    fn enqueue_flags(&mut self, enqueue: Enqueue) {
        let posting = enqueue.posting.number().is_none().then_some(Flag::Posting(enqueue.posting));
        let is_async = enqueue.is_async.then_some(Flag::Async);
        let sync = enqueue.sync.then_some(Flag::Sync);
        for flag in [posting, is_async, sync].into_iter().flatten() {
            self.flag(flag);
        }
    }

    fn named<I: Id>(&mut self, names: &Names<I>, id: I) {
        self.name(names.get(id));
    }

    fn name(&mut self, bytes: &[u8]) {
        self.text.push(b' ');
        name(&mut self.text, bytes);
    }

    fn word(&mut self, word: &[u8]) {
        self.text.push(b' ');
        self.text.extend_from_slice(word);
    }

    fn flag(&mut self, flag: Flag) {
        self.word(flag.word().as_bytes());
    }

    fn key(&mut self, key: Key, value: &[u8]) {
        self.word(key.word().as_bytes());
        self.text.push(b'=');
        escaped(&mut self.text, value);
    }

    fn number(&mut self, key: Key, value: impl std::fmt::Display) {
        self.key(key, b"");
        self.display(format_args!("{value}"));
    }

    fn display(&mut self, value: std::fmt::Arguments<'_>) {
        self.text.write_fmt(value).expect("writing to memory cannot fail");
    }

    fn line_end(&mut self) {
        self.text.push(b'\n');
    }
}

fn name(text: &mut Vec<u8>, name: &[u8]) {
    if name.is_empty() {
        text.extend_from_slice(EMPTY);
    } else {
        escaped(text, name);
    }
}

fn escaped(text: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        if is_plain(byte) {
            text.push(byte);
        } else {
            escape(text, byte);
        }
    }
}

fn escape(text: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    text.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}
