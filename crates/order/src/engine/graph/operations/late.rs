//! Conclusions that a pass leaves to the next one.

use std::collections::BTreeMap;

use trace::{EventId, OpId};

use crate::rule::Rule;

/// Conclusions α ≺ begin(m) that a pass found after it had passed begin(m), by m, then α.
#[derive(Default)]
pub(crate) struct Late {
    conclusions: BTreeMap<EventId, BTreeMap<OpId, &'static Rule>>,
    /// Whether the pass has found such a conclusion.
    pub(crate) has_grown: bool,
}

impl Late {
    /// Adds op ≺ begin(event) by `rule`.
    pub(crate) fn add(&mut self, event: EventId, op: OpId, rule: &'static Rule) {
        self.conclusions.entry(event).or_default().insert(op, rule);
        self.has_grown = true;
    }

    /// Returns what earlier passes concluded about the begin of an event.
    pub(crate) fn about(&self, event: EventId) -> Vec<(OpId, &'static Rule)> {
        let known = self.conclusions.get(&event).into_iter().flatten();
        known.map(|(&op, &rule)| (op, rule)).collect()
    }
}
