//! Creates the report on an analysis.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use analysis::Analysis;
use analysis::threads::{cores, joined};
use order::{Events, HappensBefore};
use races::{Class, Race, Races};
use trace::Trace;
use triage::{Given, Triage, Verdict};

use crate::entries::{self, Forks};
use crate::headline::headline;
use crate::input::InputEntry;
use crate::model::{
    DiagnosticEntry, GroupEntry, HintEntry, RaceEntry, Report, SCHEMA, Summary, TraceInfo,
};
use crate::name::text;
use crate::why::why;

impl Report {
    /// Returns the report on an analysis, before suppressions and a baseline are applied to it.
    ///
    /// Open races are described in full. In model `web`, whose applications have very many races, only the
    /// first few races of a group are that are covered or that a label hides; the others are brief.
    pub fn of(analysis: &Analysis) -> Self {
        Self::with(analysis, false)
    }

    /// Like [`Report::of`], but describes every race in full.
    pub fn in_full(analysis: &Analysis) -> Self {
        Self::with(analysis, true)
    }

    fn with(analysis: &Analysis, in_full: bool) -> Self {
        let (trace, counts) = (analysis.trace(), analysis.counts);
        let model = analysis.rules.model();
        let brief = brief(&analysis.races, &analysis.triage, in_full || !model.in_browser);
        let order = analysis.shown_order().filter(|_| model.events != Events::Ignored);
        let order = order.as_deref();
        let forks = Forks::new(trace).under(trace, model);
        let judged = (&analysis.races, &analysis.triage);
        let mut report = Self {
            schema: SCHEMA.into(),
            trace: TraceInfo {
                format: analysis.format.name().into(),
                operations: counts.operations,
                events: counts.events,
                threads: counts.threads,
                locations: counts.locations,
                accesses: counts.accesses,
            },
            input: InputEntry::new(analysis.completeness()),
            model: model.name.into(),
            rules: analysis.rules.iter().map(|r| r.name.into()).collect(),
            engine: analysis.engine.name().into(),
            summary: summary(analysis),
            races: race_entries(trace, &forks, order, judged, &brief),
            covered_fingerprints: fingerprints(&analysis.triage, &brief, false),
            hidden_fingerprints: fingerprints(&analysis.triage, &brief, true),
            groups: groups(trace, &analysis.races, &analysis.triage, &brief),
            diagnostics: diagnostics(analysis),
            suppressions: Vec::new(),
            baseline: None,
            robustness: None,
        };
        report.recount();
        report
    }
}

/// The number of races of a group that are described in full although they are covered, and of those that a
/// label hides.
const SHOWN_IN_GROUP: usize = 3;

/// The number of races in all groups that are described in full although they are not open. A description takes
/// some kilobytes.
const SHOWN_IN_ALL: usize = 800;

/// Returns which races are brief: of the races that are covered, or that a label hides, all but the first few of
/// each group, up to a number for all groups, in the order of reading. None is brief if everything is to be
/// described in full.
fn brief(races: &Races, triage: &Triage, in_full: bool) -> Vec<bool> {
    let mut brief = vec![false; races.races.len()];
    let mut in_all = 0;
    for group in triage.groups.iter().filter(|_| !in_full) {
        let (mut covered, mut hidden) = (0, 0);
        for id in &group.races {
            let (race, verdict) = (&races.races[id.0 as usize], &triage.verdicts[id.0 as usize]);
            let count = if race.is_covered() && race.class != Class::MultiThreaded {
                &mut covered
            } else if verdict.hidden {
                &mut hidden
            } else {
                continue;
            };
            let is_brief = *count == SHOWN_IN_GROUP || in_all == SHOWN_IN_ALL;
            brief[id.0 as usize] = is_brief;
            *count += usize::from(!is_brief);
            in_all += usize::from(!is_brief);
        }
    }
    brief
}

/// Returns the fingerprints of the brief races that a label hides, or of those that none hides, without
/// those of races that are described in full.
fn fingerprints(triage: &Triage, brief: &[bool], hidden: bool) -> Vec<String> {
    let of = |is_brief: bool| -> BTreeSet<triage::Fingerprint> {
        let races = triage.verdicts.iter().zip(brief);
        let wanted =
            races.filter(|&(verdict, &brief)| brief == is_brief && verdict.hidden == hidden);
        wanted.map(|(verdict, _)| verdict.fingerprint).collect()
    };
    of(true).difference(&of(false)).map(ToString::to_string).collect()
}

