//! Learned synchronisation: what replays could not turn round is written to a file, and orders events in later
//! analyses by rule LEARNED (docs/replay.md).
//!
//! An analysis with learned orders is two analyses: the first one finds the races, and the second one has a stated
//! order for each race between tasks of which a replay has learned something.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use analysis::{Analysis, ModelChoice, Request, Source};
use anyhow::{Context, Result, anyhow, bail};
use replay::{Edge, Learned, Recorded, Session, Verdict};
use report::Report;
use report::replay::ReplayEntry;
use trace::EventId;

use crate::watch::Watch;
use crate::{analyse, output};

/// The switch of the rule.
const SWITCH: &str = "+LEARNED";
/// The kind of the stated orders.
const KIND: &[u8] = b"learned";

fn read(path: &Path) -> Result<Learned> {
    let name = path.display();
    let bytes = fs::read(path).with_context(|| {
        format!("cannot read {name}; `interloper replay --learn {name}` makes such a file")
    })?;
    Learned::read(&bytes).map_err(|why| anyhow!("{name}: {why}"))
}

/// Analyses a trace again with the orders that a file contains. Returns the first analysis if it has no race that the
/// file speaks of.
pub(crate) fn applied(
    file: &Path,
    analysis: Analysis,
    request: &Request<'_>,
    watch: &Watch,
) -> Result<Analysis> {
    let learned = read(file)?;
    if analysis.trace().is_excerpt() || analysis.order().is_none() {
        bail!("--learned needs the whole trace; leave --engine stream away");
    }
    let arcs = arcs(&analysis, &learned);
    if arcs.is_empty() {
        return Ok(analysis);
    }
    let (format, counts) = (analysis.format, analysis.counts);
    let mut loaded = analysis.into_loaded();
    loaded.trace = loaded.trace.with_arcs(&arcs, KIND);
    let switches = [request.model.switches, &[SWITCH.to_owned()]].concat();
    let model = ModelChoice { switches: &switches, ..request.model };
    let request = Request { model, ..*request };
    let again = analyse::run(Source::loaded(format, loaded), &request, watch);
    let mut again = again.map_err(|error| analyse::failure(file, error))?;
    // The stated orders are no operations of the input.
    again.counts = counts;
    Ok(again)
}

/// The pairs of tasks that race and of which something is known, by the edges whose own races are still there. The
/// events of the two accesses are such a pair, too, so that explanations name the rule and not what follows from it.
fn arcs(analysis: &Analysis, learned: &Learned) -> Vec<(EventId, EventId)> {
    let fingerprints: BTreeSet<String> =
        analysis.triage.verdicts.iter().map(|verdict| verdict.fingerprint.to_string()).collect();
    let edges: Vec<&Edge> =
        learned.edges.iter().filter(|edge| fingerprints.contains(&edge.race)).collect();
    let Some(order) = analysis.order().filter(|_| !edges.is_empty()) else { return Vec::new() };
    let (trace, session) = (analysis.trace(), Session::default());
    let tasks = Recorded::new(trace, &session);
    let is_learned = |(a, b): (EventId, EventId)| {
        let paths = tasks.path(a).zip(tasks.path(b));
        paths.is_some_and(|(a, b)| edges.iter().any(|edge| edge.is_of(a, b)))
    };
    let mut arcs = BTreeSet::new();
    for race in &analysis.races.races {
        let pair = tasks.pair(&order, (race.first, race.second));
        if let Some(pair) = pair.filter(|&pair| is_learned(pair)) {
            arcs.insert(pair);
            arcs.extend(trace.event_of(race.first).zip(trace.event_of(race.second)));
        }
    }
    arcs.into_iter().collect()
}

/// Adds to a file what replays have shown about the order of tasks. Returns how many orders the file then has.
pub(crate) fn write(
    file: &Path,
    report: &Report,
    evidence: &BTreeMap<u32, ReplayEntry>,
) -> Result<usize> {
    let mut learned = if file.exists() { read(file)? } else { Learned::default() };
    for race in &report.races {
        let Some(entry) = evidence.get(&race.id) else { continue };
        let Some(pair) = &entry.pair else { continue };
        let edge = Edge::new(pair, &race.fingerprint, &race.location);
        if entry.verdict == Verdict::Infeasible.name() {
            learned.learn(edge);
        } else if [Verdict::Harmful, Verdict::Harmless].iter().any(|v| entry.verdict == v.name()) {
            learned.unlearn(edge);
        }
    }
    output::to(Some(file), |out| Ok(out.write_all(learned.write().as_bytes())?))?;
    Ok(learned.edges.len())
}
