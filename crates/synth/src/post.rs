//! Posts to loopers, executors and binders. Each message gets the strand that it belongs to.

use std::io::{self, Write};

use trace::{Enqueue, Op, Posting, QueueId, ThreadId};

use crate::emit::Object;
use crate::message::{Body, Level, Message, Step};
use crate::plan::Kind;
use crate::strand::{Class, Origin, StrandId};
use crate::world::{Role, Served, Status, World};

/// The usual delays of posts, in milliseconds.
const USUAL_DELAYS: [i64; 3] = [20, 100, 500];

/// A post before it has a number.
pub(crate) struct Draft {
    pub(crate) queue: QueueId,
    pub(crate) posting: Posting,
    pub(crate) is_async: bool,
    pub(crate) sync: bool,
    pub(crate) strand: Option<StrandId>,
    pub(crate) level: Level,
    pub(crate) body: Body,
}

impl Draft {
    fn usual(queue: QueueId, posting: Posting, strand: Option<StrandId>, level: Level) -> Self {
        Self { queue, posting, is_async: false, sync: false, strand, level, body: Body::Usual }
    }
}

impl<W: Write> World<W> {
    /// Posts a message of a kind to a queue that the thread usually posts to.
    pub(crate) fn post(&mut self, thread: ThreadId, kind: Kind) -> io::Result<()> {
        let queue = self.target(thread);
        self.left.take(kind);
        let now = self.milliseconds();
        let draft = match kind {
            Kind::Level1 | Kind::Level2 | Kind::Level3 | Kind::Plain => {
                let level = self.next_level(thread);
                let strand = self.strand_of(thread, queue, Class::Plain);
                Draft::usual(queue, Posting::Delayed(0), strand, level)
            }
            Kind::Delayed => {
                let delay = USUAL_DELAYS[self.rng.usize(..USUAL_DELAYS.len())];
                let strand = self.strand_of(thread, queue, Class::Delay(delay));
                Draft::usual(queue, Posting::Delayed(delay), strand, Level::Other)
            }
            Kind::AnyDelay => {
                let delay = 1 + self.rng.i64(0..1500);
                Draft::usual(queue, Posting::Delayed(delay), None, Level::Other)
            }
            Kind::AtTime => {
                let at = now + 1 + self.rng.i64(0..300);
                Draft::usual(queue, Posting::AtTime(at), None, Level::Other)
            }
            Kind::Front => {
                let strand = self.strand_if_timer(thread, queue);
                Draft::usual(queue, Posting::Front, strand, Level::Other)
            }
            Kind::Idle => {
                let strand = self.strand_of(thread, queue, Class::Idle);
                Draft::usual(queue, Posting::Idle, strand, Level::Other)
            }
            Kind::Async => return self.post_async(thread, queue),
            Kind::Pool => Draft::usual(self.pool, Posting::Delayed(0), None, Level::Foreign),
            Kind::Timer | Kind::AtTimeChain => return self.start_again(thread, queue, kind),
            Kind::Input | Kind::Display => unreachable!("native code posts those"),
        };
        let payload = self.fill_payload(thread)?;
        self.send(thread, draft, payload)
    }

    /// Posts an asynchronous message, mostly behind a barrier that its event removes, as a view
    /// does to schedule its next layout.
    fn post_async(&mut self, thread: ThreadId, queue: QueueId) -> io::Result<()> {
        let strand = self.strand_of(thread, queue, Class::Async);
        let mut draft = Draft::usual(queue, Posting::Delayed(0), strand, Level::Other);
        draft.is_async = true;
        let here = self.open_queue(thread) == Some(queue);
        if here && self.spare_sync() > 2.0 && self.rng.u8(..) < 160 {
            let barrier = self.out.barrier()?;
            self.post_barrier(thread, barrier, queue)?;
            draft.body = Body::Then(vec![Step::RemoveBarrier(barrier)]);
        }
        self.send(thread, draft, None)
    }

