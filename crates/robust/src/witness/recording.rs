//! Converts an interleaving to a trace, so that every command that reads traces can show it.
//!
//! The main thread is a Looper with the queue `ui`; events are input from the thread `user`. A
//! task posted to `main` is a message, one posted to `any` a forked thread.

use std::collections::BTreeMap;

use trace::{Attributes, Enqueue, Op, Posting, Source, ThreadId, Trace, TraceBuilder};

use crate::core::Program;
use crate::lang::ast::Where;
use crate::semantics::{Action, Invocation, Label};

/// Returns the trace of a run of `program` with these `labels`. The program's text is `source` in
/// `file`.
pub fn recording(program: &Program, labels: &[Label], file: &str, source: &str) -> Trace {
    let mut builder = TraceBuilder::new();
    let main = builder.names().threads.intern(b"main");
    let user = builder.names().threads.intern(b"user");
    let queue = builder.names().queues.intern(b"ui");
    builder.push(main, Op::Init, Attributes::default());
    builder.push(main, Op::Attach(queue), Attributes::default());
    builder.push(main, Op::Loop(queue), Attributes::default());
    builder.push(user, Op::Init, Attributes::default());
    let file = builder.text(file.as_bytes());
    let mut recorder =
        Recorder { program, builder, main, user, threads: BTreeMap::new(), file, source };
    for label in labels {
        recorder.label(label);
    }
    recorder.builder.finish().0
}

struct Recorder<'p> {
    program: &'p Program,
    builder: TraceBuilder,
    main: ThreadId,
    user: ThreadId,
    /// The threads of tasks posted to `any`.
    threads: BTreeMap<Invocation, ThreadId>,
    file: trace::TextId,
    source: &'p str,
}

impl Recorder<'_> {
    fn thread(&self, invocation: &Invocation) -> ThreadId {
        self.threads.get(invocation).copied().unwrap_or(self.main)
    }

    fn event(&mut self, invocation: &Invocation) -> trace::EventId {
        let name = invocation.display(self.program);
        self.builder.names().events.intern(name.as_bytes())
    }

    fn enqueue(&mut self, invocation: &Invocation, posting: Posting) -> Op {
        let event = self.event(invocation);
        let queue = self.builder.names().queues.intern(b"ui");
        Op::Enqueue(Enqueue { event, queue, posting, is_async: false, sync: false })
    }

    fn label(&mut self, label: &Label) {
        let invocation = &label.invocation;
        let thread = self.thread(invocation);
        let mut attributes = Attributes::default();
        if !self.source.is_empty() && label.span.end > 0 {
            let (line, column) = label.span.line_column(self.source);
            let source = Source { file: self.file, line, column: Some(column) };
            attributes.source = Some(self.builder.source(source));
        }
        let op = match &label.action {
            Action::Start => {
                let enqueue = self.enqueue(invocation, Posting::Input);
                self.builder.push(self.user, enqueue, Attributes::default());
                Op::Begin(self.event(invocation))
            }
            Action::Invoke(on, child) => self.post(*on, child),
            Action::Begin if thread == self.main => Op::Begin(self.event(invocation)),
            Action::Begin => Op::Init,
            Action::Return if thread == self.main => Op::End(self.event(invocation)),
            Action::Return => Op::Exit,
            Action::End => return,
            Action::Access(access, _) => {
                let name = &self.program.global(access.global).name;
                let location = self.builder.names().locations.intern(name.as_bytes());
                match access.kind {
                    crate::core::AccessKind::Read => Op::Read(location),
                    crate::core::AccessKind::Write => Op::Write(location),
                }
            }
        };
        self.builder.push(thread, op, attributes);
    }

    fn post(&mut self, on: Where, child: &Invocation) -> Op {
        match on {
            Where::Main => self.enqueue(child, Posting::Delayed(0)),
            Where::Any => {
                let name = child.display(self.program);
                let thread = self.builder.names().threads.intern(name.as_bytes());
                self.threads.insert(child.clone(), thread);
                Op::Fork(thread)
            }
        }
    }
}
