//! The runs that are explored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use analysis::{Analysis, Error};
use order::{Explanation, Graph, HappensBefore, Model, Order, Relation, Tasks};
use report::Report;
use report::model::RaceEntry;
use report::story::Explains;
use report::text::SourceFiles;
use trace::Trace;

use crate::page::Topic;

/// Loads the runs of a session when they are first needed.
pub trait Load: Send + Sync {
    /// Returns the names of the runs.
    fn names(&self) -> Vec<String>;

    /// Analyses a run, or reads its report. The error is a sentence that states what to do.
    fn load(&self, run: usize) -> Result<Run, String>;

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
        let analysed = Some(Analysed { analysis, closed, tasks });
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

    /// Returns the tasks of a page; none for other programs.
    pub(crate) fn tasks(&self) -> Option<&Tasks> {
        self.tasks.as_ref()
    }

    /// Returns happens-before, if the engine kept it.
    pub(crate) fn order(&self) -> Option<Box<dyn HappensBefore + '_>> {
        match &self.closed {
            Some(closed) => Some(Box::new(closed.over(self.trace()))),
            None => Some(Box::new(self.analysis.order()?)),
        }
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

/// The runs that one command explores. Each is loaded when it is first asked for, and stays.
pub struct Session {
    load: Box<dyn Load>,
    names: Vec<String>,
    runs: Vec<Mutex<Option<Loaded>>>,
    pub(crate) topics: Vec<Topic>,
}

impl Session {
    /// Returns a session with the runs of `load`, and with pages of documentation.
    pub fn new(load: impl Load + 'static, topics: Vec<Topic>) -> Self {
        let names = load.names();
        let runs = names.iter().map(|_| Mutex::new(None)).collect();
        Self { load: Box::new(load), names, runs, topics }
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn command(&self, command: &str, run: usize) -> String {
        self.load.command(command, run)
    }

    /// Returns a run. While it is being loaded, others who ask for it wait.
    pub fn run(&self, run: usize) -> Result<Arc<Run>, String> {
        let slot = self.runs.get(run).ok_or_else(|| "There is no such run.".to_owned())?;
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert_with(|| self.load.load(run).map(Arc::new)).clone()
    }

    /// Returns whether a run is loaded, has failed, or was not asked for yet.
    pub(crate) fn state(&self, run: usize) -> (&'static str, Option<String>) {
        let Ok(slot) = self.runs[run].try_lock() else { return ("loading", None) };
        match &*slot {
            None => ("unread", None),
            Some(Ok(_)) => ("ready", None),
            Some(Err(error)) => ("failed", Some(error.clone())),
        }
    }
}
