//! The oracle: the least fixpoint of the rules, as written.
//!
//! Every rule concludes α ≺ β only for α < β, so the trace order is a topological order and one
//! sweep closes a set of conclusions transitively. Rules whose premises mention ≺ are applied to
//! the closed relation, and the sweep repeats until a round concludes nothing new.
//!
//! Cost: n²/8 bytes for n operations, and for each round O(conclusions · n/64) for the sweep plus
//! whatever the rules take, O(events²) for the queue rules. Meant for traces of up to some ten
//! thousand operations, and as the definition that faster engines are held against.

use std::sync::Arc;

use ::droidracer::execution::Execution;
use trace::{Id, OpId, Trace};

use crate::engine::droidracer;
use crate::engine::events::EventClosure;
use crate::facts::Facts;
use crate::matrix::Matrix;
use crate::model::{self, RuleSet};
use crate::rule::{Conclusions, Derive, Premises, Rule};

/// The order of operations known so far.
pub(crate) struct Known(Matrix);

impl Known {
    pub(crate) fn before(&self, a: OpId, b: OpId) -> bool {
        self.0.get(a.index(), b.index())
    }
}

/// A conclusion α ≺ β of one rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) from: OpId,
    pub(crate) to: OpId,
    pub(crate) rule: &'static Rule,
}

/// The closed relation of a trace under a model, with the conclusions it was closed from.
#[derive(Clone)]
pub struct Oracle<'t> {
    pub(crate) trace: &'t Trace,
    pub(crate) closure: Arc<Closure>,
    counters: Arc<[(&'static Rule, usize)]>,
    rounds: usize,
}

pub(crate) enum Closure {
    Operations {
        known: Known,
        /// The conclusions, sorted by target, and for one target in the order in which they were
        /// made.
        edges: Vec<Edge>,
    },
    Events(EventClosure),
    DroidRacer(Box<Execution>),
}

impl<'t> Oracle<'t> {
    /// How many bytes the relation of `trace` takes under `rules`.
    pub fn bytes_needed(trace: &Trace, rules: &RuleSet) -> usize {
        match rules.model().closure {
            model::Closure::Operations => Matrix::bytes(trace.len()),
            model::Closure::Events => Matrix::bytes(trace.names().events.len()),
            model::Closure::DroidRacer => Execution::bytes_needed(trace.len()),
        }
    }

    /// Closes `trace` under `rules`.
    pub fn new(trace: &'t Trace, rules: &RuleSet) -> Self {
        if rules.model().closure == model::Closure::DroidRacer {
            return Self::of_execution(
                trace,
                ::droidracer::generic::execution(trace, droidracer::rules(rules)),
            );
        }
        let facts = Facts::new(trace);
        if rules.model().orders_events() {
            let (closure, counters, rounds) = EventClosure::new(&facts, rules);
            return Self::closed(trace, Closure::Events(closure), counters, rounds);
        }
        let mut counters: Vec<_> = rules.iter().map(|r| (r, 0)).collect();
        let mut known = Known(Matrix::new(trace.len()));
        let mut edges: Vec<Edge> = Vec::new();
        let mut rounds = 0;
        loop {
            let premises = Premises { facts: &facts, known: &known, rules };
            let news = conclude(&premises, &mut counters);
            if news.is_empty() {
                break;
            }
            edges.extend(news);
            edges.sort_by_key(|e| e.to);
            for edge in &edges {
                known.0.join(edge.from.index(), edge.to.index());
            }
            rounds += 1;
        }
        Self::closed(trace, Closure::Operations { known, edges }, counters, rounds)
    }

    /// The order of `trace` that DroidRacer closed, as `execution` states it.
    pub fn of_execution(trace: &'t Trace, execution: Execution) -> Self {
        let counters = droidracer::counters(&execution);
        Self::closed(trace, Closure::DroidRacer(Box::new(execution)), counters, 1)
    }

    fn closed(
        trace: &'t Trace,
        closure: Closure,
        counters: Vec<(&'static Rule, usize)>,
        rounds: usize,
    ) -> Self {
        Self { trace, closure: Arc::new(closure), counters: counters.into(), rounds }
    }

    /// Returns DroidRacer's execution, if the model is that tool's.
    pub fn execution(&self) -> Option<&Execution> {
        match &*self.closure {
            Closure::DroidRacer(execution) => Some(execution),
            _ => None,
        }
    }

    /// Returns the order without its trace.
    pub(crate) fn detached(self) -> DetachedOracle {
        let Self { closure, counters, rounds, .. } = self;
        DetachedOracle { closure, counters, rounds }
    }

    /// How many conclusions each rule contributed that nothing before it implied.
    pub fn counters(&self) -> &[(&'static Rule, usize)] {
        &self.counters
    }

    /// How many rounds the fixpoint took.
    pub fn rounds(&self) -> usize {
        self.rounds
    }
}

/// An oracle without its trace.
#[derive(Clone)]
pub(crate) struct DetachedOracle {
    closure: Arc<Closure>,
    counters: Arc<[(&'static Rule, usize)]>,
    rounds: usize,
}

impl DetachedOracle {
    /// The oracle over a trace that equals the one it was detached from.
    pub(crate) fn over(self, trace: &Trace) -> Oracle<'_> {
        Oracle { trace, closure: self.closure, counters: self.counters, rounds: self.rounds }
    }
}

/// Applies every rule once. Returns the conclusions that are new.
fn conclude(premises: &Premises<'_>, counters: &mut [(&'static Rule, usize)]) -> Vec<Edge> {
    let mut news = Vec::new();
    for (rule, count) in counters {
        let Derive::Operations(derive, _) = rule.derive else { continue };
        let mut out = Conclusions::default();
        derive(premises, &mut out);
        out.edges.retain(|&(a, b)| !premises.before(a, b));
        *count += out.edges.len();
        news.extend(out.edges.into_iter().map(|(from, to)| Edge { from, to, rule }));
    }
    news
}
