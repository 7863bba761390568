//! The one pipeline: trace → order → races → triage → report.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use codec::{Completeness, Origin};
use order::{HappensBefore, Order, RuleSet};
use races::{Class, PairMode, Race, Races, fasttrack};
use trace::{Diagnostic, EventId, OpId, Trace};
use triage::{Given, Lists, Triage, Verdict};

use crate::compat::Compat;
use crate::entries::{self, Forks};
use crate::input::InputEntry;
use crate::model::{
    DiagnosticEntry, GroupEntry, HintEntry, RaceEntry, Report, SCHEMA, Summary, TraceInfo,
};
use crate::name::text;
use crate::threads::{cores, joined};
use crate::watch::{Milestone, Watch};
use crate::why::why;

/// What to analyse, and how.
pub struct Request<'a> {
    /// The execution.
    pub trace: &'a Trace,
    /// What its reader found odd.
    pub diagnostics: &'a [Diagnostic],
    /// How much of the input the trace is.
    pub completeness: &'a Completeness,
    /// The log it was imported from, where that says more than the trace.
    pub origin: Option<&'a Origin>,
    /// The format it was read from.
    pub format: &'static str,
    /// The model with its switches.
    pub rules: &'a RuleSet,
    /// Which pairs are reported.
    pub pairs: PairMode,
    /// What triage knows about platforms.
    pub lists: &'a Lists,
    /// Report a log of EventRacer as the original tool does, whatever the pairs.
    pub compat: bool,
    /// How happens-before is computed.
    pub engine: Engine,
}

/// The order of a trace under `rules`, by the log it was imported from where that says more.
pub fn order<'t>(
    engine: order::Engine,
    trace: &'t Trace,
    origin: Option<&Origin>,
    rules: &RuleSet,
) -> Order<'t> {
    let log = match origin {
        Some(Origin::DroidRacer(log)) => Some(&**log),
        Some(Origin::EventRacer(_)) | None => None,
    };
    Order::new(engine, trace, log, rules)
}

/// How races are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// By an order over the whole trace.
    Batch(order::Engine),
    /// One pass, the first race of each location: model `threads` with its own rules.
    Stream,
}

impl Engine {
    /// The default: exact, at any length that fits into memory.
    pub const GRAPH: Self = Self::Batch(order::Engine::Graph);
    /// The definition.
    pub const ORACLE: Self = Self::Batch(order::Engine::Oracle);

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::GRAPH => "graph",
            Self::ORACLE => "oracle",
            Self::Stream => "stream",
        }
    }
}

/// How many races engine `stream` lists; the rest is counted.
pub(crate) const LISTED: usize = 100_000;

/// Analyses a trace.
pub fn analyze(request: &Request<'_>) -> Report {
    analyze_watched(request, &|_| {})
}

/// The same, telling how far it is.
pub fn analyze_watched(request: &Request<'_>, watch: Watch<'_>) -> Report {
    let trace = request.trace;
    let Engine::Batch(engine) = request.engine else {
        return streamed(request, &fasttrack::detect(trace).races(LISTED));
    };
    if request.engine == Engine::GRAPH {
        watch(closing(trace, 0));
    }
    let order = order(engine, trace, request.origin, request.rules);
    let stats = match &order {
        Order::Graph(graph) => Some(graph.stats()),
        Order::Oracle(_) => None,
    };
    watch(Milestone::Closed { stats, counters: order.counters() });
    ordered(request, &order, watch)
}

/// What closing the order of a trace is going to take, and what is held `besides`.
pub(crate) fn closing(trace: &Trace, besides: usize) -> Milestone<'static> {
    let (operations, bytes) = order::Graph::estimate(trace);
    Milestone::Closing { operations, bytes: bytes + besides }
}

/// Analyses a trace whose order is known.
pub(crate) fn ordered(
    request: &Request<'_>,
    order: &dyn HappensBefore,
    watch: Watch<'_>,
) -> Report {
    let trace = request.trace;
    let (model, lists) = (request.rules.model(), request.lists);
    if let (Some(Origin::EventRacer(origin)), true) = (request.origin, request.compat) {
        let Compat { races, labels, levels } = Compat::new(trace, origin);
        let triage = triage::rank(trace, order, model, &races, lists, labels);
        let mut report = ranked(request, &races, &triage, Some(order));
        let levels = levels.into_iter().map(|(level, n)| (level.into(), n));
        report.summary.levels = Some(levels.collect());
        return report;
    }
    let may_cover = |location| lists.may_cover(trace, model, location);
    let races = races::detect_covered_by(trace, order, model, request.pairs, &may_cover);
    watch(Milestone::Detected(races.races.len()));
    let triage = triage::triage(trace, order, model, &races, lists);
    let report = ranked(request, &races, &triage, Some(order));
    watch(Milestone::Judged);
    report
}

/// An order that one pass over the accesses does not keep.
struct NotKept;

impl HappensBefore for NotKept {
    fn before(&self, _: OpId, _: OpId) -> bool {
        false
    }

    fn event_before(&self, _: EventId, _: EventId) -> bool {
        false
    }
}

/// The report on races that one pass found: ranked, but not labelled, for want of an order.
pub(crate) fn streamed(request: &Request<'_>, races: &Races) -> Report {
    let (trace, model) = (request.trace, request.rules.model());
    let triage = triage::rank_unordered(trace, &NotKept, model, races, request.lists);
    ranked(request, races, &triage, None)
}

