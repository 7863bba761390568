//! The rules of idle handlers, which are identified by idler and queue.
//!
//! A handler runs in a task of its own, which the log makes up. Three operations precede the post
//! of that task: `ADD_IDLE_HANDLER`; the end of the task that added the handler, if it ran on the
//! same thread; and the end of the task in which the registration last ran. In any case, the loop
//! precedes the post and the run.
//!
//! The first ADD counts until a REMOVE.

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::log::Hash;
use crate::rules::Rule;

#[derive(Default)]
pub(super) struct IdleHandlers {
    handlers: HashMap<(Hash, Hash), Registration>,
}

struct Registration {
    add: OpId,
    last_run: Option<OpId>,
}

impl IdleHandlers {
    pub(super) fn add(&mut self, op: OpId, handler: (Hash, Hash)) {
        self.handlers.entry(handler).or_insert(Registration { add: op, last_run: None });
    }

    pub(super) fn remove(&mut self, handler: (Hash, Hash)) {
        self.handlers.remove(&handler);
    }

    pub(super) fn run(
        &mut self,
        base: &mut Base,
        op: OpId,
        handler: (Hash, Hash),
        looping: Option<OpId>,
    ) {
        let post = base.post_of(op);
        if let (Some(registration), Some(post)) = (self.handlers.get_mut(&handler), post) {
            base.edge(registration.add, post, Rule::Idle);
            let on_same_thread = base.op(registration.add).thread == base.op(op).thread;
            let added_by = base.ret_of(registration.add).filter(|_| on_same_thread);
            let ran_in = registration.last_run.replace(op).and_then(|run| base.ret_of(run));
            for ret in [added_by, ran_in].into_iter().flatten() {
                base.edge(ret, post, Rule::Idle);
            }
        }
        if let Some(looping) = looping {
            base.enable(looping, op, Rule::Idle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{edges, task};
    use crate::rules::Rule;

    const ADD: &str = "ADD_IDLE_HANDLER idler:4 queue:8";
    const RUN: &str = "QUEUE_IDLE tid:1 idler:4 queue:8";

    fn idle_edges(parts: &[String]) -> Vec<(u64, u64)> {
        let queue = "1 ATTACH-Q tid:1 queue:8\n2 LOOP tid:1 queue:8\n";
        edges(Rule::Idle, &(queue.to_owned() + &parts.concat()))
    }

    #[test]
    fn a_handler_runs_after_the_task_that_added_it_and_its_last_run() {
        let log = [task(10, 9, 1, &[ADD]), task(20, 1, 2, &[RUN]), task(30, 1, 3, &[RUN])];
        let from_loop = [(2, 20), (2, 22), (2, 30), (2, 32)];
        let from_add = [(12, 20), (12, 30), (13, 20), (13, 30), (23, 30)];
        assert_eq!(idle_edges(&log), [&from_loop[..], &from_add].concat());
    }

    #[test]
    fn the_first_registration_counts_until_it_is_removed() {
        let remove = || "25 REMOVE_IDLE_HANDLER idler:4 queue:8\n".to_owned();
        let adds = || task(10, 9, 1, &[ADD]) + &task(20, 9, 2, &[ADD]);
        let run = || task(30, 1, 3, &[RUN]);
        assert_eq!(idle_edges(&[adds(), run()]), [(2, 30), (2, 32), (12, 30), (13, 30)]);
        assert_eq!(idle_edges(&[adds(), remove(), run()]), [(2, 30), (2, 32)]);
    }
}
