//! Performs the steps of simulated code.

use std::io::{self, Write};

use trace::{Op, Posting, ThreadId};

use crate::message::{Body, Level, Send, Step, When};
use crate::post::Draft;
use crate::world::{Role, Status, World};

impl<W: Write> World<W> {
    /// Performs a step, or at most `budget` of its accesses. Returns how much of the slice it used.
    pub(crate) fn step(&mut self, thread: ThreadId, step: Step, budget: u32) -> io::Result<u32> {
        match step {
            Step::Work(count) => {
                let now = count.min(budget);
                self.accesses(thread, now)?;
                if now < count {
                    self.thread(thread).steps.push_front(Step::Work(count - now));
                }
                return Ok(now);
            }
            Step::Post(kind) => self.post(thread, kind)?,
            Step::Again(kind, period) => self.again(thread, kind, period)?,
            Step::Call { sync } => self.call(thread, sync)?,
            Step::Deliver(kind) => self.deliver(thread, kind)?,
            Step::Locked => self.locked(thread)?,
            Step::HandOver => self.hand_over(thread)?,
            Step::TakeOver => self.take_over(thread)?,
            Step::Listen => self.listen(thread)?,
            Step::Removal => self.removal(thread)?,
            Step::Spawn => self.spawn(thread)?,
            Step::Reap => self.reap(thread)?,
            Step::Enter(function) => {
                self.now += crate::world::SYNC_TIME;
                self.out.enter(thread, function, self.now)?;
            }
            Step::Sleep(time) => {
                let at = self.now + time;
                self.wake_at(thread, at);
            }
            Step::Exit => self.exit(thread)?,
            scripted => self.scripted(thread, scripted)?,
        }
        Ok(1)
    }

    /// Posts the next event of the timer whose event runs.
    fn again(&mut self, thread: ThreadId, kind: crate::plan::Kind, period: i64) -> io::Result<()> {
        if self.left.of(kind) == 0 {
            return Ok(());
        }
        self.left.take(kind);
        let strand = self.threads[thread.0 as usize].now.strand.expect("a timer is a strand");
        let queue = self.open_queue(thread).expect("a timer runs events");
        self.post_again(thread, queue, strand, (kind, period))
    }

    fn scripted(&mut self, thread: ThreadId, step: Step) -> io::Result<()> {
        match step {
            Step::Leave => self.op(thread, Op::Leave),
            Step::EnqueueEnd(event) => self.op(thread, Op::EnqueueEnd(event)),
            Step::RemoveBarrier(barrier) => self.remove_barrier(thread, barrier),
            Step::PostBarrier(barrier, queue) => self.post_barrier(thread, barrier, queue),
            Step::Touch { location, write } => self.touch(thread, location, write),
            Step::Send(send) => self.send_scripted(thread, *send),
            Step::Remove(mark) => {
                let (event, queue) = self.director.sent(mark);
                self.op(thread, Op::Remove(event))?;
                self.take_out(event, queue);
                Ok(())
            }
            Step::Signal(mark) => {
                for waiting in self.director.signal(mark) {
                    self.unblock(waiting);
                }
                Ok(())
            }
            Step::Await(mark) => {
                if !self.director.awaits(mark, thread) {
                    self.thread(thread).status = Status::Blocked;
                }
                Ok(())
            }
            Step::Notify(handle) => self.op(thread, Op::Notify(handle)),
            Step::Wait(handle) => self.op(thread, Op::Wait(handle)),
            Step::Lock(lock) => self.op(thread, Op::Lock(lock)),
            Step::Unlock(lock) => self.op(thread, Op::Unlock(lock)),
            Step::Register(callback) => self.op(thread, Op::Register(callback)),
            Step::Invoke(callback) => self.op(thread, Op::Invoke { callback, sync: false }),
            Step::Fork(child, steps) => {
                self.op(thread, Op::Fork(child))?;
                self.thread(child).steps.extend(steps);
                self.make_ready(child);
                Ok(())
            }
            Step::Join(child) => self.join(thread, child),
            Step::Over => {
                self.director.part_over();
                Ok(())
            }
            _ => unreachable!("steps of usual code are done elsewhere"),
        }
    }

    /// Joins a thread, and waits for it if it has not ended.
    fn join(&mut self, thread: ThreadId, child: ThreadId) -> io::Result<()> {
        if self.thread(child).status == Status::Ended {
            return self.op(thread, Op::Join(child));
        }
        self.thread(thread).steps.push_front(Step::Join(child));
        self.thread(thread).status = Status::Blocked;
        self.director.joining = Some(thread);
        Ok(())
    }

    fn exit(&mut self, thread: ThreadId) -> io::Result<()> {
        self.op(thread, Op::Exit)?;
        self.thread(thread).status = Status::Ended;
        if self.thread(thread).role == Role::Worker {
            self.workers_alive -= 1;
            self.shared.worker_ended(thread);
        }
        if let Some(parent) = self.director.joining.take() {
            self.unblock(parent);
        }
        Ok(())
    }

    fn send_scripted(&mut self, thread: ThreadId, send: Send) -> io::Result<()> {
        let Send { mark, queue, when, is_async, sync, body } = send;
        let (posting, level) = match when {
            When::Delay(delay) => (Posting::Delayed(delay), Level::Other),
            When::In(time) => (Posting::AtTime(self.milliseconds() + time), Level::Other),
            When::Front => (Posting::Front, Level::Other),
            When::Idle => (Posting::Idle, Level::Other),
            When::Input => (Posting::Input, Level::Fifo(1)),
            When::Ipc => (Posting::Ipc, Level::Foreign),
        };
        let level = if queue == self.pool { Level::Foreign } else { level };
        let body = Body::Script(body);
        self.send(
            thread,
            Draft { queue, posting, is_async, sync, strand: None, level, body },
            None,
        )?;
        self.director.part_sent(mark, self.last_sent, queue);
        Ok(())
    }
}
