//! Starts workers, and removes messages.

use std::io::{self, Write};

use trace::{Op, Posting, ThreadId};

use crate::message::{Body, Level};
use crate::plan::Kind;
use crate::post::Draft;
use crate::world::{Role, World};

/// The largest number of messages that wait to be removed.
const MOST_REMOVALS: usize = 24;

impl<W: Write> World<W> {
    /// Forks the next worker, if one is due.
    pub(crate) fn spawn(&mut self, parent: ThreadId) -> io::Result<()> {
        if self.to_spawn == 0 || self.workers.0 >= self.workers.1 {
            self.to_spawn = 0;
            return Ok(());
        }
        self.to_spawn -= 1;
        let worker = self.new_worker()?;
        self.op(parent, Op::Fork(worker))?;
        self.make_ready(worker);
        Ok(())
    }

    /// Makes a worker with its share of the posts.
    pub(crate) fn new_worker(&mut self) -> io::Result<ThreadId> {
        let name = format!("worker-{}", self.workers.0);
        let worker = self.add_thread(&name, Role::Worker, self.processes[0])?;
        let sharers = u64::from(self.workers.1 - self.workers.0 + self.workers_alive);
        let share = self.left.of(Kind::Level1) / sharers.max(1);
        self.thread(worker).quota = 1 + share / 2 + self.rng.u64(..=share);
        self.workers.0 += 1;
        self.workers_alive += 1;
        Ok(worker)
    }

    /// Posts a message with a long delay that will be removed, or removes one.
    pub(crate) fn removal(&mut self, thread: ThreadId) -> io::Result<()> {
        let waiting = self.shared.removals_waiting();
        if waiting < MOST_REMOVALS && (waiting < 4 || self.rng.bool()) {
            let place = self.rng.usize(..self.loopers.len());
            let posting = Posting::Delayed(2_000 + self.rng.i64(0..20_000));
            let draft = Draft {
                queue: self.loopers[place],
                posting,
                is_async: false,
                sync: false,
                strand: None,
                level: Level::Other,
                body: Body::Usual,
            };
            let queue = draft.queue;
            self.send(thread, draft, None)?;
            let event = self.last_sent;
            self.shared.may_remove(event, queue);
        }
        self.remove_oldest(thread)
    }
}
