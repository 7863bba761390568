//! The runs that are explored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use analysis::{Analysis, Error};
use order::{Explanation, Graph, HappensBefore, Model, Order, Relation, Tasks};
use report::Report;
use report::describe::title;
use report::model::RaceEntry;
use report::story::Explains;
use report::text::SourceFiles;
use trace::{Id, LocationId, OpId, Trace};

use crate::page::Topic;

/// Loads the runs of a session when they are first needed.
pub trait Load: Send + Sync {
    /// Returns the names of the runs.
    fn names(&self) -> Vec<String>;

    /// Analyses a run, or reads its report. The error is a sentence that states what to do.
    fn load(&self, run: usize) -> Result<Run, String>;

    /// Returns a number that changes when the file of a run does. The error is a sentence that says what is wrong.
    fn version(&self, _run: usize) -> Result<u64, String> {
        Ok(0)
    }

    /// Returns the command that works on a run, such as `interloper order`, up to its further arguments.
    fn command(&self, command: &str, run: usize) -> String;
}

/// One run: a report and, unless only the report is known, the analysis that it was made from.
pub struct Run {
    /// The report.
    pub report: Report,
    /// The source files that may be shown.
    pub sources: Box<dyn SourceFiles + Send + Sync>,
    analysed: Option<Analysed>,
    /// The ids of the races with each fingerprint, in the order of the trace.
    ids: HashMap<String, Vec<u32>>,
}

/// What a run knows besides its report.
pub(crate) struct Analysed {
    analysis: Analysis,
    /// The order over an excerpt, whose own order has no paths through it.
    closed: Option<Relation>,
    tasks: Option<Tasks>,
    accesses: Accesses,
}

/// The accesses of each location, in the order of the trace. 4 bytes for each access.
struct Accesses {
    /// Where the accesses of each location begin; one more at the end.
    starts: Vec<u32>,
    ops: Vec<OpId>,
}

impl Accesses {
    fn new(trace: &Trace) -> Self {
        let mut starts = vec![0u32; trace.names().locations.len() + 1];
        let accesses = || trace.ops().filter_map(|op| Some((op, trace.op(op).access()?.0)));
        for (_, location) in accesses() {
            starts[location.index() + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut ops = vec![OpId(0); starts.last().map_or(0, |&end| end as usize)];
        for (op, location) in accesses() {
            ops[next[location.index()] as usize] = op;
            next[location.index()] += 1;
        }
        Self { starts, ops }
    }

    fn of(&self, location: LocationId) -> &[OpId] {
        match self.starts.get(location.index()..location.index() + 2) {
            Some(&[from, to]) => &self.ops[from as usize..to as usize],
            _ => &[],
        }
    }
}

impl Run {
    /// Returns the run of a report without its trace.
    pub fn of_report(report: Report, sources: Box<dyn SourceFiles + Send + Sync>) -> Self {
        Self { ids: ids(&report), report, sources, analysed: None }
    }

    /// Returns the run of an analysis.
    pub fn new(
        analysis: Analysis,
        report: Report,
        sources: Box<dyn SourceFiles + Send + Sync>,
    ) -> Self {
        let (trace, rules) = (analysis.trace(), &analysis.rules);
        let is_kept = analysis.order().is_some();
        let closed = (is_kept && trace.is_excerpt())
            .then(|| Order::Graph(Graph::new(trace, rules)).detached());
        let tasks = rules.model().has_tasks().then(|| Tasks::new(trace));
        let accesses = Accesses::new(trace);
        let analysed = Some(Analysed { analysis, closed, tasks, accesses });
        Self { ids: ids(&report), report, sources, analysed }
    }

    /// Returns the `n`-th race with a fingerprint, counted from 1.
    pub(crate) fn race(&self, fingerprint: &str, n: usize) -> Option<u32> {
        self.ids.get(fingerprint)?.get(n.checked_sub(1)?).copied()
    }

    /// Returns the position of a race among those with its fingerprint, counted from 1.
    pub(crate) fn nth(&self, race: &RaceEntry) -> usize {
        let ids = &self.ids[&race.fingerprint];
        ids.iter().position(|&id| id == race.id).map_or(1, |at| at + 1)
    }

    pub(crate) fn analysed(&self) -> Option<&Analysed> {
        self.analysed.as_ref()
    }

    pub(crate) fn trace(&self) -> Option<&Trace> {
        self.analysed.as_ref().map(Analysed::trace)
    }
}

fn ids(report: &Report) -> HashMap<String, Vec<u32>> {
    let mut ids: HashMap<String, Vec<u32>> = HashMap::new();
    for race in &report.races {
        ids.entry(race.fingerprint.clone()).or_default().push(race.id);
    }
    ids
}

impl Analysed {
    pub(crate) fn trace(&self) -> &Trace {
        self.analysis.trace()
    }

    pub(crate) fn model(&self) -> &'static Model {
        self.analysis.rules.model()
    }

    pub(crate) fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// Returns the accesses of a location, in the order of the trace.
    pub(crate) fn accesses(&self, location: LocationId) -> &[OpId] {
        self.accesses.of(location)
    }

    /// Returns the tasks of a page; none for other programs.
    pub(crate) fn tasks(&self) -> Option<&Tasks> {
        self.tasks.as_ref()
    }

    /// Returns happens-before with its paths, if the engine kept it.
    pub(crate) fn closed_order(&self) -> Option<Order<'_>> {
        match &self.closed {
            Some(closed) => Some(closed.over(self.trace())),
            None => self.analysis.order(),
        }
    }

