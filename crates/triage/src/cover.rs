//! Decides which races cover which.
//!
//! In model `web`, a race that means nothing in itself covers nothing: if a label that withdraws
//! covering ([`Label::withdraw_covering`]) applies to it, it cannot be the synchronisation that orders
//! another race. Those labels are therefore decided before coverage, and do not depend on it. A race
//! that may be ad hoc synchronisation, such as that of a tested flag, still covers: `if (ready)
//! use(data)` orders the accesses of `data`. So does a race on a location by which a list states that a library
//! synchronises (`may-cover`), such as a loader's count of missing modules.
//!
//! Two further kinds of race cover others in model `web`, because a task runs as a whole. If a timer or a
//! request is cancelled, its callback's task does not run: a race labelled *cancelled* between the callback
//! and the cancellation d covers every race (a, b) with a in the callback's task, or in one that goes on to
//! read the body of the same answer or that runs right after those as they requested, and d before b. And if an
//! event tests a flag before the access a, and the flag is written by the gesture of b, the race on the
//! flag covers (a, b), wherever in that gesture it is written: `if (!touched) field.value = saved`. The
//! gesture of a task are the tasks of input right before and after it that arcs connect with it: a click,
//! and the change that it makes.
//!
//! Of several locations that race between the same two tasks, the one that a person sees stands for
//! all: if a race S alone covers a race R between the same two tasks, no label hides either, and R's
//! location is more visible than that of S, then S counts as covered by R in its place. The other races
//! that S covers stay covered by S.
//!
//! Other models keep the coverage of the papers.

use std::collections::{BTreeMap, BTreeSet};

use order::{Causes, HappensBefore, Model, Tasks};
use races::{Race, RaceId, Races};
use trace::{EventId, Op, OpId, ThreadId, Trace};

use crate::evidence::{ANCESTORS_ASKED, Evidence};
use crate::filters;
use crate::label::Label;
use crate::lists::Lists;
use crate::page::{is_input, is_prompt};
use crate::visibility::{Visibility, visibility};

/// Determines which of `races` cover which. They were found under `order`, which was closed under the
/// rules of `model`, and none counts as covered yet. `causes` are those of the parts of tasks, if the
/// model has tasks and listeners that were added late are to cover what they cause.
pub fn cover(
    trace: &Trace,
    order: &dyn HappensBefore,
    model: &Model,
    causes: Option<&Causes>,
    races: &mut Races,
    lists: &Lists,
) {
    let listed = |race: &Race| lists.may_cover(trace, model, race.location);
    if !model.in_browser {
        races::cover(trace, order, model, &mut races.races, &listed);
        return;
    }
    let labels = filters::harmless(&Evidence::new(trace, order, model, races, lists));
    let is_meant = |race: &Race| {
        let labels = &labels[race.id.0 as usize];
        let withdrawn = Label::withdraw_covering(labels);
        listed(race) && (!withdrawn || lists.synchronises(trace, race.location))
    };
    races::cover(trace, order, model, &mut races.races, &is_meant);
    if let Some(causes) = causes {
        races::cover_calls(trace, order, causes, &mut races.races, &is_meant);
    }
    let tasks = Tasks::new(trace);
    Guards::of(trace, order, &tasks, &races.races, &labels).cover(&mut races.races);
    stand_in(trace, &tasks, &mut races.races, &labels);
}

/// The races that say whether code runs at all.
struct Guards<'a> {
    trace: &'a Trace,
    order: &'a dyn HappensBefore,
    tasks: &'a Tasks,
    gestures: BTreeMap<EventId, EventId>,
    /// For each callback's task, its races with a cancellation, each with the latter.
    cancelled: BTreeMap<EventId, Vec<(RaceId, OpId)>>,
    /// For an event that tests and a task that writes what it tests, the first such race, with its test.
    tested: BTreeMap<(EventId, EventId), Vec<(RaceId, OpId)>>,
}

impl<'a> Guards<'a> {
    fn of(
        trace: &'a Trace,
        order: &'a dyn HappensBefore,
        tasks: &'a Tasks,
        races: &[Race],
        labels: &[Vec<Label>],
    ) -> Self {
        let (cancelled, tested) = (BTreeMap::new(), BTreeMap::new());
        let gestures = gestures(trace, tasks);
        let mut guards = Self { trace, order, tasks, gestures, cancelled, tested };
        for race in races {
            let labels = &labels[race.id.0 as usize];
            let (Some(t), Some(u)) = (trace.event_of(race.first), trace.event_of(race.second))
            else {
                continue;
            };
            if Label::withdraw_covering(labels) {
                continue;
            }
            if labels.contains(&Label::Cancelled) {
                let of_task = guards.cancelled.entry(tasks.head(t)).or_default();
                of_task.push((race.id, race.second));
            }
            if labels.contains(&Label::TestedOnly) && matches!(trace.op(race.first), Op::Read(_)) {
                let gesture = guards.gesture(u);
                let of_events = guards.tested.entry((t, gesture)).or_default();
                of_events.push((race.id, race.first));
            }
        }
        guards
    }

