//! The conversation with the Java program.

use std::collections::BTreeMap;

use trace::Trace;

use super::message::{CriterionName, Message};
use super::needed::{conflicts, needed};
use super::recording::recording;
use super::report::{Report, Verdict};
use super::run::{Act, Names, Op, Run, TaskId, access, printable};
use super::schedule::{Schedule, schedule};
use super::{Event, Statistics};
use crate::Criterion;
use crate::core::{InstanceId, SiteId};
use crate::recorded::{Forest, cycles, inversions};
use crate::semantics::Label;
use crate::semantics::definitions::{conflict_cycle, dfs_inversion};
use crate::witness::Witness;

/// What follows from a line of the Java program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Wait for the next line.
    Listen,
    /// Send this line.
    Send(String),
    /// Show how far the exploration is.
    Progress(String),
    /// The exploration failed, for a reason that the user can change.
    Failed(String),
    /// The exploration is over: ask for the report.
    Done,
}

/// A violation that happened on threads.
pub(super) struct Shown {
    pub(super) witness: Witness,
    pub(super) names: Names,
    pub(super) trace: Trace,
}

/// The state of the conversation.
#[derive(Default)]
pub struct Session {
    events: Vec<Event>,
    /// The criterion of the interleaving that is being replayed.
    replaying: Option<Criterion>,
    /// The length of the shortest interleaving that violates serializability. Only that is replayed.
    shortest: Option<usize>,
    violations: BTreeMap<Criterion, Shown>,
    statistics: Statistics,
    reasons: Vec<String>,
    remarks: Vec<String>,
}

impl Session {
    /// Handles one line. An error states what is wrong with it.
    pub fn line(&mut self, line: &str) -> Result<Reply, String> {
        let message = serde_json::from_str(line).map_err(|error| error.to_string())?;
        Ok(match message {
            Message::Driver { events } => {
                let named = |event: Event| Event { name: printable(&event.name), ..event };
                self.events = events.into_iter().map(named).collect();
                let known = |other: &usize| *other < self.events.len();
                if !self.events.iter().all(|e| e.start.iter().chain(&e.end).all(known)) {
                    return Err("an event is unknown".into());
                }
                Reply::Listen
            }
            Message::Progress { runs, bound } => Reply::Progress(format!(
                "{runs} runs, at most {bound} stopped task{}",
                if bound == 1 { "" } else { "s" }
            )),
            Message::Failed { message } => Reply::Failed(printable(&message)),
            Message::Done { statistics, reasons, remarks } => {
                self.statistics = statistics;
                self.reasons = reasons.iter().map(|text| printable(text)).collect();
                self.remarks = remarks.iter().map(|text| printable(text)).collect();
                Reply::Done
            }
            Message::Candidate { criterion, pivot, run } => {
                let site = run.sites.iter().find(|site| site.id == pivot.1);
                let write = site.ok_or("the pivot has no site")?.write;
                let run = Run::read(run, &self.events).ok_or("the run contradicts itself")?;
                if pivot.0 >= run.tasks.len() {
                    return Err("the pivot has no task".into());
                }
                let act = Act::Access(access(write, pivot.2), SiteId::new(pivot.1 as usize));
                let criterion = match criterion {
                    CriterionName::Determinism => Criterion::Determinism,
                    CriterionName::Serializability => Criterion::Serializability,
                };
                let pivot = Op { task: TaskId(pivot.0), act, also: false };
                Reply::Send(self.judge(criterion, &run, pivot))
            }
            Message::Replayed { run } => {
                let run = Run::read(run, &self.events).ok_or("the replay contradicts itself")?;
                let criterion = self.replaying.take().ok_or("nothing was to be replayed")?;
                let shown = shown(criterion, &run, &self.events);
                let answer = if shown.is_some() { "yes" } else { "no" };
                self.violations.extend(shown.map(|shown| (criterion, shown)));
                Reply::Send(answer.into())
            }
        })
    }

    /// Looks for an interleaving in which the pivot completes a violation.
    fn judge(&mut self, criterion: Criterion, run: &Run, pivot: Op) -> String {
        let before = conflicts(run);
        let mut undecided = false;
        for mut targets in ways(criterion, run, pivot) {
            targets.extend(run.task(pivot.task).ops.last());
            let Some(needed) = needed(run, &self.events, &before, &targets) else { continue };
            match schedule(run, &self.events, &before, &needed) {
                Schedule::Impossible => {}
                Schedule::Undecided => undecided = true,
                Schedule::Found(order) => {
                    let ops = order.iter().map(|op| run.ops[*op]).chain([pivot]);
                    let labels: Vec<Label> = ops.clone().filter_map(|op| run.label(op)).collect();
                    if violation(criterion, &labels).is_some() {
                        if self.shortest.is_some_and(|shortest| shortest <= order.len())
                            && criterion == Criterion::Serializability
                        {
                            return "longer".into();
                        }
                        self.shortest = Some(order.len());
                        self.replaying = Some(criterion);
                        let tasks: Vec<String> = ops.map(|op| op.task.0.to_string()).collect();
                        return format!("replay {}", tasks.join(" "));
                    }
                }
            }
        }
        if undecided { "undecided".into() } else { "no".into() }
    }

