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
    /// A microtask follows the parts of tasks whose causes all precede its own.
    Microtasks,
    /// What is no microtask follows the parts of tasks whose causes all precede it.
    Checkpoint,
    /// What ended below the floor of a window precedes what begins.
    Window,
}

/// For every mechanism the rules that use it, of those that are on.
pub(super) struct EventPlan {
    /// Whether the operations of one event are ordered.
    pub(super) within_events: bool,
    pub(super) microtasks: Option<&'static Rule>,
    pub(super) checkpoint: Option<&'static Rule>,
    pub(super) queue_orders: Vec<(&'static Rule, Delay)>,
    /// The length of the window in nanoseconds.
    pub(super) window: Option<u64>,
}

impl EventPlan {
    pub(super) fn new(on: &RuleSet) -> Self {
        let mut plan = Self {
            within_events: on.contains(&rules::EVENT_ORDER),
            microtasks: None,
            checkpoint: None,
            queue_orders: Vec::new(),
            window: on.window(),
        };
        for rule in on.iter() {
            let Derive::EventsInOrder(_, mechanism) = rule.derive else { continue };
            match mechanism {
                EventMechanism::QueueOrder(delay) => plan.queue_orders.push((rule, delay)),
                EventMechanism::Microtasks => plan.microtasks = Some(rule),
                EventMechanism::Checkpoint => plan.checkpoint = Some(rule),
                EventMechanism::Window => {}
            }
        }
        plan
    }
}
