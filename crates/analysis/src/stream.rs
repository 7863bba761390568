//! Engine `stream`: one pass over the operations, without the trace.
//!
//! The pass feeds [`order::Stream`] and [`races::stream::Detector`], and keeps of each event what a
//! report states (`events`). The races whose verdicts became final are listed; at the end their
//! accesses and events are made into an excerpt, which is covered, labelled and ranked like any other
//! trace (`excerpt`). Labels that depend on other accesses than those of the races are not given, and
//! neither are hints; a diagnostic names them.
//!
//! A native file or pipe is never in memory. A trace in memory is passed over in the same way.
//!
//! Memory: that of the two engines, the names, and the events they keep.

mod events;
pub(crate) mod excerpt;
mod live;
pub mod state;

use std::io::Read;

use codec::native::{Batch, Batches, Declared, Excerpt, Shown, Step, SyncRow};
use codec::{Completeness, Format, Loaded, ReadError};
use order::{Row, RuleSet, Stream, Word};
use races::stream::{Accessed, Accesses, Context, Detector, Found};
use races::{Origin, Race};
use trace::{EventId, LocationId, NameTables, Op, OpId, Place, Trace};

use crate::batch::LISTED;
use crate::error::{Error, Unsuitable};
use crate::outcome::{Analysis, Counts};
use crate::request::{Engine, Request};
use crate::source::Positioned;
use crate::threads::cores;
use crate::watch::{Milestone, StreamState, Watcher};
use events::Events;
use live::Live;

/// The number of races of a location that are listed with a window, where memory must not grow with the
/// trace. The rest is only counted.
const LISTED_IN_WINDOW: u32 = 64;

/// The pass over the operations of a trace.
pub(crate) struct Pass {
    stream: Stream,
    detector: Detector,
    events: Events,
    /// Races whose verdicts are final.
    listed: Vec<Found>,
    /// The number of pairs, listed or not.
    pairs: u64,
    /// For each location, how many races it has.
    racy: Vec<u32>,
    /// How many races of a location are listed.
    per_location: u32,
    operations: u64,
    accesses: u64,
    /// Whether events may be parts of tasks.
    has_tasks: bool,
    /// Races that were listed since they were last taken, if the watch wants them.
    live: Option<Live>,
}

impl Pass {
    pub(crate) fn new(rules: &RuleSet, live: bool) -> Result<Self, Error> {
        let stream = Stream::new(rules).map_err(|why| state::unsuitable(rules, why))?;
        Ok(Self {
            stream,
            detector: Detector::new(cores()),
            events: Events::default(),
            listed: Vec::new(),
            pairs: 0,
            racy: Vec::new(),
            per_location: rules.window().map_or(u32::MAX, |_| LISTED_IN_WINDOW),
            operations: 0,
            accesses: 0,
            has_tasks: rules.model().has_tasks(),
            live: live.then(Live::default),
        })
    }

    fn row(&mut self, row: &SyncRow, names: &NameTables) {
        let (number, thread, event, op) = (row.number, row.thread, row.event, row.op);
        let word = Word::of(row.attributes.event_type.map(|text| names.texts.get(text)));
        let row_of = Row { number, thread, event, op, at: row.attributes.at, word };
        self.events.note(row, self.has_tasks.then_some(word));
        self.detector.pass(&row_of);
        self.stream.pass(&row_of);
        if !self.stream.orders_events()
            && let Some(trigger) = self.events.trigger_of(row)
        {
            self.stream.watch(trigger);
        }
        self.operations += 1;
    }

    /// Lists the races that became final.
    fn settle(&mut self) {
        self.detector.settle(&mut self.stream);
        for found in self.detector.take() {
            self.pairs += 1;
            let location = found.location.0 as usize;
            if self.racy.len() <= location {
                self.racy.resize(location + 1, 0);
            }
            self.racy[location] += 1;
            if self.listed.len() < LISTED && self.racy[location] <= self.per_location {
                for event in [found.first.event, found.second.event].into_iter().flatten() {
                    self.keep(event);
                }
                self.listed.push(found);
                if self.live.is_some() {
                    let class = self.class_so_far(&found);
                    self.live.iter_mut().for_each(|live| live.add(&found, class));
                }
            } else {
                self.stream.release(found.moment);
            }
        }
    }

    /// Drops what a report needs of events that cannot be in one any more, and calls `each` for them.
    fn prune(&mut self, each: impl FnMut(EventId)) {
        let stream = &mut self.stream;
        let kept = stream.events();
        if let Some(needed) = self.events.prune(|event| stream.holds(event), kept, each) {
            stream.unwatch(|event| needed.contains(&event));
        }
    }

    /// Keeps an event that has a race, its ancestors and its trigger, and what parts of tasks among them
    /// wait for.
    fn keep(&mut self, event: EventId) {
        for ancestor in self.events.ancestors(event) {
            for cause in self.stream.watch(ancestor) {
                for ancestor in self.events.ancestors(cause) {
                    self.stream.watch(ancestor);
                }
                self.events.pin(cause);
            }
        }
        self.events.pin(event);
    }

