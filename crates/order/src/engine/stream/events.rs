//! Models that order whole events, in one pass.
//!
//! The *clock* of an event are the events that precede it; its operations are ordered as their events
//! are. An event states inside itself what it waited for: by arcs, and by the callbacks that it invokes.
//! So its clock is computed when the first access asks for it, again whenever it comes to follow more,
//! and once more when it has ended. That is final, and the event is *settled*, if all events in the clock
//! are settled, and the one that posted it. All rules but FORK-EVENT order only what has ended, so an
//! event waits for others only as long as the events run that posted them.
//!
//! What the trace alone decides is noted as it is read. Rules whose premises mention the order are
//! applied to the clocks so far: queues that keep order ([`queued`]), and parts of tasks by their causes
//! ([`parts`]). The premises are about events that began before, so an event that is settled follows all
//! that it ever will.
//!
//! With rule WINDOW, events below the floor are dropped ([`window`]), except those that something still
//! refers to: a message that waits, a callback, an event that is not settled.
//!
//! What the pass cannot know is counted ([`EventStream::approximations`]): a queue that is attached only
//! after its first event began, a message that is posted after it began, an arc to an event that has
//! ended, and, with a window, what refers to an event that was dropped in a rule that compares causes.
//!
//! Cost: some 400 bytes and the clock for each event that is kept; the searches of the graph engine, once
//! or twice for each event.

mod begin;
mod collect;
mod parts;
mod plan;
mod queued;
mod settle;
mod state;
mod window;

use std::collections::VecDeque;

use hashbrown::HashMap;
use trace::{EventId, Id, Op, QueueId, ThreadId};

use super::chains::{Chains, NOWHERE};
use super::kept::{Kept, Watched};
use super::operations::Held;
use super::{Dropped, KeptId, Needed, NotStreamable, Now, Parts, Point, Row, Settled, Word, log};
use crate::engine::graph::{Clock, Clocks};
use crate::model::RuleSet;
use plan::Plan;
use state::{Events, Queue, Registered, Slot, Thread};
use window::Window;

/// The events of a chain, by position.
#[derive(Default)]
struct OnChain {
    /// The events after the first `dropped`. `GONE` stands for one that was dropped.
    slots: VecDeque<Slot>,
    dropped: u32,
}

const GONE: Slot = Slot::MAX;

/// Happens-before over the events of a trace that is read once.
pub(super) struct EventStream {
    plan: Plan,
    clocks: Clocks,
    chains: Chains,
    on_chain: Vec<OnChain>,
    events: Events,
    threads: Vec<Thread>,
    queues: Vec<Queue>,
    callbacks: HashMap<u32, Registered>,
    /// Events that are not settled, by begin.
    unsettled: Vec<Slot>,
    ends_since_look: usize,
    window: Window,
    number: u64,
    /// How many events have begun.
    epoch: u32,
    kept: Kept,
    watched: HashMap<EventId, Watched>,
    /// How many clock nodes were in use after the last collection.
    live: usize,
    approximations: u64,
    pub(super) parts: Parts,
}

impl EventStream {
    pub(super) fn new(rules: &RuleSet) -> Result<Self, NotStreamable> {
        let plan = Plan::new(rules)?;
        Ok(Self {
            plan,
            clocks: Clocks::new(),
            chains: Chains::new(),
            on_chain: Vec::new(),
            events: Events::default(),
            threads: Vec::new(),
            queues: Vec::new(),
            callbacks: HashMap::new(),
            unsettled: Vec::new(),
            ends_since_look: 0,
            window: Window::new(rules.window()),
            number: 0,
            epoch: 0,
            kept: Kept::default(),
            watched: HashMap::new(),
            live: 0,
            approximations: 0,
            parts: Parts::default(),
        })
    }

    pub(super) fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    pub(super) fn approximations(&self) -> u64 {
        self.approximations
    }

    pub(super) fn chains(&self) -> usize {
        self.chains.used
    }

    pub(super) fn events(&self) -> usize {
        self.events.len()
    }

    pub(super) fn epoch(&self) -> u32 {
        self.epoch
    }

    pub(super) fn bytes(&self) -> usize {
        self.clocks.bytes() + self.chains.bytes() + self.events.bytes()
    }

    pub(super) fn holds(&self, event: EventId) -> bool {
        self.events.slot(event).is_some()
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        &mut self.threads[thread.index()]
    }

    fn queue(&mut self, queue: QueueId) -> &mut Queue {
        if self.queues.len() <= queue.index() {
            let classes = self.plan.queue_orders.len();
            self.queues.resize_with(queue.index() + 1, || Queue {
                logs: std::iter::repeat_with(log::Log::default).take(classes).collect(),
                overtaken: vec![Vec::new(); classes],
                ..Queue::default()
            });
        }
        &mut self.queues[queue.index()]
    }

