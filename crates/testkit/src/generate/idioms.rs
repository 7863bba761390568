//! Random traces of events that use each location in one idiom, as programs do: as a local
//! variable, initialised by the first event that needs it, or always set to one value. Traces that
//! are drawn operation by operation hardly ever keep to an idiom throughout.

use fastrand::Rng;
use trace::{
    Attributes, Enqueue, EventId, LocationKind, Op, Posting, Provenance, ThreadId, Trace,
    TraceBuilder,
};

/// The idiom in which a location is used.
#[derive(Clone, Copy)]
enum Idiom {
    /// The location is written, then read.
    Local,
    /// The location is read, and written if it was not initialised.
    Lazy,
    /// The location is always set to the same value.
    Constant,
    Read,
    Write,
}

const IDIOMS: [Idiom; 5] = [Idiom::Local, Idiom::Lazy, Idiom::Constant, Idiom::Read, Idiom::Write];

struct Program {
    rng: Rng,
    builder: TraceBuilder,
    main: ThreadId,
    /// Whether a location was initialised.
    initialised: Vec<bool>,
}

/// The trace of `seed`: events of one Looper that mostly keep to the idiom of each location.
///
/// Threads `w0`, `w1`, … post them, so that few are ordered; some locations are used outside events
/// too, `x5` only there and under locks. Locations are called `x0`, …, functions `f0` to `f2`.
pub fn idioms(seed: u64) -> Trace {
    let mut builder = TraceBuilder::new();
    let main = builder.names().threads.intern(b"main");
    let rng = Rng::with_seed(seed ^ 0x6964_696f_6d73);
    let mut program = Program { rng, builder, main, initialised: vec![false; 6] };
    let queue = program.builder.names().queues.intern(b"q");
    program.push(main, Op::Attach(queue), Attributes::default());
    let kept: Vec<Idiom> = (0..program.rng.usize(1..=5)).map(|_| program.any_idiom()).collect();
    for number in 0..program.rng.usize(2..=7) {
        program.event(number, &kept);
    }
    program.builder.finish().0
}

impl Program {
    fn push(&mut self, thread: ThreadId, op: Op, attributes: Attributes) {
        self.builder.push(thread, op, attributes);
    }

    fn any_idiom(&mut self) -> Idiom {
        IDIOMS[self.rng.usize(0..IDIOMS.len())]
    }

    /// Posts and runs an event that uses some of the locations, in the idioms `kept`.
    fn event(&mut self, number: usize, kept: &[Idiom]) {
        let worker = self.rng.usize(0..4);
        let names = self.builder.names();
        let worker = names.threads.intern(format!("w{worker}").as_bytes());
        let event: EventId = names.events.intern(format!("m{number}").as_bytes());
        let queue = names.queues.intern(b"q");
        let posting = Posting::Delayed(0);
        let enqueue = Enqueue { event, queue, posting, is_async: false, sync: false };
        self.push(worker, Op::Enqueue(enqueue), Attributes::default());
        let types = ["click", "unload", "readystatechange", "timer"];
        let event_type = Some(self.builder.text(types[self.rng.usize(0..4)].as_bytes()));
        self.push(self.main, Op::Begin(event), Attributes { event_type, ..Attributes::default() });
        let both = [Provenance::User, Provenance::Framework];
        let provenance = self.rng.choice(both).filter(|_| self.rng.bool());
        let function = self.rng.usize(0..3);
        let function = self.builder.names().functions.intern(format!("f{function}").as_bytes());
        self.push(self.main, Op::Enter(function), Attributes { provenance, ..Default::default() });
        for _ in 0..self.rng.usize(1..=4) {
            let location = self.rng.usize(0..kept.len());
            let strays = self.rng.u8(0..12) == 0;
            let idiom = if strays { self.any_idiom() } else { kept[location] };
            self.use_location(self.main, location, idiom);
        }
        self.push(self.main, Op::Leave, Attributes::default());
        self.push(self.main, Op::End(event), Attributes::default());
        if self.rng.u8(0..15) == 0 {
            self.use_location(worker, 0, kept[0]);
        }
        if self.rng.u8(0..3) == 0 {
            self.guarded(worker);
        }
    }

    /// Uses location `x5` under one of two locks.
    fn guarded(&mut self, thread: ThreadId) {
        let lock = format!("l{}", self.rng.u8(0..4) / 3);
        let lock = self.builder.names().locks.intern(lock.as_bytes());
        self.push(thread, Op::Lock(lock), Attributes::default());
        let idiom = self.any_idiom();
        self.use_location(thread, 5, idiom);
        self.push(thread, Op::Unlock(lock), Attributes::default());
    }

    fn use_location(&mut self, thread: ThreadId, location: usize, idiom: Idiom) {
        let other = ["1", "2", "3"][self.rng.usize(0..3)];
        let was_initialised = std::mem::replace(&mut self.initialised[location], true);
        match idiom {
            Idiom::Local => {
                self.access(thread, location, true, other);
                self.access(thread, location, false, other);
            }
            Idiom::Lazy if was_initialised => self.access(thread, location, false, other),
            Idiom::Lazy => {
                let nothing = ["undefined", "null", "0"][self.rng.usize(0..3)];
                self.access(thread, location, false, nothing);
                self.access(thread, location, true, other);
            }
            Idiom::Constant => self.access(thread, location, true, "5"),
            Idiom::Read => self.access(thread, location, false, other),
            Idiom::Write => self.access(thread, location, true, other),
        }
    }

    fn access(&mut self, thread: ThreadId, location: usize, is_write: bool, value: &str) {
        let value = (self.rng.u8(0..20) > 0).then(|| self.builder.text(value.as_bytes()));
        let id = self.builder.names().locations.intern(format!("x{location}").as_bytes());
        if self.rng.u8(0..30) == 0 {
            let kinds = [
                LocationKind::Framework,
                LocationKind::Handler,
                LocationKind::Cookie,
                LocationKind::Dom,
            ];
            self.builder.set_location_kind(id, kinds[self.rng.usize(0..kinds.len())]);
        }
        let op = if is_write { Op::Write(id) } else { Op::Read(id) };
        self.push(thread, op, Attributes { value, ..Attributes::default() });
    }
}
