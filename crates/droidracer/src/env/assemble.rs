//! Determines which operations of a log take part, on which thread and in which task.
//!
//! - `dest` is never logged: a task runs on the thread of the CALL of its message. A POST without
//!   a CALL was removed or never ran, and is left out.
//! - An ENABLE-EVENT that is not the latest of its view and event before some TRIGGER-EVENT is
//!   left out: views are enabled again on every layout.
//! - The idle-handler registrations name no thread: they run on the thread that attached the queue.
//! - The task of an operation is the one running on its thread, CALL and RET included; the
//!   operations of the thread itself (its init, exit, queue, loop and native segments) and
//!   `REMOVE_IDLE_HANDLER` have none.
//!
//! A log cannot correctly contain tasks that overlap on a thread, or messages posted or called
//! twice. [`codes`] states how such a log is read. The time is linear in the operations.

use hashbrown::{HashMap, HashSet};

use crate::base::{OpId, Operation, Role, Task, TaskId, ThreadId};
use crate::codes;
use crate::log::{AbcLog, BroadcastState, Hash, LogOp, MessageId, OpKind, Sink, line};

/// The operations that take part, and the tasks.
pub(crate) struct Assembled<'a> {
    pub(crate) ops: Vec<Operation>,
    /// For each of `ops`, the operation of the log.
    pub(crate) log_ops: Vec<&'a LogOp>,
    pub(crate) tasks: Vec<Task>,
}

pub(crate) fn assemble<'a>(log: &'a AbcLog, sink: &mut Sink) -> Assembled<'a> {
    let runs = Runs::find(log, sink);
    let used_enables = find_used_enables(log);
    let unused = |op: &LogOp| {
        matches!(op.kind, OpKind::EnableEvent { .. }) && !used_enables.contains(&op.id)
    };
    let mut assembly = Assembly::new(&runs, sink);
    for op in log.operations.iter().filter(|op| !unused(op)) {
        assembly.operation(op);
    }
    assembly.finish()
}

/// A task that ran: its operations, by number.
struct Run {
    thread: ThreadId,
    call: u64,
    ret: Option<u64>,
    post: Option<u64>,
    delay: u64,
}

/// The tasks that ran, in the order in which they began.
struct Runs {
    tasks: Vec<Run>,
    by_message: HashMap<MessageId, TaskId>,
}

impl Runs {
    fn find(log: &AbcLog, sink: &mut Sink) -> Self {
        let mut runs = Self { tasks: Vec::new(), by_message: HashMap::new() };
        let mut running: HashMap<ThreadId, MessageId> = HashMap::new();
        for op in &log.operations {
            let Some(thread) = op.thread else { continue };
            match op.kind {
                OpKind::Call { message } => {
                    if let Some(previous) = running.remove(&thread) {
                        let what = || format!("message {} is still running", previous.0);
                        sink.report(&codes::NESTED_CALL, line(op.line), what);
                    }
                    if runs.begin(message, thread, op.id) {
                        running.insert(thread, message);
                    } else {
                        let what = || format!("message {} was called before", message.0);
                        sink.report(&codes::DUPLICATE_CALL, line(op.line), what);
                    }
                }
                OpKind::Ret { message } if running.get(&thread) == Some(&message) => {
                    running.remove(&thread);
                    let task = runs.by_message[&message];
                    runs.tasks[task.index()].ret = Some(op.id);
                }
                OpKind::Ret { message } => {
                    let what = || format!("message {} is not running", message.0);
                    sink.report(&codes::UNMATCHED_RET, line(op.line), what);
                }
                _ => {}
            }
        }
        runs.find_posts(log, sink);
        runs
    }

    fn begin(&mut self, message: MessageId, thread: ThreadId, call: u64) -> bool {
        let task = TaskId(self.tasks.len() as u32);
        let is_new = self.by_message.try_insert(message, task).is_ok();
        if is_new {
            self.tasks.push(Run { thread, call, ret: None, post: None, delay: 0 });
        }
        is_new
    }

    fn find_posts(&mut self, log: &AbcLog, sink: &mut Sink) {
        for op in &log.operations {
            let OpKind::Post { message, delay } = op.kind else { continue };
            let Some(task) = self.by_message.get(&message) else { continue };
            let run = &mut self.tasks[task.index()];
            if run.post.is_some() {
                let what = || format!("message {} was posted before", message.0);
                sink.report(&codes::DUPLICATE_POST, line(op.line), what);
                continue;
            }
            if op.id > run.call {
                let what = || format!("message {} was called by operation {}", message.0, run.call);
                sink.report(&codes::POST_AFTER_CALL, line(op.line), what);
            }
            run.post = Some(op.id);
            run.delay = delay;
        }
        for op in &log.operations {
            let OpKind::Call { message } = op.kind else { continue };
            let run = &self.tasks[self.by_message[&message].index()];
            if run.call == op.id && run.post.is_none() {
                let what = || format!("message {} was never posted", message.0);
                sink.report(&codes::CALL_WITHOUT_POST, line(op.line), what);
            }
        }
    }

