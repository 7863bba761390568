//! The tables of a damaged file, with placeholders for what is lost.

use std::io::{self, Write};

use trace::{Frame, FunctionId, Source, TextId};

use super::Repair;
use crate::native::layout::MAX_PAYLOAD;
use crate::native::name_table::NameTable;
use crate::native::tables::{Counts, Declaration, Declarations};
use crate::native::varint::Cursor;

/// The most entries that placeholders stand in for at once: what a block or two can hold. More
/// is no damage but an attempt on memory.
const MAX_PLACEHOLDERS: u64 = MAX_PAYLOAD as u64 / 2;

impl<W: Write> Repair<W> {
    /// Takes over a tables block, bridging what is missing before it.
    pub(super) fn declare(&mut self, padded: Vec<u8>, offset: u64) -> io::Result<()> {
        let before = Counts::get(&mut Cursor::new(&padded)).ok();
        if !before.is_some_and(|before| self.bridge(before)) {
            self.stop(format!("the tables block at byte {offset} does not continue the tables"));
            return Ok(());
        }
        match self.known.declare(padded) {
            Ok(declarations) => self.write_declarations(&declarations),
            Err(malformed) => {
                self.stop(format!("the tables block at byte {offset}: {}", malformed.0));
                Ok(())
            }
        }
    }

    /// Fills the tables up to `before`; `false` if they hold more already, or far less.
    fn bridge(&mut self, before: Counts) -> bool {
        let Some(missing) = before.total_beyond(&self.known.counts) else { return false };
        let rootless = (before.sources > 0 && before.of(NameTable::Texts) == 0)
            || (before.frames > 0 && before.of(NameTable::Functions) == 0);
        if missing > MAX_PLACEHOLDERS || rootless {
            return false;
        }
        for table in NameTable::ALL {
            for row in self.known.counts.of(table)..before.of(table) {
                self.add_name(table, format!("lost-{}-{row}", table.name()).into_bytes());
            }
        }
        // A lost position was in some file, a lost stack in some function: row 0 is as good.
        if before.sources > self.known.counts.sources {
            let source = Source { file: TextId(0), line: 0, column: None };
            self.sources.resize(before.sources as usize, self.writer.source(source));
        }
        let frame = Frame { parent: None, function: FunctionId(0), source: None, provenance: None };
        self.frames.resize(before.frames as usize, frame);
        self.known.bridge(before);
        self.report.placeholders += missing;
        true
    }

    /// Adds a name as the next row of its table, changed if the table has it already.
    fn add_name(&mut self, table: NameTable, mut name: Vec<u8>) {
        let names = self.writer.names();
        let row = table.len(names);
        while table.intern(names, &name) != row {
            name.push(b'~');
        }
    }

    fn write_declarations(&mut self, declarations: &Declarations) -> io::Result<()> {
        for declaration in declarations.iter() {
            match declaration {
                Declaration::Name(table, name) => self.add_name(table, name.to_vec()),
                Declaration::Source(source) => {
                    let source = self.writer.source(source);
                    self.sources.push(source);
                }
                Declaration::Frame(frame) => self.frames.push(frame),
                Declaration::Model(text) => {
                    let model = self.writer.names().texts.get(text).to_vec();
                    self.writer.set_model(&model)?;
                }
                Declaration::Process(thread, process) => {
                    self.writer.assign_process(thread, process)?;
                }
                Declaration::LocationKind(location, kind) => {
                    self.writer.set_location_kind(location, kind)?;
                }
            }
        }
        Ok(())
    }
}
