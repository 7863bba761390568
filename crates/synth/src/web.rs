//! Traces of model `event`: a page's event actions with forks and joins.
//!
//! The first event forks the first events of the strands. A *strand* is a sequence of events each
//! of which forks the next; only its events access the objects that it owns. Joins (arcs) between
//! strands add order and take none away. Two strands are islands: they fork and join nothing else,
//! and planted scenarios run there, one at a time, as in model `android`.

mod plant;

use std::collections::VecDeque;
use std::io::{self, Write};

use trace::{EventId, Op, QueueId, ThreadId};

use crate::Summary;
use crate::access::{Owned, SET};
use crate::answers::Answers;
use crate::emit::{Emitter, Object};
use crate::profile::Profile;
use plant::Planting;

const PAGE: ThreadId = ThreadId(0);
const TASKS: QueueId = QueueId(0);
/// The number of strands that run at a time.
const ALIVE: usize = 48;
/// The number of recent events that an arc may start from.
const RECENT: usize = 64;
/// The number of objects that a strand remembers.
const REMEMBERED: usize = 24;

/// A strand: a sequence of events. Its next event is forked and has not run.
struct Strand {
    next: EventId,
    objects: Vec<Object>,
}

struct Page<W> {
    out: Emitter<W>,
    rng: fastrand::Rng,
    now: u64,
    accesses: u64,
    locations: u64,
    events: u64,
    arcs: u64,
    chains: u64,
    made: Made,
    strands: Vec<Strand>,
    recent: VecDeque<EventId>,
    constants: Object,
    planting: Planting,
}

#[derive(Default)]
struct Made {
    events: u64,
    arcs: u64,
    chains: u64,
}

/// Makes a trace of model `event`.
pub(crate) fn generate<W: Write>(
    name: &str,
    profile: &Profile,
    (scale, seed): (f64, u64),
    sink: W,
    progress: &mut dyn FnMut(u64, u64),
) -> io::Result<(Summary, Answers)> {
    let mut page = Page::new(profile, scale, seed, sink)?;
    page.load()?;
    let mut reported = 0;
    while page.made.events < page.events || !page.planting.is_done() {
        if !page.plant()? {
            page.run_one()?;
        }
        if page.out.next_number() - reported >= 1 << 20 {
            reported = page.out.next_number();
            progress(reported, page.accesses + page.events * 3);
        }
    }
    let Page { out, made, planting, .. } = page;
    let summary = Summary {
        operations: out.written.operations(),
        sync_operations: out.written.sync,
        accesses: out.written.accesses,
        looper_events: made.events,
        binder_events: 0,
        threads: 1,
        locations: out.locations,
        levels: [0.0; 3],
        chains: made.chains,
    };
    out.finish()?;
    let answers = Answers {
        schema: "interloper-answers/1",
        profile: name.to_owned(),
        scale,
        seed,
        model: profile.model.name(),
        operations: summary.operations,
        answers: planting.answers(),
    };
    Ok((summary, answers))
}

