//! The scheduler. It decides which thread runs, and what a thread without steps does next.

use std::cmp::Reverse;
use std::io::{self, Write};

use trace::{Op, Posting, ProcessId, QueueId, ThreadId};

use crate::message::{Body, Level, Message, Step};
use crate::plan::Kind;
use crate::queue::Next;
use crate::world::{Activity, MILLISECOND, Open, Role, Served, Status, World};

/// The approximate number of accesses before another thread runs.
const SLICE: u32 = 200;

/// The number of operations between two progress reports.
const REPORT_EVERY: u64 = 1 << 20;

impl<W: Write> World<W> {
    /// Runs until all planned events were posted and dispatched and have ended.
    pub(crate) fn run(&mut self, progress: &mut dyn FnMut(u64, u64)) -> io::Result<()> {
        let total = self.plan.sync + self.plan.accesses;
        let mut reported = 0;
        loop {
            self.wake_sleepers();
            self.direct()?;
            if self.ready.is_empty() {
                match self.timers.peek() {
                    Some(&Reverse((at, _))) => self.now = self.now.max(at),
                    None => return Ok(()),
                }
                continue;
            }
            let place = self.rng.usize(..self.ready.len());
            let thread = self.ready[place];
            self.slice(thread)?;
            if self.thread(thread).status != Status::Ready {
                self.ready.retain(|&t| t != thread);
            }
            if self.out.next_number() - reported >= REPORT_EVERY {
                reported = self.out.next_number();
                progress(reported, total);
            }
        }
    }

    fn wake_sleepers(&mut self) {
        while let Some(&Reverse((at, thread))) = self.timers.peek()
            && at <= self.now
        {
            self.timers.pop();
            self.make_ready(thread);
        }
    }

    pub(crate) fn wake_at(&mut self, thread: ThreadId, at: u64) {
        let now = self.now;
        let state = self.thread(thread);
        state.status = Status::Waiting;
        if state.alarm <= now || at < state.alarm {
            state.alarm = at;
            self.timers.push(Reverse((at, thread)));
        }
    }

    /// Lets a thread run for a slice.
    fn slice(&mut self, thread: ThreadId) -> io::Result<()> {
        if !self.thread(thread).started {
            self.thread(thread).started = true;
            self.op(thread, Op::Init)?;
        }
        let mut budget = SLICE / 2 + self.rng.u32(..SLICE);
        while budget > 0 && self.thread(thread).status == Status::Ready {
            let Some(step) = self.thread(thread).steps.pop_front() else {
                if !self.next_activity(thread)? {
                    return Ok(());
                }
                continue;
            };
            let cost = self.step(thread, step, budget)?;
            budget = budget.saturating_sub(cost);
        }
        Ok(())
    }

    /// Ends the event of a thread without steps, or finds something for it to do. Returns whether
    /// it did.
    fn next_activity(&mut self, thread: ThreadId) -> io::Result<bool> {
        if self.thread(thread).now.open.is_some() {
            self.end_event(thread)?;
            return Ok(true);
        }
        match self.thread(thread).role {
            Role::Looper(queue) | Role::Crew(queue) => self.poll(thread, queue),
            Role::Island => {
                self.thread(thread).status = Status::Waiting;
                Ok(false)
            }
            role => {
                match role {
                    Role::Caller => self.call_item(thread),
                    Role::Input => self.native_item(thread, Kind::Input),
                    Role::Display => self.native_item(thread, Kind::Display),
                    _ => self.work_item(thread)?,
                }
                Ok(true)
            }
        }
    }

    /// Takes the next message of a queue, if there is one.
    fn poll(&mut self, thread: ThreadId, queue: QueueId) -> io::Result<bool> {
        let now = self.milliseconds();
        let next = match self.served(queue) {
            Served::Looper { queue, .. } => queue.next(now),
            Served::Crew { crew, .. } => crew.next().map_or(Next::Wait, Next::Message),
        };
        match next {
            Next::Message(message) => self.begin_event(thread, queue, *message)?,
            Next::WaitUntil(at) => {
                let at = at.unsigned_abs() * MILLISECOND;
                self.wake_at(thread, at.max(self.now + 1));
                return Ok(false);
            }
            Next::Wait => {
                self.thread(thread).status = Status::Waiting;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn begin_event(
        &mut self,
        thread: ThreadId,
        queue: QueueId,
        message: Message,
    ) -> io::Result<()> {
        self.op(thread, Op::Begin(message.event))?;
        self.director.begun(self.out.last_at);
        self.pending -= 1;
        let hub = self.count_event(&message);
        let open = Open {
            event: message.event,
            queue,
            caller: message.caller,
            from: message.from,
            scripted: message.body.is_scripted(),
            begun: self.out.last_at,
            serial: message.posting == Posting::Ipc && message.caller.is_none(),
        };
        self.thread(thread).now = Activity {
            open: Some(open),
            strand: message.strand,
            level: Some(message.level),
            function: message.event.0 as usize * 7 % 240,
            hub,
            ..Activity::default()
        };
        let payload = message.payload;
        match message.body {
            Body::Script(steps) => self.thread(thread).steps.extend(steps),
            Body::Usual => self.usual_event(thread, payload, Vec::new(), None)?,
            Body::Then(steps) => self.usual_event(thread, payload, steps, None)?,
            Body::Again { kind, period } => {
                self.thread(thread).now.is_timer = true;
                let next = Some(Step::Again(kind, period));
                self.usual_event(thread, payload, Vec::new(), next)?;
            }
        }
        Ok(())
    }

    /// Counts an event, and finds its chain: that of its strand or, outside strands, that of the
    /// event that posted it, if no other event continues that chain. Returns whether the event is a
    /// hub's.
    fn count_event(&mut self, message: &Message) -> bool {
        match message.level {
            Level::Fifo(level) => {
                self.tally.looper_events += 1;
                self.tally.levels[usize::from(level) - 1] += 1;
            }
            Level::Other => self.tally.looper_events += 1,
            Level::Foreign if message.posting == Posting::Ipc => self.tally.binder_events += 1,
            Level::Foreign | Level::Thread => self.tally.pool_events += 1,
        }
        let strand = message.strand.map(|id| self.strands.get_mut(id));
        let joins = strand.as_ref().is_some_and(|s| s.has_chain) || message.continues_chain;
        self.tally.chains += u64::from(!joins);
        // An event that a timer posts to the front is no timer event.
        let hub = strand.is_some_and(|strand| {
            strand.has_chain = true;
            strand.hub && message.posting != Posting::Front
        });
        self.tally.hub_events += u64::from(hub);
        hub
    }

    fn end_event(&mut self, thread: ThreadId) -> io::Result<()> {
        let home = self.thread(thread).home;
        let now =
            Activity { strand: Some(home), level: Some(Level::Thread), ..Activity::default() };
        let ended = std::mem::replace(&mut self.thread(thread).now, now);
        let open = ended.open.expect("an event is open");
        self.op(thread, Op::End(open.event))?;
        if open.serial {
            if let Served::Crew { crew, .. } = self.served(open.queue) {
                crew.done(open.from);
            }
            self.wake(open.queue);
        }
        if let Some(caller) = open.caller {
            self.thread(caller).steps.push_front(Step::EnqueueEnd(open.event));
            self.unblock(caller);
        }
        if open.scripted {
            self.director.part_over();
        }
        Ok(())
    }

    /// The process of a thread.
    pub(crate) fn process_of(&self, thread: ThreadId) -> ProcessId {
        self.threads[thread.0 as usize].process
    }
}
