//! The ranked groups, with what a list shows of each.

use std::collections::{BTreeSet, HashMap};

use report::Report;
use report::model::RaceEntry;
use report::standing::Problem;
use serde::Serialize;

use crate::session::Run;

/// A group in the list.
#[derive(Serialize)]
pub(crate) struct GroupView<'a> {
    id: u32,
    /// The leading race.
    race: u32,
    fingerprint: &'a str,
    nth: usize,
    title: String,
    location: &'a str,
    class: &'a str,
    labels: Vec<&'a str>,
    hints: Vec<&'a str>,
    standing: &'static str,
    harmful: bool,
    /// What replays have shown of the leading race: the verdict and its kind.
    replay: Option<[Option<&'a str>; 2]>,
    excuse: Option<String>,
    baseline: Option<&'a str>,
    files: Vec<String>,
    races: usize,
    /// The locations whose races the races of this group cover, a few of them.
    covers: Vec<&'a str>,
}

/// The largest number of covered locations that the list shows under a group.
const COVERS: usize = 3;

/// Returns the groups in the order of reading.
pub(crate) fn list(run: &Run) -> Vec<GroupView<'_>> {
    let covered = covered_locations(&run.report);
    run.report.problems().into_iter().map(|problem| group(run, &problem, &covered)).collect()
}

fn group<'a>(
    run: &Run,
    problem: &Problem<'a>,
    covered: &HashMap<u32, BTreeSet<&'a str>>,
) -> GroupView<'a> {
    let race = problem.lead;
    let covers: BTreeSet<&str> = problem
        .group
        .races
        .iter()
        .filter_map(|id| covered.get(id))
        .flatten()
        .copied()
        .filter(|&location| location != race.location)
        .collect();
    GroupView {
        id: problem.group.id,
        race: race.id,
        fingerprint: &race.fingerprint,
        nth: run.nth(race),
        title: report::describe::title(race),
        location: &race.location,
        class: &race.class,
        labels: race.labels.iter().map(|label| &**label).collect(),
        hints: race.hints.iter().map(|hint| &*hint.kind).collect(),
        standing: problem.standing.name(),
        harmful: race.is_likely_harmful(),
        replay: race.replay.as_ref().map(|found| [Some(&*found.verdict), found.kind.as_deref()]),
        excuse: race.excuse(),
        baseline: race.baseline.as_deref(),
        files: files(race),
        races: problem.group.races.len() + problem.group.left_out,
        covers: covers.into_iter().take(COVERS).collect(),
    }
}

/// Returns the positions of both accesses, each once.
fn files(race: &RaceEntry) -> Vec<String> {
    let sources = [&race.first, &race.second].into_iter().filter_map(|side| side.source.as_ref());
    let mut files: Vec<String> = Vec::new();
    for source in sources {
        let file = source.file.rsplit('/').next().unwrap_or(&source.file);
        let position = format!("{file}:{}", source.line);
        if !files.contains(&position) {
            files.push(position);
        }
    }
    files
}

/// Returns, for each race that covers others, the locations of those.
fn covered_locations(report: &Report) -> HashMap<u32, BTreeSet<&str>> {
    let mut covered: HashMap<u32, BTreeSet<&str>> = HashMap::new();
    for race in &report.races {
        if let Some(&by) = race.covered_by.first() {
            covered.entry(by).or_default().insert(&race.location);
        }
    }
    covered
}
