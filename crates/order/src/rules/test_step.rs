//! The steps of a test come one after the other, and an input comes after the step that gives it. Stated by
//! `arc M N by=step`.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "TEST-STEP",
    reference: "the program order of a test (docs/flaky-tests.md)",
    logic: "arc(t, u, step), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/test-step.md"),
    misses: |p| p.stated(Stated::Step),
    derive: Derive::Events(|facts, out| stated::by(facts, b"step", out)),
};