impl<W: Write> Page<W> {
    fn new(profile: &Profile, scale: f64, seed: u64, sink: W) -> io::Result<Self> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut out = Emitter::new(sink, profile.model.name(), profile.stretch)?;
        let app = out.process("app");
        out.thread("page", app)?;
        out.queue("tasks");
        let scaled = |figure: u64| (figure as f64 * scale).round() as u64;
        let events = scaled(profile.event_actions).max(4);
        // Every event but the first is forked once; the remaining edges are joins.
        let arcs = scaled(profile.edges).saturating_sub(events - 1);
        let planting = Planting::new(profile.planted, &mut rng);
        Ok(Self {
            out,
            rng,
            now: 0,
            accesses: profile.accesses_at(scale),
            locations: scaled(profile.locations).min(profile.accesses_at(scale) / 8),
            events,
            arcs,
            chains: profile.chains.clamp(1, events / 3 + 1),
            made: Made::default(),
            strands: Vec::new(),
            recent: VecDeque::new(),
            constants: Object { first: 0, fields: 1 },
            planting,
        })
    }

    fn op(&mut self, op: Op) -> io::Result<()> {
        self.now += 2_000;
        self.out.op(PAGE, op, self.now)
    }

    fn begin(&mut self, event: EventId) -> io::Result<()> {
        self.now += 100_000;
        self.made.events += 1;
        let kind = self.rng.usize(..6);
        self.out.begin(PAGE, event, kind, self.now)
    }

    /// Forks an event.
    fn fork(&mut self) -> io::Result<EventId> {
        let event = self.out.message()?;
        let posting = trace::Posting::Delayed(0);
        let enqueue = trace::Enqueue { event, queue: TASKS, posting, is_async: false, sync: false };
        self.op(Op::Enqueue(enqueue))?;
        Ok(event)
    }

    /// Runs the first event. It writes the constants, which the others only read, and forks the
    /// first of them.
    fn load(&mut self) -> io::Result<()> {
        let first = self.fork()?;
        self.begin(first)?;
        let wanted = (self.locations / 20).clamp(4, 20_000);
        let mut made = 0;
        while made < wanted {
            let object = self.new_object(8)?;
            if made == 0 {
                self.constants = object;
            }
            made += u64::from(object.fields);
        }
        self.constants.fields = made as u32;
        self.made.chains = 3;
        let islands = [self.fork()?, self.fork()?];
        self.planting.cast(islands);
        let next = self.fork()?;
        self.strands.push(Strand { next, objects: Vec::new() });
        self.op(Op::End(first))
    }

    fn new_object(&mut self, fields: u32) -> io::Result<Object> {
        let object = self.out.object(fields)?;
        for field in 0..object.fields {
            self.out.access(PAGE, object.field(field), true)?;
        }
        Ok(object)
    }

    /// Runs the next event of some strand.
    fn run_one(&mut self) -> io::Result<()> {
        let place = self.rng.usize(..self.strands.len());
        let mut strand = self.strands.swap_remove(place);
        let event = strand.next;
        self.begin(event)?;
        self.join(event)?;
        self.touch(&mut strand)?;
        let ends = self.forks()?;
        if !ends || self.strands.is_empty() {
            strand.next = self.fork()?;
            self.strands.push(strand);
        }
        self.op(Op::End(event))?;
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(event);
        Ok(())
    }

    /// Sometimes joins an earlier event.
    fn join(&mut self, event: EventId) -> io::Result<()> {
        let ahead = self.events.saturating_sub(self.made.events) as f64 + 1.0;
        let mean = self.arcs.saturating_sub(self.made.arcs) as f64 / ahead;
        if self.rng.f64() < mean && !self.recent.is_empty() {
            let from = self.recent[self.rng.usize(..self.recent.len())];
            self.made.arcs += 1;
            self.op(Op::Arc(from, event))?;
        }
        Ok(())
    }

    /// Forks new strands as the plan needs them. Returns whether the running strand shall end.
    fn forks(&mut self) -> io::Result<bool> {
        let done = self.made.events as f64 / self.events as f64;
        if self.made.chains as f64 >= done * self.chains as f64 {
            return Ok(false);
        }
        self.made.chains += 1;
        let next = self.fork()?;
        self.strands.push(Strand { next, objects: Vec::new() });
        Ok(self.strands.len() > ALIVE)
    }

    fn touch(&mut self, strand: &mut Strand) -> io::Result<()> {
        let ahead = self.events.saturating_sub(self.made.events) as f64 + 1.0;
        let left = self.accesses.saturating_sub(self.out.written.accesses) as f64;
        let spread = 4.0 * self.rng.f64() * self.rng.f64();
        let drawn = (left / ahead * spread + self.rng.f64()).min(left) as u32;
        let wanted = self.locations.saturating_sub(self.out.locations) as f64;
        let new = (f64::from(drawn) * wanted / left.max(1.0) + self.rng.f64()) as u32;
        let mut rest = drawn;
        if new > 0 && rest > 0 {
            let object = self.new_object(new.clamp(1, 16).min(rest))?;
            rest -= object.fields;
            if strand.objects.len() < REMEMBERED {
                strand.objects.push(object);
            } else {
                let place = self.rng.usize(..REMEMBERED);
                strand.objects[place] = object;
            }
        }
        let first = self.rng.usize(..=strand.objects.len().saturating_sub(SET));
        let objects = &strand.objects[first..];
        let source = (self.rng.u8(..) < 16).then_some(first + 31);
        let owned = Owned { objects, constants: self.constants, source };
        owned.touch(&mut self.out, &mut self.rng, PAGE, rest)
    }
}
