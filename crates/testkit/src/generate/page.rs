//! Random pages: traces of model `web`, the same for the same seed.
//!
//! A main thread runs tasks with their microtasks and listeners; sometimes a worker runs events
//! beside it. Timers with few or many delays, frames, idle callbacks, messages, input, requests and
//! stated orders of every kind occur, mostly as in a browser. Ordered sources sometimes break their
//! order, and in every third page events nest or do not end.

use fastrand::Rng;
use trace::{
    Attributes, CallbackId, Enqueue, EventId, Op, Posting, QueueId, ThreadId, Trace, TraceBuilder,
};

/// The names of the queues. Those before [`POOLS`] are mostly attached.
const QUEUES: [&str; 10] = [
    "timers",
    "timers2",
    "port",
    "frames",
    "idle",
    "input",
    "worker",
    "network",
    "explored",
    "microtasks",
];
const POOLS: usize = 7;
const INPUT: usize = 5;
const WORKER: usize = 6;
const NETWORK: usize = 7;
const EXPLORED: usize = 8;
const MICROTASKS: usize = 9;

const CAUSES: [&str; 11] = [
    "parser", "load", "network", "interval", "script", "target", "learned", "step", "wait",
    "message", "",
];

struct Message {
    event: EventId,
    queue: usize,
    /// The approximate time at which the task is due.
    due: i64,
}

struct Page {
    rng: Rng,
    builder: TraceBuilder,
    main: ThreadId,
    worker: ThreadId,
    /// The open events of main and the worker, outermost first.
    open: [Vec<EventId>; 2],
    pending: Vec<Message>,
    ended: Vec<EventId>,
    messages: usize,
    /// The number of different delays.
    delays: i64,
    with_worker: bool,
    odd: bool,
    now: i64,
}

/// The page of `seed`, of `operations` operations.
pub fn page(seed: u64, operations: usize) -> Trace {
    let mut rng = Rng::with_seed(seed ^ 0x7061_6765_7321);
    let mut builder = TraceBuilder::new();
    let main = builder.names().threads.intern(b"main");
    let worker = builder.names().threads.intern(b"worker");
    let delays = [1, 3, 40][rng.usize(0..3)];
    let (with_worker, odd) = (rng.u8(0..3) == 0, rng.u8(0..3) == 0);
    let mut page = Page {
        rng,
        builder,
        main,
        worker,
        open: [Vec::new(), Vec::new()],
        pending: Vec::new(),
        ended: Vec::new(),
        messages: 0,
        delays,
        with_worker,
        odd,
        now: 0,
    };
    page.attach();
    while page.builder.len() < operations {
        page.step();
    }
    page.builder.finish().0
}

impl Page {
    fn push(&mut self, thread: usize, op: Op, event_type: Option<&str>) {
        self.now += 1;
        let event_type = event_type.map(|name| self.builder.text(name.as_bytes()));
        let thread = [self.main, self.worker][thread];
        self.builder.push(thread, op, Attributes { event_type, ..Attributes::default() });
    }

    fn one_in(&mut self, n: u8) -> bool {
        self.rng.u8(0..n) == 0
    }

    fn queue(&mut self, queue: usize) -> QueueId {
        self.builder.names().queues.intern(QUEUES[queue].as_bytes())
    }

    fn fresh(&mut self) -> EventId {
        self.messages += 1;
        self.builder.names().events.intern(format!("m{}", self.messages).as_bytes())
    }

    fn attach(&mut self) {
        for queue in 0..POOLS {
            if !self.one_in(8) {
                let id = self.queue(queue);
                self.push(usize::from(queue == WORKER), Op::Attach(id), None);
            }
        }
    }

    fn step(&mut self) {
        let thread = usize::from(self.with_worker && self.one_in(4));
        match self.open[thread].last().copied() {
            Some(event) if self.one_in(4) => self.end(thread, event),
            Some(_) if self.odd && self.one_in(30) => self.begin(thread),
            Some(event) => self.act(thread, event),
            None => self.begin(thread),
        }
    }

    fn end(&mut self, thread: usize, event: EventId) {
        self.open[thread].pop();
        if !(self.odd && self.one_in(12)) {
            self.push(thread, Op::End(event), None);
            self.ended.push(event);
        }
    }

    fn start(&mut self, thread: usize, event: EventId, of_type: &str) {
        self.open[thread].push(event);
        self.push(thread, Op::Begin(event), Some(of_type));
        if matches!(of_type, "microtask" | "listener") {
            // What registered a callback is a cause of its call; a reaction has two such causes.
            for _ in 0..self.rng.u8(0..3) {
                self.call_back(thread, |callback| Op::Invoke { callback, sync: false });
            }
        }
    }

    fn call_back(&mut self, thread: usize, op: fn(CallbackId) -> Op) {
        let any = self.rng.u32(0..4);
        let callback = self.builder.names().callbacks.intern(format!("c{any}").as_bytes());
        self.push(thread, op(callback), None);
    }

