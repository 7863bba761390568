//! Writes a file as operations happen.
//!
//! Operations are buffered until a block is full or [`Writer::flush`] is called. Then they and the
//! tables that they need are appended in one `write`. Flushed operations survive the process, and a
//! reader loads them whether or not the file was closed.
//!
//! After an error nothing more should be written: the rows of the failed block are lost.

use std::io::{self, Write};

use hashbrown::HashMap;
use trace::{
    Attributes, DEFAULT_PROCESS, Frame, Id, LocationId, LocationKind, NameTables, Op, ProcessId,
    Source, SourceId, Stacks, TextId, ThreadId, Trace,
};

use super::context::Contexts;
use super::encoder::Encoder;
use super::layout::BlockType;
use super::name_table::NameTable;
use super::payload::Compression;
use super::rows::Call;
use super::screenshot::Screenshot;
use super::tables::{Declaration, TablesView};

/// Options for writing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How payloads are stored.
    pub compression: Compression,
    /// The number of bytes of rows in a block. Larger blocks make a smaller file, but more
    /// operations are lost if the process is killed.
    pub block_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { compression: Compression::Zstd(3), block_bytes: 1 << 20 }
    }
}

/// Writes a trace operation by operation.
///
/// Every id passed to it must come from its own tables.
pub struct Writer<W> {
    encoder: Encoder<W>,
    names: NameTables,
    sources: Vec<Source>,
    source_ids: HashMap<Source, SourceId>,
    stacks: Stacks,
    contexts: Contexts,
}

impl<W: Write> Writer<W> {
    /// Creates a writer to `sink`, which need not be buffered.
    pub fn new(sink: W, options: Options) -> io::Result<Self> {
        let mut names = NameTables::default();
        names.processes.intern(DEFAULT_PROCESS);
        Ok(Self {
            encoder: Encoder::new(sink, options)?,
            names,
            sources: Vec::new(),
            source_ids: HashMap::new(),
            stacks: Stacks::default(),
            contexts: Contexts::default(),
        })
    }

    /// The name tables, to intern the names that operations mention.
    pub fn names(&mut self) -> &mut NameTables {
        &mut self.names
    }

    /// Interns a free text.
    pub fn text(&mut self, text: &[u8]) -> TextId {
        self.names.texts.intern(text)
    }

    /// Interns a source position.
    pub fn source(&mut self, source: Source) -> SourceId {
        let sources = &mut self.sources;
        *self.source_ids.entry(source).or_insert_with(|| {
            sources.push(source);
            SourceId::new(sources.len() - 1)
        })
    }

    /// Writes a name at once, does not keep it, and returns its row. This is for tables whose names
    /// the caller generates, all different, and never looks up. Such a table takes no memory. Its
    /// names must not also be interned.
    pub fn declare_name(&mut self, table: NameTable, name: &[u8]) -> io::Result<u32> {
        debug_assert!(
            table.len(&self.names) <= usize::from(table == NameTable::Processes),
            "names of one table are either interned or declared"
        );
        self.encoder.declare(&Declaration::Name(table, name))
    }

    /// Sets the happens-before model that the trace asks for.
    pub fn set_model(&mut self, model: &[u8]) -> io::Result<()> {
        let text = self.text(model);
        self.declare(&Declaration::Model(text))
    }

    /// Puts a thread into a process.
    pub fn assign_process(&mut self, thread: ThreadId, process: ProcessId) -> io::Result<()> {
        self.declare(&Declaration::Process(thread, process))
    }

    /// Declares the kind of a location.
    pub fn set_location_kind(&mut self, at: LocationId, kind: LocationKind) -> io::Result<()> {
        self.declare(&Declaration::LocationKind(at, kind))
    }

    fn declare(&mut self, declaration: &Declaration) -> io::Result<()> {
        let Self { encoder, names, sources, stacks, .. } = self;
        encoder.declare_new(TablesView { names, sources, stacks })?;
        encoder.declare(declaration).map(drop)
    }