    /// The event in which an operation runs, if it began.
    fn running(&self, event: Option<EventId>) -> Option<Slot> {
        self.events.slot(event?).filter(|&slot| self.events[slot].has_begun())
    }

    /// Returns what is known where accesses stand. Nothing orders those outside events.
    pub(super) fn now(&mut self, _: ThreadId, event: Option<EventId>) -> Now {
        let Some(slot) = self.running(event) else {
            let point = Point { chain: NOWHERE, position: u32::MAX, epoch: u32::MAX };
            let (start, held) = (Clock::EMPTY, Held::unborn());
            return Now { point, floor: 0, start, held, event: None };
        };
        self.refresh(slot);
        self.place(slot);
        let held = self.held(slot);
        let point = Point { chain: held.chain, position: held.position, epoch: self.epoch };
        Now { point, floor: 0, start: self.events[slot].start, held, event }
    }

    fn held(&self, slot: Slot) -> Held {
        let event = &self.events[slot];
        let (chain, position, clock) = (event.chain, event.position, event.clock);
        Held { chain, position, clock, version: 0, number: event.begin }
    }

    /// Moves past an operation.
    pub(super) fn pass(&mut self, row: &Row) {
        self.number = row.number;
        self.window.at(row.at);
        match row.op {
            Op::Enqueue(_) => self.enqueue(row),
            Op::Begin(event) if row.event == Some(event) => {
                let slot = self.events.slot_or_new(event);
                if !self.events[slot].has_begun() {
                    self.begin(slot, row);
                }
            }
            Op::End(event) if row.event == Some(event) => {
                if let Some(slot) = self.running(Some(event))
                    && self.events[slot].is_open()
                {
                    self.end(slot);
                }
            }
            Op::Arc(from, to) if self.plan.states(row.word) => self.arc(from, to),
            Op::Register(callback) => {
                let by = self.running(row.event);
                self.register(callback.0, Registered { by, number: row.number });
            }
            Op::Invoke { callback, .. } => {
                if let Some(slot) = self.running(row.event) {
                    self.invoke(slot, callback.0);
                }
            }
            Op::Attach(queue) => {
                let of_queue = self.queue(queue);
                of_queue.is_attached = true;
                let changed = of_queue.decided == Some(false);
                self.approximations += u64::from(changed);
                self.thread(row.thread).queue.get_or_insert(queue);
            }
            Op::Remove(event) => self.remove(event),
            _ => {}
        }
        self.collect_if_due();
    }

    /// Ends the trace, and with it the events whose end is missing, those that began last first.
    pub(super) fn finish(&mut self) {
        let open = self.unsettled.iter().rev().copied();
        let open: Vec<Slot> = open.filter(|&slot| self.events[slot].is_open()).collect();
        for slot in open {
            self.number += 1;
            self.end(slot);
        }
        self.look();
    }

    /// Gives an event its place on a chain.
    fn place(&mut self, slot: Slot) {
        if self.events[slot].chain != 0 {
            return;
        }
        let event = &self.events[slot];
        let after: Vec<u32> = event.sources.iter().take(8).map(|&s| self.events[s].chain).collect();
        let after = (&after[..], event.floor.0);
        let chain = self.chains.choose(&self.clocks, 0, event.clock, after);
        let position = self.chains.push(chain);
        (self.events[slot].chain, self.events[slot].position) = (chain, position);
        if self.on_chain.len() <= chain as usize {
            self.on_chain.resize_with(chain as usize + 1, OnChain::default);
        }
        let on_chain = &mut self.on_chain[chain as usize];
        on_chain.slots.push_back(slot);
        debug_assert_eq!(position as usize, on_chain.dropped as usize + on_chain.slots.len());
    }

    /// Whether a clock contains an event.
    fn is_in(&self, clock: Clock, slot: Slot) -> bool {
        let event = &self.events[slot];
        event.chain != 0 && self.clocks.get(clock, event.chain) >= event.position
    }

    /// Calls `each` for every event that is kept, that the clock `after` knows and `before` does not.
    fn each_gained(&self, before: Clock, after: Clock, mut each: impl FnMut(Slot)) {
        self.clocks.gained(before, after, &mut |chain, from, to| {
            let Some(on_chain) = self.on_chain.get(chain as usize) else { return };
            let from = from.saturating_sub(on_chain.dropped) as usize;
            let to = to.saturating_sub(on_chain.dropped) as usize;
            let slots = on_chain.slots.range(from..to.max(from));
            slots.copied().filter(|&slot| slot != GONE).for_each(&mut each);
        });
    }

    /// Holds an event that something refers to.
    fn pin(&mut self, slot: Slot) {
        self.events[slot].pins += 1;
    }

    fn unpin(&mut self, slot: Slot) {
        let event = &mut self.events[slot];
        event.pins -= 1;
        if event.pins == 0 && event.is_old {
            self.drop_event(slot);
        }
    }
}
