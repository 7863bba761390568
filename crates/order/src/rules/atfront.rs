//! An event sent to the front runs before one that is known to be still in the queue.

use crate::engine::graph::{Mechanism, Overtaken};
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Posting;

use super::posting::posted_pairs;

pub(crate) static RULE: Rule = Rule {
    name: "ATFRONT",
    reference: "AsyncClock, Fig. 7",
    logic: "send(_, q, E2) ≺ send(_, q, E1, AtFront) ≺ begin(E2) ⊢ end(E1) ≺ begin(E2)",
    speculative: false,
    page: include_str!("../../../../docs/rules/atfront.md"),
    misses: |p| p.overtaken(|_| true, false),
    derive: Derive::Operations(derive, &[Mechanism::Front(Overtaken::Any)]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for (waiting, front) in posted_pairs(p.facts) {
        if front.enqueue.posting == Posting::Front
            && p.before(waiting.op, front.op)
            && p.before(front.op, waiting.begin)
        {
            out.order_end(front.end, waiting.begin);
        }
    }
}
