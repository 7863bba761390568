//! The definitions, from scratch: happens-before as a least fixpoint, races, race coverage, labels.
//!
//! Every rule is a predicate over a pair of operations, written as in the papers' tables, and
//! shares no code with any engine: an engine is correct if it agrees with the oracle. The facts
//! that the rules presuppose (events, queue kinds, locksets) are derived again from the raw
//! operations. The code is simple and slow; a trace of 120 operations takes a few milliseconds.
//!
//! Models: `eventracer-android` (EventRacer Android, Fig. 4, Fig. 5), `android` (the same, mended),
//! `asyncclock` (AsyncClock, Fig. 3, Fig. 7), `event` (EventRacer, §2.3), `web` (the standards),
//! `droidracer` (the page of that name) and `threads` (FastTrack, §2.1). Coverage is EventRacer,
//! §3.

mod android;
mod asyncclock;
mod coverage;
mod droidracer;
mod event;
mod eventracer_android;
mod facts;
mod hints;
mod labels;
mod races;
mod relation;
mod switches;
#[cfg(test)]
mod tests;
mod threads;
mod web;

pub use coverage::Coverage;
pub use hints::Hints;
pub use labels::{Labels, Listed};
pub use races::{Race, races_all, races_candidates};
pub use relation::Relation;
pub use switches::{Model, RuleSwitches};

use facts::Facts;
use trace::{OpId, Trace};

/// Happens-before: `order.holds(α, β)` means α ≺ β.
pub type Order = Relation<OpId>;

/// A rule of a model: returns whether α ≺ β follows from `order`, which is ≺ so far. It is called
/// only for α < β.
///
/// A rule may use `order` only positively: that makes the fixpoint least and unique.
type Predicate = fn(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool;

/// A rule over operations.
struct Rule {
    name: &'static str,
    on_by_default: bool,
    concludes: Predicate,
}

/// A rule that is on unless switched off.
const fn rule(name: &'static str, concludes: Predicate) -> Rule {
    Rule { name, on_by_default: true, concludes }
}

/// A rule that is off unless switched on.
const fn optional(name: &'static str, concludes: Predicate) -> Rule {
    Rule { name, on_by_default: false, concludes }
}

/// The happens-before relation of a trace: the least transitive relation that the enabled rules of
/// the model conclude nothing new from. It lies within trace order, but for model `droidracer`,
/// which is not transitive either.
pub fn happens_before(trace: &Trace, model: Model, switches: &RuleSwitches) -> Order {
    let mut facts = Facts::of(trace);
    facts.window = switches.length().unwrap_or(facts.window);
    match model {
        Model::EventRacerAndroid => fixpoint(&facts, eventracer_android::RULES, switches),
        Model::Android => fixpoint(&facts, android::RULES, switches),
        Model::AsyncClock => fixpoint(&facts, asyncclock::RULES, switches),
        Model::Event => event::order(&facts, switches),
        Model::Web => web::order(&facts, switches),
        Model::Threads => fixpoint(&facts, threads::RULES, switches),
        Model::DroidRacer => droidracer::order(&facts, switches),
    }
}

fn fixpoint(facts: &Facts, rules: &[Rule], switches: &RuleSwitches) -> Order {
    let enabled: Vec<&Rule> =
        rules.iter().filter(|rule| switches.enabled(rule.name, rule.on_by_default)).collect();
    let mut order = Order::empty(facts.ops().len());
    loop {
        let so_far = order.clone();
        for beta in facts.ops() {
            for alpha in facts.ops().take_while(|&alpha| alpha < beta) {
                if !so_far.holds(alpha, beta)
                    && enabled.iter().any(|rule| (rule.concludes)(facts, &so_far, alpha, beta))
                {
                    order.insert(alpha, beta);
                }
            }
        }
        order.close();
        if order == so_far {
            return order;
        }
    }
}
