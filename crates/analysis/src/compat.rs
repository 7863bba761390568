//! The analyses of other tools, for their own logs.
//!
//! A log can state more than the trace that is imported from it. Model `droidracer` is therefore
//! closed over the log if there is one, and its races are the pairs that DroidRacer prints.
//! EventRacer's own verdicts on one of its logs are computed only on request ([`crate::Compat`]).

mod droidracer;
mod eventracer;

pub(crate) use droidracer::{check as check_droidracer, detect as droidracer_races};
pub(crate) use eventracer::EventRacer;

pub use droidracer::trailer as droidracer_trailer;

use codec::{Loaded, Origin};
use order::{Closure, Graph, Oracle, Order, RuleSet};

use crate::error::Error;
use crate::request::Engine;

/// Closes the trace under `rules`. If it was imported from a log that states more, the order is that of
/// the log. Fails for engine `stream`, which keeps no order.
pub fn order<'t>(engine: Engine, loaded: &'t Loaded, rules: &RuleSet) -> Result<Order<'t>, Error> {
    let trace = &loaded.trace;
    let execution = match (&loaded.origin, rules.model().closure) {
        (Some(Origin::DroidRacer(log)), Closure::DroidRacer) => {
            Some(log.execution(trace, order::droidracer_rules(rules)))
        }
        _ => None,
    };
    match (engine, execution) {
        (Engine::Graph, None) => Ok(Order::Graph(Graph::new(trace, rules))),
        (Engine::Graph, Some(log)) => Ok(Order::Graph(Graph::of_execution(trace, log))),
        (Engine::Oracle, None) => Ok(Order::Oracle(Oracle::new(trace, rules))),
        (Engine::Oracle, Some(log)) => Ok(Order::Oracle(Oracle::of_execution(trace, log))),
        (Engine::Stream, _) => Err(Error::NoOrder),
    }
}