    /// Begins the task that is due next, or an event that was not posted.
    fn begin(&mut self, thread: usize) {
        if thread == 1 {
            let waiting = self.pending.iter().position(|m| m.queue == WORKER);
            let message = waiting.map(|i| self.pending.remove(i).event);
            let event = message.unwrap_or_else(|| self.fresh());
            return self.start(1, event, "message");
        }
        let microtask = self.pending.iter().position(|m| m.queue == MICROTASKS);
        if let Some(i) = microtask.filter(|_| !self.one_in(6)) {
            let event = self.pending.remove(i).event;
            return self.start(0, event, "microtask");
        }
        match self.rng.u8(0..16) {
            0 | 1 => {
                let event = self.fresh();
                let of_type = if self.one_in(4) { "module" } else { "listener" };
                self.start(0, event, of_type);
            }
            2 => self.input(),
            3 => {
                let event = self.fresh();
                self.start(0, event, "parse");
            }
            4 => {
                let event = self.fresh();
                self.start(0, event, "settlement");
            }
            _ => {
                let task = self.next_task().map(|event| (event, "timer"));
                let (event, of_type) = task.unwrap_or_else(|| {
                    let types = ["load", "readystatechange", "pagehide", "unload"];
                    (self.fresh(), types[self.rng.usize(0..4)])
                });
                self.start(0, event, of_type);
            }
        }
    }

    /// Returns the next task: mostly the one that is due first.
    fn next_task(&mut self) -> Option<EventId> {
        let of_main = |m: &Message| m.queue != WORKER && m.queue != MICROTASKS;
        let disorder = self.one_in(6);
        let draw = self.rng.usize(0..64);
        let mut tasks: Vec<usize> =
            (0..self.pending.len()).filter(|&i| of_main(&self.pending[i])).collect();
        tasks.sort_by_key(|&i| self.pending[i].due);
        let chosen = *tasks.get(if disorder { draw % tasks.len().max(1) } else { 0 })?;
        Some(self.pending.remove(chosen).event)
    }

    /// Dispatches a click of the user or of an exploration.
    fn input(&mut self) {
        let event = self.fresh();
        let queue = if self.one_in(4) { EXPLORED } else { INPUT };
        let queue = self.queue(queue);
        let enqueue =
            Enqueue { event, queue, posting: Posting::Input, is_async: false, sync: false };
        self.push(0, Op::Enqueue(enqueue), None);
        self.start(0, event, "click");
    }

    /// Appends one operation of an open event.
    fn act(&mut self, thread: usize, event: EventId) {
        let any = self.rng.u32(0..4);
        match self.rng.u8(0..16) {
            0..=7 => self.post(thread),
            8 => self.call_back(thread, Op::Register),
            9 => self.call_back(thread, |callback| Op::Invoke { callback, sync: false }),
            10 | 11 => self.arc(thread, event),
            12 | 13 => {
                let location = self.builder.names().locations.intern(format!("x{any}").as_bytes());
                self.push(thread, Op::Read(location), None);
            }
            _ => {
                let location = self.builder.names().locations.intern(format!("x{any}").as_bytes());
                self.push(thread, Op::Write(location), None);
            }
        }
    }

    fn arc(&mut self, thread: usize, event: EventId) {
        let recent = self.ended.len().min(8);
        if recent == 0 {
            return;
        }
        let source = self.ended[self.ended.len() - 1 - self.rng.usize(0..recent)];
        let cause = CAUSES[self.rng.usize(0..CAUSES.len())];
        let (from, to) = if self.odd && self.one_in(6) { (event, source) } else { (source, event) };
        self.push(thread, Op::Arc(from, to), Some(cause).filter(|cause| !cause.is_empty()));
    }

    fn post(&mut self, thread: usize) {
        let event = self.fresh();
        let delay = self.rng.i64(-1..self.delays);
        let (queue, posting) = match self.rng.u8(0..17) {
            0..=3 => (0, Posting::Delayed(delay)),
            4 => (1, Posting::Delayed(delay)),
            5 | 6 => (2, Posting::Delayed(0)),
            7 | 8 => (3, Posting::Display),
            9 | 10 => (4, Posting::Idle),
            11 => (NETWORK, Posting::Delayed(0)),
            12 if self.with_worker => (WORKER, Posting::Delayed(0)),
            12 => (0, Posting::Idle),
            _ => (MICROTASKS, Posting::Delayed(0)),
        };
        let due = self.now
            + match posting {
                Posting::Display => 10,
                Posting::Idle => 15,
                Posting::Delayed(delay) => delay,
                _ => 0,
            };
        let enqueue =
            Enqueue { event, queue: self.queue(queue), posting, is_async: false, sync: false };
        self.push(thread, Op::Enqueue(enqueue), None);
        self.pending.push(Message { event, queue, due });
    }
}
