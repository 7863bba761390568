//! Converts any trace to an execution of the tool: its operations, and the base edges that they
//! imply.
//!
//! The rules are those of [`crate::env`] for threads, queues, tasks, locks and events. Operations
//! that are specific to traces are read as follows.
//!
//! - A task is an event, and its operations are the event's, except the init, exit, attach and loop
//!   of a thread. A post after its task began orders nothing.
//! - A post to the front or for a point in time takes no part in FIFO. A post of any other kind has
//!   the delay that it states, or none.
//! - NOTIFY and WAIT refer to a handle: a notify precedes the next wait. An exit precedes the joins
//!   of its thread.
//! - Only the outermost entrance of a lock counts, as in the tool's logs.
//! - The latest enable of the same environment event enables a trigger.
//! - Any other operation follows program order and implies nothing more.
//!
//! The time is linear in the trace, except for the closure.

use hashbrown::HashMap;
use trace::{EventId, Id, LockId, Op, Posting, ThreadId, Trace};

use crate::base::{Base, OpId, Operation, Role, Task, TaskId};
use crate::env::locks::Locks;
use crate::execution::Execution;
use crate::log::{Names, ObjectId};
use crate::memory::{Location, Memory, MemoryAccess, Owner};
use crate::rules::{Rule, RuleSet};

/// Returns the execution that `trace` records, under `rules`.
pub fn execution(trace: &Trace, rules: RuleSet) -> Execution {
    let tasks = Tasks::new(trace);
    let ops = trace.ops().map(|op| tasks.operation(trace, op)).collect();
    let mut walk = Walk {
        trace,
        base: Base::new(rules, ops, tasks.tasks),
        threads: vec![ThreadState::default(); trace.names().threads.len()],
        notifies: vec![Vec::new(); trace.names().handles.len()],
        enables: vec![None; trace.names().environment.len()],
        held: HashMap::new(),
        locks: Locks::default(),
    };
    for op in trace.ops() {
        walk.apply(op);
    }
    let base = walk.base;
    let (memory, names) = memory(trace);
    let ops = trace.ops().map(same).collect();
    let accesses = trace.ops().filter(|&op| trace.op(op).access().is_some());
    let accesses = accesses.map(|op| (u64::from(op.0), op)).collect();
    Execution::new(base, memory, names, ops, accesses)
}

/// Returns the operation of the base for an operation of the trace, which has the same index.
fn same(op: trace::OpId) -> OpId {
    OpId(op.0)
}

fn thread(id: ThreadId) -> crate::base::ThreadId {
    crate::base::ThreadId(id.0)
}

/// The events that ran, as tasks in the order in which they began.
struct Tasks {
    tasks: Vec<Task>,
    of_event: Vec<Option<TaskId>>,
}

impl Tasks {
    fn new(trace: &Trace) -> Self {
        let mut begun: Vec<(trace::OpId, EventId)> =
            trace.events().filter_map(|(id, event)| Some((event.begin?, id))).collect();
        begun.sort_unstable();
        let mut of_event = vec![None; trace.names().events.len()];
        let mut tasks = Vec::with_capacity(begun.len());
        for (begin, event) in begun {
            of_event[event.index()] = Some(TaskId(tasks.len() as u32));
            let row = trace.event(event);
            let posting = trace.posting_of(event).map(|enqueue| enqueue.posting);
            tasks.push(Task {
                thread: thread(trace.thread_of(begin)),
                post: row.enqueue.map(same),
                call: same(begin),
                ret: row.end.map(same),
                delay: match posting {
                    Some(Posting::Delayed(delay)) => delay.max(0).cast_unsigned(),
                    _ => 0,
                },
                is_queued: !matches!(posting, Some(Posting::Front | Posting::AtTime(_))),
            });
        }
        Self { tasks, of_event }
    }

    fn operation(&self, trace: &Trace, id: trace::OpId) -> Operation {
        let op = trace.op(id);
        let own = |event: EventId, is_own: fn(&Task, OpId) -> bool, role: fn(TaskId) -> Role| {
            let task = self.of_event[event.index()];
            let task = task.filter(|task| is_own(&self.tasks[task.index()], same(id)));
            task.map_or(Role::Other, role)
        };
        let role = match op {
            Op::Enqueue(e) => own(e.event, |task, op| task.post == Some(op), Role::Post),
            Op::Begin(event) => own(event, |task, op| task.call == op, Role::Call),
            Op::End(event) => own(event, |task, op| task.ret == Some(op), Role::Ret),
            Op::Trigger(_) => Role::Trigger,
            _ => Role::Other,
        };
        let of_thread = matches!(op, Op::Init | Op::Exit | Op::Attach(_) | Op::Loop(_));
        let event = trace.event_of(id).filter(|_| !of_thread);
        Operation {
            source: trace.attributes(id).source_id.unwrap_or(u64::from(id.0)),
            thread: Some(thread(trace.thread_of(id))),
            task: event.and_then(|event| self.of_event[event.index()]),
            role,
        }
    }
}