    /// The class of a race, as far as the origins of its events are known.
    fn class_so_far(&mut self, found: &Found) -> races::Class {
        let origin = |event: Option<EventId>| event.map(|e| self.events.origin_so_far(e));
        let origins = [origin(found.first.event), origin(found.second.event)];
        let stream = &mut self.stream;
        let orders_operations = !stream.orders_events();
        let ordered = |t, u| stream.watched_before(t, u) || stream.watched_before(u, t);
        class(found, origins, orders_operations.then_some(ordered))
    }

    fn state(&self) -> StreamState {
        StreamState {
            operations: self.operations,
            events: self.stream.events(),
            chains: self.stream.chains(),
            bytes: self.stream.bytes() + self.detector.bytes(),
            races: self.pairs,
        }
    }

    fn finish(&mut self) {
        self.stream.finish();
        self.settle();
    }

    fn batch(&mut self, batch: &Batch, names: &NameTables) {
        for step in batch.steps() {
            match step {
                Step::Sync(row) => self.row(row, names),
                Step::Call(_) => self.operations += 1,
                Step::Run(run) => {
                    let context =
                        Context { thread: run.thread, event: run.event, stack: run.stack };
                    self.detector.enter(&mut self.stream, context);
                    self.operations += u64::from(run.len);
                    self.accesses += u64::from(run.len);
                }
            }
        }
        self.detector.compare(&mut self.stream, &OfBatch(batch));
    }
}

/// The accesses of a batch.
struct OfBatch<'a>(&'a Batch);

impl Accesses for OfBatch<'_> {
    fn len(&self) -> usize {
        self.0.accesses.len()
    }

    fn locations(&self, run: usize) -> &[LocationId] {
        &self.0.accesses.locations[self.0.runs[run].rows()]
    }

    #[inline]
    fn get(&self, run: usize, at: usize) -> Accessed {
        let (run, accesses) = (&self.0.runs[run], &self.0.accesses);
        let row = run.start as usize + at;
        Accessed {
            number: accesses.number(run, row),
            location: accesses.locations[row],
            is_write: accesses.writes[row],
            value: accesses.values.get(row),
            source: accesses.sources.get(row),
        }
    }
}

/// The class of a race between events of these origins, in models that order operations; `ordered` states
/// whether two events are. In models that order events, it states which accesses write.
fn class(
    found: &Found,
    [first, second]: [Option<Origin>; 2],
    ordered: Option<impl FnOnce(EventId, EventId) -> bool>,
) -> races::Class {
    let Some(ordered) = ordered else {
        return races::Class::of_accesses(found.first_writes, found.second_writes);
    };
    if found.first.thread != found.second.thread {
        return races::Class::MultiThreaded;
    }
    first.unwrap_or_default().class(second.unwrap_or_default(), ordered)
}

/// Analyses a native file in one pass. Returns `None` if its model is `threads`, which is for traces in
/// memory.
pub(crate) fn analyse_file(
    file: &Positioned,
    request: &Request<'_>,
    watcher: &Watcher<'_>,
) -> Result<Option<Analysis>, Error> {
    let batches = Batches::parallel(file.at_start(), cores().div_ceil(2));
    let batches = batches.map_err(|error| out_of_resources(&error))?.to_the_end();
    analyse_native(batches, request, watcher)
}

/// Analyses a native pipe in one pass.
pub(crate) fn analyse_pipe(
    bytes: Box<dyn Read + '_>,
    request: &Request<'_>,
    watcher: &Watcher<'_>,
) -> Result<Analysis, Error> {
    let batches = Batches::new(bytes).map_err(|error| out_of_resources(&error))?;
    let analysis = analyse_native(batches, request, watcher)?;
    analysis.ok_or_else(|| Unsuitable::StreamModel(order::THREADS.name).into())
}

fn out_of_resources(error: &std::io::Error) -> ReadError {
    ReadError::new(Place::Whole, error.to_string(), "memory and threads to decode with")
}

