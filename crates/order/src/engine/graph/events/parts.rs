//! MICROTASK-ORDER and CHECKPOINT: parts of tasks precede what their causes precede.
//!
//! A part p precedes an event u of its thread if all causes of p precede u; if u is a microtask, if
//! they precede causes of u. Causes that p and u have in common are compared by the calls that queue
//! p and u. At the begin of u its past is complete but for such parts, so they are looked for among
//! the parts that wait for an event of that past.
//!
//! Most of the past need not be gone through. The *base* of an event x is its past, if x is no
//! microtask, and else the past of its causes, without the causes themselves. A part whose causes are
//! all in the base of x runs before x and precedes it. So for an event u that follows x on its thread,
//! only parts count that wait for an event outside the base of x. A part that runs later than its
//! queue promises, which only a broken recording shows, is *late*: it is looked at every time.
//!
//! Parts that wait for the same event often precede each other. They form runs, of which only the last
//! one is tried; those before it are tried only if the last one does not precede u.
//!
//! Cost: for each event a step for each event of its past that is not in its largest base, and for
//! each run of parts that waits for one of these; plus one for each late part.

use trace::{EventId, Id, OpId, ThreadId};

use super::super::clock::Clock;
use super::plan::EventPlan;
use super::{Sources, Sweep};
use crate::engine::events::EventEdge;
use crate::facts::{Dispatched, Facts};
use crate::rule::Rule;
use crate::rules::causes::{Causes, Kind};

/// A part in the list of those that wait for one event.
#[derive(Clone, Copy)]
struct Link {
    part: Dispatched,
    /// The part before it in its run, + 1.
    before: u32,
}

/// What precedes an event, and how many events that are at least.
#[derive(Clone, Copy, Default)]
struct Base {
    clock: Clock,
    size: u32,
}

/// What has run on a thread.
#[derive(Default)]
struct Run {
    events: Vec<Dispatched>,
    /// The latest begin of an event that started no microtask, or that a microtask waited for.
    latest: Option<OpId>,
    late: Vec<Dispatched>,
}

/// The parts of tasks that have run, by what they waited for.
pub(super) struct Parts {
    microtasks: Option<&'static Rule>,
    checkpoint: Option<&'static Rule>,
    causes: Causes,
    /// The begin of each event, or 0.
    begins: Vec<OpId>,
    threads: Vec<ThreadId>,
    /// Whether another event of the thread begins before the event ends.
    overlapped: Vec<bool>,
    bases: Vec<Option<Base>>,
    links: Vec<Link>,
    /// For each event the last links of the runs of parts that wait for it.
    runs: Vec<Vec<u32>>,
    on: Vec<Run>,
}

impl Parts {
    /// None if neither rule is on. `edges` are what the trace alone decides.
    pub(super) fn new(facts: &Facts<'_>, plan: &EventPlan, edges: &[EventEdge]) -> Option<Self> {
        if plan.microtasks.is_none() && plan.checkpoint.is_none() {
            return None;
        }
        let names = facts.trace.names();
        let events = names.events.len();
        let mut begins = vec![OpId(0); events];
        let mut threads = vec![ThreadId::new(0); events];
        let mut overlapped = vec![false; events];
        let mut next: Vec<Option<OpId>> = vec![None; names.threads.len()];
        for event in facts.events.iter().rev() {
            let index = event.event.index();
            begins[index] = event.begin;
            threads[index] = event.thread;
            let next = next[event.thread.index()].replace(event.begin);
            overlapped[index] = next.is_some_and(|next| event.end.is_none_or(|end| next < end));
        }
        Some(Self {
            microtasks: plan.microtasks,
            checkpoint: plan.checkpoint,
            causes: Causes::new(facts.trace, edges.iter().map(|edge| (edge.from, edge.to))),
            begins,
            threads,
            overlapped,
            bases: vec![None; events],
            links: Vec::new(),
            runs: vec![Vec::new(); events],
            on: std::iter::repeat_with(Run::default).take(names.threads.len()).collect(),
        })
    }

    /// Adds the parts that precede `event`, which is about to begin, to its sources, and then the event
    /// to the parts that have run.
    pub(super) fn add_sources(
        &mut self,
        sweep: &mut Sweep<'_>,
        sources: &mut Sources,
        event: &Dispatched,
    ) {
        self.bases[event.event.index()] = match self.causes.kind(event.event) {
            Kind::Microtask => {
                self.microtasks.map(|rule| self.order_microtask(sweep, sources, event, rule))
            }
            Kind::Task | Kind::Listener | Kind::Module => {
                self.checkpoint.map(|rule| self.order_checkpoint(sweep, sources, event, rule))
            }
        };
        self.list(sweep, sources, event);
    }

    /// The largest base among those of `events` on `thread`.
    fn largest(&self, thread: ThreadId, events: impl Iterator<Item = EventId>) -> Base {
        events
            .filter(|event| self.threads[event.index()] == thread)
            .filter_map(|event| self.bases[event.index()])
            .max_by_key(|base| base.size)
            .unwrap_or_default()
    }

