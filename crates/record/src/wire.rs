//! The lines that a recorded program sends, checked and written to a native file.
//!
//! The program sends lines of the text notation without their thread, in trace order. A line may also
//! define a number (`=`, the module `numbers`), or have any number of accesses that mention such
//! numbers (`*`, the module `packed`). It may send anything else as well: a line that is too long or
//! malformed is counted as a note, and nothing of it is written, except the accesses before a
//! malformed one.
//!
//! Six things are added:
//!
//! - The number of a site (`site=N`) becomes the place in the original source.
//! - The function around that place is entered. It is left when the next access of the thread is in
//!   another function, or the event is over. A function of a file that its source map says to ignore
//!   counts as framework.
//! - A place at which reads only test what they find is stated as a location `test(FILE:LINE:COLUMN)` of
//!   kind `test`, which nothing accesses.
//! - A time (`at=`) before that of the thread's last operation becomes that one: the documents of a
//!   thread have clocks of their own.
//! - Names of two realms are kept apart ([`RealmId`]). A line is parsed first, so that it is known
//!   what each word is the name of. Ids `rR.…` get the realm's own number for R, and from the second
//!   realm on, locations end with `@` and that number. This includes storage and cookies of a
//!   page: documents of one window follow each other, so accesses of two documents to the same key
//!   are ordered by what the trace does not record.
//! - Pictures of what the program showed (the module `pictures`).
//!
//! Each line costs time linear in its length. Memory grows with the names of the realms that are
//! there (the module `realms`), with the different values, and with the sites that were mentioned. A program
//! may invent names without end: once they take [`MOST`] bytes, no more lines are taken.

mod numbers;
mod packed;
mod pictures;
mod realms;

use std::fmt;
use std::io::{self, Write};

use codec::native::{Named, Writer};
use codec::text::{Sink, read_line};
use hashbrown::HashMap;
use trace::{
    Attributes, Diagnostics, FunctionId, LocationId, LocationKind, NameTables, Op, Provenance,
    Source, SourceId, ThreadId,
};

use crate::notes::Notes;
use crate::scripts::{Scripts, Spot};
use numbers::{Definition, Flaw, Numbers};
use packed::{Access, Packed, Value};
use pictures::Pictures;
use realms::{Realms, is_owned};

/// The longest line that is accepted, in bytes.
const LONGEST: usize = 64 << 10;
/// How many bytes of memory the names and values of a recording may take.
const MOST: usize = 1 << 30;
/// About how many bytes a name takes beside its text.
const BESIDE: usize = 64;
/// The kind of a location that states that reads at a place only test what they find.
const TEST: &[u8] = b"test";
/// The prefix of a line that is for people.
const DIAGNOSTIC: &str = "# diagnostic ";

/// How much was written.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Events that began.
    pub events: u64,
    /// Reads and writes.
    pub accesses: u64,
    /// All operations.
    pub operations: u64,
}

/// One global object with its scripts, which numbers its own ids: a document of a page, or a
/// worker. Realms are numbered from 1 in the order in which they first send something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RealmId(u32);

impl RealmId {
    /// The realm whose names stay as they are.
    pub const FIRST: Self = Self(1);

    /// The number of the realm.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The realm that comes after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for RealmId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The sender of some lines.
#[derive(Debug, Clone, Copy)]
pub struct Sender<'s> {
    /// The thread on which the operations happened.
    pub thread: &'s str,
    /// The realm whose names the lines mention.
    pub realm: RealmId,
}

/// Checks lines and writes them to a native file.
pub struct Wire<W: Write> {
    out: Out<W>,
    /// The parser's diagnostics, such as unknown keys. They are not used.
    passed_over: Diagnostics,
    numbers: Numbers,
    scratch: Vec<u8>,
    /// How many bytes of memory names and values may take.
    most: usize,
    /// Whether they take more.
    is_full: bool,
}

/// The source position and the function of a site, in the file being written.
type Known = (SourceId, Option<Entered>);

/// A function, and whether it belongs to a library.
type Entered = (FunctionId, Option<Provenance>);

struct Out<W: Write> {
    writer: Writer<W>,
    /// The realm of the line being read.
    realm: RealmId,
    realms: Realms,
    /// The site of the line being read.
    site: Option<Known>,
    sites: HashMap<u32, Known>,
    /// The function each thread is in.
    open: HashMap<ThreadId, Entered>,
    /// The time of each thread's last operation that has one.
    times: HashMap<ThreadId, u64>,
    kinds: HashMap<LocationId, LocationKind>,
    failed: Option<io::Error>,
    counts: Counts,
    pictures: Pictures,
    /// About how many bytes of memory the names of realms take.
    kept: usize,
}

