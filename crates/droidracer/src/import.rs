//! Converts a log to a trace, for every other model and every output.
//!
//! Each operation of the trace maps to one of the graph, in the order of the log. Its source id is
//! the number of the log line, or the `rwId` of an access.
//!
//! | log | trace |
//! |---|---|
//! | ACCESS | the reads and writes it closes |
//! | POST, CALL, RET | `enqueue` to the queue of the CALL's thread, `begin`, `end` |
//! | NATIVE-ENTRY, NATIVE-EXIT | `begin` and `end` of an event nothing posts: segments are unordered |
//! | NOTIFY, WAIT | `notify` and `wait` on a handle called like the thread |
//! | ENABLE-…, requests, sends, registrations | `enable` |
//! | TRIGGER-…, receives, answers, `QUEUE_IDLE` | `trigger` |
//!
//! Operations that order nothing and access nothing are left out: START, INSTANCE-INTENT,
//! `REMOVE_IDLE_HANDLER`, an ACCESS that closes nothing, a NATIVE-EXIT without entry. A task that
//! runs an idle handler is posted as `idle`, because the tool makes up its POST when the handler
//! runs.
//!
//! Locations are numbered in the order of the tool's output; databases come last and are storage.
//! Anomalies that the trace builder finds are not reported: the log's own diagnostics already state
//! them, or they follow from what was left out. The time is linear in the log.

use hashbrown::{HashMap, HashSet};
use trace::{
    Attributes, Diagnostic, Enqueue, EventId, LocationId, LocationKind, Op, Posting, QueueId,
    Trace, TraceBuilder,
};

use crate::base::{Base, OpId, Operation, Role, TaskId, ThreadId};
use crate::env;
use crate::execution::Execution;
use crate::log::{
    AbcLog, Access, BroadcastState, Hash, LifecycleState, LogOp, OpKind, ParseError, Sink, Target,
    parse,
};
use crate::memory::Owner;
use crate::rules::RuleSet;

/// The log from which a trace was imported.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The log.
    pub log: AbcLog,
    /// For each operation of the trace, the operation of the graph.
    ops: Vec<OpId>,
}

impl Origin {
    /// Returns the execution under `rules`, with the accesses numbered as in the trace.
    pub fn execution(&self, trace: &Trace, rules: RuleSet) -> Execution {
        // The import has already reported the anomalies.
        let base = env::model(&self.log, rules, &mut Sink::default());
        let memory = env::memory(&self.log, &base);
        let accesses = trace
            .ops()
            .filter(|&op| trace.op(op).access().is_some())
            .filter_map(|op| Some((trace.attributes(op).source_id?, op)))
            .collect();
        Execution::new(base, memory, self.log.names.clone(), self.ops.clone(), accesses)
    }
}

/// The result of an import.
pub struct Import {
    /// The log as a trace.
    pub trace: Trace,
    /// The anomalies found in the log.
    pub diagnostics: Vec<Diagnostic>,
    /// The parsed log.
    pub origin: Origin,
}

/// Reads a log.
pub fn import(bytes: &[u8]) -> Result<Import, ParseError> {
    let (log, mut diagnostics) = parse(bytes)?;
    let mut sink = Sink::default();
    let base = env::model(&log, RuleSet::ALL, &mut sink);
    diagnostics.extend(sink.finish());
    let (trace, ops) = Importer::new(&log, &base).run();
    Ok(Import { trace, diagnostics, origin: Origin { log, ops } })
}

struct Importer<'a> {
    log: &'a AbcLog,
    base: &'a Base,
    builder: TraceBuilder,
    ops: Vec<OpId>,
    /// The accesses that each ACCESS closes, by its number.
    closed: HashMap<u64, Vec<&'a Access>>,
    locations: HashMap<Cell, LocationId>,
    queues: HashMap<ThreadId, Hash>,
    /// The kind of environment event that triggered each task.
    types: HashMap<TaskId, &'static str>,
    idle: HashSet<TaskId>,
    /// The native segment in which each thread is, by the number of its entry.
    native: HashMap<ThreadId, u64>,
}

/// The key of a location, by the tool's definition of a location.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Cell {
    Instance(u64, u32),
    Static(crate::log::Symbol, u32),
    Database(crate::log::Symbol),
}

impl Cell {
    fn of(target: Target) -> Self {
        match target {
            Target::Instance { object, field, .. } => Self::Instance(object.0, field),
            Target::Static { class, field } => Self::Static(class, field),
            Target::Database(path) => Self::Database(path),
        }
    }
}

impl<'a> Importer<'a> {
    fn new(log: &'a AbcLog, base: &'a Base) -> Self {
        let mut importer = Self {
            log,
            base,
            builder: TraceBuilder::new(),
            ops: Vec::new(),
            closed: HashMap::new(),
            locations: HashMap::new(),
            queues: HashMap::new(),
            types: HashMap::new(),
            idle: HashSet::new(),
            native: HashMap::new(),
        };
        for access in &log.accesses {
            if let Some(set) = access.set {
                importer.closed.entry(set.operation).or_default().push(access);
            }
        }
        for op in base.ops() {
            importer.survey(op);
        }
        importer
    }

