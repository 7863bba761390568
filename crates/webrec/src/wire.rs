//! What a page tells, checked and written down.
//!
//! The page sends lines of the text notation without their thread, in trace order. It may send
//! anything else as well: a line that is too long or makes no sense is a note and nothing more.
//!
//! Three things are added. The number of a site becomes the place in the original source, and the
//! function around it is entered; it is left when the next access is in another one, or the event
//! is over. And what two documents of one recording call alike is told apart: from the second on,
//! words `rR.…` get the document's own number for R, and locations end with `@` and that number.
//! Storage and cookies as well: documents of one window follow each other, so what two of them do
//! to the same key is ordered by what the trace does not tell.

use std::io::{self, Write};

use codec::native::Writer;
use codec::text::{Sink, read_line};
use hashbrown::HashMap;
use trace::{
    Attributes, Diagnostics, FunctionId, LocationId, LocationKind, NameTables, Op, Source,
    SourceId, ThreadId,
};

use crate::notes::Notes;
use crate::scripts::Scripts;

/// The longest line taken.
const LONGEST: usize = 64 << 10;
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

/// Whose lines these are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sender<'s> {
    /// The thread they happened on.
    pub(crate) thread: &'s str,
    /// The number of the document, from 1.
    pub(crate) document: u32,
}

/// Writes lines down.
pub(crate) struct Wire<W: Write> {
    out: Out<W>,
    notes: Diagnostics,
    line: String,
}

/// What a site is in the file being written.
type Known = (SourceId, Option<FunctionId>);

struct Out<W: Write> {
    writer: Writer<W>,
    /// The site of the line being read.
    site: Option<Known>,
    sites: HashMap<u32, Known>,
    /// The function each thread is in.
    open: HashMap<ThreadId, FunctionId>,
    kinds: HashMap<LocationId, LocationKind>,
    failed: Option<io::Error>,
    counts: Counts,
}

impl<W: Write> Wire<W> {
    /// Writes to a new file.
    pub(crate) fn new(mut writer: Writer<W>) -> io::Result<Self> {
        writer.set_model(b"web")?;
        let out = Out {
            writer,
            site: None,
            sites: HashMap::new(),
            open: HashMap::new(),
            kinds: HashMap::new(),
            failed: None,
            counts: Counts::default(),
        };
        Ok(Self { out, notes: Diagnostics::default(), line: String::new() })
    }

    /// Takes what a page sent. Fails only when the file cannot be written.
    pub(crate) fn take(
        &mut self,
        sender: Sender<'_>,
        payload: &str,
        scripts: &Scripts,
        notes: &Notes,
    ) -> io::Result<()> {
        let thread = self.out.writer.names().threads.intern(sender.thread.as_bytes());
        for line in payload.lines() {
            if line.len() > LONGEST {
                notes.add("long-line", || format!("{} bytes: {line}", line.len()));
                continue;
            }
            if let Some(diagnostic) = line.strip_prefix(DIAGNOSTIC) {
                let (code, text) = diagnostic.split_once(' ').unwrap_or((diagnostic, ""));
                notes.add(code, || text.to_string());
                continue;
            }
            let line = self.out.without_site(line, scripts);
            prepare(&mut self.line, line, sender.document);
            let read = read_line(self.line.as_bytes(), thread, &mut self.out, &mut self.notes);
            if let Err(error) = read {
                notes.add("unreadable-line", || format!("{line}: {error}"));
            }
        }
        self.out.failed.take().map_or(Ok(()), Err)
    }

    /// Hands everything so far to the file.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.writer.flush()
    }

    /// Closes the file.
    pub(crate) fn finish(self) -> io::Result<W> {
        self.out.writer.finish()
    }

    /// How much was written.
    pub(crate) fn counts(&self) -> Counts {
        self.out.counts
    }
}

/// Puts a line of a document into `out` with names that are the document's own.
fn prepare(out: &mut String, line: &str, document: u32) {
    use std::fmt::Write as _;
    out.clear();
    if document == 1 {
        out.push_str(line);
        return;
    }
    let mut words = line.split(' ').enumerate();
    let verb = words.next().map_or("", |(_, verb)| verb);
    out.push_str(verb);
    let of_location = matches!(verb, "read" | "write" | "location");
    for (index, word) in words {
        out.push(' ');
        match own_id(word) {
            Some(rest) => write!(out, "r{document}.{rest}").expect("a string takes it"),
            None => out.push_str(word),
        }
        if of_location && index == 1 {
            write!(out, "@{document}").expect("a string takes it");
        }
    }
}

/// What follows `rR.` in a word that starts so.
fn own_id(word: &str) -> Option<&str> {
    let (number, rest) = word.strip_prefix('r')?.split_once('.')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
}

impl<W: Write> Out<W> {
    /// The line without its ` site=N`, which is remembered.
    fn without_site<'l>(&mut self, line: &'l str, scripts: &Scripts) -> &'l str {
        self.site = None;
        let Some((rest, number)) = line.rsplit_once(" site=") else { return line };
        let Ok(number) = number.parse() else { return line };
        self.site = self.sites.get(&number).copied().or_else(|| {
            let spot = scripts.spot(number)?;
            let file = self.writer.text(spot.file.as_bytes());
            let column = Some(spot.column);
            let source = self.writer.source(Source { file, line: spot.line, column });
            let function = (!spot.function.is_empty())
                .then(|| self.writer.names().functions.intern(spot.function.as_bytes()));
            self.sites.insert(number, (source, function));
            Some((source, function))
        });
        rest
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

    /// Makes `function` the one the thread is in.
    fn be_in(&mut self, thread: ThreadId, function: Option<FunctionId>) {
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
        if let Some(function) = function {
            self.write(thread, Op::Enter(function), Attributes::default());
        }
    }
}

impl<W: Write> Sink for Out<W> {
    fn names(&mut self) -> &mut NameTables {
        self.writer.names()
    }

    fn source(&mut self, source: Source) -> SourceId {
        self.writer.source(source)
    }

    fn push(&mut self, thread: ThreadId, op: Op, mut attributes: Attributes) {
        if let Some((source, _)) = self.site {
            attributes.source = Some(source);
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