    /// Returns happens-before, if the engine kept it.
    pub(crate) fn order(&self) -> Option<Box<dyn HappensBefore + '_>> {
        Some(Box::new(self.closed_order()?))
    }
}

impl Explains for Analysed {
    fn explain(&self, a: u32, b: u32) -> Option<Explanation> {
        match &self.closed {
            Some(closed) => {
                let (trace, order) = (self.trace(), closed.over(self.trace()));
                Some(order.explain(trace.numbered(a)?, trace.numbered(b)?))
            }
            None => match self.analysis.explain(a, b) {
                Ok(explanation) => Some(explanation),
                Err(Error::NoOperation(_) | Error::NoOrder) => None,
                Err(error) => unreachable!("an explanation reads nothing: {error}"),
            },
        }
    }
}

/// A run that is loaded, or the reason why it is not.
type Loaded = Result<Arc<Run>, String>;

/// The races of a run: the fingerprint, the title, and whether the race is open.
pub(crate) type Summary = Vec<(String, String, bool)>;

/// What a session knows of one run.
#[derive(Default)]
struct Slot {
    loaded: Option<Loaded>,
    /// The version that was loaded.
    version: u64,
    summary: Option<Result<Arc<Summary>, String>>,
}

/// The only run of a session, which is loaded from the start.
struct One<C> {
    name: String,
    command: C,
}

impl<C: Fn(&str) -> String + Send + Sync> Load for One<C> {
    fn names(&self) -> Vec<String> {
        vec![self.name.clone()]
    }

    fn load(&self, _run: usize) -> Result<Run, String> {
        unreachable!("the run is loaded")
    }

    fn command(&self, command: &str, _run: usize) -> String {
        (self.command)(command)
    }
}

/// The runs that one command explores. Each is loaded when it is first asked for, and stays.
pub struct Session {
    load: Box<dyn Load>,
    names: Vec<String>,
    runs: Vec<Mutex<Slot>>,
    pub(crate) topics: Vec<Topic>,
}

impl Session {
    /// Returns a session with the runs of `load`, and with pages of documentation.
    pub fn new(load: impl Load + 'static, topics: Vec<Topic>) -> Self {
        let names = load.names();
        let runs = names.iter().map(|_| Mutex::default()).collect();
        Self { load: Box::new(load), names, runs, topics }
    }

