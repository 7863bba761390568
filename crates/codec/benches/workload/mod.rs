//! A synthetic trace of event handlers, and writing it.

use codec::native::{Options, Writer};
use fastrand::Rng;
use trace::{Attributes, EventId, LocationId, Op, Source, SourceId, ThreadId};

/// Fields an object has.
const FIELDS: u32 = 16;
const OBJECTS: u32 = 50_000;
const GLOBALS: u32 = 2_000;
/// Different handlers; each is a sequence of accesses that repeats with other objects.
const HANDLERS: usize = 300;

/// An access as a handler's code has it.
#[derive(Clone, Copy)]
enum Site {
    /// A field of the n-th object the event deals with.
    Field {
        object: usize,
        field: u32,
    },
    Global(u32),
}

pub(crate) struct Access {
    location: LocationId,
    write: bool,
    source: SourceId,
}

pub(crate) struct Event {
    thread: ThreadId,
    pub(crate) accesses: Vec<Access>,
}

impl Event {
    /// The same event without its accesses: what names and events cost.
    pub(crate) fn without_accesses(&self) -> Self {
        Self { thread: self.thread, accesses: Vec::new() }
    }
}

/// Handlers of 50 to 650 accesses to 8 objects and some globals, a tenth of them data-dependent.
pub(crate) fn workload(total: usize) -> Vec<Event> {
    let mut rng = Rng::with_seed(1);
    let mut sites = 0;
    let handlers: Vec<Vec<(Site, bool, u32)>> = (0..HANDLERS)
        .map(|_| {
            (0..rng.usize(50..650))
                .map(|_| {
                    sites += 1;
                    let site = if rng.u8(0..5) == 0 {
                        Site::Global(rng.u32(0..GLOBALS))
                    } else {
                        Site::Field { object: rng.usize(0..8), field: rng.u32(0..FIELDS) }
                    };
                    (site, rng.u8(0..4) == 0, sites - 1)
                })
                .collect()
        })
        .collect();
    let mut events = Vec::new();
    let mut made = 0;
    while made < total {
        let code = &handlers[rng.usize(0..HANDLERS) * rng.usize(0..HANDLERS) / HANDLERS];
        let objects: Vec<u32> = (0..8).map(|_| rng.u32(0..OBJECTS)).collect();
        let accesses: Vec<Access> = code
            .iter()
            .map(|&(site, write, source)| {
                let location = match site {
                    _ if rng.u8(0..10) == 0 => rng.u32(0..GLOBALS + OBJECTS * FIELDS),
                    Site::Field { object, field } => GLOBALS + objects[object] * FIELDS + field,
                    Site::Global(global) => global,
                };
                Access { location: LocationId(location), write, source: SourceId(source) }
            })
            .collect();
        made += accesses.len();
        events.push(Event { thread: ThreadId(rng.u32(0..4)), accesses });
    }
    events
}

/// A writer that has all names declared, and written.
pub(crate) fn declared(events: &[Event], options: Options, with_sources: bool) -> Writer<Vec<u8>> {
    let room = Vec::with_capacity(64 << 20);
    let mut writer = Writer::new(room, options).expect("memory takes all");
    declare(&mut writer, events, with_sources);
    writer.flush().expect("memory takes all");
    writer
}

/// The file with `events`; their accesses carry a source position if `writer` knows any.
pub(crate) fn finished(mut writer: Writer<Vec<u8>>, events: &[Event]) -> Vec<u8> {
    let none = Attributes::default();
    let with_sources = !writer.names().texts.is_empty();
    for (i, event) in events.iter().enumerate() {
        let id = EventId(i as u32);
        writer.push(event.thread, Op::Begin(id), none).expect("memory takes all");
        for access in &event.accesses {
            let pushed = if with_sources {
                let attributes = Attributes { source: Some(access.source), ..none };
                let at = access.location;
                let op = if access.write { Op::Write(at) } else { Op::Read(at) };
                writer.push(event.thread, op, attributes)
            } else {
                writer.access(event.thread, access.location, access.write)
            };
            pushed.expect("memory takes all");
        }
        writer.push(event.thread, Op::End(id), none).expect("memory takes all");
    }
    writer.finish().expect("memory takes all")
}

fn declare(writer: &mut Writer<Vec<u8>>, events: &[Event], with_sources: bool) {
    for thread in 0..4 {
        writer.names().threads.intern(format!("T{thread}").as_bytes());
    }
    for global in 0..GLOBALS {
        writer.names().locations.intern(format!("global{global}").as_bytes());
    }
    for object in 0..OBJECTS {
        for field in 0..FIELDS {
            writer.names().locations.intern(format!("o{object}.f{field}").as_bytes());
        }
    }
    for event in 0..events.len() {
        writer.names().events.intern(format!("m{event}").as_bytes());
    }
    if with_sources {
        let file = writer.text(b"handlers.js");
        let last = events.iter().flat_map(|e| &e.accesses).map(|a| a.source.0).max();
        for line in 0..=last.unwrap_or(0) {
            writer.source(Source { file, line, column: None });
        }
    }
}
