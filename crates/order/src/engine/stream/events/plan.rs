//! Which rules are on.

use super::{NotStreamable, Word};
use crate::engine::graph::{Delay, EventMechanism};
use crate::model::RuleSet;
use crate::rule::Derive;
use crate::rules;

/// The rules of a pass over events.
#[allow(clippy::struct_excessive_bools, reason = "each is a rule")]
pub(super) struct Plan {
    pub(super) fork: bool,
    pub(super) listener: bool,
    pub(super) task_order: bool,
    pub(super) input_order: bool,
    pub(super) microtasks: bool,
    pub(super) checkpoint: bool,
    /// How each rule of queues computes the delays of the messages that it orders.
    pub(super) queue_orders: Vec<Delay>,
    /// The kinds of arcs that state an order.
    arcs: Vec<Word>,
    /// Whether arcs of kinds that no rule names state one.
    other_arcs: bool,
    /// Whether some kinds of arcs have rules of their own.
    has_kinds: bool,
}

const KINDS: [(&str, Word); 9] = [
    ("PARSER-ORDER", Word::Parser),
    ("LOAD-ORDER", Word::Load),
    ("NETWORK-ORDER", Word::Network),
    ("INTERVAL-ORDER", Word::Interval),
    ("SCRIPT-ORDER", Word::Script),
    ("TARGET-ORDER", Word::Target),
    ("TEST-STEP", Word::Step),
    ("TEST-WAIT", Word::Wait),
    ("LEARNED", Word::Learned),
];

impl Plan {
    pub(super) fn new(on: &RuleSet) -> Result<Self, NotStreamable> {
        if !on.contains(&rules::EVENT_ORDER) {
            return Err(NotStreamable::Off(rules::EVENT_ORDER.name));
        }
        let is_on = |name: &str| on.iter().any(|rule| rule.name == name);
        let arcs = KINDS.iter().filter(|(name, _)| is_on(name)).map(|&(_, word)| word).collect();
        let mut plan = Self {
            fork: on.contains(&rules::FORK_EVENT),
            listener: on.contains(&rules::LISTENER),
            task_order: on.contains(&rules::TASK_ORDER),
            input_order: on.contains(&rules::INPUT_ORDER),
            microtasks: false,
            checkpoint: false,
            queue_orders: Vec::new(),
            arcs,
            other_arcs: is_on(rules::ARC.name),
            has_kinds: on.model().has_tasks(),
        };
        for rule in on.iter() {
            let Derive::EventsInOrder(_, mechanism) = rule.derive else { continue };
            match mechanism {
                EventMechanism::QueueOrder(delay) => plan.queue_orders.push(delay),
                EventMechanism::Microtasks => plan.microtasks = true,
                EventMechanism::Checkpoint => plan.checkpoint = true,
                EventMechanism::Window => {}
            }
        }
        Ok(plan)
    }

    /// Whether arcs of a kind state an order.
    pub(super) fn states(&self, word: Word) -> bool {
        let is_kind = self.has_kinds && KINDS.iter().any(|&(_, kind)| kind == word);
        if is_kind { self.arcs.contains(&word) } else { self.other_arcs }
    }
}