/// Analyses the batches of a native file or pipe in one pass. If the watch stops the pass, the report
/// is on what was read until then.
fn analyse_native(
    mut batches: Batches<'_>,
    request: &Request<'_>,
    watcher: &Watcher<'_>,
) -> Result<Option<Analysis>, Error> {
    let mut declared = Declared::default();
    let mut pass: Option<(Pass, RuleSet)> = None;
    let mut stopped = None;
    while let Some(batch) = batches.next() {
        let batch = batch?;
        if let Err(diagnostic) = declared.absorb(&batch) {
            stopped = Some(diagnostic);
            break;
        }
        let (pass, rules) = match &mut pass {
            Some(pass) => pass,
            none => {
                let rules = request.model.rules_of(declared.model())?;
                if rules.model().streams {
                    return Ok(None);
                }
                none.insert((Pass::new(&rules, request.live)?, rules))
            }
        };
        for &(thread, process) in declared.take_processes() {
            pass.stream.assign_process(thread, process);
        }
        if batches.operations() > u64::from(u32::MAX) {
            stopped = Some(state::too_many(batches.operations()));
            break;
        }
        pass.batch(&batch, declared.names());
        pass.settle();
        live::tell(pass, &declared, (rules.model(), request.lists), watcher);
        pass.prune(|event| declared.forget_event(event));
        if watcher.reach(Milestone::Streamed(pass.state())).is_err() {
            stopped = Some(state::interrupted(pass.operations));
            break;
        }
    }
    let (mut pass, rules) = if let Some(pass) = pass {
        pass
    } else {
        let rules = request.model.rules_of(declared.model())?;
        (Pass::new(&rules, request.live)?, rules)
    };
    pass.finish();
    live::tell(&mut pass, &declared, (rules.model(), request.lists), watcher);
    let operations = pass.operations;
    let completeness = match &stopped {
        Some(loss) if loss.code.name == state::INTERRUPTED.name => {
            Completeness::tail_missing(loss.clone()).with_operations(operations)
        }
        Some(loss) => Completeness::damaged(loss.clone()).with_operations(operations),
        None => batches.completeness(),
    };
    let counts = Counts {
        operations: usize::try_from(operations).unwrap_or(usize::MAX),
        events: pass.stream.epoch() as usize,
        threads: declared.names().threads.len(),
        locations: declared.names().locations.len(),
        accesses: usize::try_from(pass.accesses).unwrap_or(usize::MAX),
    };
    let mut diagnostics = batches.diagnostics().to_vec();
    diagnostics.extend(stopped);
    let operations = excerpt::operations(&pass.events, pass.listed.iter(), pass.events.pinned());
    let Excerpt { trace, shown } = declared.excerpt(&operations);
    let loaded = Loaded { trace, diagnostics, completeness, origin: None };
    Ok(Some(conclude((Format::Native, Some(shown)), loaded, rules, pass, (request, counts))))
}

/// Analyses a trace in memory in one pass.
pub(crate) fn analyse_loaded(
    format: Format,
    loaded: Loaded,
    rules: RuleSet,
    request: &Request<'_>,
) -> Result<Analysis, Error> {
    let mut pass = Pass::new(&rules, false)?;
    let trace = &loaded.trace;
    for thread in trace.names().threads.ids() {
        pass.stream.assign_process(thread, trace.thread(thread).process);
    }
    for op in trace.ops() {
        pass.operation(trace, op);
        if !matches!(trace.op(op), Op::Read(_) | Op::Write(_)) {
            pass.settle();
            pass.prune(|_| {});
        }
    }
    pass.finish();
    let counts = Counts::of(trace);
    Ok(conclude((format, None), loaded, rules, pass, (request, counts)))
}

impl Pass {
    fn operation(&mut self, trace: &Trace, op: OpId) {
        let (thread, event, number) = (trace.thread_of(op), trace.event_of(op), u64::from(op.0));
        let attributes = trace.attributes(op);
        match trace.op(op) {
            Op::Enter(_) | Op::Leave => self.operations += 1,
            Op::Read(location) | Op::Write(location) => {
                let is_write = matches!(trace.op(op), Op::Write(_));
                let (value, source) = (attributes.value, attributes.source);
                let access = Accessed { number, location, is_write, value, source };
                let context = Context { thread, event, stack: trace.stack_of(op) };
                self.detector.run(&mut self.stream, context, std::iter::once(access));
                (self.operations, self.accesses) = (self.operations + 1, self.accesses + 1);
            }
            operation => {
                let row = SyncRow { number, thread, event, op: operation, attributes };
                self.row(&row, trace.names());
            }
        }
    }
}

/// Covers, labels and ranks the races of a pass that is over. `shown` states what of the input the trace
/// shows, unless it is all.
fn conclude(
    (format, shown): (Format, Option<Shown>),
    mut loaded: Loaded,
    rules: RuleSet,
    pass: Pass,
    (request, counts): (&Request<'_>, Counts),
) -> Analysis {
    let model = rules.model();
    loaded.diagnostics.extend(state::statement(&rules, &pass));
    let racy = pass.racy.iter().filter(|&&races| races > 0).count();
    let pairs = usize::try_from(pass.pairs).unwrap_or(usize::MAX);
    let listed_all = pass.listed.len() == pairs;
    let (mut races, order) = excerpt::races(&loaded.trace, shown, pass);
    let trace = &loaded.trace;
    let may_cover = |race: &Race| request.lists.may_cover(trace, model, race.location);
    races::cover(trace, &order, model, &mut races, &may_cover);
    if model.has_tasks() {
        let causes = order.causes(trace);
        races::cover_calls(trace, &order, &causes, &mut races, &may_cover);
    }
    let races = races::Races { races, pairs };
    let triage = triage::triage_in_one_pass(trace, &order, model, &races, request.lists);
    Analysis {
        format,
        counts,
        rules,
        engine: Engine::Stream,
        races,
        triage,
        racy_locations: (!listed_all).then_some(racy),
        levels: None,
        loaded,
        order: None,
        shown: Some(order),
    }
}
