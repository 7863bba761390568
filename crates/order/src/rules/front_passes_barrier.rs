//! A front post goes ahead of a standing barrier and is never held back. Refines MSG-BEGIN-1 and
//! MSG-BEGIN-2.

use crate::engine::graph::Mechanism;
use crate::misses::never;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "FRONT-PASSES-BARRIER",
    reference: "Interloper, observed on Android 6 to 14",
    logic: "in MSG-BEGIN-1 with η Front, and in MSG-BEGIN-2: no condition on async",
    speculative: false,
    page: include_str!("../../../../docs/rules/front-passes-barrier.md"),
    misses: never,
    derive: Derive::Refinement(Mechanism::FrontPassesBarrier),
};
