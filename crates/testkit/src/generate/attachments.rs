//! Random pages about lists of event handlers: events of the user, of loading and of timers that
//! read and write two lists, some ordered by arcs; the same for the same seed.

use fastrand::Rng;
use trace::{Attributes, EventId, LocationKind, Op, Trace, TraceBuilder};

/// Types of events with their names. The event of type `load` with the name `load` is the window's.
const TYPES: [(&str, &str); 10] = [
    ("click", "button"),
    ("keydown", "input"),
    ("mousemove", "button"),
    ("script", "app.js"),
    ("load", "load"),
    ("load", "load"),
    ("load", "img"),
    ("timer", "timer"),
    ("listener", "f"),
    ("microtask", "then"),
];

/// The page of `seed`, of 4 to 16 events.
pub fn attachments(seed: u64) -> Trace {
    let mut rng = Rng::with_seed(seed ^ 0x6c61_7465);
    let mut builder = TraceBuilder::new();
    let threads = ["main", "main", "main", "frame"];
    let threads = threads.map(|name| builder.names().threads.intern(name.as_bytes()));
    let lists = ["h0", "h1"].map(|name| builder.names().locations.intern(name.as_bytes()));
    for list in lists {
        builder.set_location_kind(list, LocationKind::Handler);
    }
    let mut ended: Vec<EventId> = Vec::new();
    for number in 0..rng.usize(4..=16) {
        let thread = threads[rng.usize(0..4)];
        let event = builder.names().events.intern(format!("m{number}").as_bytes());
        let (of_type, name) = TYPES[rng.usize(0..TYPES.len())];
        let event_type = Some(builder.text(of_type.as_bytes()));
        let event_name = Some(builder.text(name.as_bytes()));
        let attributes = Attributes { event_type, event_name, ..Attributes::default() };
        builder.push(thread, Op::Begin(event), attributes);
        // Most events are ordered after an earlier one; input is mostly not ordered.
        let is_input = matches!(of_type, "click" | "keydown" | "mousemove");
        let arcs = if is_input { rng.usize(0..8) / 7 } else { rng.usize(1..3) };
        for _ in 0..arcs {
            let recent = ended.len().min(3);
            if recent > 0 {
                let source = ended[ended.len() - 1 - rng.usize(0..recent)];
                builder.push(thread, Op::Arc(source, event), Attributes::default());
            }
        }
        for _ in 0..rng.usize(0..if is_input { 3 } else { 2 }) {
            let list = lists[rng.usize(0..2)];
            let writes = !is_input || rng.u8(0..8) == 0;
            let op = if writes { Op::Write(list) } else { Op::Read(list) };
            builder.push(thread, op, Attributes::default());
        }
        builder.push(thread, Op::End(event), Attributes::default());
        ended.push(event);
    }
    builder.finish().0
}