/// The report on races that were triaged; `order` explains them where messages may.
fn ranked(
    request: &Request<'_>,
    races: &Races,
    triage: &Triage,
    order: Option<&dyn HappensBefore>,
) -> Report {
    let trace = request.trace;
    let model = request.rules.model();
    let order = order.filter(|_| model.name != order::THREADS.name);
    let forks = Forks::new(trace).under(trace, model);
    let mut report = Report {
        schema: SCHEMA.into(),
        trace: TraceInfo {
            format: request.format.into(),
            operations: trace.len(),
            events: trace.events().filter(|(_, e)| e.begin.is_some()).count(),
            threads: trace.names().threads.len(),
            locations: trace.names().locations.len(),
            accesses: trace.accesses(),
        },
        input: InputEntry::new(request.completeness),
        model: model.name.into(),
        rules: request.rules.iter().map(|r| r.name.into()).collect(),
        engine: request.engine.name().into(),
        summary: summary(races, triage),
        races: race_entries(trace, &forks, order, (races, triage)),
        groups: groups(trace, races, triage),
        diagnostics: diagnostics(request),
        suppressions: Vec::new(),
        baseline: None,
        robustness: None,
    };
    report.recount();
    report
}

/// So many races are told by one thread.
const TOLD_AT_ONCE: usize = 1 << 10;

/// Every race, as many at once as the machine has cores.
fn race_entries(
    trace: &Trace,
    forks: &Forks,
    order: Option<&dyn HappensBefore>,
    (races, triage): (&Races, &Triage),
) -> Vec<RaceEntry> {
    let share = races.races.len().div_ceil(cores()).max(TOLD_AT_ONCE);
    let shares = races.races.chunks(share).zip(triage.verdicts.chunks(share));
    let told = |(races, verdicts): (&[Race], &[Verdict])| -> Vec<RaceEntry> {
        let told = races.iter().zip(verdicts);
        told.map(|(race, verdict)| race_entry(trace, forks, order, race, verdict)).collect()
    };
    thread::scope(|scope| {
        let told = &told;
        let threads: Vec<_> = shares.map(|share| scope.spawn(move || told(share))).collect();
        threads.into_iter().flat_map(joined).collect()
    })
}

fn race_entry(
    trace: &Trace,
    forks: &Forks,
    order: Option<&dyn HappensBefore>,
    race: &Race,
    verdict: &Verdict,
) -> RaceEntry {
    RaceEntry {
        id: race.id.0,
        fingerprint: verdict.fingerprint.to_string(),
        location: text(trace.names().locations.get(race.location)),
        class: race.class.name().into(),
        covered: race.is_covered(),
        covered_by: race.covered_by.iter().map(|r| r.0).collect(),
        labels: verdict.labels.iter().map(|l| l.name().into()).collect(),
        hidden: verdict.hidden,
        hints: verdict.hints.iter().map(hint).collect(),
        rank: verdict.rank,
        rank_reasons: verdict
            .reasons
            .iter()
            .filter_map(|reason| reason.name().map(Into::into))
            .collect(),
        group: verdict.group.0,
        first: entries::access(trace, forks, race.first),
        second: entries::access(trace, forks, race.second),
        why: why(trace, order, forks.tasks(), race),
        suppressed: None,
        baseline: None,
    }
}

fn hint(given: &Given) -> HintEntry {
    HintEntry { kind: given.hint.name.into(), message: given.message.clone() }
}

fn summary(races: &Races, triage: &Triage) -> Summary {
    let mut classes: BTreeMap<Class, BTreeSet<_>> = BTreeMap::new();
    let mut labels = BTreeMap::new();
    let mut hidden = BTreeMap::new();
    let mut uncovered = BTreeSet::new();
    let mut uncovered_races = 0;
    for (race, verdict) in races.races.iter().zip(&triage.verdicts) {
        classes.entry(race.class).or_default().insert(race.location);
        for label in &verdict.labels {
            *labels.entry(label.name().into()).or_insert(0) += 1;
            if verdict.hidden && label.hides() {
                *hidden.entry(label.name().into()).or_insert(0) += 1;
            }
        }
        if !race.is_covered() && !race.lock_protected {
            uncovered_races += 1;
            uncovered.insert(race.location);
        }
    }
    Summary {
        pairs: races.pairs,
        races: races.races.len(),
        locations: races.races.iter().map(|r| r.location).collect::<BTreeSet<_>>().len(),
        uncovered_races,
        open_races: 0,
        uncovered_locations: uncovered.len(),
        groups: triage.groups.len(),
        classes: classes.into_iter().map(|(class, l)| (class.name().into(), l.len())).collect(),
        labels,
        hidden,
        levels: None,
        suppressed: 0,
        baselined: 0,
    }
}

fn groups(trace: &Trace, races: &Races, triage: &Triage) -> Vec<GroupEntry> {
    let entry = |group: &triage::Group| {
        let race = &races.races[group.races[0].0 as usize];
        let location = text(trace.names().locations.get(race.location));
        GroupEntry {
            id: group.id.0,
            title: format!("{} race on {location}", race.class.name()),
            rank: group.id.0 + 1,
            races: group.races.iter().map(|r| r.0).collect(),
        }
    };
    triage.groups.iter().map(entry).collect()
}

fn diagnostics(request: &Request<'_>) -> Vec<DiagnosticEntry> {
    let mut found = request.diagnostics.to_vec();
    request.completeness.note_in(&mut found);
    found.iter().map(DiagnosticEntry::new).collect()
}
