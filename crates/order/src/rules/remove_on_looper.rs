//! A removal on another thread may fall between dequeue and dispatch. Refines MSG-REMOVE.

use crate::engine::graph::Mechanism;
use crate::misses::never;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "REMOVE-ON-LOOPER",
    reference: "Interloper, observed on Android 6 to 14",
    logic: "in MSG-REMOVE: remove(m) runs on the thread that owns m's Looper",
    speculative: false,
    page: include_str!("../../../../docs/rules/remove-on-looper.md"),
    misses: never,
    derive: Derive::Refinement(Mechanism::RemoveOnLooper),
};