/// The least number of races that one thread describes.
const LEAST_SHARE: usize = 1 << 10;

/// Returns the entries of all races. As many threads as the machine has cores describe them.
fn race_entries(
    trace: &Trace,
    forks: &Forks,
    order: Option<&dyn HappensBefore>,
    (races, triage): (&Races, &Triage),
    brief: &[bool],
) -> Vec<RaceEntry> {
    let share = races.races.len().div_ceil(cores()).max(LEAST_SHARE);
    let shares = races.races.chunks(share).zip(triage.verdicts.chunks(share));
    let entries = |(races, verdicts): (&[Race], &[Verdict])| -> Vec<RaceEntry> {
        let entry = |(race, verdict): (&Race, &Verdict)| {
            let is_brief = brief[race.id.0 as usize];
            race_entry(trace, forks, order, race, verdict, is_brief)
        };
        races.iter().zip(verdicts).map(entry).collect()
    };
    thread::scope(|scope| {
        let entries = &entries;
        let threads: Vec<_> = shares.map(|share| scope.spawn(move || entries(share))).collect();
        threads.into_iter().flat_map(joined).collect()
    })
}

fn race_entry(
    trace: &Trace,
    forks: &Forks,
    order: Option<&dyn HappensBefore>,
    race: &Race,
    verdict: &Verdict,
    is_brief: bool,
) -> RaceEntry {
    let mut entry = RaceEntry {
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
        rank_reasons: verdict.reasons.iter().map(|reason| reason.name().into()).collect(),
        group: verdict.group.0,
        first: entries::access(trace, forks, race.first, is_brief),
        second: entries::access(trace, forks, race.second, is_brief),
        headline: String::new(),
        why: if is_brief { String::new() } else { why(trace, order, forks.tasks(), race) },
        replay: None,
        suppressed: None,
        baseline: None,
        is_brief,
        recording: None,
    };
    if forks.tasks().is_some() && !is_brief {
        entry.headline = headline(&entry);
    }
    entry
}

fn hint(given: &Given) -> HintEntry {
    HintEntry { kind: given.hint.name.into(), message: given.message.clone() }
}

fn summary(analysis: &Analysis) -> Summary {
    let (races, triage) = (&analysis.races, &analysis.triage);
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
    let locations = || races.races.iter().map(|r| r.location).collect::<BTreeSet<_>>().len();
    let levels = analysis.levels.as_ref();
    Summary {
        pairs: races.pairs,
        races: races.races.len(),
        locations: analysis.racy_locations.unwrap_or_else(locations),
        uncovered_races,
        open_races: 0,
        uncovered_locations: analysis.racy_locations.unwrap_or(uncovered.len()),
        groups: triage.groups.len(),
        classes: classes.into_iter().map(|(class, l)| (class.name().into(), l.len())).collect(),
        labels,
        hidden,
        levels: levels.map(|levels| levels.iter().map(|(&level, &n)| (level.into(), n)).collect()),
        suppressed: 0,
        baselined: 0,
        replay: None,
    }
}

fn groups(trace: &Trace, races: &Races, triage: &Triage, brief: &[bool]) -> Vec<GroupEntry> {
    let entry = |group: &triage::Group| {
        let race = &races.races[group.races[0].0 as usize];
        let listed = group.races.iter().filter(|id| !brief[id.0 as usize]);
        let location = text(trace.names().locations.get(race.location));
        GroupEntry {
            id: group.id.0,
            title: format!("{} race on {location}", race.class.name()),
            rank: group.id.0 + 1,
            races: listed.clone().map(|r| r.0).collect(),
            left_out: group.races.len() - listed.count(),
            replay: None,
        }
    };
    triage.groups.iter().map(entry).collect()
}

fn diagnostics(analysis: &Analysis) -> Vec<DiagnosticEntry> {
    let mut found = analysis.diagnostics().to_vec();
    analysis.completeness().note_in(&mut found);
    found.iter().map(DiagnosticEntry::new).collect()
}
