//! What replays could not turn round is ordered. Stated by `arc M N by=learned`.
//!
//! Off by default: that some replays failed to reverse two events is evidence, not a guarantee.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "LEARNED",
    reference: "replays of the recorded page (docs/replay.md)",
    logic: "arc(t, u, learned), end(t) < begin(u) ⊢ t ≼ u",
    speculative: true,
    page: include_str!("../../../../docs/rules/learned.md"),
    misses: |p| p.stated(Stated::Learned),
    derive: Derive::Events(|facts, out| stated::by(facts, b"learned", out)),
};