    /// The report, for the driver class and the criteria that were asked for.
    pub fn report(self, driver: &str, criteria: &[Criterion]) -> Report {
        let broken = self.violations.contains_key(&Criterion::Determinism);
        let holds = self.statistics.complete && self.reasons.is_empty();
        let mut violations = self.violations;
        let mut verdicts = Vec::new();
        for &criterion in criteria {
            let checked = !broken || criterion == Criterion::Determinism;
            let verdict = match violations.remove(&criterion).filter(|_| checked) {
                Some(shown) => Verdict::Violated(Box::new(shown)),
                None if broken && criteria.len() > 1 => Verdict::Unchecked,
                None if broken => Verdict::Unknown {
                    reasons: vec![
                        "it presupposes conflict-determinism, which is violated".to_owned(),
                    ],
                },
                None if holds => Verdict::Holds,
                None => Verdict::Unknown { reasons: self.reasons.clone() },
            };
            verdicts.push((criterion, verdict));
        }
        Report {
            driver: printable(driver),
            events: self.events,
            verdicts,
            statistics: self.statistics,
            remarks: self.remarks,
        }
    }
}

/// The accesses that may make a violation with the pivot: for each root a list of targets.
fn ways(criterion: Criterion, run: &Run, pivot: Op) -> Vec<Vec<usize>> {
    let Act::Access(access, _) = pivot.act else { return Vec::new() };
    let task = &run.task(pivot.task).invocation;
    let conflicting = (0..run.ops.len())
        .filter(|op| run.access(*op).is_some_and(|other| other.conflicts(access)));
    match criterion {
        Criterion::Determinism => {
            let mut roots: BTreeMap<TaskId, usize> = BTreeMap::new();
            for op in conflicting {
                let root = &run.task(run.ops[op].task).invocation;
                if root.instance == task.instance && root > task {
                    roots.entry(run.ops[op].task).or_insert(op);
                }
            }
            roots.into_values().map(|root| vec![root]).collect()
        }
        Criterion::Serializability => {
            let mut roots: BTreeMap<InstanceId, usize> = BTreeMap::new();
            for op in conflicting.filter(|op| run.instance(*op) != task.instance) {
                roots.entry(run.instance(op)).or_insert(op);
            }
            let edges = edges(run);
            let way = |(event, root)| {
                let mut targets = path(&edges, task.instance, event)?;
                targets.push(root);
                Some(targets)
            };
            roots.into_iter().filter_map(way).collect()
        }
    }
}

/// The conflicts of events: the first pair of accesses for each pair of events.
fn edges(run: &Run) -> BTreeMap<(InstanceId, InstanceId), (usize, usize)> {
    let mut accesses: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let mut edges = BTreeMap::new();
    for op in 0..run.ops.len() {
        let Some(access) = run.access(op) else { continue };
        let earlier = accesses.entry(access.global).or_default();
        let to = run.instance(op);
        for &first in earlier.iter() {
            let from = run.instance(first);
            if from != to && run.access(first).is_some_and(|first| first.conflicts(access)) {
                edges.entry((from, to)).or_insert((first, op));
            }
        }
        // Only the first read and the first write of an event can be the first of a pair.
        let known = |at: &usize| run.instance(*at) == to && run.access(*at) == Some(access);
        if !earlier.iter().any(known) {
            earlier.push(op);
        }
    }
    edges
}

/// The accesses on a shortest way from one event to another.
fn path(
    edges: &BTreeMap<(InstanceId, InstanceId), (usize, usize)>,
    from: InstanceId,
    to: InstanceId,
) -> Option<Vec<usize>> {
    let mut paths: BTreeMap<InstanceId, Vec<usize>> = BTreeMap::from([(from, Vec::new())]);
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at == to {
            return paths.remove(&to);
        }
        for (&(_, next), &(first, second)) in edges.iter().filter(|((source, _), _)| *source == at)
        {
            if !paths.contains_key(&next) {
                let mut longer = paths[&at].clone();
                longer.extend([first, second]);
                paths.insert(next, longer);
                queue.push_back(next);
            }
        }
    }
    None
}

/// The violation in a trace whose last access is the pivot, by the definitions.
fn violation(
    criterion: Criterion,
    labels: &[Label],
) -> Option<Vec<crate::semantics::definitions::Conflict>> {
    let conflicts = match criterion {
        Criterion::Determinism => {
            let before = &labels[..labels.len().checked_sub(1)?];
            if conflict_cycle(before).is_some() {
                return None;
            }
            vec![dfs_inversion(labels)?]
        }
        Criterion::Serializability => conflict_cycle(labels)?,
    };
    (conflicts.last()?.second.at == labels.len() - 1).then_some(conflicts)
}

/// The violation in what was executed on threads, by both definitions.
fn shown(criterion: Criterion, run: &Run, events: &[Event]) -> Option<Shown> {
    let labels: Vec<Label> = run.ops.iter().filter_map(|op| run.label(*op)).collect();
    let conflicts = violation(criterion, &labels)?;
    let trace = recording(run, events);
    let forest = Forest::new(&trace);
    let is_in_trace = match criterion {
        Criterion::Determinism => !inversions(&trace, &forest).is_empty(),
        Criterion::Serializability => !cycles(&trace, &forest).is_empty(),
    };
    let witness = Witness { moves: Vec::new(), trace: labels, conflicts };
    is_in_trace.then(|| Shown { witness, names: run.names.clone(), trace })
}