    /// Returns a session with one run, which is loaded. `command` returns the command that works on it.
    pub fn of_run(
        run: Run,
        name: String,
        command: impl Fn(&str) -> String + Send + Sync + 'static,
        topics: Vec<Topic>,
    ) -> Self {
        let slot = Slot { loaded: Some(Ok(Arc::new(run))), ..Slot::default() };
        Self {
            load: Box::new(One { name: name.clone(), command }),
            names: vec![name],
            runs: vec![Mutex::new(slot)],
            topics,
        }
    }

    /// Returns the report of the only run of a session.
    pub fn into_report(self) -> Option<Report> {
        let slot = self.runs.into_iter().next()?.into_inner();
        let run = slot.unwrap_or_else(PoisonError::into_inner).loaded?.ok()?;
        Arc::into_inner(run).map(|run| run.report)
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn command(&self, command: &str, run: usize) -> String {
        self.load.command(command, run)
    }

    /// Returns a run. While it is being loaded, others who ask for it wait. A run that could not be loaded is tried
    /// again once its file has changed.
    pub fn run(&self, run: usize) -> Result<Arc<Run>, String> {
        let mut slot = self.slot(run)?;
        let version = self.load.version(run);
        let has_failed = matches!(slot.loaded, Some(Err(_)));
        if has_failed && version.as_ref().is_ok_and(|&version| version != slot.version) {
            slot.loaded = None;
        }
        if slot.loaded.is_none() {
            slot.version = version.unwrap_or_default();
            slot.loaded = Some(self.load.load(run).map(Arc::new));
        }
        slot.loaded.clone().expect("loaded just now")
    }

    fn slot(&self, run: usize) -> Result<MutexGuard<'_, Slot>, String> {
        let slot = self.runs.get(run).ok_or_else(|| "There is no such run.".to_owned())?;
        Ok(slot.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Drops a run whose file has changed since it was loaded, so that it is loaded again. Returns whether it did.
    pub(crate) fn refresh(&self, run: usize) -> bool {
        let Ok(mut slot) = self.slot(run) else { return false };
        let changed = matches!(self.load.version(run), Ok(version) if version != slot.version);
        if changed && slot.loaded.is_some() {
            *slot = Slot::default();
        }
        changed
    }

    /// Returns the races of a run in short. A run that is read only for that does not stay in memory.
    pub(crate) fn summary(&self, run: usize) -> Result<Arc<Summary>, String> {
        let mut slot = self.slot(run)?;
        if let Some(summary) = &slot.summary {
            return summary.clone();
        }
        let of = |run: &Run| {
            let races = run.report.races.iter();
            let row = |race: &RaceEntry| (race.fingerprint.clone(), title(race), race.is_open());
            Arc::new(races.map(row).collect())
        };
        let summary = match &slot.loaded {
            Some(loaded) => loaded.as_ref().map(|run| of(run)).map_err(Clone::clone),
            None => self.load.load(run).map(|run| of(&run)),
        };
        slot.summary = Some(summary.clone());
        summary
    }

    /// Returns whether a run is loaded, has failed, or was not asked for yet, and whether its file has changed since or
    /// is gone.
    pub(crate) fn state(&self, run: usize) -> (&'static str, Option<String>) {
        let Ok(slot) = self.runs[run].try_lock() else { return ("loading", None) };
        match (&slot.loaded, self.load.version(run)) {
            (None, _) => ("unread", None),
            (Some(Err(error)), _) => ("failed", Some(error.clone())),
            (Some(Ok(_)), Err(error)) => ("vanished", Some(error)),
            (Some(Ok(_)), Ok(version)) if version != slot.version => ("changed", None),
            (Some(Ok(_)), Ok(_)) => ("ready", None),
        }
    }
}
