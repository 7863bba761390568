//! From STD to a trace.

use trace::diagnostic::Diagnostics;
use trace::{
    Attributes, Escaped, Id, LocationId, LockId, Op, Place, Source, SourceId, TextId, ThreadId,
    TraceBuilder,
};

use super::fast::{self, Event};
use super::names::{Shortcut, number};
use super::{ATOMIC, SOURCE_FILE, anomaly};
use crate::{Loaded, ReadError};

/// Positions up to this number are looked up in a vector.
const DIRECT: u32 = 1 << 20;

/// Reads an STD file.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut reader = Reader::new();
    let mut rest = bytes;
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        if let Some(line) = fast::line(rest) {
            rest = &rest[line.len..];
            reader.usual(&line);
            continue;
        }
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        reader.line(number, line.strip_suffix(b"\r").unwrap_or(line));
    }
    reader.finish()
}

/// What became of a thread so far.
#[derive(Clone, Copy, Default)]
struct Life {
    forked: bool,
    started: bool,
    exited: bool,
}

struct Reader {
    builder: TraceBuilder,
    threads: Shortcut<ThreadId>,
    locks: Shortcut<LockId>,
    locations: Shortcut<LocationId>,
    lives: Vec<Life>,
    /// The position with a number, where it was seen.
    positions: Vec<Option<SourceId>>,
    file: TextId,
    events: u64,
    diagnostics: Diagnostics,
    first_bad: Option<ReadError>,
}

impl Reader {
    fn new() -> Self {
        let mut builder = TraceBuilder::new();
        let file = builder.text(SOURCE_FILE);
        Self {
            builder,
            threads: Shortcut::default(),
            locks: Shortcut::default(),
            locations: Shortcut::default(),
            lives: Vec::new(),
            positions: Vec::new(),
            file,
            events: 0,
            diagnostics: Diagnostics::default(),
            first_bad: None,
        }
    }

    fn usual(&mut self, line: &fast::Line) {
        let names = self.builder.names();
        let (letter, number) = line.thread;
        let thread = self.threads.numbered(letter, number, &mut names.threads);
        let (letter, number) = line.argument;
        let op = match line.event {
            Event::Read => Op::Read(self.locations.numbered(letter, number, &mut names.locations)),
            Event::Write => {
                Op::Write(self.locations.numbered(letter, number, &mut names.locations))
            }
            Event::Acquire => Op::Lock(self.locks.numbered(letter, number, &mut names.locks)),
            Event::Release => Op::Unlock(self.locks.numbered(letter, number, &mut names.locks)),
            Event::Fork => Op::Fork(self.threads.numbered(letter, number, &mut names.threads)),
            Event::Join => Op::Join(self.threads.numbered(letter, number, &mut names.threads)),
        };
        let source = self.position(line.position);
        self.push(thread, op, Some(source));
    }

    fn line(&mut self, line: u64, text: &[u8]) {
        if !text.is_empty() && self.event(text).is_none() {
            self.unreadable(line, text);
        }
    }

    fn event(&mut self, text: &[u8]) -> Option<()> {
        let mut fields = text.splitn(3, |&b| b == b'|');
        let (thread, event, position) = (fields.next()?, fields.next()?, fields.next());
        let open = event.iter().position(|&b| b == b'(').unwrap_or(event.len());
        let argument = match event.get(open + 1..) {
            Some(argument) => argument.strip_suffix(b")")?,
            None => b"",
        };
        if &event[..open] == b"dummy" {
            self.events += 1;
            return Some(());
        }
        let op = self.operation(&event[..open], argument)?;
        let thread = self.threads.intern(thread, &mut self.builder.names().threads);
        let source = position.and_then(number).map(|position| self.position(position));
        self.push(thread, op, source);
        Some(())
    }

    fn operation(&mut self, event: &[u8], argument: &[u8]) -> Option<Op> {
        let names = self.builder.names();
        Some(match event {
            b"r" => Op::Read(self.locations.intern(argument, &mut names.locations)),
            b"w" => Op::Write(self.locations.intern(argument, &mut names.locations)),
            b"acq" => Op::Lock(self.locks.intern(argument, &mut names.locks)),
            b"rel" => Op::Unlock(self.locks.intern(argument, &mut names.locks)),
            b"fork" => Op::Fork(self.threads.intern(argument, &mut names.threads)),
            b"join" => Op::Join(self.threads.intern(argument, &mut names.threads)),
            b"begin" => Op::Enter(names.functions.intern(ATOMIC)),
            b"enter" => Op::Enter(names.functions.intern(argument)),
            b"end" | b"exit" => Op::Leave,
            _ => return None,
        })
    }

    fn position(&mut self, line: u32) -> SourceId {
        let source = Source { file: self.file, line, column: None };
        if line >= DIRECT {
            return self.builder.source(source);
        }
        let row = line as usize;
        if self.positions.len() <= row {
            self.positions.resize((row + 1).next_power_of_two(), None);
        }
        let builder = &mut self.builder;
        *self.positions[row].get_or_insert_with(|| builder.source(source))
    }

    /// Pushes an operation, with the init or exit that STD leaves out.
    fn push(&mut self, thread: ThreadId, op: Op, source: Option<SourceId>) {
        let silent = Attributes { source_id: Some(self.events), ..Attributes::default() };
        self.events += 1;
        let life = self.life(thread);
        if !life.started {
            life.started = true;
            if life.forked {
                self.builder.push(thread, Op::Init, silent);
            }
        }
        match op {
            Op::Fork(child) => self.life(child).forked = true,
            Op::Join(child) => {
                let life = self.life(child);
                if life.started && !life.exited {
                    life.exited = true;
                    self.builder.push(child, Op::Exit, silent);
                }
            }
            _ => {}
        }
        self.builder.push(thread, op, Attributes { source, ..silent });
    }

    fn life(&mut self, thread: ThreadId) -> &mut Life {
        if self.lives.len() <= thread.index() {
            self.lives.resize(thread.index() + 1, Life::default());
        }
        &mut self.lives[thread.index()]
    }

    #[cold]
    fn unreadable(&mut self, line: u64, text: &[u8]) {
        let at = Place::Line { line, column: 1 };
        let quoted = || Escaped(&text[..text.len().min(80)]).to_string();
        let expected = "lines like T0|r(V1)|345";
        self.first_bad.get_or_insert_with(|| ReadError::new(at, quoted(), expected));
        self.diagnostics.report(&anomaly::UNREADABLE_STD_LINE, at, quoted);
    }

    fn finish(mut self) -> Result<Loaded, ReadError> {
        if let Some(error) = self.first_bad.take().filter(|_| self.events == 0) {
            return Err(error);
        }
        let (trace, found) = self.builder.finish();
        let mut diagnostics = self.diagnostics.finish();
        diagnostics.extend(found);
        Ok(Loaded { trace, diagnostics, origin: None })
    }
}
