//! How long model `web` takes for many timers: `cargo run --release -p order --example timers -- N`.
//!
//! N events, each after the one before, set N timers, which fire when they are due: of one delay, of
//! a thousand, of as many as timers, and of a thousand that descend again and again. And of timers
//! that each set the next when they fire, a thousand at a time, ten thousand at most.

use std::collections::BTreeSet;
use std::time::Instant;

use order::{Graph, WEB};
use trace::{Attributes, Enqueue, EventId, Op, Posting, QueueId, ThreadId, Trace, TraceBuilder};

struct Page {
    builder: TraceBuilder,
    main: ThreadId,
    timers: QueueId,
    messages: usize,
}

impl Page {
    fn push(&mut self, op: Op) {
        self.builder.push(self.main, op, Attributes::default());
    }

    fn message(&mut self) -> EventId {
        self.messages += 1;
        self.builder.names().events.intern(format!("m{}", self.messages).as_bytes())
    }
}

/// `count` events, one after the other, each of which sets a timer of the delay that `delay` returns.
fn page(count: i64, delay: impl Fn(i64) -> i64) -> Trace {
    let mut builder = TraceBuilder::new();
    let main = builder.names().threads.intern(b"main");
    let timers = builder.names().queues.intern(b"timers");
    let mut page = Page { builder, main, timers, messages: 0 };
    page.push(Op::Attach(timers));
    let mut due = Vec::new();
    let mut last = None;
    for i in 0..count {
        let (event, timer) = (page.message(), page.message());
        let ms = delay(i);
        let posting = Posting::Delayed(ms);
        let queue = page.timers;
        page.push(Op::Begin(event));
        if let Some(last) = last {
            page.push(Op::Arc(last, event));
        }
        page.push(Op::Enqueue(Enqueue {
            event: timer,
            queue,
            posting,
            is_async: false,
            sync: false,
        }));
        page.push(Op::End(event));
        due.push((i + ms, i, timer));
        last = Some(event);
    }
    due.sort_unstable();
    for (.., timer) in due {
        page.push(Op::Begin(timer));
        page.push(Op::End(timer));
    }
    page.builder.finish().0
}

/// `count` timers, of which each sets one more when it fires, of the delay that `delay` returns.
fn chains(count: i64, delay: impl Fn(i64) -> i64) -> Trace {
    let mut builder = TraceBuilder::new();
    let main = builder.names().threads.intern(b"main");
    let timers = builder.names().queues.intern(b"timers");
    let mut page = Page { builder, main, timers, messages: 0 };
    page.push(Op::Attach(timers));
    let mut due = BTreeSet::new();
    let set = |page: &mut Page, now: i64| {
        let (i, event, queue) =
            (i64::try_from(page.messages).expect("few messages"), page.message(), page.timers);
        let posting = Posting::Delayed(delay(i));
        page.push(Op::Enqueue(Enqueue { event, queue, posting, is_async: false, sync: false }));
        (now + delay(i), i, event)
    };
    let start = page.message();
    page.push(Op::Begin(start));
    for _ in 0..1000 {
        due.insert(set(&mut page, 0));
    }
    page.push(Op::End(start));
    for _ in 0..count {
        let Some((now, _, timer)) = due.pop_first() else { break };
        page.push(Op::Begin(timer));
        due.insert(set(&mut page, now));
        page.push(Op::End(timer));
    }
    page.builder.finish().0
}

fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(100_000);
    let few = count.min(10_000);
    let scattered = |i: i64| i.wrapping_mul(0x1e37_79b9_7f4a_7c15).rotate_left(20) & 0xff_ffff_ffff;
    let pages = [
        ("one delay", page(count, |_| 0)),
        ("a thousand delays", page(count, |i| scattered(i) % 1000)),
        ("as many delays as timers", page(count, scattered)),
        ("delays that descend", page(count, |i| 1000 - i % 1000)),
        ("timers that set the next, of three delays", chains(few, |i| scattered(i) % 3)),
        ("timers that set the next, of a thousand", chains(few, |i| scattered(i) % 1000)),
    ];
    for (name, trace) in pages {
        let start = Instant::now();
        let graph = Graph::new(&trace, &WEB.default_rules());
        println!("{name}: {:?}, {} bytes of clocks", start.elapsed(), graph.stats().bytes);
    }
}