    /// Returns the first task of the gesture of an event.
    fn gesture(&self, event: EventId) -> EventId {
        let task = self.tasks.head(event);
        self.gestures.get(&task).copied().unwrap_or(task)
    }

    /// Returns the task of an event; if it reads the body of an answer, the tasks that read it before and that
    /// received the answer; and if it was left to a task that runs right away, the one that did so.
    fn requests(&self, event: EventId) -> impl Iterator<Item = EventId> + '_ {
        let trace = self.trace;
        let answer = |task: EventId| {
            let attributes = trace.attributes(trace.event(task).begin?);
            let is_response = trace.text(attributes.event_type?) == b"response";
            attributes.event_name.filter(|_| is_response)
        };
        let before = move |&task: &EventId| {
            let post = trace.event(task).enqueue?;
            let parent = self.tasks.head(trace.event_of(post)?);
            let goes_on = answer(task).is_some() && answer(parent) == answer(task);
            (goes_on || is_prompt(trace, task)).then_some(parent)
        };
        std::iter::successors(Some(self.tasks.head(event)), before).take(ANCESTORS_ASKED)
    }

    fn cover(&self, races: &mut [Race]) {
        for race in races.iter_mut().filter(|race| !race.is_covered()) {
            race.covered_by.extend(self.guard(race));
        }
    }

    /// Returns the first race that says whether the first access of `race` happens at all.
    fn guard(&self, race: &Race) -> Option<RaceId> {
        let (t, u) = (self.trace.event_of(race.first)?, self.trace.event_of(race.second)?);
        let ends = |cancellation: OpId| {
            let event = self.trace.event_of(cancellation);
            event == Some(u) && cancellation < race.second
                || event.is_some_and(|event| self.order.event_before(event, u))
        };
        let cancelled = self.requests(t).filter_map(|task| self.cancelled.get(&task)).flatten();
        let cancelled = cancelled.filter(|&&(id, by)| id != race.id && ends(by));
        let tested = self.tested.get(&(t, self.gesture(u))).into_iter().flatten();
        let tested = tested.filter(|&&(id, test)| id != race.id && test < race.first);
        cancelled.chain(tested).map(|&(id, _)| id).min()
    }
}

/// Returns, for each task of input that continues a gesture, the first task of that gesture.
fn gestures(trace: &Trace, tasks: &Tasks) -> BTreeMap<EventId, EventId> {
    let is_input = |event: EventId| {
        let begin = trace.event(event).begin;
        let text = begin.and_then(|begin| trace.attributes(begin).event_type);
        text.is_some_and(|text| is_input(trace.text(text)))
    };
    let mut arcs: BTreeSet<(EventId, EventId)> = BTreeSet::new();
    let mut begun: BTreeMap<(ThreadId, OpId), EventId> = BTreeMap::new();
    for op in trace.ops() {
        if let Op::Arc(from, to) = trace.op(op) {
            arcs.insert((from, to));
        }
    }
    for (event, entry) in trace.events() {
        if let Some(begin) = entry.begin.filter(|_| tasks.head(event) == event) {
            begun.insert((trace.thread_of(begin), begin), event);
        }
    }
    let mut gestures = BTreeMap::new();
    let mut last: Option<(ThreadId, EventId)> = None;
    for ((thread, _), event) in begun {
        if let Some((of_thread, before)) = last
            && of_thread == thread
            && is_input(before)
            && is_input(event)
            && arcs.contains(&(before, event))
        {
            let first = gestures.get(&before).copied().unwrap_or(before);
            gestures.insert(event, first);
        }
        last = Some((thread, event));
    }
    gestures
}

/// Lets the race that a person sees stand for the others between the same two tasks.
fn stand_in(trace: &Trace, tasks: &Tasks, races: &mut [Race], labels: &[Vec<Label>]) {
    let pair = |race: &Race| -> Option<(EventId, EventId)> {
        let (t, u) = (trace.event_of(race.first)?, trace.event_of(race.second)?);
        Some((tasks.head(t), tasks.head(u)))
    };
    let is_hidden = |race: &Race| labels[race.id.0 as usize].iter().any(|label| label.hides());
    let seen = |race: &Race| visibility(trace, race.location);
    // For each race that is represented, the race that stands for it.
    let mut stands: BTreeMap<RaceId, (Visibility, RaceId)> = BTreeMap::new();
    for race in races.iter().filter(|race| !is_hidden(race)) {
        let [by] = race.covered_by[..] else { continue };
        let by = &races[by.0 as usize];
        if by.is_covered() || is_hidden(by) || pair(by).is_none() || pair(by) != pair(race) {
            continue;
        }
        let best = stands.get(&by.id).map_or(seen(by), |&(visibility, _)| visibility);
        if seen(race) > best {
            stands.insert(by.id, (seen(race), race.id));
        }
    }
    for (of, (_, by)) in stands {
        races[by.0 as usize].covered_by.clear();
        races[of.0 as usize].covered_by = vec![by];
    }
}
