//! Tables blocks: names, source positions, stack frames, and declarations about them.
//!
//! Ids are never written: the n-th entry of a table is row n. A block starts with the number of
//! rows that each table has before it. By these numbers a reader notices a lost block, and `repair`
//! adds placeholders for its entries.

use trace::{
    Frame, FunctionId, LocationId, LocationKind, NameTables, ProcessId, Source, SourceId, StackId,
    Stacks, TextId, ThreadId,
};

use super::attributes::{provenance_code, provenance_from};
use super::name_table::NameTable;
use super::varint::{self, Cursor, Malformed};

const SOURCE: u8 = 16;
const FRAME: u8 = 17;
const MODEL: u8 = 18;
const PROCESS: u8 = 19;
const LOCATION_KIND: u8 = 20;
const OTHER_KIND: u8 = 7;

/// One entry of a tables block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declaration<'a> {
    /// The next name of a table.
    Name(NameTable, &'a [u8]),
    /// The next source position.
    Source(Source),
    /// The next stack: a frame on top of an earlier one.
    Frame(Frame),
    /// The happens-before model that the trace asks for.
    Model(TextId),
    /// The process of a thread.
    Process(ThreadId, ProcessId),
    /// The kind of a location.
    LocationKind(LocationId, LocationKind),
}

impl Declaration<'_> {
    /// Appends the encoded entry.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let mut entry = |tag: u8, numbers: &[u64]| {
            out.push(tag);
            for &number in numbers {
                varint::put(out, number);
            }
        };
        match *self {
            Self::Name(table, name) => {
                entry(table as u8, &[name.len() as u64]);
                out.extend_from_slice(name);
            }
            Self::Source(Source { file, line, column }) => {
                let column = column.map_or(0, |c| u64::from(c) + 1);
                entry(SOURCE, &[u64::from(file.0), u64::from(line), column]);
            }
            Self::Frame(Frame { parent, function, source, provenance }) => {
                let parent = parent.map_or(0, |p| u64::from(p.0) + 1);
                let source = source.map_or(0, |s| u64::from(s.0) + 1);
                let provenance = u64::from(provenance_code(provenance));
                entry(FRAME, &[parent, u64::from(function.0), source, provenance]);
            }
            Self::Model(text) => entry(MODEL, &[u64::from(text.0)]),
            Self::Process(thread, process) => {
                entry(PROCESS, &[u64::from(thread.0), u64::from(process.0)]);
            }
            Self::LocationKind(location, kind) => {
                entry(LOCATION_KIND, &[u64::from(location.0), u64::from(kind_code(kind))]);
                if let LocationKind::Other(text) = kind {
                    varint::put(out, u64::from(text.0));
                }
            }
        }
    }

    /// An upper bound of the bytes that the entry takes.
    pub(crate) fn size_hint(&self) -> usize {
        match self {
            Self::Name(_, name) => name.len() + 16,
            _ => 32,
        }
    }

    fn get<'a>(from: &mut Cursor<'a>) -> Result<Declaration<'a>, Malformed> {
        let tag = from.byte()?;
        if let Some(table) = NameTable::from_tag(tag) {
            let len = from.long()?;
            return Ok(Declaration::Name(table, from.bytes(len)?));
        }
        Ok(match tag {
            SOURCE => {
                let (file, line) = (TextId(from.id()?), number(from)?);
                let column = from.short()?.checked_sub(1).map(u32::try_from).transpose();
                let column = column.map_err(|_| TOO_LARGE)?;
                Declaration::Source(Source { file, line, column })
            }
            FRAME => Declaration::Frame(Frame {
                parent: from.optional_id()?.map(StackId),
                function: FunctionId(from.id()?),
                source: from.optional_id()?.map(SourceId),
                provenance: provenance_from(from.byte()?)?,
            }),
            MODEL => Declaration::Model(TextId(from.id()?)),
            PROCESS => Declaration::Process(ThreadId(from.id()?), ProcessId(from.id()?)),
            LOCATION_KIND => {
                let location = LocationId(from.id()?);
                Declaration::LocationKind(location, location_kind(from)?)
            }
            _ => return Err(Malformed("a tables entry has an unknown tag")),
        })
    }
}

const TOO_LARGE: Malformed = Malformed("a line or column is longer than 32 bits");

fn number(from: &mut Cursor) -> Result<u32, Malformed> {
    u32::try_from(from.short()?).map_err(|_| TOO_LARGE)
}

fn kind_code(kind: LocationKind) -> u8 {
    match kind {
        LocationKind::User => 0,
        LocationKind::Framework => 1,
        LocationKind::Handler => 2,
        LocationKind::Dom => 3,
        LocationKind::Cookie => 4,
        LocationKind::Storage => 5,
        LocationKind::Resource => 6,
        LocationKind::Other(_) => OTHER_KIND,
    }
}

