//! The runs that are explored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use analysis::{Analysis, Error};
use codec::native::Screenshot;
use order::{Explanation, Graph, HappensBefore, MissIndex, Model, Order, Relation, Tasks};
use report::Report;
use report::describe::title;
use report::model::{GroupEntry, RaceEntry};
use report::story::Explains;
use report::text::SourceFiles;
use trace::{EventId, Id, LocationId, OpId, Trace};

use crate::page::Topic;
use crate::views::groups;
use crate::views::lanes::Lanes;

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
    index: Index,
    /// What the page showed, in the order of operations.
    pictures: Vec<Screenshot>,
    /// The table of groups. A page waits for it before it shows anything, so it is made with the run.
    groups: Vec<u8>,
}

/// Where races are in a report, so that no view looks at all of them. Races are given by id, groups by position.
struct Index {
    /// The races with each fingerprint, in the order of the report, which is that of their ids.
    of_fingerprint: HashMap<String, Vec<u32>>,
    /// The races that each race covers.
    covered: HashMap<u32, Vec<u32>>,
    groups: HashMap<u32, u32>,
    /// The events of accesses with their races, sorted; empty without a trace.
    of_event: Vec<(EventId, u32)>,
}

impl Index {
    fn new(report: &Report, trace: Option<&Trace>) -> Self {
        let mut of_fingerprint: HashMap<String, Vec<u32>> = HashMap::new();
        let mut covered: HashMap<u32, Vec<u32>> = HashMap::new();
        for race in &report.races {
            of_fingerprint.entry(race.fingerprint.clone()).or_default().push(race.id);
            for &by in &race.covered_by {
                covered.entry(by).or_default().push(race.id);
            }
        }
        let groups = report.groups.iter().zip(0..).map(|(group, at)| (group.id, at)).collect();
        let event = |trace: &Trace, op| trace.event_of(trace.numbered(op)?);
        let mut of_event: Vec<(EventId, u32)> = trace.map_or_else(Vec::new, |trace| {
            let races = report.races.iter();
            let ops = races.flat_map(|race| [(race.first.op, race.id), (race.second.op, race.id)]);
            ops.filter_map(|(op, race)| Some((event(trace, op)?, race))).collect()
        });
        of_event.sort_unstable();
        of_event.dedup();
        Self { of_fingerprint, covered, groups, of_event }
    }
}

/// What a run knows besides its report.
pub(crate) struct Analysed {
    analysis: Analysis,
    /// The order over an excerpt, whose own order has no paths through it.
    closed: Option<Relation>,
    index: MissIndex,
    lanes: OnceLock<Lanes>,
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
        let index = Index::new(&report, None);
        Self::with_groups(report, sources, None, index)
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
        let (index, accesses) = (MissIndex::new(trace), Accesses::new(trace));
        let of_report = Index::new(&report, Some(trace));
        let lanes = OnceLock::new();
        let analysed = Some(Analysed { analysis, closed, index, lanes, accesses });
        Self::with_groups(report, sources, analysed, of_report)
    }

    fn with_groups(
        report: Report,
        sources: Box<dyn SourceFiles + Send + Sync>,
        analysed: Option<Analysed>,
        index: Index,
    ) -> Self {
        let (pictures, groups) = (Vec::new(), Vec::new());
        let mut run = Self { report, sources, analysed, index, pictures, groups };
        run.groups = groups::table(&run);
        if let Some(analysed) = &run.analysed {
            analysed.lanes();
        }
        run
    }

    /// Returns the table of groups.
    pub(crate) fn groups(&self) -> &[u8] {
        &self.groups
    }

    /// Adds pictures of the page, in the order of their operations.
    #[must_use]
    pub fn with_pictures(mut self, mut pictures: Vec<Screenshot>) -> Self {
        pictures.sort_by_key(|picture| picture.operation);
        pictures.dedup_by_key(|picture| picture.operation);
        self.pictures = pictures;
        self
    }

    pub(crate) fn pictures(&self) -> &[Screenshot] {
        &self.pictures
    }

    /// Returns the picture from before an operation.
    pub(crate) fn picture(&self, operation: u32) -> Option<&Screenshot> {
        let of = |picture: &Screenshot| picture.operation;
        let at = self.pictures.binary_search_by_key(&u64::from(operation), of).ok()?;
        Some(&self.pictures[at])
    }

    /// Returns the `n`-th race with a fingerprint, counted from 1.
    pub(crate) fn race(&self, fingerprint: &str, n: usize) -> Option<u32> {
        self.index.of_fingerprint.get(fingerprint)?.get(n.checked_sub(1)?).copied()
    }

    /// Returns the race with an id.
    pub(crate) fn with_id(&self, id: u32) -> Option<&RaceEntry> {
        let races = &self.report.races;
        races.binary_search_by_key(&id, |race| race.id).ok().map(|at| &races[at])
    }

    /// Returns the races with a fingerprint.
    pub(crate) fn alike(&self, fingerprint: &str) -> impl Iterator<Item = &RaceEntry> {
        let ids = self.index.of_fingerprint.get(fingerprint);
        ids.into_iter().flatten().filter_map(|&id| self.with_id(id))
    }

    /// Returns the races that a race covers.
    pub(crate) fn covered_by(&self, id: u32) -> impl Iterator<Item = &RaceEntry> {
        let ids = self.index.covered.get(&id);
        ids.into_iter().flatten().filter_map(|&id| self.with_id(id))
    }

    /// Returns the races with an access in an event.
    pub(crate) fn races_in(&self, event: EventId) -> impl Iterator<Item = &RaceEntry> {
        let all = &self.index.of_event;
        let from = all.partition_point(|&(other, _)| other < event);
        let own = all[from..].iter().take_while(move |&&(other, _)| other == event);
        own.filter_map(|&(_, id)| self.with_id(id))
    }

    /// Returns the group with an id.
    pub(crate) fn group(&self, id: u32) -> Option<&GroupEntry> {
        self.index.groups.get(&id).map(|&at| &self.report.groups[at as usize])
    }

    /// Returns the position of a race among those with its fingerprint, counted from 1.
    pub(crate) fn nth(&self, race: &RaceEntry) -> usize {
        let ids = &self.index.of_fingerprint[&race.fingerprint];
        ids.binary_search(&race.id).map_or(1, |at| at + 1)
    }

    pub(crate) fn analysed(&self) -> Option<&Analysed> {
        self.analysed.as_ref()
    }

    pub(crate) fn trace(&self) -> Option<&Trace> {
        self.analysed.as_ref().map(Analysed::trace)
    }
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
        self.model().has_tasks().then(|| self.index.tasks())
    }

    /// Returns where operations are that rules look for.
    pub(crate) fn index(&self) -> &MissIndex {
        &self.index
    }

    /// Returns the lanes of the timeline.
    pub(crate) fn lanes(&self) -> &Lanes {
        self.lanes.get_or_init(|| Lanes::new(self))
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
