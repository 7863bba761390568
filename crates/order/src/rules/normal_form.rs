//! How Android interprets a post: a post for time 0 goes to the front, a negative delay is
//! no delay. Refines every rule that looks at delays and times (see [`super::posting`]).

use crate::engine::graph::Mechanism;
use crate::misses::never;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "NORMAL-FORM",
    reference: "Interloper, observed on Android 6 to 14",
    logic: "time = 0 is Front; a negative delay is 0",
    speculative: false,
    page: include_str!("../../../../docs/rules/normal-form.md"),
    misses: never,
    derive: Derive::Refinement(Mechanism::NormalForm),
};
