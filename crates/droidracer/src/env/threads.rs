//! Threads, queues and tasks.
//!
//! **Program order.** prev → o, unless o is THREADINIT, CALL or NATIVE-ENTRY, which begin a
//! segment; RET, LOOP and NATIVE-EXIT end one. So tasks of a thread, and native segments of a
//! thread, are not ordered by it. INSTANCE-INTENT and `REMOVE_IDLE_HANDLER` are bookkeeping: they
//! get no edge and leave prev.
//!
//! **Threads.** START → every THREADINIT and NATIVE-ENTRY; FORK → the child's THREADINIT;
//! NOTIFY → the next WAIT of the notified thread, which covers join.
//!
//! **Queues.** ATTACH-Q → LOOP, and → a POST outside tasks by a thread that has a queue.
//! LOOP → every CALL of the thread.
//!
//! **Tasks.** POST → CALL of its message; if the task that posted ran on the same thread, its
//! RET → CALL.

use hashbrown::HashMap;

use crate::base::{Base, OpId, TaskId, ThreadId};
use crate::log::OpKind;
use crate::rules::Rule;

#[derive(Default)]
pub(super) struct Threads {
    start: Option<OpId>,
    states: HashMap<ThreadId, Thread>,
}

#[derive(Default)]
struct Thread {
    previous: Option<OpId>,
    attach: Option<OpId>,
    looping: Option<OpId>,
    fork: Option<OpId>,
    notifies: Vec<OpId>,
}

impl Threads {
    pub(super) fn step(&mut self, base: &mut Base, id: OpId, kind: OpKind) {
        if kind == OpKind::Start {
            self.start.get_or_insert(id);
        }
        let Some(thread) = base.op(id).thread else { return };
        self.program_order(base, id, thread, kind);
        match kind {
            OpKind::Fork { child } => self.states.entry(child).or_default().fork = Some(id),
            OpKind::Notify { notified } => {
                self.states.entry(notified).or_default().notifies.push(id);
            }
            OpKind::ThreadInit | OpKind::NativeEntry => self.begin(base, id, thread, kind),
            _ => self.on_thread(base, id, thread, kind),
        }
    }

    fn program_order(&mut self, base: &mut Base, id: OpId, thread: ThreadId, kind: OpKind) {
        if matches!(kind, OpKind::InstanceIntent { .. } | OpKind::RemoveIdleHandler { .. }) {
            return;
        }
        let state = self.states.entry(thread).or_default();
        let begins = matches!(kind, OpKind::ThreadInit | OpKind::Call { .. } | OpKind::NativeEntry);
        if let Some(previous) = state.previous.filter(|_| !begins) {
            base.edge(previous, id, Rule::ProgramOrder);
        }
        let ends = matches!(kind, OpKind::Ret { .. } | OpKind::Loop { .. } | OpKind::NativeExit);
        state.previous = (!ends).then_some(id);
    }

    fn begin(&mut self, base: &mut Base, id: OpId, thread: ThreadId, kind: OpKind) {
        if let Some(start) = self.start {
            base.edge(start, id, Rule::Start);
        }
        let state = self.states.entry(thread).or_default();
        if let Some(fork) = state.fork.filter(|_| kind == OpKind::ThreadInit) {
            base.edge(fork, id, Rule::Fork);
        }
    }

    fn on_thread(&mut self, base: &mut Base, id: OpId, thread: ThreadId, kind: OpKind) {
        let state = self.states.entry(thread).or_default();
        match kind {
            OpKind::Wait => {
                for notify in state.notifies.drain(..) {
                    base.edge(notify, id, Rule::Notify);
                }
            }
            OpKind::AttachQ { .. } => state.attach = Some(id),
            OpKind::Loop { .. } => {
                if let Some(attach) = state.attach {
                    base.edge(attach, id, Rule::Attach);
                }
                state.looping = Some(id);
            }
            OpKind::Post { .. } if base.op(id).task.is_none() => {
                if let Some(attach) = state.attach {
                    base.edge(attach, id, Rule::Attach);
                }
            }
            OpKind::Call { .. } => {
                if let Some(looping) = state.looping {
                    base.edge(looping, id, Rule::Loop);
                }
                if let Some(task) = base.op(id).task {
                    call(base, id, task);
                }
            }
            _ => {}
        }
    }

    /// The LOOP of the thread of `id`.
    pub(super) fn loop_of(&self, base: &Base, id: OpId) -> Option<OpId> {
        self.states.get(&base.op(id).thread?)?.looping
    }
}

fn call(base: &mut Base, id: OpId, task: TaskId) {
    let Some(post) = base.task(task).post else { return };
    base.edge(post, id, Rule::Post);
    let on_same_thread = base.op(post).thread == base.op(id).thread;
    if let Some(ret) = base.ret_of(post).filter(|_| on_same_thread) {
        base.edge(ret, id, Rule::Parent);
    }
}