impl<W: Write> Wire<W> {
    /// Starts a new file, for a model of happens-before (`web`, `node`).
    pub fn new(mut writer: Writer<W>, model: &str) -> io::Result<Self> {
        writer.set_model(model.as_bytes())?;
        let out = Out {
            writer,
            realm: RealmId::FIRST,
            realms: Realms::default(),
            site: None,
            sites: HashMap::new(),
            open: HashMap::new(),
            times: HashMap::new(),
            kinds: HashMap::new(),
            failed: None,
            counts: Counts::default(),
            pictures: Pictures::default(),
            kept: 0,
        };
        let (passed_over, numbers) = (Diagnostics::default(), Numbers::default());
        Ok(Self { out, passed_over, numbers, scratch: Vec::new(), most: MOST, is_full: false })
    }

    /// Whether the names and values take more memory than they may.
    fn is_full(&mut self, notes: &Notes) -> bool {
        self.is_full |= self.out.bytes() + self.numbers.bytes() > self.most;
        if self.is_full {
            let mebibytes = self.most >> 20;
            let say =
                || format!("names and values take more than {mebibytes} MB: the rest is left out");
            notes.add("too-many-names", say);
        }
        self.is_full
    }

    /// Checks and writes one or more lines that a realm sent. Fails only when the file cannot be
    /// written; errors in a line are added to `notes`.
    pub fn take(
        &mut self,
        sender: Sender<'_>,
        payload: &str,
        scripts: &Scripts,
        notes: &Notes,
    ) -> io::Result<()> {
        self.out.realm = sender.realm;
        // `Sink::intern` would add the realm to the name, but the caller names threads, not the
        // realm.
        let thread = self.out.writer.names().threads.intern(sender.thread.as_bytes());
        for line in payload.lines() {
            if self.is_full(notes) {
                break;
            }
            if line.len() > LONGEST {
                notes.add("long-line", || format!("{} bytes: {line}", line.len()));
                continue;
            }
            if let Some(diagnostic) = line.strip_prefix(DIAGNOSTIC) {
                let (code, text) = diagnostic.split_once(' ').unwrap_or((diagnostic, ""));
                notes.add(code, || text.to_string());
                continue;
            }
            let note = |flaw: Flaw| {
                let (code, what) = flaw.note();
                notes.add(code, || format!("{line}: {what}"));
            };
            if let Some(rest) = line.strip_prefix('=') {
                let definition = Definition::parse(rest.as_bytes());
                definition
                    .and_then(|it| self.numbers.define(sender.realm, it))
                    .unwrap_or_else(note);
                continue;
            }
            if let Some(packed) = line.strip_prefix('*') {
                for access in Packed::new(packed.as_bytes()) {
                    if self.is_full(notes) {
                        break;
                    }
                    access
                        .and_then(|access| self.access(thread, access, scripts))
                        .unwrap_or_else(note);
                }
                continue;
            }
            let line = self.out.without_site(line, scripts);
            let passed_over = &mut self.passed_over;
            let read = read_line(line.as_bytes(), thread, &mut self.out, passed_over);
            if let Err(error) = read {
                notes.add("unreadable-line", || format!("{line}: {error}"));
            }
        }
        self.out.failed.take().map_or(Ok(()), Err)
    }

    /// Writes an access that mentions numbers.
    fn access(&mut self, thread: ThreadId, it: Access, scripts: &Scripts) -> Result<(), Flaw> {
        let out = &mut self.out;
        let realm = out.realm;
        let value = match it.value {
            Value::Integer(number) => {
                self.scratch.clear();
                write!(self.scratch, "{number}").expect("a vector takes it");
                out.writer.text(&self.scratch)
            }
            Value::Number(number) => {
                self.numbers.value(realm, number, |text| out.writer.text(text))?
            }
        };
        let intern = |name: &[u8]| out.intern(name);
        let location = self.numbers.location(realm, it.location, it.index, intern)?;
        out.site = it.site.and_then(|site| out.site(site, scripts));
        let op = if it.write { Op::Write(location) } else { Op::Read(location) };
        out.push(thread, op, Attributes { value: Some(value), ..Attributes::default() });
        Ok(())
    }

    /// Drops what is kept for a realm that sends no more lines.
    pub fn forget(&mut self, realm: RealmId) {
        self.numbers.forget(realm);
        let (rows, bytes) = self.out.realms.forget(realm);
        self.out.kept = self.out.kept.saturating_sub(bytes);
        for row in rows {
            self.out.kinds.remove(&LocationId(row));
        }
    }

    /// Writes all operations so far to the file. They load from then on, however the process ends.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.writer.flush()?;
        self.out.pictures.flush(&mut self.out.writer)
    }

    /// Closes the file.
    pub fn finish(mut self) -> io::Result<W> {
        let Out { pictures, writer, counts, .. } = &mut self.out;
        pictures.finish(counts.operations, writer)?;
        self.out.writer.finish()
    }

    /// Adds a picture of what the program showed, with its time in nanoseconds since the start. A picture that is
    /// larger than [`Screenshot::LARGEST`](codec::native::Screenshot::LARGEST), or that would make all pictures of the
    /// file larger than 32 MB, is left out.
    pub fn picture(&mut self, at: u64, bytes: Vec<u8>) {
        self.out.pictures.add(at, bytes);
    }

    /// Writes what a replay of the program needs ([`Writer::attach_session`]).
    pub fn attach_session(&mut self, session: &[u8]) -> io::Result<()> {
        self.out.writer.attach_session(session)
    }

    /// How much was written.
    pub fn counts(&self) -> Counts {
        self.out.counts
    }
}

