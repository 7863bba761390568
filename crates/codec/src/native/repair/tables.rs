//! The tables of a damaged file, with placeholders for lost entries.

use std::io::{self, Write};

use trace::{Frame, FunctionId, Source, TextId};

use super::Repair;
use crate::native::layout::MAX_PAYLOAD;
use crate::native::name_table::NameTable;
use crate::native::tables::{Counts, Declaration, Declarations};
use crate::native::varint::Cursor;

/// The largest number of placeholders that are added at once: as many entries as one or two blocks
/// can hold. A larger gap is no damage but an attack on memory.
const MAX_PLACEHOLDERS: u64 = MAX_PAYLOAD as u64 / 2;

impl<W: Write> Repair<W> {
    /// Adds the entries of a tables block, and placeholders for those missing before it.
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

    /// Fills the tables with placeholders up to `before`. Returns `false` if they already have more
    /// rows, or far fewer.
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
        // Row 0 stands for the file of a lost position and for the function of a lost stack.
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

    /// Adds a name as the next row of its table. If the table already has it, its row follows it, so that a
    /// name that stands many times is not tried with each ending of the earlier ones.
    fn add_name(&mut self, table: NameTable, mut name: Vec<u8>) {
        let names = self.writer.names();
        let row = table.len(names);
        if table.intern(names, &name) == row {
            return;
        }
        name.extend_from_slice(format!("~{row}").as_bytes());
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
