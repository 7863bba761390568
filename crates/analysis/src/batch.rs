//! The analysis of a trace in memory, and the part that all passes end with: races, then verdicts.

use codec::{Format, Loaded, Origin};
use order::{Causes, Graph, HappensBefore, Model, Order, RuleSet};
use races::{PairMode, Races, fasttrack};
use trace::{EventId, LocationId, OpId, Trace};
use triage::{Lists, Triage};

use crate::compat::{self, EventRacer};
use crate::error::Error;
use crate::outcome::{Analysis, Counts};
use crate::request::{Compat, Engine, Request};
use crate::watch::{Milestone, Watcher};

/// The number of races that engine `stream` lists. The rest is only counted.
pub(crate) const LISTED: usize = 100_000;

/// Analyses a trace in memory.
pub(crate) fn analyse(
    format: Format,
    loaded: Loaded,
    request: &Request<'_>,
    watcher: &Watcher<'_>,
) -> Result<Analysis, Error> {
    let rules = request.model.rules(&loaded.trace)?;
    let engine = request.engine_for(&loaded, &rules)?;
    if engine == Engine::Stream && !rules.model().streams {
        return crate::stream::analyse_loaded(format, loaded, rules, request);
    }
    let trace = &loaded.trace;
    let counts = Counts::of(trace);
    let (judged, order) = if engine == Engine::Stream {
        let races = fasttrack::detect(trace).races(LISTED);
        let triage = unordered(trace, rules.model(), &races, request.lists);
        (Judged { races, triage, levels: None }, None)
    } else {
        if engine == Engine::Graph {
            watcher.reach(closing(trace, 0))?;
        }
        let order = compat::order(engine, &loaded, &rules)?;
        let stats = match &order {
            Order::Graph(graph) => Some(graph.stats()),
            Order::Oracle(_) => None,
        };
        watcher.reach(Milestone::Closed { stats, counters: order.counters() })?;
        let judged = judge(&loaded, &order, &rules, request, watcher)?;
        (judged, Some(order.detached()))
    };
    let Judged { races, triage, levels } = judged;
    Ok(Analysis {
        format,
        counts,
        rules,
        engine,
        races,
        triage,
        racy_locations: None,
        levels,
        loaded,
        order,
        shown: None,
    })
}

/// Returns the milestone before closing the order of a trace. `besides` is the memory in use for
/// other data, in bytes.
pub(crate) fn closing(trace: &Trace, besides: usize) -> Milestone<'static> {
    let (operations, bytes) = Graph::estimate(trace);
    Milestone::Closing { operations, bytes: bytes + besides, end: trace.end() }
}

/// The races of a trace and the verdicts on them.
pub(crate) struct Judged {
    pub(crate) races: Races,
    pub(crate) triage: Triage,
    /// See [`Analysis::levels`].
    pub(crate) levels: Option<std::collections::BTreeMap<&'static str, usize>>,
}

/// Finds and judges the races of a trace whose order is known.
pub(crate) fn judge(
    loaded: &Loaded,
    order: &Order<'_>,
    rules: &RuleSet,
    request: &Request<'_>,
    watcher: &Watcher<'_>,
) -> Result<Judged, Error> {
    let (trace, model, lists) = (&loaded.trace, rules.model(), request.lists);
    if let (Some(Origin::EventRacer(origin)), Some(Compat::EventRacer)) =
        (&loaded.origin, request.compat)
    {
        let EventRacer { races, labels, levels } = EventRacer::new(trace, origin);
        let triage = triage::rank(trace, order, model, &races, lists, labels);
        return Ok(Judged { races, triage, levels: Some(levels) });
    }
    let races = if let Some(execution) = order.execution() {
        compat::droidracer_races(trace, execution, request.pairs)
    } else {
        let mut races = races::find(trace, order, model, request.pairs);
        let causes = model.has_tasks().then(|| Causes::under(trace, rules));
        triage::cover(trace, order, model, causes.as_ref(), &mut races, lists);
        races
    };
    watcher.reach(Milestone::Detected { trace, races: &races })?;
    let triage = triage::triage(trace, order, model, &races, lists);
    watcher.reach(Milestone::Judged)?;
    Ok(Judged { races, triage, levels: None })
}

/// Finds the races of `trace` under `order`, which was closed under the rules of `model`. Under
/// model `droidracer` it finds them as that tool does. Only races on locations that `may_cover` may
/// cover others.
pub fn detect(
    trace: &Trace,
    order: &Order<'_>,
    model: &Model,
    pairs: PairMode,
    may_cover: &dyn Fn(LocationId) -> bool,
) -> Races {
    match order.execution() {
        Some(execution) => compat::droidracer_races(trace, execution, pairs),
        None => races::detect_covered_by(trace, order, model, pairs, may_cover),
    }
}

/// The order of a trace whose engine kept none. It must not be queried.
struct NotKept;

impl HappensBefore for NotKept {
    fn before(&self, _: OpId, _: OpId) -> bool {
        false
    }

    fn event_before(&self, _: EventId, _: EventId) -> bool {
        false
    }
}

/// Returns the verdicts on races that engine `stream` found. They are ranked, but not labelled,
/// because the engine keeps no order.
pub(crate) fn unordered(trace: &Trace, model: &Model, races: &Races, lists: &Lists) -> Triage {
    triage::rank_unordered(trace, &NotKept, model, races, lists)
}
