//! A step of a test that waits comes after the event that made its condition true. Stated by `arc M N by=wait`. A
//! recorder states it only for an event before which the condition was false: a wait whose condition was true from
//! the start waits for nothing.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "TEST-WAIT",
    reference: "retrying assertions and actions of a test (docs/flaky-tests.md)",
    logic: "arc(t, u, wait), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/test-wait.md"),
    misses: |p| p.stated(Stated::Wait),
    derive: Derive::Events(|facts, out| stated::by(facts, b"wait", out)),
};
