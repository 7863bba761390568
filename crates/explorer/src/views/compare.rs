//! Several runs side by side: two with their races and the first point where they part, or all with the number of
//! runs in which each race appears.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use report::describe;
use report::diff::Diff;
use serde::Serialize;
use trace::{EventId, OpId};

use crate::session::{Analysed, Run, Session, Summary};

/// Two runs.
#[derive(Serialize)]
pub(crate) struct Comparison {
    #[serde(flatten)]
    races: Diff,
    /// The first point where the runs take different orders of the same events.
    parting: Option<Parting>,
    /// How many events both runs have; none if one of them is a report alone.
    common: Option<usize>,
}

/// The first point where two runs part.
#[derive(Serialize)]
struct Parting {
    /// The last event before, in the first run; none if the runs part at once.
    before: Option<Place>,
    /// What comes next in each run, with where the other run has it.
    next: [Next; 2],
}

#[derive(Serialize)]
struct Next {
    here: Place,
    there: Place,
}

/// An event of a run.
#[derive(Serialize)]
struct Place {
    event: u32,
    begin: u32,
    text: String,
}

/// Returns which races are new, gone and unchanged from one run to another, and where the runs part.
pub(crate) fn view(before: &Run, after: &Run) -> Comparison {
    let races = Diff::of(&before.report, &after.report);
    let Some((a, b)) = before.analysed().zip(after.analysed()) else {
        return Comparison { races, parting: None, common: None };
    };
    let (parting, common) = parting(a, b);
    Comparison { races, parting, common: Some(common) }
}

/// What makes events of two runs the same: the noun phrase, the thread, and how many such events came before.
type Same = (String, String, u32);

/// Returns the events of a run by their begins; those of a page that start a task.
fn events(run: &Analysed) -> Vec<(Same, EventId)> {
    let trace = run.trace();
    let starts = |event| run.tasks().is_none_or(|tasks| tasks.head(event) == event);
    let begun = trace.events().filter(|&(id, _)| starts(id));
    let mut begun: Vec<(OpId, EventId)> =
        begun.filter_map(|(id, event)| Some((event.begin?, id))).collect();
    begun.sort_unstable();
    let mut counts: HashMap<(String, String), u32> = HashMap::new();
    let same = |(begin, event)| {
        let text = describe::event(trace, run.model(), event);
        let thread = report::name::text(trace.names().threads.get(trace.thread_of(begin)));
        let count = counts.entry((text.clone(), thread.clone())).or_default();
        *count += 1;
        ((text, thread, *count), event)
    };
    begun.into_iter().map(same).collect()
}

/// Returns the first point where two runs take different orders of the events that both have, and how many those are.
fn parting(a: &Analysed, b: &Analysed) -> (Option<Parting>, usize) {
    let (of_a, of_b) = (events(a), events(b));
    let in_a: HashMap<&Same, EventId> = of_a.iter().map(|(same, event)| (same, *event)).collect();
    let in_b: HashMap<&Same, EventId> = of_b.iter().map(|(same, event)| (same, *event)).collect();
    let common_a: Vec<&Same> =
        of_a.iter().map(|(s, _)| s).filter(|s| in_b.contains_key(s)).collect();
    let common_b: Vec<&Same> =
        of_b.iter().map(|(s, _)| s).filter(|s| in_a.contains_key(s)).collect();
    let at = common_a.iter().zip(&common_b).position(|(x, y)| x != y);
    let parting = at.map(|at| {
        let (x, y) = (common_a[at], common_b[at]);
        Parting {
            before: at.checked_sub(1).map(|before| place(a, in_a[common_a[before]])),
            next: [
                Next { here: place(a, in_a[x]), there: place(b, in_b[x]) },
                Next { here: place(b, in_b[y]), there: place(a, in_a[y]) },
            ],
        }
    });
    (parting, common_a.len())
}

fn place(run: &Analysed, event: EventId) -> Place {
    let trace = run.trace();
    let begin = trace.event(event).begin.expect("only events that have begun are compared");
    Place {
        event: event.0,
        begin: trace.number(begin),
        text: describe::event(trace, run.model(), event),
    }
}

/// A race in all runs.
#[derive(Serialize)]
pub(crate) struct Counted {
    fingerprint: String,
    title: String,
    /// The runs that have it, by number.
    runs: Vec<usize>,
    /// Whether it is open in one of them.
    open: bool,
}

/// All runs.
#[derive(Serialize)]
pub(crate) struct Overview {
    races: Vec<Counted>,
    /// The runs that could not be read, each with the reason.
    failed: Vec<(usize, String)>,
}

/// Returns the races of all runs, those in most runs first. Reads every run that is not read yet.
pub(crate) fn overview(session: &Session) -> Overview {
    let mut races: BTreeMap<String, Counted> = BTreeMap::new();
    let mut failed = Vec::new();
    for run in 0..session.names().len() {
        match session.summary(run) {
            Ok(summary) => note(&mut races, run, &summary),
            Err(error) => failed.push((run, error)),
        }
    }
    let mut races: Vec<Counted> = races.into_values().collect();
    races.sort_by_key(|race| Reverse((race.open, race.runs.len())));
    Overview { races, failed }
}

fn note(races: &mut BTreeMap<String, Counted>, run: usize, summary: &Summary) {
    let mut seen: HashSet<&str> = HashSet::new();
    for (fingerprint, title, open) in summary {
        let counted = races.entry(fingerprint.clone()).or_insert_with(|| Counted {
            fingerprint: fingerprint.clone(),
            title: title.clone(),
            runs: Vec::new(),
            open: false,
        });
        counted.open |= open;
        if seen.insert(fingerprint) {
            counted.runs.push(run);
        }
    }
}
