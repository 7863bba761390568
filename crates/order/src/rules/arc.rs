//! A stated order of two event actions: the second waits for the first. An arc whose target begins
//! before its source ends is ignored. In model `web` an arc that says by which kind of order belongs
//! to the rule of that kind, if there is one.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "ARC",
    reference: "EventRacer, Fig. 2 and §2.3 (join)",
    logic: "arc(t, u), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/arc.md"),
    misses: |p| p.stated(Stated::Other),
    derive: Derive::Events(stated::all),
};

pub(crate) static IN_WEB: Rule = Rule { derive: Derive::Events(stated::by_others), ..RULE };
