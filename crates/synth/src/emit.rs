//! Writes operations: numbers and counts them, and declares the names that they mention.
//!
//! Names of messages, locations, callbacks and barriers are written and not kept, so memory does
//! not grow with the trace.
//!
//! The simulated device is never idle for long, so its traces are shorter than recordings with as
//! many events. A *stretch* of k makes them longer: every simulated millisecond is followed by k − 1
//! milliseconds in which nothing happens, and delays and points in time are multiplied by k. What a
//! queue may dispatch next stays the same, and so do all operations but their times.

use std::io::{self, Write};

use codec::native::{NameTable, Options, Writer};
use trace::{
    Attributes, BarrierId, CallbackId, Enqueue, EventId, FunctionId, HandleId, LocationId, LockId,
    Op, Posting, ProcessId, Provenance, QueueId, Source, SourceId, TextId, ThreadId,
};

use crate::world::MILLISECOND;

const CLASSES: [&str; 12] = [
    "Card",
    "Deck",
    "ViewState",
    "Cursor",
    "Session",
    "Cache",
    "Entry",
    "Buffer",
    "Row",
    "Image",
    "Track",
    "Item",
];
const FIELDS: [&str; 16] = [
    "state", "next", "count", "size", "owner", "flags", "data", "index", "key", "value", "dirty",
    "time", "left", "top", "name", "parent",
];
const TYPES: [&str; 6] = ["timer", "click", "load", "network", "script", "readystatechange"];
const FUNCTIONS: usize = 240;
/// The number of source positions of a function's accesses.
const LINES: u32 = 8;

/// The largest number of fields of an object.
pub(crate) const MOST_FIELDS: u32 = FIELDS.len() as u32;

/// An object: consecutive locations, which are its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) first: u32,
    pub(crate) fields: u32,
}

impl Object {
    pub(crate) fn field(self, index: u32) -> LocationId {
        LocationId(self.first + index % self.fields)
    }
}

/// How many operations were written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Written {
    pub(crate) sync: u64,
    pub(crate) accesses: u64,
}

impl Written {
    pub(crate) fn operations(self) -> u64 {
        self.sync + self.accesses
    }
}

pub(crate) struct Emitter<W> {
    writer: Writer<W>,
    pub(crate) written: Written,
    stretch: u32,
    /// The time of the last operation that is no access and no call.
    pub(crate) last_at: u64,
    objects: u64,
    pub(crate) locations: u64,
    messages: u32,
    callbacks: u32,
    barriers: u32,
    functions: Vec<FunctionId>,
    sources: Vec<SourceId>,
    values: Vec<TextId>,
    name: Vec<u8>,
}

impl<W: Write> Emitter<W> {
    pub(crate) fn new(sink: W, model: &str, stretch: u32) -> io::Result<Self> {
        let mut writer = Writer::new(sink, Options::default())?;
        let functions: Vec<FunctionId> = (0..FUNCTIONS)
            .map(|i| {
                let name = format!("{}{}.handle{}", CLASSES[i % 12], i / 12, FIELDS[i % 16]);
                writer.names().functions.intern(name.as_bytes())
            })
            .collect();
        let mut sources = Vec::new();
        for i in 0..FUNCTIONS {
            let file = writer.text(format!("{}{}.java", CLASSES[i % 12], i / 12).as_bytes());
            for line in 0..LINES {
                let line = 10 + (i as u32 % 20) * 30 + line;
                sources.push(writer.source(Source { file, line, column: None }));
            }
        }
        let values = (0..256).map(|i| writer.text(i.to_string().as_bytes())).collect();
        writer.set_model(model.as_bytes())?;
        Ok(Self {
            writer,
            written: Written::default(),
            stretch,
            last_at: 0,
            objects: 0,
            locations: 0,
            messages: 0,
            callbacks: 0,
            barriers: 0,
            functions,
            sources,
            values,
            name: Vec::new(),
        })
    }

    /// The number of the next operation.
    pub(crate) fn next_number(&self) -> u64 {
        self.written.operations()
    }

    fn declare(&mut self, table: NameTable, name: std::fmt::Arguments) -> io::Result<u32> {
        self.name.clear();
        self.name.write_fmt(name)?;
        self.writer.declare_name(table, &self.name)
    }

    pub(crate) fn process(&mut self, name: &str) -> ProcessId {
        self.writer.names().processes.intern(name.as_bytes())
    }

    pub(crate) fn thread(&mut self, name: &str, process: ProcessId) -> io::Result<ThreadId> {
        let thread = self.writer.names().threads.intern(name.as_bytes());
        if process != ProcessId(0) {
            self.writer.assign_process(thread, process)?;
        }
        Ok(thread)
    }

    pub(crate) fn queue(&mut self, name: &str) -> QueueId {
        self.writer.names().queues.intern(name.as_bytes())
    }

    pub(crate) fn lock(&mut self, name: &str) -> LockId {
        self.writer.names().locks.intern(name.as_bytes())
    }