    pub(crate) fn post_barrier(
        &mut self,
        thread: ThreadId,
        barrier: trace::BarrierId,
        queue: QueueId,
    ) -> io::Result<()> {
        self.op(thread, Op::PostBarrier(barrier, queue))?;
        self.shared.barrier_queues.insert(barrier, queue);
        let now = self.milliseconds();
        if let Served::Looper { queue, .. } = self.served(queue) {
            queue.post_barrier(barrier, now);
        }
        Ok(())
    }

    pub(crate) fn remove_barrier(
        &mut self,
        thread: ThreadId,
        barrier: trace::BarrierId,
    ) -> io::Result<()> {
        self.op(thread, Op::RemoveBarrier(barrier))?;
        let queue = self.shared.barrier_queues.remove(&barrier).expect("it was posted");
        if let Served::Looper { queue, .. } = self.served(queue) {
            queue.remove_barrier(barrier);
        }
        self.wake(queue);
        Ok(())
    }

    /// Starts a timer or an animation, which continues as long as the plan has such events.
    fn start_again(&mut self, thread: ThreadId, queue: QueueId, kind: Kind) -> io::Result<()> {
        let period = if kind == Kind::Timer { 5 + self.rng.i64(0..200) } else { 16 };
        let strand = self.strands.alone(true);
        match kind {
            Kind::Timer => self.tally.timers += 1,
            _ => self.tally.animations += 1,
        }
        self.post_again(thread, queue, strand, (kind, period))
    }

    /// Posts the next event of a timer or an animation, at a time that suits the plan.
    pub(crate) fn post_again(
        &mut self,
        thread: ThreadId,
        queue: QueueId,
        strand: StrandId,
        (kind, period): (Kind, i64),
    ) -> io::Result<()> {
        let ahead = self.left.kind_progress(kind) - self.left.progress();
        let delay = match ahead {
            a if a > 0.01 => period * 8,
            a if a < -0.01 => (period / 8).max(1),
            _ => period,
        };
        let posting = match kind {
            Kind::Timer => Posting::Delayed(delay),
            _ => Posting::AtTime(self.milliseconds() + delay),
        };
        let mut draft = Draft::usual(queue, posting, Some(strand), Level::Other);
        draft.body = Body::Again { kind, period };
        self.send(thread, draft, None)
    }

    /// Calls into the other process.
    pub(crate) fn call(&mut self, thread: ThreadId, sync: bool) -> io::Result<()> {
        let process = self.process_of(thread);
        let queue = self.binders[usize::from(process == self.processes[0])];
        let (origin, class) = if sync {
            (Origin::Thread(thread.0), Class::SyncCall)
        } else {
            (Origin::Process(process.0), Class::AsyncCall)
        };
        let hub = !sync || self.rng.u8(..) < 32;
        let strand = self.strands.of((origin, queue, class), hub);
        let mut draft = Draft::usual(queue, Posting::Ipc, Some(strand), Level::Foreign);
        draft.sync = sync;
        self.left.take_binder();
        self.send(thread, draft, None)
    }

    /// Delivers input or a frame.
    pub(crate) fn deliver(&mut self, thread: ThreadId, kind: Kind) -> io::Result<()> {
        let count = self.loopers.len();
        let main = self.rng.u8(..) < 220;
        let queue = self.loopers[if main { 0 } else { self.rng.usize(..count.min(3)) }];
        let (posting, class, level) = match kind {
            Kind::Input => (Posting::Input, Class::Input, Level::Fifo(1)),
            _ => (Posting::Display, Class::Display, Level::Other),
        };
        let strand = self.strands.of((Origin::Native, queue, class), true);
        self.left.take(kind);
        self.send(thread, Draft::usual(queue, posting, Some(strand), level), None)
    }

