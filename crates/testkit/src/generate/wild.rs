//! Steps that no disciplined program takes: any operation with any arguments.

use trace::{
    BarrierId, CallbackId, Enqueue, EnvironmentId, EventId, FunctionId, HandleId, Id, LockId, Op,
    Posting, QueueId, ThreadId,
};

use super::sane::FEW;
use super::world::{Stage, World};

impl World {
    /// Returns any operation. There are few names, so that operations pair by accident.
    pub(super) fn wild_op(&mut self, thread: ThreadId) -> Op {
        let any = self.rng.u32(0..FEW);
        match self.rng.u8(0..42) {
            0 => Op::Init,
            1 => Op::Exit,
            2 => Op::Fork(self.any_thread()),
            3 => Op::Join(self.any_thread()),
            4 => Op::Notify(HandleId(any)),
            5 => Op::Wait(HandleId(any)),
            6 => Op::Lock(LockId(any)),
            7 => Op::Unlock(LockId(any)),
            8 => Op::Attach(self.any_queue()),
            9 => Op::Loop(self.any_queue()),
            10..=14 => Op::Enqueue(self.any_enqueue()),
            15 => Op::EnqueueEnd(self.any_message()),
            16 | 17 => Op::Remove(self.any_message()),
            18..=21 => Op::Begin(self.likely_message(Stage::Pending)),
            22..=25 => Op::End(self.any_end(thread)),
            26 => Op::PostBarrier(self.any_barrier(), self.any_queue()),
            27 => Op::RemoveBarrier(self.any_barrier()),
            28 => Op::Register(CallbackId(any)),
            29 => Op::Invoke { callback: CallbackId(any), sync: self.rng.bool() },
            30 => Op::Unregister(CallbackId(any)),
            31 => Op::Enable(EnvironmentId(any)),
            32 => Op::Trigger(EnvironmentId(any)),
            33 | 34 => Op::Arc(self.any_message(), self.any_message()),
            35 | 36 => self.read(),
            37 | 38 => self.write(),
            39 | 40 => Op::Enter(FunctionId(any)),
            _ => Op::Leave,
        }
    }

    /// Any thread, and sometimes one that never runs.
    fn any_thread(&mut self) -> ThreadId {
        ThreadId::new(self.rng.usize(0..=self.threads.len()))
    }

    /// Any queue, and sometimes one that no thread serves.
    fn any_queue(&mut self) -> QueueId {
        QueueId::new(self.rng.usize(0..=self.queues.len()))
    }

    fn any_barrier(&mut self) -> BarrierId {
        let oldest = self.barriers.saturating_sub(2);
        BarrierId::new(self.rng.usize(oldest..=self.barriers))
    }

    fn any_message(&mut self) -> EventId {
        let known = if self.chance(0.8) { self.recent(|_| true) } else { None };
        known.unwrap_or_else(|| self.fresh_message())
    }

    /// Mostly a message in `stage`, else any.
    fn likely_message(&mut self, stage: Stage) -> EventId {
        let fitting = if self.chance(0.7) { self.recent(|m| m.stage == stage) } else { None };
        fitting.unwrap_or_else(|| self.any_message())
    }

    /// Mostly the innermost event of the thread, else one that runs somewhere, else any.
    fn any_end(&mut self, thread: ThreadId) -> EventId {
        match self.thread(thread).open.last().copied() {
            Some((event, _)) if self.rng.u8(0..3) > 0 => event,
            _ => self.likely_message(Stage::Running),
        }
    }

    fn any_enqueue(&mut self) -> Enqueue {
        let event = if self.chance(0.85) { self.fresh_message() } else { self.any_message() };
        let number = [-1, 0, 0, 1, 5, 10, i64::MIN, i64::MAX][self.rng.usize(0..8)];
        let posting = match self.rng.u8(0..10) {
            0..=2 => Posting::Delayed(number),
            3 => Posting::AtTime(number),
            4 | 5 => Posting::Front,
            6 => Posting::Idle,
            7 => Posting::Input,
            8 => Posting::Display,
            _ => Posting::Ipc,
        };
        Enqueue {
            event,
            queue: self.any_queue(),
            posting,
            is_async: self.rng.bool(),
            sync: self.chance(if posting == Posting::Ipc { 0.5 } else { 0.05 }),
        }
    }
}