    pub(crate) fn handle(&mut self, name: &str) -> HandleId {
        self.writer.names().handles.intern(name.as_bytes())
    }

    pub(crate) fn message(&mut self) -> io::Result<EventId> {
        let number = self.messages;
        self.messages += 1;
        self.declare(NameTable::Events, format_args!("m{number}")).map(EventId)
    }

    pub(crate) fn callback(&mut self) -> io::Result<CallbackId> {
        let number = self.callbacks;
        self.callbacks += 1;
        self.declare(NameTable::Callbacks, format_args!("listener{number}")).map(CallbackId)
    }

    pub(crate) fn barrier(&mut self) -> io::Result<BarrierId> {
        let number = self.barriers;
        self.barriers += 1;
        self.declare(NameTable::Barriers, format_args!("barrier{number}")).map(BarrierId)
    }

    /// Declares a location with a name.
    pub(crate) fn location(&mut self, name: &str) -> io::Result<LocationId> {
        self.locations += 1;
        self.declare(NameTable::Locations, format_args!("{name}")).map(LocationId)
    }

    /// Declares the locations of a new object.
    pub(crate) fn object(&mut self, fields: u32) -> io::Result<Object> {
        let number = self.objects;
        self.objects += 1;
        self.locations += u64::from(fields);
        let class = CLASSES[number as usize % CLASSES.len()];
        let mut first = 0;
        for (i, field) in FIELDS.iter().take(fields as usize).enumerate() {
            let row =
                self.declare(NameTable::Locations, format_args!("{class}@{number}.{field}"))?;
            if i == 0 {
                first = row;
            }
        }
        Ok(Object { first, fields })
    }

    /// Writes an operation that is no access.
    pub(crate) fn op(&mut self, thread: ThreadId, op: Op, at: u64) -> io::Result<()> {
        self.written.sync += 1;
        let op = match op {
            Op::Enqueue(enqueue) => {
                Op::Enqueue(Enqueue { posting: self.stretched(enqueue.posting), ..enqueue })
            }
            op => op,
        };
        let at = self.time(at);
        if op != Op::Leave {
            self.last_at = at;
        }
        self.writer.push(thread, op, Attributes { at: Some(at), ..Attributes::default() })
    }

    /// The time in the trace of a simulated time, in nanoseconds.
    fn time(&self, at: u64) -> u64 {
        at / MILLISECOND * MILLISECOND * u64::from(self.stretch) + at % MILLISECOND
    }

    fn stretched(&self, posting: Posting) -> Posting {
        let stretch = i64::from(self.stretch);
        match posting {
            Posting::Delayed(delay) => Posting::Delayed(delay * stretch),
            Posting::AtTime(time) => Posting::AtTime(time * stretch),
            posting => posting,
        }
    }

    /// Begins an event of the `kind`-th type.
    pub(crate) fn begin(
        &mut self,
        thread: ThreadId,
        event: EventId,
        kind: usize,
        at: u64,
    ) -> io::Result<()> {
        self.written.sync += 1;
        let event_type = Some(self.writer.text(TYPES[kind % TYPES.len()].as_bytes()));
        let attributes =
            Attributes { at: Some(self.time(at)), event_type, ..Attributes::default() };
        self.writer.push(thread, Op::Begin(event), attributes)
    }

    /// Enters function `index`.
    pub(crate) fn enter(&mut self, thread: ThreadId, index: usize, at: u64) -> io::Result<()> {
        self.written.sync += 1;
        let source = Some(self.sources[index % FUNCTIONS * LINES as usize]);
        let provenance =
            Some(if index.is_multiple_of(5) { Provenance::Framework } else { Provenance::User });
        let attributes =
            Attributes { at: Some(self.time(at)), source, provenance, ..Attributes::default() };
        self.writer.push(thread, Op::Enter(self.functions[index % FUNCTIONS]), attributes)
    }

    #[inline]
    pub(crate) fn access(
        &mut self,
        thread: ThreadId,
        at: LocationId,
        write: bool,
    ) -> io::Result<()> {
        self.written.accesses += 1;
        self.writer.access(thread, at, write)
    }

    /// Writes an access with the `step`-th source position of function `index`.
    pub(crate) fn sourced(
        &mut self,
        thread: ThreadId,
        at: LocationId,
        write: bool,
        (index, step): (usize, u32),
        value: Option<u8>,
    ) -> io::Result<()> {
        self.written.accesses += 1;
        let row = index % FUNCTIONS * LINES as usize + (step % LINES) as usize;
        let value = value.map(|v| self.values[usize::from(v)]);
        let attributes =
            Attributes { source: Some(self.sources[row]), value, ..Attributes::default() };
        self.writer.push(thread, if write { Op::Write(at) } else { Op::Read(at) }, attributes)
    }

    pub(crate) fn finish(self) -> io::Result<W> {
        self.writer.finish()
    }
}
