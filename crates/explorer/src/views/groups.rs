//! The ranked groups in columns, with what a list shows of each.

use std::collections::{BTreeSet, HashMap};

use report::Report;
use report::model::RaceEntry;
use report::standing::{Problem, Standing};

use crate::columns::{Columns, NONE, Numbered};
use crate::session::Run;

/// The largest number of covered locations that the list shows under a group.
const COVERS: usize = 3;

/// Strings, and lists of them, by number.
#[derive(Default)]
struct Words {
    strings: Numbered<String>,
    lists: Numbered<Vec<u32>>,
}

impl Words {
    fn string(&mut self, text: Option<&str>) -> u32 {
        text.map_or(NONE, |text| self.strings.number(text.to_owned()))
    }

    fn list<'a>(&mut self, texts: impl Iterator<Item = &'a str>) -> u32 {
        let numbers = texts.map(|text| self.strings.number(text.to_owned())).collect();
        self.lists.number(numbers)
    }
}

/// Returns the groups in the order of reading. The columns `fingerprint`, `title` and `location` are texts; `class`,
/// `standing`, `excuse`, `baseline`, `verdict` and `kind` are numbers in the header's `strings`; `labels`, `hints`,
/// `files` and `covers` are numbers in its `lists`, whose elements are numbers in `strings`.
pub(crate) fn table(run: &Run) -> Vec<u8> {
    let covered = covered_locations(&run.report);
    let problems = run.report.problems();
    let mut words = Words::default();
    let mut table = Columns::default();
    let rows = || problems.iter();
    table.steps("id", rows().map(|problem| problem.group.id));
    table.steps("race", rows().map(|problem| problem.lead.id));
    table.steps("nth", rows().map(|problem| run.nth(problem.lead) as u32));
    let races = |problem: &Problem<'_>| problem.group.races.len() + problem.group.left_out;
    table.u32s("races", rows().map(|problem| u32::try_from(races(problem)).unwrap_or(NONE)));
    table.u32s("harmful", rows().map(|problem| u32::from(problem.lead.is_likely_harmful())));
    let mut word = |name: &str, of: &dyn Fn(&Problem<'_>) -> Option<String>| {
        table.u32s(name, rows().map(|problem| words.string(of(problem).as_deref())));
    };
    word("class", &|problem| Some(problem.lead.class.to_string()));
    word("standing", &|problem| Some(Standing::name(problem.standing).to_owned()));
    word("excuse", &|problem| problem.lead.excuse());
    word("baseline", &|problem| problem.lead.baseline.as_ref().map(ToString::to_string));
    word("verdict", &|problem| problem.lead.replay.as_ref().map(|found| found.verdict.to_string()));
    word("kind", &|problem| problem.lead.replay.as_ref()?.kind.as_ref().map(ToString::to_string));
    table.u32s("labels", rows().map(|p| words.list(p.lead.labels.iter().map(|label| &**label))));
    table.u32s("hints", rows().map(|p| words.list(p.lead.hints.iter().map(|hint| &*hint.kind))));
    let files = rows().map(|problem| words.list(files(problem.lead).iter().map(|file| &**file)));
    table.u32s("files", files);
    let covers = rows().map(|problem| words.list(covers(problem, &covered)));
    table.u32s("covers", covers);
    table.texts("fingerprint", rows().map(|problem| &*problem.lead.fingerprint));
    table.texts("location", rows().map(|problem| &*problem.lead.location));
    let titles: Vec<String> = rows().map(|problem| report::describe::title(problem.lead)).collect();
    table.texts("title", titles.iter().map(|title| &**title));
    table.field("strings", words.strings.values());
    table.field("lists", words.lists.values());
    table.finish()
}

/// Returns a few other locations whose races the races of a group cover.
fn covers<'a>(
    problem: &Problem<'a>,
    covered: &HashMap<u32, BTreeSet<&'a str>>,
) -> impl Iterator<Item = &'a str> {
    let races = problem.group.races.iter();
    let all: BTreeSet<&str> = races
        .filter_map(|id| covered.get(id))
        .flatten()
        .copied()
        .filter(|&location| location != problem.lead.location)
        .collect();
    all.into_iter().take(COVERS)
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