    /// Writes the enqueue and puts the message into its queue. A blocking call blocks the thread.
    pub(crate) fn send(
        &mut self,
        thread: ThreadId,
        draft: Draft,
        payload: Option<(Object, u8)>,
    ) -> io::Result<()> {
        let event = self.out.message()?;
        let Draft { queue, posting, is_async, sync, strand, level, body } = draft;
        self.op(thread, Op::Enqueue(Enqueue { event, queue, posting, is_async, sync }))?;
        let when = match posting {
            Posting::Delayed(delay) => self.milliseconds() + delay,
            Posting::AtTime(time) => time,
            _ => 0,
        };
        let continues_chain = self.continue_chain(thread, queue, strand);
        let caller = sync.then_some(thread);
        let from = self.process_of(thread);
        let message = Box::new(Message {
            event,
            posting,
            is_async,
            when,
            strand,
            continues_chain,
            level,
            body,
            payload,
            caller,
            from,
        });
        match self.served(queue) {
            Served::Looper { queue, .. } => queue.enqueue(message),
            Served::Crew { crew, .. } => crew.enqueue(message),
        }
        self.pending += 1;
        self.wake(queue);
        if sync {
            self.thread(thread).status = Status::Blocked;
        }
        self.last_sent = event;
        Ok(())
    }

    /// Whether a posted message continues the chain of the running event. It does if it goes to the
    /// same looper, neither a strand nor an earlier post continues the chain, and the message has
    /// no strand.
    fn continue_chain(
        &mut self,
        thread: ThreadId,
        queue: QueueId,
        strand: Option<StrandId>,
    ) -> bool {
        let now = &mut self.thread(thread).now;
        let here = now.open.as_ref().is_some_and(|open| open.queue == queue);
        let continues = here && now.strand.is_none() && strand.is_none() && !now.continued;
        now.continued |= continues;
        continues
    }

    /// The queue of the event that a thread runs.
    pub(crate) fn open_queue(&self, thread: ThreadId) -> Option<QueueId> {
        self.threads[thread.0 as usize].now.open.as_ref().map(|open| open.queue)
    }

    /// Chooses the queue for a post: an event posts mostly to its own looper, a thread to its
    /// targets.
    fn target(&mut self, thread: ThreadId) -> QueueId {
        let count = self.loopers.len();
        let die = self.rng.u8(..);
        let state = &self.threads[thread.0 as usize];
        match (state.role, &state.now.open) {
            (Role::Looper(queue), Some(_)) if die < 230 => queue,
            (Role::Looper(queue), Some(_)) => self.loopers[(queue.0 as usize + 1) % count],
            (_, Some(_)) => self.loopers[0],
            (_, None) => self.loopers[state.targets[usize::from(die < 64)] % count],
        }
    }

    /// The level of a plain post of the running code.
    fn next_level(&self, thread: ThreadId) -> Level {
        match self.threads[thread.0 as usize].now.level {
            Some(Level::Thread) | None => Level::Fifo(1),
            Some(Level::Fifo(level @ 1..=2)) => Level::Fifo(level + 1),
            _ => Level::Other,
        }
    }

    /// The strand of the running code's posts of a class, if that code belongs to a strand.
    fn strand_of(&mut self, thread: ThreadId, queue: QueueId, class: Class) -> Option<StrandId> {
        let source = self.threads[thread.0 as usize].now.strand?;
        let hub = self.rng.u8(..) < 24;
        Some(self.strands.of((Origin::Strand(source), queue, class), hub))
    }

    /// The timer's strand, if a timer's event posts to the front before it posts its next event.
    /// Such posts run before the next event, each before those posted earlier, so they are in the
    /// strand.
    fn strand_if_timer(&self, thread: ThreadId, queue: QueueId) -> Option<StrandId> {
        let now = &self.threads[thread.0 as usize].now;
        let here = now.open.as_ref().is_some_and(|open| open.queue == queue);
        if here && now.is_timer { now.strand } else { None }
    }

    /// Sometimes fills an object for the event.
    fn fill_payload(&mut self, thread: ThreadId) -> io::Result<Option<(Object, u8)>> {
        let room = self.out.locations < self.plan.locations && self.accesses_left() > 64;
        if !room || self.rng.u8(..) > 60 || self.plan.accesses < 20 * self.plan.events() {
            return Ok(None);
        }
        let fields = 1 + self.rng.u32(..3);
        let object = self.new_object(thread, fields)?;
        let value = self.rng.u8(..);
        let function = self.threads[thread.0 as usize].now.function;
        self.out.sourced(thread, object.field(0), true, (function, 0), Some(value))?;
        Ok(Some((object, value)))
    }
}
