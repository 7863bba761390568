//! How long model `web` takes for many parts of tasks:
//! `cargo run --release -p order --example microtasks -- N`.
//!
//! N microtasks that one script queues; N that each queue the next; N reactions of as many tasks, each of
//! which waits for a promise of another chain of tasks as well; and N calls of a listener that was added
//! late. Every page is made with N / 2 and with N parts, so that the growth shows.

use std::time::{Duration, Instant};

use order::{Graph, WEB};
use trace::{
    Attributes, CallbackId, Enqueue, EventId, Op, Posting, QueueId, ThreadId, Trace, TraceBuilder,
};

struct Page {
    builder: TraceBuilder,
    main: ThreadId,
    microtasks: QueueId,
    input: QueueId,
    names: usize,
}

impl Page {
    fn new() -> Self {
        let mut builder = TraceBuilder::new();
        let names = builder.names();
        let main = names.threads.intern(b"main");
        let (microtasks, input) =
            (names.queues.intern(b"microtasks"), names.queues.intern(b"input"));
        let mut page = Self { builder, main, microtasks, input, names: 0 };
        page.push(Op::Attach(input), None);
        page
    }

    fn push(&mut self, op: Op, event_type: Option<&str>) {
        let event_type = event_type.map(|name| self.builder.text(name.as_bytes()));
        self.builder.push(self.main, op, Attributes { event_type, ..Attributes::default() });
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("n{}", self.names)
    }

    fn message(&mut self) -> EventId {
        let name = self.name();
        self.builder.names().events.intern(name.as_bytes())
    }

    fn callback(&mut self) -> CallbackId {
        let name = self.name();
        self.builder.names().callbacks.intern(name.as_bytes())
    }

    fn post(&mut self, queue: QueueId, posting: Posting) -> EventId {
        let event = self.message();
        let enqueue = Enqueue { event, queue, posting, is_async: false, sync: false };
        self.push(Op::Enqueue(enqueue), None);
        event
    }

    fn queue(&mut self) -> EventId {
        self.post(self.microtasks, Posting::Delayed(0))
    }

    fn run(&mut self, event: EventId, of_type: &str, ops: &[Op]) {
        self.push(Op::Begin(event), Some(of_type));
        for &op in ops {
            self.push(op, None);
        }
        self.push(Op::End(event), None);
    }

    fn done(self) -> Trace {
        self.builder.finish().0
    }
}

/// One script queues all microtasks.
fn of_one_script(count: usize) -> Trace {
    let mut page = Page::new();
    let script = page.message();
    page.push(Op::Begin(script), Some("script"));
    let queued: Vec<EventId> = (0..count).map(|_| page.queue()).collect();
    page.push(Op::End(script), None);
    for microtask in queued {
        page.run(microtask, "microtask", &[]);
    }
    page.done()
}

/// Each microtask queues the next one, in one task, as in a loop with `await`.
fn chain(count: usize) -> Trace {
    let mut page = Page::new();
    let mut next = page.message();
    for i in 0..count {
        page.push(Op::Begin(next), Some(if i == 0 { "script" } else { "microtask" }));
        let queued = page.queue();
        page.push(Op::End(next), None);
        next = queued;
    }
    page.done()
}

/// Two chains of tasks that nothing orders. Each task of the second settles a promise that the reaction
/// of the first waits for.
fn of_two_chains(count: usize) -> Trace {
    let mut page = Page::new();
    let mut last: [Option<EventId>; 2] = [None, None];
    for i in 0..2 * count {
        let (task, callback) = (page.message(), page.callback());
        page.push(Op::Begin(task), Some("message"));
        if let Some(before) = last[i % 2].replace(task) {
            page.push(Op::Arc(before, task), None);
        }
        page.push(Op::Register(callback), None);
        let reaction = page.queue();
        page.push(Op::End(task), None);
        let invoke = Op::Invoke { callback, sync: false };
        let settled = last[1 - i % 2].map(|other| Op::Arc(other, reaction));
        let causes: Vec<Op> = [Some(invoke), settled].into_iter().flatten().collect();
        page.run(reaction, "microtask", &causes);
    }
    page.done()
}

/// A listener that was added late is called at every input.
fn calls(count: usize) -> Trace {
    let mut page = Page::new();
    let (script, callback) = (page.message(), page.callback());
    page.run(script, "script", &[Op::Register(callback)]);
    for _ in 0..count {
        let input = page.post(page.input, Posting::Input);
        page.run(input, "click", &[]);
        let call = page.message();
        page.run(call, "listener", &[Op::Invoke { callback, sync: false }]);
    }
    page.done()
}

/// The shortest of three runs.
fn closed(trace: &Trace) -> Duration {
    let run = |_| {
        let start = Instant::now();
        let graph = Graph::new(trace, &WEB.default_rules());
        std::hint::black_box(&graph);
        start.elapsed()
    };
    (0..3).map(run).min().expect("three runs")
}

/// Makes a page with this many microtasks or calls.
type Maker = fn(usize) -> Trace;

fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(100_000);
    let pages: [(&str, Maker); 4] = [
        ("microtasks of one script", of_one_script),
        ("microtasks that queue the next", chain),
        ("reactions that wait for two chains of tasks", of_two_chains),
        ("calls of a late listener", calls),
    ];
    for (name, page) in pages {
        let (half, whole) = (closed(&page(count / 2)), closed(&page(count)));
        let growth = whole.as_secs_f64() / half.as_secs_f64();
        println!("{name}: {whole:?} for {count}, {growth:.1} times that for half as many");
    }
}