    /// Appends an operation.
    ///
    /// An access, an enter or a leave keeps its time, value, position and source id; every other
    /// operation keeps all its attributes.
    pub fn push(&mut self, thread: ThreadId, op: Op, attributes: Attributes) -> io::Result<()> {
        let call = match op {
            Op::Enter(function) => {
                let (_, parent) = self.contexts.current(thread);
                let (source, provenance) = (attributes.source, attributes.provenance);
                let stack = self.stacks.intern(Frame { parent, function, source, provenance });
                self.contexts.enter(thread, stack);
                Some(Call::Enter(stack))
            }
            Op::Leave => {
                self.contexts.leave(thread, |stack| self.stacks.frame(stack).parent);
                Some(Call::Leave)
            }
            Op::Begin(_) | Op::End(_) => {
                self.contexts.sync(thread, op);
                None
            }
            _ => None,
        };
        self.encoder.window.push(thread, op, call, &attributes);
        if self.encoder.is_full() { self.flush() } else { Ok(()) }
    }

    /// Appends an access without attributes.
    #[inline]
    pub fn access(&mut self, thread: ThreadId, at: LocationId, write: bool) -> io::Result<()> {
        self.encoder.window.plain_access(thread, at, write);
        if self.encoder.is_full() { self.flush() } else { Ok(()) }
    }

    /// Writes the session of the recorded program, after the operations pushed so far. A payload that
    /// is longer than a block is divided into several, which [`session`](super::session) joins.
    pub fn attach_session(&mut self, payload: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.encoder.attach(BlockType::Session, payload)
    }

    /// Writes a picture of the recorded page, after the operations pushed so far. A picture larger than
    /// [`Screenshot::LARGEST`] is left out.
    pub fn attach_screenshot(&mut self, picture: &Screenshot) -> io::Result<()> {
        if picture.bytes.len() > Screenshot::LARGEST {
            return Ok(());
        }
        self.flush()?;
        self.encoder.attach_block(BlockType::Screenshot, &picture.payload())
    }

    /// Writes all operations pushed so far to the sink.
    pub fn flush(&mut self) -> io::Result<()> {
        let Self { encoder, names, sources, stacks, .. } = self;
        encoder.flush(TablesView { names, sources, stacks })
    }

    /// Closes the file. A writer that is dropped instead leaves an unclosed file.
    pub fn finish(self) -> io::Result<W> {
        let Self { encoder, names, sources, stacks, .. } = self;
        encoder.finish(TablesView { names: &names, sources: &sources, stacks: &stacks })
    }
}

/// Writes a whole trace. The file has the trace's ids.
pub fn write(trace: &Trace, sink: impl Write, options: Options) -> io::Result<()> {
    let names = trace.names();
    let view = TablesView { names, sources: trace.sources(), stacks: trace.stacks() };
    let mut encoder = Encoder::new(sink, options)?;
    encoder.declare_new(view)?;
    if let Some(model) = trace.model() {
        let text = names.texts.find(model).expect("the model is a text of the trace");
        encoder.declare(&Declaration::Model(text))?;
    }
    for thread in names.threads.ids() {
        let process = trace.thread(thread).process;
        if process != ProcessId(0) {
            encoder.declare(&Declaration::Process(thread, process))?;
        }
    }
    for location in names.locations.ids() {
        if let Some(kind) = trace.location_kind(location) {
            encoder.declare(&Declaration::LocationKind(location, kind))?;
        }
    }
    for id in trace.ops() {
        let op = trace.op(id);
        let call = match op {
            Op::Enter(_) => trace.stack_of(id).map(Call::Enter),
            Op::Leave => Some(Call::Leave),
            _ => None,
        };
        encoder.window.push(trace.thread_of(id), op, call, &trace.attributes(id));
        if encoder.is_full() {
            encoder.flush(view)?;
        }
    }
    encoder.finish(view).map(drop)
}
