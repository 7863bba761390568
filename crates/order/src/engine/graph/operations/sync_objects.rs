//! Handles, callbacks and locks: the nodes that later operations on the same object follow.

use std::collections::HashMap;

use trace::{Id, LockId, NameTables, Op, ThreadId};

use super::accumulator::{Accumulators, ListId};
use super::nodes::NodeId;
use super::plan::Plan;
use crate::rule::Rule;

/// The nodes of one callback, by what they do to it.
#[derive(Clone, Copy, Default)]
struct CallbackLists {
    registers: ListId,
    invokes: ListId,
    sync_invokes: ListId,
}

/// A list of nodes that an operation follows, and the rule by which it does, if that is on.
pub(crate) type Followed = (ListId, Option<&'static Rule>);

/// The state of all handles, callbacks and locks of a sweep.
pub(crate) struct SyncObjects {
    /// The notifications of each handle.
    handles: Vec<ListId>,
    callbacks: Vec<CallbackLists>,
    /// The outermost releases of each lock.
    locks: Vec<ListId>,
    /// How often a thread holds a lock.
    held: HashMap<(ThreadId, LockId), usize>,
}

impl SyncObjects {
    pub(crate) fn new(names: &NameTables) -> Self {
        Self {
            handles: vec![ListId::default(); names.handles.len()],
            callbacks: vec![CallbackLists::default(); names.callbacks.len()],
            locks: vec![ListId::default(); names.locks.len()],
            held: HashMap::new(),
        }
    }

    /// Adds the node of an operation on a handle or callback to the lists of that object.
    pub(crate) fn add(&mut self, lists: &mut Accumulators, op: Op, node: NodeId) {
        match op {
            Op::Notify(handle) => lists.add(&mut self.handles[handle.index()], node),
            Op::Register(callback) => {
                lists.add(&mut self.callbacks[callback.index()].registers, node);
            }
            Op::Invoke { callback, sync } => {
                let of_callback = &mut self.callbacks[callback.index()];
                lists.add(&mut of_callback.invokes, node);
                if sync {
                    lists.add(&mut of_callback.sync_invokes, node);
                }
            }
            _ => {}
        }
    }

    /// Returns the lists that an operation on a handle or callback follows.
    pub(crate) fn followed_by(&self, op: Op, plan: &Plan) -> [Followed; 2] {
        let nothing = (ListId::default(), None);
        match op {
            Op::Wait(handle) => [(self.handles[handle.index()], plan.notify_wait), nothing],
            Op::Invoke { callback, sync } => {
                let lists = self.callbacks[callback.index()];
                let invoked = plan.invoke_invoke.filter(|_| sync);
                [(lists.registers, plan.register_invoke), (lists.sync_invokes, invoked)]
            }
            Op::Unregister(callback) => {
                let lists = self.callbacks[callback.index()];
                [
                    (lists.registers, plan.register_unregister),
                    (lists.invokes, plan.invoke_unregister),
                ]
            }
            _ => [nothing; 2],
        }
    }

    /// Acquires a lock, and returns the releases that precede this if it is the outermost acquire.
    pub(crate) fn acquire(&mut self, thread: ThreadId, lock: LockId) -> Option<ListId> {
        let depth = self.held.entry((thread, lock)).or_default();
        *depth += 1;
        (*depth == 1).then(|| self.locks[lock.index()])
    }

    /// Releases a lock, and returns the list of its releases if this is the outermost one.
    pub(crate) fn release(&mut self, thread: ThreadId, lock: LockId) -> Option<&mut ListId> {
        let depth = self.held.get_mut(&(thread, lock))?;
        *depth -= 1;
        if *depth > 0 {
            return None;
        }
        self.held.remove(&(thread, lock));
        Some(&mut self.locks[lock.index()])
    }
}