#[derive(Clone, Default)]
struct ThreadState {
    previous: Option<OpId>,
    attach: Option<OpId>,
    looping: Option<OpId>,
    fork: Option<OpId>,
    exit: Option<OpId>,
}

struct Walk<'a> {
    trace: &'a Trace,
    base: Base,
    threads: Vec<ThreadState>,
    notifies: Vec<Vec<OpId>>,
    enables: Vec<Option<OpId>>,
    /// The number of times that each thread has entered each lock it holds.
    held: HashMap<(ThreadId, LockId), u32>,
    locks: Locks,
}

impl Walk<'_> {
    fn apply(&mut self, id: trace::OpId) {
        let (op, thread) = (self.trace.op(id), self.trace.thread_of(id));
        let id = same(id);
        self.program_order(id, thread, op);
        match op {
            Op::Fork(child) => self.threads[child.index()].fork = Some(id),
            Op::Exit => self.threads[thread.index()].exit = Some(id),
            Op::Init => self.edge(self.threads[thread.index()].fork, id, Rule::Fork),
            Op::Join(child) => self.edge(self.threads[child.index()].exit, id, Rule::Join),
            Op::Notify(handle) => self.notifies[handle.index()].push(id),
            Op::Wait(handle) => {
                for notify in std::mem::take(&mut self.notifies[handle.index()]) {
                    self.base.edge(notify, id, Rule::Notify);
                }
            }
            Op::Attach(_) => self.threads[thread.index()].attach = Some(id),
            Op::Loop(_) => {
                self.edge(self.threads[thread.index()].attach, id, Rule::Attach);
                self.threads[thread.index()].looping = Some(id);
            }
            Op::Enqueue(_)
                if matches!(self.base.op(id).role, Role::Post(_))
                    && self.base.op(id).task.is_none() =>
            {
                self.edge(self.threads[thread.index()].attach, id, Rule::Attach);
            }
            Op::Begin(_) => self.begin(id, thread),
            Op::Lock(lock) => self.lock(id, thread, lock),
            Op::Unlock(lock) => self.unlock(id, thread, lock),
            Op::Enable(event) => self.enables[event.index()] = Some(id),
            Op::Trigger(event) => {
                if let Some(enable) = self.enables[event.index()] {
                    self.base.enable(enable, id, Rule::EnableEvent);
                }
            }
            _ => {}
        }
    }

    fn edge(&mut self, from: Option<OpId>, to: OpId, rule: Rule) {
        if let Some(from) = from {
            self.base.edge(from, to, rule);
        }
    }

    fn program_order(&mut self, id: OpId, thread: ThreadId, op: Op) {
        let role = self.base.op(id).role;
        let begins = op == Op::Init || matches!(role, Role::Call(_));
        let previous = self.threads[thread.index()].previous.filter(|_| !begins);
        self.edge(previous, id, Rule::ProgramOrder);
        let ends = matches!(op, Op::Loop(_)) || matches!(role, Role::Ret(_));
        self.threads[thread.index()].previous = (!ends).then_some(id);
    }

    fn begin(&mut self, id: OpId, thread: ThreadId) {
        let Role::Call(task) = self.base.op(id).role else { return };
        self.edge(self.threads[thread.index()].looping, id, Rule::Loop);
        let Some(post) = self.base.task(task).post.filter(|&post| post < id) else { return };
        self.base.edge(post, id, Rule::Post);
        let on_same_thread = self.base.op(post).thread == self.base.op(id).thread;
        self.edge(self.base.ret_of(post).filter(|_| on_same_thread), id, Rule::Parent);
    }

    fn lock(&mut self, id: OpId, thread: ThreadId, lock: LockId) {
        let entered = self.held.entry((thread, lock)).or_default();
        *entered += 1;
        if *entered == 1 {
            self.locks.lock(&mut self.base, id, ObjectId(u64::from(lock.0)));
        }
    }

    fn unlock(&mut self, id: OpId, thread: ThreadId, lock: LockId) {
        let Some(entered) = self.held.get_mut(&(thread, lock)).filter(|n| **n > 0) else { return };
        *entered -= 1;
        if *entered == 0 {
            self.locks.unlock(&mut self.base, id, ObjectId(u64::from(lock.0)));
        }
    }
}

/// Returns the locations of `trace` in the order of their ids. The class of an access is its
/// location's name, and so never a widget's.
fn memory(trace: &Trace) -> (Memory, Names) {
    let mut names = Names::default();
    let locations = &trace.names().locations;
    let mut all: Vec<Location> = locations
        .ids()
        .map(|id| Location {
            owner: Owner::Class(names.intern(locations.get(id))),
            field: 0,
            reads: Vec::new(),
            writes: Vec::new(),
        })
        .collect();
    for op in trace.ops() {
        let Some((location, is_write)) = trace.op(op).access() else { continue };
        let location = &mut all[location.index()];
        let Owner::Class(class) = location.owner else { continue };
        let (id, thread) = (u64::from(op.0), thread(trace.thread_of(op)));
        let list = if is_write { &mut location.writes } else { &mut location.reads };
        list.push(MemoryAccess { id, set: id, op: same(op), thread, is_write, class });
    }
    (Memory::new(all), names)
}
