//! Queues that keep order: TIMER-ORDER, FRAME-ORDER, IDLE-ORDER.

use trace::{Enqueue, Id, OpId, Posting};

use super::events::{Sources, Sweep};
use crate::facts::{Dispatched, Facts};
use crate::model::RuleSet;
use crate::rule::Rule;
use crate::rules;

/// The messages of queues that keep order, as they begin.
pub(super) struct Queued {
    begun: Vec<Vec<(Dispatched, OpId, Enqueue)>>,
    attached: Vec<bool>,
    rules: [Option<&'static Rule>; 3],
    within_events: bool,
}

impl Queued {
    /// None if no rule is on.
    pub(super) fn new(facts: &Facts<'_>, on: &RuleSet) -> Option<Self> {
        let rules = [&rules::TIMER_ORDER, &rules::FRAME_ORDER, &rules::IDLE_ORDER]
            .map(|rule| on.contains(rule).then_some(rule));
        if rules.iter().all(Option::is_none) {
            return None;
        }
        let begun = vec![Vec::new(); facts.by_looper.len()];
        let attached = facts.by_looper.iter().map(|events| !events.is_empty()).collect();
        Some(Self { begun, attached, rules, within_events: on.contains(&rules::EVENT_ORDER) })
    }

    fn rule(&self, eta: Posting, gamma: Posting) -> Option<&'static Rule> {
        match (eta, gamma) {
            (Posting::Delayed(first), Posting::Delayed(second))
                if first.max(0) <= second.max(0) =>
            {
                self.rules[0]
            }
            (Posting::Display, Posting::Display) => self.rules[1],
            (Posting::Idle, Posting::Idle) => self.rules[2],
            _ => None,
        }
    }

    pub(super) fn tell(
        &mut self,
        sweep: &mut Sweep<'_>,
        sources: &mut Sources,
        event: &Dispatched,
    ) {
        let Some((gamma, enqueue)) = event.posted else { return };
        let queue = enqueue.queue.index();
        if !self.attached[queue] {
            return;
        }
        if let Some(poster) = sweep.trace.event_of(gamma).filter(|_| gamma < event.begin) {
            for (m, eta, first) in self.begun[queue].iter().rev() {
                let Some(from) = sweep.trace.event_of(*eta) else { continue };
                let ordered = *eta < gamma
                    && if from == poster {
                        self.within_events
                    } else {
                        sweep.closed.before(from, poster)
                    };
                if let Some(rule) = self.rule(first.posting, enqueue.posting)
                    && ordered
                    && m.end.is_some_and(|end| end < event.begin)
                    && !sweep.knows(sources, m.event)
                {
                    sweep.learn(sources, event, m.event, rule);
                }
            }
        }
        self.begun[queue].push((*event, gamma, enqueue));
    }
}
