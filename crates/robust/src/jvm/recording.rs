//! What was executed on threads, as a trace.
//!
//! As for programs of the language, the main thread is a Looper with the queue `ui`, events are input
//! from the thread `user`, and a task on a thread of its own is a forked thread. Monitors are locks.

use trace::{Attributes, Enqueue, Op as TraceOp, Posting, Source, ThreadId, Trace, TraceBuilder};

use super::Event;
use super::run::{Act, Op, Run, TaskId};
use crate::core::{AccessKind, SiteId};
use crate::lang::ast::Where;

/// The trace of the operations of `run`.
pub(super) fn recording(run: &Run, events: &[Event]) -> Trace {
    let mut builder = TraceBuilder::new();
    let main = builder.names().threads.intern(b"main");
    let user = builder.names().threads.intern(b"user");
    let queue = builder.names().queues.intern(b"ui");
    builder.push(main, TraceOp::Init, Attributes::default());
    builder.push(main, TraceOp::Attach(queue), Attributes::default());
    builder.push(main, TraceOp::Loop(queue), Attributes::default());
    builder.push(user, TraceOp::Init, Attributes::default());
    let mut recorder = Recorder { run, events, builder, main, user };
    for op in &run.ops {
        recorder.op(*op);
    }
    recorder.builder.finish().0
}

struct Recorder<'r> {
    run: &'r Run,
    events: &'r [Event],
    builder: TraceBuilder,
    main: ThreadId,
    user: ThreadId,
}

impl Recorder<'_> {
    fn name(&self, task: TaskId) -> String {
        super::report::task_name(self.events, &self.run.task(task).invocation)
    }

    fn thread(&mut self, task: TaskId) -> ThreadId {
        match self.run.task(task).on {
            Where::Main => self.main,
            Where::Any => {
                let name = self.name(task);
                self.builder.names().threads.intern(name.as_bytes())
            }
        }
    }

    fn enqueue(&mut self, task: TaskId, posting: Posting) -> TraceOp {
        let name = self.name(task);
        let event = self.builder.names().events.intern(name.as_bytes());
        let queue = self.builder.names().queues.intern(b"ui");
        TraceOp::Enqueue(Enqueue { event, queue, posting, is_async: false, sync: false })
    }

    fn op(&mut self, op: Op) {
        let thread = self.thread(op.task);
        let task = self.run.task(op.task);
        let (on, is_handler) = (task.on, task.invocation.path.is_empty());
        let name = self.name(op.task);
        let mut attributes = Attributes::default();
        let done = match op.act {
            Act::Begin if on == Where::Main => {
                if is_handler {
                    let input = self.enqueue(op.task, Posting::Input);
                    self.builder.push(self.user, input, Attributes::default());
                }
                TraceOp::Begin(self.builder.names().events.intern(name.as_bytes()))
            }
            Act::Begin => TraceOp::Init,
            Act::End if on == Where::Main => {
                TraceOp::End(self.builder.names().events.intern(name.as_bytes()))
            }
            Act::End => TraceOp::Exit,
            Act::Post(child) => match self.run.task(child).on {
                Where::Main => self.enqueue(child, Posting::Delayed(0)),
                Where::Any => TraceOp::Fork(self.thread(child)),
            },
            Act::Acquire(monitor) => TraceOp::Lock(self.lock(&format!("{monitor:?}"))),
            Act::Release(monitor) => TraceOp::Unlock(self.lock(&format!("{monitor:?}"))),
            Act::Access(access, site) => {
                attributes.source = self.source(site);
                let name = self.run.names.locations[&access.global].as_bytes();
                let location = self.builder.names().locations.intern(name);
                match access.kind {
                    AccessKind::Read => TraceOp::Read(location),
                    AccessKind::Write => TraceOp::Write(location),
                }
            }
        };
        self.builder.push(thread, done, attributes);
    }

    fn lock(&mut self, name: &str) -> trace::LockId {
        self.builder.names().locks.intern(name.as_bytes())
    }

    fn source(&mut self, site: SiteId) -> Option<trace::SourceId> {
        let site = self.run.names.sites.get(&site).filter(|site| site.line > 0)?;
        let file = self.builder.text(site.file.as_bytes());
        Some(self.builder.source(Source { file, line: site.line, column: None }))
    }
}
