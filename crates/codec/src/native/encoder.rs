//! Encodes operations and tables into blocks, for [`super::Writer`] and [`super::write`].

use std::io::{self, Write};

use trace::{Attributes, Id, LocationId, Op, ThreadId};

use super::data::DataEncoder;
use super::end::IndexBuilder;
use super::layout::{BlockType, Header, MAX_PAYLOAD, WindowRange};
use super::name_table::NameTable;
use super::payload::{Compression, Packer};
use super::rows::Call;
use super::sync::SyncEncoder;
use super::tables::{Counts, Declaration, TablesView};
use super::writer::Options;

/// Appends blocks to a sink.
struct BlockSink<W> {
    sink: W,
    packer: Packer,
    index: IndexBuilder,
    /// The blocks that are written together.
    staged: Vec<u8>,
}

impl<W: Write> BlockSink<W> {
    fn new(sink: W, compression: Compression) -> io::Result<Self> {
        let packer = Packer::new(compression)?;
        Ok(Self { sink, packer, index: IndexBuilder::default(), staged: Vec::new() })
    }

    fn stage(&mut self, kind: BlockType, window: WindowRange, raw: &[u8]) -> io::Result<()> {
        if raw.len() > MAX_PAYLOAD {
            let message = format!("a name is longer than the {MAX_PAYLOAD} bytes a block may have");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let (codec, stored) = match kind {
            BlockType::End => (0, raw),
            _ => self.packer.pack(raw)?,
        };
        let header = Header {
            kind,
            codec,
            flags: 0,
            stored_len: stored.len() as u32,
            raw_len: raw.len() as u32,
            window,
            payload_crc: crc32c::crc32c(stored),
        };
        self.index.add(&header);
        self.staged.extend_from_slice(&header.encode());
        self.staged.extend_from_slice(stored);
        Ok(())
    }

    fn write_out(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.staged)?;
        self.staged.clear();
        self.sink.flush()
    }
}

/// The rows of the window being filled.
#[derive(Default)]
pub(crate) struct WindowEncoder {
    first: u64,
    next: u64,
    sync: SyncEncoder,
    data: DataEncoder,
}

impl WindowEncoder {
    fn len(&self) -> usize {
        self.sync.out.len() + self.data.out.len()
    }

    fn range(&self) -> WindowRange {
        WindowRange { first: self.first, span: (self.next - self.first) as u32 }
    }

    /// Appends an operation. For an enter, `call` has the new stack.
    pub(crate) fn push(
        &mut self,
        thread: ThreadId,
        op: Op,
        call: Option<Call>,
        attributes: &Attributes,
    ) {
        let number = self.next;
        self.next += 1;
        match (op.access(), call) {
            (Some(access), _) => self.data.access(number, thread, access, attributes),
            (None, Some(call)) => self.data.call(number, thread, call, attributes),
            (None, None) => self.sync.push(number, thread, op, attributes),
        }
    }

    /// Appends an access without attributes.
    #[inline]
    pub(crate) fn plain_access(&mut self, thread: ThreadId, location: LocationId, write: bool) {
        self.data.plain(self.next, thread, location, write);
        self.next += 1;
    }

    fn restart(&mut self) {
        self.first = self.next;
        self.sync.restart(self.first);
        self.data.restart(self.first);
    }
}

/// Encodes operations and tables into blocks. The caller keeps the names.
pub(crate) struct Encoder<W> {
    blocks: BlockSink<W>,
    pub(crate) window: WindowEncoder,
    /// The number of rows of each table that were written.
    written: Counts,
    tables: Vec<u8>,
    block_bytes: usize,
}

impl<W: Write> Encoder<W> {
    pub(crate) fn new(sink: W, options: Options) -> io::Result<Self> {
        let block_bytes = options.block_bytes.clamp(1, MAX_PAYLOAD / 2);
        Ok(Self {
            blocks: BlockSink::new(sink, options.compression)?,
            window: WindowEncoder::default(),
            written: Counts::initial(),
            tables: Vec::new(),
            block_bytes,
        })
    }

    /// Whether the window is as large as a block should be.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.window.len() >= self.block_bytes
    }

    /// Adds one entry to the tables block, or to a new one if the block would overflow. Returns the
    /// entry's row, or 0 for an entry that is no row of a table.
    pub(crate) fn declare(&mut self, declaration: &Declaration) -> io::Result<u32> {
        if self.tables.len() + declaration.size_hint() > self.block_bytes {
            self.stage_tables()?;
            self.blocks.write_out()?;
        }
        if self.tables.is_empty() {
            self.written.put(&mut self.tables);
        }
        declaration.put(&mut self.tables);
        Ok(self.written.add(declaration))
    }

    fn stage_tables(&mut self) -> io::Result<()> {
        if !self.tables.is_empty() {
            let window = WindowRange { first: self.window.first, span: 0 };
            self.blocks.stage(BlockType::Tables, window, &self.tables)?;
            self.tables.clear();
        }
        Ok(())
    }

    /// Declares the rows of `view` that were not declared yet.
    pub(crate) fn declare_new(&mut self, view: TablesView) -> io::Result<()> {
        for table in NameTable::ALL {
            for row in self.written.of(table) as usize..table.len(view.names) {
                self.declare(&Declaration::Name(table, table.get(view.names, row)))?;
            }
        }
        for row in self.written.sources as usize..view.sources.len() {
            self.declare(&Declaration::Source(view.sources[row]))?;
        }
        for row in self.written.frames as usize..view.stacks.len() {
            self.declare(&Declaration::Frame(view.stacks.frame(Id::new(row))))?;
        }
        Ok(())
    }

    /// Writes an attachment, in as many blocks as it needs.
    pub(crate) fn attach(&mut self, kind: BlockType, payload: &[u8]) -> io::Result<()> {
        payload.chunks(self.block_bytes).try_for_each(|part| self.attach_block(kind, part))
    }

    /// Writes a block of an attachment.
    pub(crate) fn attach_block(&mut self, kind: BlockType, payload: &[u8]) -> io::Result<()> {
        let window = WindowRange { first: self.window.next, span: 0 };
        self.blocks.stage(kind, window, payload)?;
        self.blocks.write_out()
    }

    /// Writes the window, after the tables that it needs.
    pub(crate) fn flush(&mut self, view: TablesView) -> io::Result<()> {
        self.declare_new(view)?;
        self.stage_tables()?;
        let range = self.window.range();
        for (kind, rows) in
            [(BlockType::Sync, &self.window.sync.out), (BlockType::Data, &self.window.data.out)]
        {
            if !rows.is_empty() {
                self.blocks.stage(kind, range, rows)?;
            }
        }
        self.window.restart();
        self.blocks.write_out()
    }

    pub(crate) fn finish(mut self, view: TablesView) -> io::Result<W> {
        self.flush(view)?;
        let operations = self.window.next;
        let index = std::mem::take(&mut self.blocks.index).payload(operations);
        let window = WindowRange { first: operations, span: 0 };
        self.blocks.stage(BlockType::End, window, &index)?;
        self.blocks.write_out()?;
        Ok(self.blocks.sink)
    }
}