fn location_kind(from: &mut Cursor) -> Result<LocationKind, Malformed> {
    Ok(match from.byte()? {
        0 => LocationKind::User,
        1 => LocationKind::Framework,
        2 => LocationKind::Handler,
        3 => LocationKind::Dom,
        4 => LocationKind::Cookie,
        5 => LocationKind::Storage,
        6 => LocationKind::Resource,
        OTHER_KIND => LocationKind::Other(TextId(from.id()?)),
        _ => return Err(Malformed("a location is of an unknown kind")),
    })
}

/// The number of rows of each table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) names: [u32; 12],
    pub(crate) sources: u32,
    pub(crate) frames: u32,
}

impl Counts {
    /// The counts before the first block of a file: only the default process.
    pub(crate) fn initial() -> Self {
        let mut names = [0; 12];
        names[NameTable::Processes as usize] = 1;
        Self { names, sources: 0, frames: 0 }
    }

    /// The number of rows of a table of names.
    pub(crate) fn of(&self, table: NameTable) -> u32 {
        self.names[table as usize]
    }

    /// The number of rows that `other` lacks. None if some table has fewer rows than in `other`.
    pub(crate) fn total_beyond(&self, other: &Self) -> Option<u64> {
        let mine = self.names.iter().chain([&self.sources, &self.frames]);
        let theirs = other.names.iter().chain([&other.sources, &other.frames]);
        mine.zip(theirs).map(|(mine, theirs)| Some(u64::from(mine.checked_sub(*theirs)?))).sum()
    }

    /// Appends the counts.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        for count in self.names.iter().chain([&self.sources, &self.frames]) {
            varint::put(out, u64::from(*count));
        }
    }

    /// Reads the counts.
    pub(crate) fn get(from: &mut Cursor) -> Result<Self, Malformed> {
        let mut counts = Self::initial();
        for count in counts.names.iter_mut().chain([&mut counts.sources, &mut counts.frames]) {
            *count = from.id()?;
        }
        Ok(counts)
    }

    /// Counts the entry, if the tables have all rows that it refers to.
    fn admit(&mut self, declaration: &Declaration) -> Result<(), Malformed> {
        let texts = self.of(NameTable::Texts);
        let sound = match *declaration {
            Declaration::Name(..) => true,
            Declaration::Source(source) => source.file.0 < texts,
            Declaration::Frame(frame) => {
                frame.parent.is_none_or(|p| p.0 < self.frames)
                    && frame.function.0 < self.of(NameTable::Functions)
                    && frame.source.is_none_or(|s| s.0 < self.sources)
            }
            Declaration::Model(text) => text.0 < texts,
            Declaration::Process(thread, process) => {
                thread.0 < self.of(NameTable::Threads) && process.0 < self.of(NameTable::Processes)
            }
            Declaration::LocationKind(location, kind) => {
                location.0 < self.of(NameTable::Locations)
                    && !matches!(kind, LocationKind::Other(text) if text.0 >= texts)
            }
        };
        if !sound {
            return Err(Malformed("a tables entry refers to one that is not there"));
        }
        // The largest 32-bit number is no id, see `trace::Id`.
        match self.row_of(declaration) {
            Some(count) if *count >= u32::MAX - 1 => Err(Malformed("a table outgrows 32 bits")),
            _ => {
                self.add(declaration);
                Ok(())
            }
        }
    }

    /// Counts an entry that is known to be sound. Returns its row, or 0 for an entry that is no row
    /// of a table.
    pub(crate) fn add(&mut self, declaration: &Declaration) -> u32 {
        match self.row_of(declaration) {
            Some(count) => {
                *count += 1;
                *count - 1
            }
            None => 0,
        }
    }

    /// The count that an entry raises.
    fn row_of(&mut self, declaration: &Declaration) -> Option<&mut u32> {
        match declaration {
            Declaration::Name(table, _) => Some(&mut self.names[*table as usize]),
            Declaration::Source(_) => Some(&mut self.sources),
            Declaration::Frame(_) => Some(&mut self.frames),
            _ => None,
        }
    }
}

/// The checked entries of one tables block.
#[derive(Clone, Debug)]
pub struct Declarations {
    padded: Vec<u8>,
    body: usize,
}

impl Declarations {
    /// Checks a block against the earlier blocks, and adds its entries to the counts.
    pub(crate) fn check(padded: Vec<u8>, counts: &mut Counts) -> Result<Self, Malformed> {
        let mut from = Cursor::new(&padded);
        if Counts::get(&mut from)? != *counts {
            return Err(Malformed("a tables block does not continue the one before it"));
        }
        let body = from.position();
        while !from.at_end()? {
            counts.admit(&Declaration::get(&mut from)?)?;
        }
        Ok(Self { padded, body })
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = Declaration<'_>> {
        let mut from = Cursor::new(&self.padded);
        from.bytes(self.body as u64).expect("the body lies inside the block");
        std::iter::from_fn(move || match from.at_end() {
            Ok(false) => Declaration::get(&mut from).ok(),
            _ => None,
        })
    }
}

/// A view of the tables of a trace, in a [`Trace`] or in a writer.
#[derive(Clone, Copy)]
pub(crate) struct TablesView<'a> {
    pub(crate) names: &'a NameTables,
    pub(crate) sources: &'a [Source],
    pub(crate) stacks: &'a Stacks,
}
