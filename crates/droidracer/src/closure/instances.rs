//! The instances of the derived rules that follow from one pair.
//!
//! The fast closure and the explainer share this code. The slow closure has its own, as loops over
//! the definition.

use hashbrown::HashMap;

use crate::base::{Base, Delivery, OpId, Role, TaskId};
use crate::rules::Rule;

/// A base with its deliveries by cause.
pub(super) struct Instances<'a> {
    pub(super) base: &'a Base,
    by_cause: HashMap<OpId, Vec<&'a Delivery>>,
}

impl<'a> Instances<'a> {
    pub(super) fn new(base: &'a Base) -> Self {
        let mut by_cause: HashMap<OpId, Vec<&Delivery>> = HashMap::new();
        if base.rules().has(Rule::BroadcastOrder) {
            for delivery in base.deliveries() {
                by_cause.entry(delivery.cause).or_default().push(delivery);
            }
        }
        Self { base, by_cause }
    }

    /// Calls `conclude` with every pair that a R b implies by itself.
    pub(super) fn consequences(
        &self,
        a: OpId,
        b: OpId,
        mut conclude: impl FnMut(OpId, OpId, Rule),
    ) {
        match (self.base.op(a).role, self.base.op(b).role) {
            (_, Role::Call(later)) => {
                if let Some(ret) = self.interrupted(a, later) {
                    conclude(ret, b, Rule::NoPre);
                }
            }
            (Role::Post(first), Role::Post(second)) => {
                if let Some(ret) = self.overtaken(first, second) {
                    conclude(ret, self.base.task(second).call, Rule::Fifo);
                }
            }
            _ => {}
        }
        if let (Some(first), Some(second)) = (self.by_cause.get(&a), self.by_cause.get(&b)) {
            for (one, two) in first.iter().flat_map(|one| second.iter().map(move |two| (one, two)))
            {
                if one.channel != two.channel {
                    continue;
                }
                conclude(one.receive, two.receive, Rule::BroadcastOrder);
                if let (Some(from), Some(to)) = (one.post, two.post) {
                    conclude(from, to, Rule::BroadcastOrder);
                }
            }
        }
    }

    /// NOPRE: returns the end of the task of `a`, if it is another task of the thread of `later`.
    fn interrupted(&self, a: OpId, later: TaskId) -> Option<OpId> {
        let task = self.base.op(a).task.filter(|&task| task != later)?;
        let same_thread = self.base.task(task).thread == self.base.task(later).thread;
        let applies = self.base.rules().has(Rule::NoPre) && same_thread;
        self.base.task(task).ret.filter(|_| applies)
    }

    /// FIFO: returns the end of `first`, if `second` may not run before it.
    fn overtaken(&self, first: TaskId, second: TaskId) -> Option<OpId> {
        let (one, two) = (self.base.task(first), self.base.task(second));
        let applies = self.base.rules().has(Rule::Fifo)
            && first != second
            && one.thread == two.thread
            && (one.is_queued && two.is_queued)
            && one.delay <= two.delay;
        one.ret.filter(|_| applies)
    }

    /// Returns whether TRANS applies to a and c regardless of R.
    pub(super) fn is_free(&self, a: OpId, c: OpId) -> bool {
        let (a, c) = (self.base.op(a), self.base.op(c));
        a.task.is_none() || c.task.is_none() || a.thread != c.thread || a.task == c.task
    }

    /// Returns ret(task a) and call(task c). TRANS applies to a and c if these are ordered.
    pub(super) fn gate(&self, a: OpId, c: OpId) -> Option<(OpId, OpId)> {
        let ret = self.base.ret_of(a)?;
        Some((ret, self.base.task(self.base.op(c).task?).call))
    }

    /// Returns the post of the task that `c` begins, through which TRANS applies to c and any a.
    pub(super) fn post_of_call(&self, c: OpId) -> Option<OpId> {
        match self.base.op(c).role {
            Role::Call(task) => self.base.task(task).post,
            _ => None,
        }
    }
}
