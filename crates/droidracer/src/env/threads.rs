//! The rules of threads, queues and tasks.
//!
//! **Program order.** prev → o, unless o is THREADINIT, CALL or NATIVE-ENTRY, which begin a
//! segment. RET, LOOP and NATIVE-EXIT end a segment. Program order therefore does not order the
//! tasks of a thread, nor its native segments. INSTANCE-INTENT and `REMOVE_IDLE_HANDLER` are
//! bookkeeping: they get no edge and do not become prev.
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
    pub(super) fn apply(&mut self, base: &mut Base, id: OpId, kind: OpKind) {
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

    /// Returns the LOOP of the thread of `id`.
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

#[cfg(test)]
mod tests {
    use super::super::testing::edges;
    use crate::rules::Rule;

    const LOG: &str = "1 START\n2 THREADINIT tid:1\n3 FORK par-tid:1 child-tid:2\n4 THREADINIT tid:2\n\
        5 ATTACH-Q tid:1 queue:9\n6 POST src:1 msg:1 dest:-1 delay:0\n7 LOOP tid:1 queue:9\n\
        8 POST src:2 msg:2 dest:-1 delay:0\n9 CALL tid:1 msg:1\n10 POST src:1 msg:3 dest:-1 delay:5\n\
        11 INSTANCE-INTENT tid:1 instance:4 intentId:5\n12 RET tid:1 msg:1\n13 CALL tid:1 msg:2\n\
        14 RET tid:1 msg:2\n15 CALL tid:1 msg:3\n16 RET tid:1 msg:3\n\
        17 NATIVE-ENTRY tid:3thread-name:B\n18 NOTIFY tid:3 notifiedTid:2\n\
        19 NATIVE-EXIT tid:3thread-name:B\n20 NATIVE-ENTRY tid:3thread-name:B\n\
        21 NOTIFY tid:3 notifiedTid:1\n22 NATIVE-EXIT tid:3thread-name:B\n23 WAIT tid:2\n\
        24 WAIT tid:2\n25 POST src:1 msg:99 dest:-1 delay:0\n";

    #[test]
    fn program_order_stays_within_segments() {
        let expected = [
            (2, 3),
            (3, 5),
            (4, 8),
            (5, 6),
            (6, 7),
            (8, 23),
            (9, 10),
            (10, 12),
            (13, 14),
            (15, 16),
            (17, 18),
            (18, 19),
            (20, 21),
            (21, 22),
            (23, 24),
        ];
        assert_eq!(edges(Rule::ProgramOrder, LOG), expected);
    }

    #[test]
    fn threads_begin_after_the_process_and_their_fork() {
        assert_eq!(edges(Rule::Start, LOG), [(1, 2), (1, 4), (1, 17), (1, 20)]);
        assert_eq!(edges(Rule::Fork, LOG), [(3, 4)]);
    }

    #[test]
    fn a_notify_reaches_one_wait_of_the_notified_thread() {
        assert_eq!(edges(Rule::Notify, LOG), [(18, 23)]);
    }

    #[test]
    fn the_queue_is_attached_before_posts_outside_tasks() {
        let plain = LOG.replace("6 POST src:1", "6 POST src:2");
        let attached = "1 ATTACH-Q tid:1 queue:9\n2 WAIT tid:1\n3 POST src:1 msg:1 dest:-1 delay:0\n\
            4 LOOP tid:1 queue:9\n5 CALL tid:1 msg:1\n6 POST src:1 msg:2 dest:-1 delay:0\n\
            7 RET tid:1 msg:1\n8 CALL tid:1 msg:2\n9 RET tid:1 msg:2\n";
        assert_eq!(edges(Rule::Attach, attached), [(1, 3), (1, 4)]);
        assert_eq!(edges(Rule::Attach, &plain), [(5, 7)]);
    }

    #[test]
    fn a_task_follows_its_post_the_loop_and_a_parent_of_the_same_thread() {
        assert_eq!(edges(Rule::Post, LOG), [(6, 9), (8, 13), (10, 15)]);
        assert_eq!(edges(Rule::Loop, LOG), [(7, 9), (7, 13), (7, 15)]);
        assert_eq!(edges(Rule::Parent, LOG), [(12, 15)]);
    }
}
