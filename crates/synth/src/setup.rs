//! The start of a trace: threads, queues and constants.

use std::collections::BinaryHeap;
use std::io::{self, Write};

use trace::{EventId, Op, ProcessId, QueueId, ThreadId};

use crate::emit::{Emitter, Object};
use crate::plan::{Kind, Left, Plan};
use crate::plant::{ACTORS, Director};
use crate::profile::Profile;
use crate::queue::{Crew, MessageQueue};
use crate::shared::Shared;
use crate::strand::Strands;
use crate::world::{Role, Served, Status, Tally, World};

/// The number of workers that run at a time.
const WORKERS_AT_ONCE: u32 = 10;

impl<W: Write> World<W> {
    /// Creates a device that has just started.
    pub(crate) fn new(profile: &Profile, scale: f64, seed: u64, sink: W) -> io::Result<Self> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let plan = Plan::new(profile, scale);
        let mut out = Emitter::new(sink, profile.model.name(), profile.stretch)?;
        let processes = ["app", "system", "remote"].map(|name| out.process(name));
        let mut world = Self {
            director: Director::new(profile.planted, &mut rng),
            out,
            rng,
            now: 0,
            left: Left::new(&plan),
            plan,
            threads: Vec::new(),
            queues: Vec::new(),
            loopers: Vec::new(),
            binders: [QueueId(0); 2],
            pool: QueueId(0),
            ready: Vec::new(),
            timers: BinaryHeap::new(),
            strands: Strands::default(),
            shared: Shared::default(),
            constants: Object { first: 0, fields: 1 },
            tally: Tally::default(),
            pending: 0,
            last_sent: EventId(0),
            to_spawn: 0,
            workers_alive: 0,
            workers: (0, 0),
            processes,
        };
        world.make_shared();
        world.start()?;
        Ok(world)
    }

    /// Lets the main thread start all others; then it loops like them.
    fn start(&mut self) -> io::Result<()> {
        let [app, system, remote] = self.processes;
        let main = self.add_thread("main", Role::Looper(QueueId(0)), app)?;
        self.thread(main).started = true;
        self.op(main, Op::Init)?;
        self.write_constants(main)?;
        self.add_looper("main", main);
        for i in 1..self.plan.loopers {
            let queue = QueueId(self.queues.len() as u32);
            let name = format!("looper-{i}");
            let thread = self.fork(main, &name, Role::Looper(queue), app)?;
            self.add_looper(&name, thread);
            self.op(thread, Op::Attach(queue))?;
            self.op(thread, Op::Loop(queue))?;
        }
        let in_system = (self.plan.binders / 4).max(1);
        let in_app = self.plan.binders - in_system;
        self.binders[0] = self.add_crew(main, "binder-app", in_app, app)?;
        self.binders[1] = self.add_crew(main, "binder-system", in_system, system)?;
        let others = self.plan.others;
        let in_pool = (others / 12).clamp(2, 4);
        self.pool = self.add_crew(main, "executor", in_pool, app)?;
        let mut started = in_pool;
        let callers = (others / 10).clamp(1, 4);
        for i in 0..callers {
            self.fork(main, &format!("caller-{i}"), Role::Caller, system)?;
        }
        let input = self.fork(main, "input", Role::Input, system)?;
        self.fork(main, "display", Role::Display, system)?;
        let actors = ACTORS.iter().map(|actor| match actor {
            crate::plant::Actor::Input => Ok(input),
            crate::plant::Actor::Remote => self.fork(main, "island-remote", Role::Island, remote),
            actor => self.fork(main, &format!("island-{actor:?}"), Role::Island, app),
        });
        let mut actors = actors.collect::<io::Result<Vec<ThreadId>>>()?;
        started += callers + 2 + 3;
        if self.director.needs_distant() {
            for name in ["island-early", "island-late"] {
                actors.push(self.fork(main, name, Role::Island, app)?);
                started += 1;
            }
        }
        self.director.cast(actors);
        self.workers = (0, others.saturating_sub(started).max(2));
        for _ in 0..WORKERS_AT_ONCE.min(self.workers.1 / 3 + 1) {
            let worker = self.new_worker()?;
            self.op(main, Op::Fork(worker))?;
            self.make_ready(worker);
        }
        self.op(main, Op::Attach(QueueId(0)))?;
        self.op(main, Op::Loop(QueueId(0)))
    }

    /// Writes the constants, before any other code runs. They are only read afterwards.
    fn write_constants(&mut self, main: ThreadId) -> io::Result<()> {
        let wanted = (self.plan.locations / 20).min(self.plan.accesses / 20).clamp(4, 50_000);
        let mut first = None;
        let mut made = 0;
        while made < wanted {
            let object = self.new_object(main, 8)?;
            first.get_or_insert(object.first);
            made += u64::from(object.fields);
        }
        self.constants = Object { first: first.unwrap_or_default(), fields: made as u32 };
        Ok(())
    }

    fn add_looper(&mut self, name: &str, owner: ThreadId) {
        let queue = self.out.queue(&format!("{name}-queue"));
        self.queues.push(Served::Looper { queue: MessageQueue::default(), owner });
        self.loopers.push(queue);
    }

    fn add_crew(
        &mut self,
        main: ThreadId,
        name: &str,
        count: u32,
        process: ProcessId,
    ) -> io::Result<QueueId> {
        let queue = self.out.queue(&format!("{name}-queue"));
        self.queues.push(Served::Crew { crew: Crew::default(), threads: Vec::new() });
        for i in 0..count {
            let thread = self.fork(main, &format!("{name}-{i}"), Role::Crew(queue), process)?;
            if let Served::Crew { threads, .. } = self.served(queue) {
                threads.push(thread);
            }
        }
        Ok(queue)
    }

    /// Forks a thread that starts at once.
    fn fork(
        &mut self,
        main: ThreadId,
        name: &str,
        role: Role,
        process: ProcessId,
    ) -> io::Result<ThreadId> {
        let thread = self.add_thread(name, role, process)?;
        self.op(main, Op::Fork(thread))?;
        self.op(thread, Op::Init)?;
        self.thread(thread).started = true;
        if !matches!(role, Role::Island | Role::Looper(_) | Role::Crew(_)) {
            self.thread(thread).status = Status::Ready;
            self.ready.push(thread);
        }
        Ok(thread)
    }

    /// Whether the whole plan was carried out.
    pub(crate) fn is_complete(&self) -> bool {
        self.left.looper() == 0 && self.left.of(Kind::Level1) == 0 && self.director.is_done()
    }
}