    /// Adds the parts that precede a microtask. Returns the microtask's base.
    fn order_microtask(
        &self,
        sweep: &mut Sweep<'_>,
        sources: &mut Sources,
        event: &Dispatched,
        rule: &'static Rule,
    ) -> Base {
        let causes = self.causes.of(event.event);
        let mut past = Clock::EMPTY;
        for cause in causes {
            let clock = sweep.closed.rows[cause.event.index()].clock;
            past = sweep.closed.clocks.join(past, clock);
        }
        let base = self.largest(event.thread, causes.iter().map(|cause| cause.event));
        let mut news: Vec<EventId> = causes.iter().map(|cause| cause.event).collect();
        sweep.each_gained(base.clock, past, |event| news.push(event));
        let is_there = |sweep: &Sweep<'_>, part: EventId| {
            self.causes.of(part).iter().all(|c| {
                sweep.is_in(past, c.event)
                    || causes.iter().any(|d| c.event == d.event && c.is_called_before(*d))
            })
        };
        let mut found = Vec::new();
        for &from in &news {
            self.search(from, event, &mut found, |part| {
                Some(is_there(sweep, part)).filter(|_| !sweep.knows(sources, part))
            });
        }
        let late = self.on[event.thread.index()].late.iter();
        let ended = late.filter(|p| p.end < Some(event.begin)).map(|p| p.event);
        found.extend(ended.filter(|&part| is_there(sweep, part)));
        found.sort_unstable_by_key(|part| std::cmp::Reverse(self.begins[part.index()]));
        for part in found {
            if !sweep.knows(sources, part) {
                sweep.learn(sources, event, part, rule);
            }
        }
        Base { clock: past, size: base.size + news.len() as u32 }
    }

    /// Adds the parts that precede an event that is no microtask. Returns the event's base.
    fn order_checkpoint(
        &self,
        sweep: &mut Sweep<'_>,
        sources: &mut Sources,
        event: &Dispatched,
        rule: &'static Rule,
    ) -> Base {
        let is_there = |sweep: &Sweep<'_>, sources: &Sources, part: EventId| {
            self.causes.of(part).iter().all(|cause| sweep.knows(sources, cause.event))
        };
        let mut base = self.largest(event.thread, sources.direct.iter().map(|&(from, _)| from));
        let mut seen = base.clock;
        let mut size = base.size;
        loop {
            let mut news = Vec::new();
            sweep.each_gained(seen, sources.clock, |event| news.push(event));
            seen = sources.clock;
            size += news.len() as u32;
            let mut found = Vec::new();
            for &from in &news {
                self.search(from, event, &mut found, |part| {
                    Some(is_there(sweep, sources, part)).filter(|_| !sweep.knows(sources, part))
                });
            }
            let late = self.on[event.thread.index()].late.iter();
            let ended = late.filter(|p| p.end < Some(event.begin)).map(|p| p.event);
            found.extend(ended.filter(|&part| is_there(sweep, sources, part)));
            found.sort_unstable_by_key(|part| std::cmp::Reverse(self.begins[part.index()]));
            for &part in &found {
                if !sweep.knows(sources, part) {
                    sweep.learn(sources, event, part, rule);
                }
            }
            if sources.clock == seen {
                return Base { clock: seen, size };
            }
            // A part may have one cause in this base and another that only this event knew so far.
            let larger = self.largest(event.thread, found.into_iter());
            if larger.size > base.size {
                base = larger;
                seen = base.clock;
                size = base.size;
            }
        }
    }

    /// Finds the last part of each run that waits for `from`, has ended when `event` begins, and whose
    /// causes are all there, unless it is known. `is_there` returns none for a part that is known.
    fn search(
        &self,
        from: EventId,
        event: &Dispatched,
        found: &mut Vec<EventId>,
        is_there: impl Fn(EventId) -> Option<bool>,
    ) {
        for &last in &self.runs[from.index()] {
            let mut at = last + 1;
            while at > 0 {
                let Link { part, before } = self.links[at as usize - 1];
                if part.thread != event.thread {
                    break;
                }
                let ended = part.end < Some(event.begin);
                match is_there(part.event) {
                    None => break,
                    Some(true) if ended => {
                        found.push(part.event);
                        break;
                    }
                    Some(_) => at = before,
                }
            }
        }
    }

    /// Lists `event`, whose sources are complete, among what has run.
    fn list(&mut self, sweep: &Sweep<'_>, sources: &Sources, event: &Dispatched) {
        let causes = self.causes.of(event.event);
        let begin = |event: EventId| self.begins[event.index()];
        let last_cause = causes.iter().map(|cause| begin(cause.event)).max();
        if let Some(last_cause) = last_cause
            && event.end.is_some()
        {
            for cause in causes {
                let runs = &mut self.runs[cause.event.index()];
                let last = runs.last().copied().filter(|&last| {
                    let last = self.links[last as usize].part;
                    last.thread == event.thread && sweep.knows(sources, last.event)
                });
                let link = Link { part: *event, before: last.map_or(0, |last| last + 1) };
                if last.is_some() {
                    runs.pop();
                }
                runs.push(self.links.len() as u32);
                self.links.push(link);
            }
            if self.is_late(sweep, event, last_cause) {
                self.on[event.thread.index()].late.push(*event);
            }
        }
        let run = &mut self.on[event.thread.index()];
        let latest = match self.causes.kind(event.event) {
            Kind::Microtask => last_cause,
            Kind::Task | Kind::Listener | Kind::Module => Some(event.begin),
        };
        run.latest = run.latest.max(latest);
        run.events.push(*event);
    }

    /// Whether an event of the thread that begins before `part` ends has all causes of `part` in its
    /// base. `last_cause` is when the last cause begins.
    fn is_late(&self, sweep: &Sweep<'_>, part: &Dispatched, last_cause: OpId) -> bool {
        let run = &self.on[part.thread.index()];
        if self.overlapped[part.event.index()] {
            return true;
        }
        let earlier = run.events.iter().rev().take_while(|event| event.begin > last_cause);
        run.latest > Some(last_cause)
            && earlier.filter_map(|event| self.bases[event.event.index()]).any(|base| {
                let is_in = |event| sweep.is_in(base.clock, event);
                self.causes.of(part.event).iter().all(|cause| is_in(cause.event))
            })
    }
}