impl<W: Write> Out<W> {
    /// About how many bytes of memory names and values take.
    fn bytes(&mut self) -> usize {
        let texts = self.writer.names();
        let texts = texts.texts.bytes() + texts.functions.bytes();
        self.kept + texts + self.sites.len() * BESIDE
    }

    /// Removes ` site=N` from a line, and remembers the site.
    fn without_site<'l>(&mut self, line: &'l str, scripts: &Scripts) -> &'l str {
        self.site = None;
        let Some((rest, number)) = line.rsplit_once(" site=") else { return line };
        let Ok(number) = number.parse() else { return line };
        self.site = self.site(number, scripts);
        rest
    }

    /// The source position and the function of a site, if there is such a site.
    fn site(&mut self, number: u32, scripts: &Scripts) -> Option<Known> {
        if let Some(known) = self.sites.get(&number) {
            return Some(*known);
        }
        let spot = scripts.spot(number)?;
        let file = self.writer.text(spot.file.as_bytes());
        let column = Some(spot.column);
        let source = self.writer.source(Source { file, line: spot.line, column });
        if spot.tested {
            self.declare_test(&spot);
        }
        let function = (!spot.function.is_empty()).then(|| {
            let function = self.writer.names().functions.intern(spot.function.as_bytes());
            (function, spot.library.then_some(Provenance::Framework))
        });
        self.sites.insert(number, (source, function));
        Some((source, function))
    }

    fn write(&mut self, thread: ThreadId, op: Op, attributes: Attributes) {
        if self.failed.is_some() {
            return;
        }
        self.counts.operations += 1;
        if let Err(error) = self.writer.push(thread, op, attributes) {
            self.failed = Some(error);
        }
    }

    /// The id of a name that a realm mentions. If the file cannot be written, it is the id of another
    /// name, and nothing more is written.
    fn intern_for<I: Named>(&mut self, realm: RealmId, name: &[u8]) -> I {
        let Self { writer, realms, failed, kept, .. } = self;
        if !is_owned(I::TABLE) {
            return I::table(writer.names()).intern(name);
        }
        let id = realms.intern(realm, name, |name| {
            *kept += name.len() + BESIDE;
            writer.declare_name(I::TABLE, name)
        });
        id.unwrap_or_else(|error| {
            *failed = Some(error);
            I::new(0)
        })
    }

    /// States that reads at a place only test what they find. The statement is a location that nothing
    /// accesses, so that a reader that does not know it needs no other code.
    fn declare_test(&mut self, spot: &Spot) {
        let name = format!("test({}:{}:{})", spot.file, spot.line, spot.column);
        let location = self.intern_for(RealmId::FIRST, name.as_bytes());
        let kind = LocationKind::Other(self.writer.text(TEST));
        self.set_location_kind(location, kind);
    }

    /// Leaves and enters functions so that the thread is in `function`.
    fn be_in(&mut self, thread: ThreadId, function: Option<Entered>) {
        let before = match function {
            Some(function) => self.open.insert(thread, function),
            None => self.open.remove(&thread),
        };
        if before == function {
            return;
        }
        if before.is_some() {
            self.write(thread, Op::Leave, Attributes::default());
        }
        if let Some((function, provenance)) = function {
            let attributes = Attributes { provenance, ..Attributes::default() };
            self.write(thread, Op::Enter(function), attributes);
        }
    }
}

impl<W: Write> Sink for Out<W> {
    fn names(&mut self) -> &mut NameTables {
        self.writer.names()
    }

    fn intern<I: Named>(&mut self, name: &[u8]) -> I {
        self.intern_for(self.realm, name)
    }

    fn source(&mut self, source: Source) -> SourceId {
        self.writer.source(source)
    }

    fn push(&mut self, thread: ThreadId, op: Op, mut attributes: Attributes) {
        if let Some((source, _)) = self.site {
            attributes.source = Some(source);
        }
        if let Some(at) = &mut attributes.at {
            let last = self.times.entry(thread).or_default();
            *last = (*last).max(*at);
            *at = *last;
            self.pictures.place_before(self.counts.operations, *at);
        }
        match op {
            Op::Read(_) | Op::Write(_) => {
                if let Some((_, function)) = self.site {
                    self.be_in(thread, function);
                }
                self.counts.accesses += 1;
            }
            Op::Begin(_) => {
                self.be_in(thread, None);
                self.counts.events += 1;
            }
            Op::End(_) => self.be_in(thread, None),
            _ => {}
        }
        self.write(thread, op, attributes);
    }

    fn set_location_kind(&mut self, at: LocationId, kind: LocationKind) {
        if self.kinds.insert(at, kind) == Some(kind) {
            return;
        }
        if let Err(error) = self.writer.set_location_kind(at, kind) {
            self.failed = Some(error);
        }
    }
}

#[cfg(test)]
mod tests;
