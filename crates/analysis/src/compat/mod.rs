//! The logs of other tools, and what those tools make of them.
//!
//! A log can state more than the trace that is imported from it, so model `droidracer` is closed over
//! the log where there is one, and its races are the pairs that DroidRacer prints. EventRacer's own
//! report on one of its logs is made only on request ([`crate::Compat`]).

mod droidracer;
mod eventracer;

pub(crate) use droidracer::{check as check_droidracer, detect as droidracer_races};
pub(crate) use eventracer::EventRacer;

pub use droidracer::trailer as droidracer_trailer;

use codec::{Loaded, Origin};
use order::{Closure, Engine, Order, RuleSet};

/// The order of a trace under `rules`, by the log it was imported from where that states more.
pub fn order<'t>(engine: Engine, loaded: &'t Loaded, rules: &RuleSet) -> Order<'t> {
    let trace = &loaded.trace;
    match (&loaded.origin, rules.model().closure) {
        (Some(Origin::DroidRacer(log)), Closure::DroidRacer) => {
            let execution = log.execution(trace, order::droidracer_rules(rules));
            Order::of_execution(engine, trace, execution)
        }
        _ => Order::new(engine, trace, rules),
    }
}
