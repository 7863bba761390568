//! The one pipeline: trace → order → races → triage → report.

use std::collections::{BTreeMap, BTreeSet};

use order::{HappensBefore, Oracle, RuleSet};
use races::{Class, PairMode, Race, Races};
use trace::{Diagnostic, Trace};
use triage::{Triage, Verdict};

use crate::entries::{self, Forks};
use crate::model::{DiagnosticEntry, GroupEntry, RaceEntry, Report, SCHEMA, Summary, TraceInfo};
use crate::name::text;
use crate::why::why;

/// What to analyse, and how.
pub struct Request<'a> {
    /// The execution.
    pub trace: &'a Trace,
    /// What its reader found odd.
    pub diagnostics: &'a [Diagnostic],
    /// The format it was read from.
    pub format: &'static str,
    /// The model with its switches.
    pub rules: &'a RuleSet,
    /// Which pairs are reported.
    pub pairs: PairMode,
}

/// Analyses a trace with the oracle.
pub fn analyze(request: &Request<'_>) -> Report {
    let trace = request.trace;
    let order = Oracle::new(trace, request.rules);
    let races = races::detect(trace, &order, request.rules.model(), request.pairs);
    let triage = triage::triage(trace, &races);
    let forks = Forks::new(trace);
    Report {
        schema: SCHEMA.into(),
        trace: TraceInfo {
            format: request.format.into(),
            operations: trace.len(),
            events: trace.events().filter(|(_, e)| e.begin.is_some()).count(),
            threads: trace.names().threads.len(),
            locations: trace.names().locations.len(),
            accesses: trace.accesses(),
        },
        model: request.rules.model().name.into(),
        rules: request.rules.iter().map(|r| r.name.into()).collect(),
        engine: "oracle".into(),
        summary: summary(&races, &triage),
        races: races
            .races
            .iter()
            .zip(&triage.verdicts)
            .map(|(race, verdict)| race_entry(trace, &forks, &order, race, verdict))
            .collect(),
        groups: groups(trace, &races, &triage),
        diagnostics: request.diagnostics.iter().map(diagnostic).collect(),
        suppressions: Vec::new(),
        baseline: None,
    }
}

fn race_entry(
    trace: &Trace,
    forks: &Forks,
    order: &dyn HappensBefore,
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
        hidden: verdict.is_hidden(),
        rank: verdict.rank,
        group: verdict.group.0,
        first: entries::access(trace, forks, race.first),
        second: entries::access(trace, forks, race.second),
        why: why(trace, order, race),
        suppressed: None,
        baseline: None,
    }
}

fn summary(races: &Races, triage: &Triage) -> Summary {
    let mut classes: BTreeMap<Class, BTreeSet<_>> = BTreeMap::new();
    let mut labels = BTreeMap::new();
    let mut uncovered = BTreeSet::new();
    let mut uncovered_races = 0;
    for (race, verdict) in races.races.iter().zip(&triage.verdicts) {
        classes.entry(race.class).or_default().insert(race.location);
        for label in &verdict.labels {
            *labels.entry(label.name().into()).or_insert(0) += 1;
        }
        if !race.is_covered() && !verdict.is_hidden() {
            uncovered_races += 1;
            uncovered.insert(race.location);
        }
    }
    Summary {
        pairs: races.pairs,
        races: races.races.len(),
        locations: races.races.iter().map(|r| r.location).collect::<BTreeSet<_>>().len(),
        uncovered_races,
        uncovered_locations: uncovered.len(),
        groups: triage.groups.len(),
        classes: classes.into_iter().map(|(class, l)| (class.name().into(), l.len())).collect(),
        labels,
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

fn diagnostic(diagnostic: &Diagnostic) -> DiagnosticEntry {
    DiagnosticEntry {
        severity: diagnostic.code.severity.name().into(),
        code: diagnostic.code.name.into(),
        message: diagnostic.message.clone(),
        at: diagnostic.at.to_string(),
    }
}
