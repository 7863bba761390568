//! Idle handlers, by idler and queue.
//!
//! A handler runs in a task of its own that the log makes up. `ADD_IDLE_HANDLER` precedes the post
//! of that task, and so does the end of the task that added it, if of the same thread, and the end
//! of the task the registration ran in before. Whatever ran it, the loop precedes both.
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
