//! Races under model `droidracer`, as that tool reports them.
//!
//! [`PairMode::Candidates`] selects the pairs that the tool prints, in its order and with its first
//! access first: for each location the first pair of each class. [`PairMode::All`] selects all
//! pairs that its order leaves unordered, each with the first class that holds. A database, which
//! the tool does not report, is in the second list only.
//!
//! The tool has neither locksets nor coverage: its order takes locks into account, and is not
//! transitive. No race here is lock-protected or covered.

use codec::{Loaded, Origin};
use droidracer::analyse;
use droidracer::classes::{Attributes, Category, Difference};
use droidracer::execution::Execution;
use droidracer::trailer::Trailer;
use order::{Closure, RuleSet};
use races::{Class, PairMode, Race, RaceId, Races};
use trace::{Id, LocationId, OpId, Trace};

use crate::error::{Error, Unsuitable};
use crate::outcome::Analysis;

/// Fails if DroidRacer would print nothing for the input.
pub(crate) fn check(loaded: &Loaded, rules: &RuleSet, pairs: PairMode) -> Result<(), Error> {
    if !matches!(loaded.origin, Some(Origin::DroidRacer(_))) {
        return Err(Unsuitable::NoDroidRacerLog.into());
    }
    if rules.model().closure != Closure::DroidRacer || matches!(pairs, PairMode::All) {
        return Err(Unsuitable::NotDroidRacersPairs.into());
    }
    Ok(())
}

/// Returns the text that DroidRacer appends to the log that was analysed. Fails if the input is no
/// log of that tool, or was not analysed under its model.
pub fn trailer(analysis: &Analysis) -> Result<String, Error> {
    check(&analysis.loaded, &analysis.rules, PairMode::Candidates)?;
    let Some(Origin::DroidRacer(origin)) = analysis.origin() else {
        return Err(Unsuitable::NoDroidRacerLog.into());
    };
    let (report, _) = analyse(&origin.log, order::droidracer_rules(&analysis.rules));
    Ok(Trailer::new(&report, &origin.log.names).to_string())
}

/// Returns the races of `trace`. `execution` is the trace in the tool's terms.
pub(crate) fn detect(trace: &Trace, execution: &Execution, mode: PairMode) -> Races {
    let found = match mode {
        PairMode::Candidates => printed(trace, execution),
        PairMode::All => all(trace, execution),
    };
    let races: Vec<Race> = found
        .into_iter()
        .enumerate()
        .map(|(i, (location, first, second, class))| Race {
            id: RaceId(i as u32),
            location,
            first,
            second,
            class,
            lock_protected: false,
            separately_locked: false,
            covered_by: Vec::new(),
        })
        .collect();
    Races { pairs: races.len(), races }
}

type Found = (LocationId, OpId, OpId, Class);

fn printed(trace: &Trace, execution: &Execution) -> Vec<Found> {
    let location = |op| trace.op(op).access().expect("a race is between accesses").0;
    let race = |race: &droidracer::races::Race| {
        let (first, second) = (execution.access(&race.first), execution.access(&race.second));
        (location(first), first, second, class(race.category))
    };
    execution.races().printed.iter().map(race).collect()
}

fn class(category: Category) -> Class {
    match category {
        Category::MultiThreaded => Class::MultiThreaded,
        Category::Delayed => Class::Delayed,
        Category::CrossPosted => Class::CrossPosted,
        Category::CoEnabledUi | Category::CoEnabledOther => Class::CoEnabled,
        Category::Uncategorized => Class::Uncategorized,
    }
}

fn all(trace: &Trace, execution: &Execution) -> Vec<Found> {
    let attributes = Attributes::of_tasks(&execution.base);
    let (base, relation) = (&execution.base, &execution.relation);
    let mut found = Vec::new();
    let mut locations: Vec<Vec<(OpId, bool)>> = vec![Vec::new(); trace.names().locations.len()];
    for op in trace.ops() {
        let Some((location, is_write)) = trace.op(op).access() else { continue };
        let earlier = &mut locations[location.index()];
        let b = execution.op(op);
        for &(first, _) in earlier.iter().filter(|(_, also_writes)| is_write || *also_writes) {
            let a = execution.op(first);
            if a != b && relation.unordered(a, b) {
                let differ = Difference::of(base, relation, &attributes, a, b);
                found.push((location, first, op, first_class(&differ)));
            }
        }
        earlier.push((op, is_write));
    }
    found.sort_unstable_by_key(|&(_, first, second, _)| (second, first));
    found
}

/// Returns the first class that holds.
fn first_class(differ: &Difference) -> Class {
    if differ.threads {
        Class::MultiThreaded
    } else if differ.triggers.is_some() {
        Class::CoEnabled
    } else if differ.delayed {
        Class::Delayed
    } else if differ.cross_posted {
        Class::CrossPosted
    } else {
        Class::Uncategorized
    }
}