    fn run(&self, message: MessageId) -> Option<(TaskId, &Run)> {
        let task = *self.by_message.get(&message)?;
        Some((task, &self.tasks[task.index()]))
    }
}

/// Returns the numbers of the ENABLE-EVENTs that enable something.
fn find_used_enables(log: &AbcLog) -> HashSet<u64> {
    let mut latest: HashMap<(Hash, u32), u64> = HashMap::new();
    let mut used = HashSet::new();
    for op in &log.operations {
        match op.kind {
            OpKind::EnableEvent { view, event } => {
                latest.insert((view, event), op.id);
            }
            OpKind::TriggerEvent { view, event } => used.extend(latest.get(&(view, event))),
            _ => {}
        }
    }
    used
}

struct Assembly<'a, 'r> {
    runs: &'r Runs,
    sink: &'r mut Sink,
    ops: Vec<Operation>,
    log_ops: Vec<&'a LogOp>,
    tasks: Vec<Task>,
    running: HashMap<ThreadId, TaskId>,
    queues: HashMap<Hash, ThreadId>,
}

impl<'a, 'r> Assembly<'a, 'r> {
    fn new(runs: &'r Runs, sink: &'r mut Sink) -> Self {
        let unplaced = |run: &Run| Task {
            thread: run.thread,
            post: None,
            call: OpId(u32::MAX),
            ret: None,
            delay: run.delay,
            is_queued: true,
        };
        Self {
            runs,
            sink,
            ops: Vec::new(),
            log_ops: Vec::new(),
            tasks: runs.tasks.iter().map(unplaced).collect(),
            running: HashMap::new(),
            queues: HashMap::new(),
        }
    }

    fn operation(&mut self, op: &'a LogOp) {
        match op.kind {
            OpKind::Post { message, .. } => {
                let posted = self.runs.run(message).filter(|(_, run)| run.post == Some(op.id));
                if let Some((task, _)) = posted {
                    self.tasks[task.index()].post =
                        Some(self.push(op, op.thread, Role::Post(task)));
                }
            }
            OpKind::Call { message } => self.call(op, message),
            OpKind::Ret { message } => {
                let ended = self.runs.run(message).filter(|(_, run)| run.ret == Some(op.id));
                if let Some((task, run)) = ended {
                    self.tasks[task.index()].ret = Some(self.push(op, op.thread, Role::Ret(task)));
                    self.running.remove(&run.thread);
                }
            }
            OpKind::AddIdleHandler { queue, .. } | OpKind::RemoveIdleHandler { queue, .. } => {
                let Some(&thread) = self.queues.get(&queue) else {
                    let what = || format!("no thread attached queue {}", queue.0);
                    return self.sink.report(&codes::UNKNOWN_QUEUE, line(op.line), what);
                };
                self.push(op, Some(thread), Role::Other);
            }
            kind => {
                if let (OpKind::AttachQ { queue }, Some(thread)) = (kind, op.thread) {
                    self.queues.insert(queue, thread);
                }
                self.push(op, op.thread, role(kind));
            }
        }
    }

    /// Handles a CALL. A CALL of a message that was called before begins nothing, but ends the
    /// running task.
    fn call(&mut self, op: &'a LogOp, message: MessageId) {
        let Some((task, run)) = self.runs.run(message) else { return };
        if run.call != op.id {
            op.thread.and_then(|thread| self.running.remove(&thread));
            return;
        }
        self.running.insert(run.thread, task);
        self.tasks[task.index()].call = self.push(op, op.thread, Role::Call(task));
    }

    fn push(&mut self, op: &'a LogOp, thread: Option<ThreadId>, role: Role) -> OpId {
        let id = OpId(self.ops.len() as u32);
        let running = thread.and_then(|thread| self.running.get(&thread).copied());
        let task = running.filter(|_| may_have_task(op.kind));
        self.ops.push(Operation { source: op.id, thread, task, role });
        self.log_ops.push(op);
        id
    }

    fn finish(self) -> Assembled<'a> {
        Assembled { ops: self.ops, log_ops: self.log_ops, tasks: self.tasks }
    }
}

fn may_have_task(kind: OpKind) -> bool {
    !matches!(
        kind,
        OpKind::Start
            | OpKind::ThreadInit
            | OpKind::ThreadExit
            | OpKind::AttachQ { .. }
            | OpKind::Loop { .. }
            | OpKind::NativeEntry
            | OpKind::NativeExit
            | OpKind::RemoveIdleHandler { .. }
    )
}

/// Returns the role of an operation that does not concern a message.
fn role(kind: OpKind) -> Role {
    match kind {
        OpKind::TriggerEvent { .. }
        | OpKind::TriggerFocus { .. }
        | OpKind::TriggerLifecycle { .. }
        | OpKind::TriggerBroadcast { state: BroadcastState::OnReceive, .. } => Role::Trigger,
        OpKind::TriggerService { state, .. } if !state.is_request() => Role::Trigger,
        OpKind::QueueIdle { .. } => Role::IdleTrigger,
        _ => Role::Other,
    }
}
