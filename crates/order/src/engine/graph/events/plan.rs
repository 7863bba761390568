//! The mechanisms of the sweep over events, and the plan that says which of them a set of rules uses.
//!
//! A rule whose premises mention the order names its mechanism beside its definition. Rules that the
//! trace alone decides need none: both engines take their conclusions as edges.

use trace::Posting;

use crate::model::RuleSet;
use crate::rule::{Derive, Rule};
use crate::rules;

/// Returns the delay of a message posted so, if a rule orders such messages by their delays.
pub(crate) type Delay = fn(Posting) -> Option<i64>;

/// How the graph engine computes what a rule concludes about events from the order so far.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EventMechanism {
    /// An attached queue keeps the order of messages that are posted in order with delays that do not
    /// shrink.
    QueueOrder(Delay),
    /// What follows a part of a task, in another task of the thread, follows all parts of it.
    Checkpoint,
}

/// For every mechanism the rules that use it, of those that are on.
pub(super) struct EventPlan {
    /// Whether the operations of one event are ordered.
    pub(super) within_events: bool,
    /// Whether the parts of a task are ordered one after the other.
    pub(super) task_order: bool,
    pub(super) checkpoint: Option<&'static Rule>,
    pub(super) queue_orders: Vec<(&'static Rule, Delay)>,
}

impl EventPlan {
    pub(super) fn new(on: &RuleSet) -> Self {
        let mut plan = Self {
            within_events: on.contains(&rules::EVENT_ORDER),
            task_order: on.contains(&rules::TASK_ORDER),
            checkpoint: None,
            queue_orders: Vec::new(),
        };
        for rule in on.iter() {
            let Derive::EventsInOrder(_, mechanism) = rule.derive else { continue };
            match mechanism {
                EventMechanism::QueueOrder(delay) => plan.queue_orders.push((rule, delay)),
                EventMechanism::Checkpoint => plan.checkpoint = Some(rule),
            }
        }
        plan
    }
}