    fn run(mut self) -> (Trace, Vec<OpId>) {
        self.builder.set_model(b"droidracer");
        self.name_locations();
        for index in 0..self.base.len() as u32 {
            self.operation(OpId(index));
        }
        (self.builder.finish().0, self.ops)
    }

    /// Records facts about earlier operations that only a later operation shows.
    fn survey(&mut self, op: &Operation) {
        let kind = self.log_op(op).kind;
        if let (OpKind::AttachQ { queue }, Some(thread)) = (kind, op.thread) {
            self.queues.entry(thread).or_insert(queue);
        }
        if let (Some(task), Some(event_type)) = (op.task, event_type(kind)) {
            self.types.entry(task).or_insert(event_type);
            if op.role == Role::IdleTrigger {
                self.idle.insert(task);
            }
        }
    }

    fn log_op(&self, op: &Operation) -> &'a LogOp {
        let row = self.log.operations.binary_search_by_key(&op.source, |op| op.id);
        &self.log.operations[row.expect("an operation of the graph is one of the log")]
    }

    fn name_locations(&mut self) {
        let log = self.log;
        for (_, location) in env::memory(log, self.base).locations() {
            let class = log.names.text(location.class().expect("a location is accessed"));
            let field = location.field;
            let (cell, name) = match location.owner {
                Owner::Object(object) => {
                    let at = format!("@{:#x}.{field}", object.0);
                    (Cell::Instance(object.0, field), [class, at.as_bytes()].concat())
                }
                Owner::Class(symbol) => {
                    let at = format!(".{field}");
                    (Cell::Static(symbol, field), [class, at.as_bytes()].concat())
                }
            };
            let id = self.builder.names().locations.intern(&name);
            self.locations.insert(cell, id);
        }
        for access in &log.accesses {
            if let (Target::Database(path), Some(_)) = (access.target, access.set) {
                let name = [b"database:", log.names.text(path)].concat();
                let id = self.builder.names().locations.intern(&name);
                self.builder.set_location_kind(id, LocationKind::Storage);
                self.locations.insert(Cell::Database(path), id);
            }
        }
    }

    fn push(&mut self, id: OpId, op: Op, attributes: Attributes) {
        let thread = self.base.op(id).thread.expect("what is imported runs on a thread");
        let thread = self.thread(thread);
        self.builder.push(thread, op, attributes);
        self.ops.push(id);
    }

    fn operation(&mut self, id: OpId) {
        let op = self.base.op(id);
        let Some(thread) = op.thread else { return };
        let log_op = self.log_op(op);
        let plain = Attributes { source_id: Some(op.source), ..Attributes::default() };
        let op = match log_op.kind {
            OpKind::Access => return self.accesses(id),
            OpKind::Start | OpKind::InstanceIntent { .. } | OpKind::RemoveIdleHandler { .. } => {
                return;
            }
            OpKind::NativeEntry => return self.enter_native(id, thread, plain),
            OpKind::NativeExit => return self.leave_native(id, thread, plain),
            OpKind::Call { .. } => {
                let Role::Call(task) = op.role else { return };
                let event_type = self.types.get(&task).copied();
                let event_type = event_type.map(|name| self.builder.text(name.as_bytes()));
                let begin = Op::Begin(self.event(log_op.kind));
                return self.push(id, begin, Attributes { event_type, ..plain });
            }
            OpKind::Post { .. } => {
                let Role::Post(task) = op.role else { return };
                self.enqueue(task, log_op.kind)
            }
            kind => self.plain(thread, kind),
        };
        self.push(id, op, plain);
    }

    /// Returns the trace operation for a log operation that needs no other handling.
    fn plain(&mut self, thread: ThreadId, kind: OpKind) -> Op {
        match kind {
            OpKind::ThreadInit => Op::Init,
            OpKind::ThreadExit => Op::Exit,
            OpKind::Fork { child } => Op::Fork(self.thread(child)),
            OpKind::AttachQ { queue } => Op::Attach(self.queue(queue)),
            OpKind::Loop { queue } => Op::Loop(self.queue(queue)),
            OpKind::Ret { .. } => Op::End(self.event(kind)),
            OpKind::Lock { object } => Op::Lock(self.lock(object.0)),
            OpKind::Unlock { object } => Op::Unlock(self.lock(object.0)),
            OpKind::Notify { notified } => Op::Notify(self.handle(notified)),
            OpKind::Wait => Op::Wait(self.handle(thread)),
            _ => {
                let name = self.environment_name(kind);
                let environment = self.builder.names().environment.intern(&name);
                let enables = event_type(kind).is_none();
                if enables { Op::Enable(environment) } else { Op::Trigger(environment) }
            }
        }
    }

    fn accesses(&mut self, id: OpId) {
        let closed = self.closed.remove(&self.base.op(id).source).unwrap_or_default();
        for access in closed {
            let location = self.locations[&Cell::of(access.target)];
            let op = if access.is_write { Op::Write(location) } else { Op::Read(location) };
            let source_id = Some(access.id);
            self.push(id, op, Attributes { source_id, ..Attributes::default() });
        }
    }

    fn enqueue(&mut self, task: TaskId, kind: OpKind) -> Op {
        let &crate::base::Task { thread, delay, .. } = self.base.task(task);
        let queue = match self.queues.get(&thread) {
            Some(&queue) => self.queue(queue),
            None => self.builder.names().queues.intern(&thread_name(thread)),
        };
        let posting = if self.idle.contains(&task) {
            Posting::Idle
        } else {
            Posting::Delayed(i64::try_from(delay).unwrap_or(i64::MAX))
        };
        let event = self.event(kind);
        Op::Enqueue(Enqueue { event, queue, posting, is_async: false, sync: false })
    }

    fn enter_native(&mut self, id: OpId, thread: ThreadId, attributes: Attributes) {
        self.leave_native(id, thread, attributes);
        let segment = self.base.op(id).source;
        self.native.insert(thread, segment);
        let event = self.segment(segment);
        self.push(id, Op::Begin(event), attributes);
    }

    fn leave_native(&mut self, id: OpId, thread: ThreadId, attributes: Attributes) {
        if let Some(segment) = self.native.remove(&thread) {
            let event = self.segment(segment);
            self.push(id, Op::End(event), attributes);
        }
    }

    fn thread(&mut self, thread: ThreadId) -> trace::ThreadId {
        self.builder.names().threads.intern(&thread_name(thread))
    }

    fn handle(&mut self, thread: ThreadId) -> trace::HandleId {
        self.builder.names().handles.intern(&thread_name(thread))
    }

    fn queue(&mut self, queue: Hash) -> QueueId {
        self.builder.names().queues.intern(format!("queue:{}", queue.0).as_bytes())
    }

    fn lock(&mut self, object: u64) -> trace::LockId {
        self.builder.names().locks.intern(format!("{object:#x}").as_bytes())
    }

    fn segment(&mut self, entry: u64) -> EventId {
        self.builder.names().events.intern(format!("native:{entry}").as_bytes())
    }

    fn event(&mut self, kind: OpKind) -> EventId {
        let (OpKind::Post { message, .. } | OpKind::Call { message } | OpKind::Ret { message }) =
            kind
        else {
            unreachable!("{kind:?} names no message")
        };
        self.builder.names().events.intern(format!("msg:{}", message.0).as_bytes())
    }

    /// Returns the name of a request to the environment or of its action, equal for an ENABLE and
    /// its TRIGGER.
    fn environment_name(&self, kind: OpKind) -> Vec<u8> {
        let named = |what: &str, name: crate::log::Symbol, state: &str| {
            [what.as_bytes(), self.log.names.text(name), b":", state.as_bytes()].concat()
        };
        match kind {
            OpKind::EnableEvent { view, event } | OpKind::TriggerEvent { view, event } => {
                format!("view:{}:{event}", view.0).into_bytes()
            }
            OpKind::EnableFocus { window } | OpKind::TriggerFocus { window } => {
                format!("window:{}", window.0).into_bytes()
            }
            OpKind::EnableLifecycle { id, state } | OpKind::TriggerLifecycle { id, state } => {
                match state {
                    LifecycleState::Other(name) => named("activity:", name, &id.0.to_string()),
                    state => format!("activity:{state:?}:{}", id.0).into_bytes(),
                }
            }
            OpKind::TriggerService { component, state, .. } => {
                named("service:", component, &format!("{state:?}"))
            }
            OpKind::TriggerBroadcast { action, state, .. } => {
                named("broadcast:", action, &format!("{state:?}"))
            }
            OpKind::AddIdleHandler { idler, queue } | OpKind::QueueIdle { idler, queue } => {
                format!("idle:{}:{}", idler.0, queue.0).into_bytes()
            }
            kind => unreachable!("{kind:?} is no operation of the environment"),
        }
    }
}

fn thread_name(thread: ThreadId) -> Vec<u8> {
    format!("tid:{}", thread.0).into_bytes()
}

/// Returns the kind of environment event that an operation delivers, if it delivers one.
fn event_type(kind: OpKind) -> Option<&'static str> {
    Some(match kind {
        OpKind::TriggerEvent { event, .. } => match event {
            0 => "click",
            1 => "longclick",
            2 => "text",
            3 => "back",
            4 => "menu",
            5 => "rotate",
            _ => "input",
        },
        OpKind::TriggerFocus { .. } => "focus",
        OpKind::TriggerLifecycle { .. } => "lifecycle",
        OpKind::TriggerBroadcast { state: BroadcastState::OnReceive, .. } => "broadcast",
        OpKind::TriggerService { state, .. } if !state.is_request() => "service",
        OpKind::QueueIdle { .. } => "idle",
        _ => return None,
    })
}
