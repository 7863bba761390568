//! Builds a trace one operation at a time, and checks it on the way.
//!
//! The builder never fails. It interprets contradictory operations as [`crate::anomaly`] documents,
//! and reports them. Each operation costs amortised constant time.
//!
//! A [`TraceBuilder::counting`] builder checks in the same way, but keeps no operations: its memory
//! grows with names, messages and arcs only.

use hashbrown::{HashMap, HashSet};

use crate::anomaly;
use crate::census::Census;
use crate::conventions::Conventions;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Place};
use crate::escape::Escaped;
use crate::id::{
    BarrierId, CallbackId, EnvironmentId, EventId, HandleId, Id, LocationId, LockId, OpId,
    ProcessId, QueueId, SourceId, StackId, TextId, ThreadId,
};
use crate::op::{Attributes, Enqueue, Op, Posting};
use crate::stack::Frame;
use crate::table::{Event, LocationKind, NameTables, Queue, QueueKind, Source, Thread, Trace};

/// The process of every thread that the trace assigns to no process.
pub const DEFAULT_PROCESS: &[u8] = b"app";

/// An event that has begun on a thread and not ended.
#[derive(Clone, Copy)]
struct OpenEvent {
    event: EventId,
    /// The call stack at the event's begin. It is restored at the event's end, and a `leave` inside
    /// the event cannot go below it.
    stack: Option<StackId>,
}

/// The state of a thread after the operations pushed so far.
#[derive(Clone, Default)]
struct ThreadState {
    open: Vec<OpenEvent>,
    stack: Option<StackId>,
    held: HashMap<LockId, u32>,
    ran: bool,
    initialised: bool,
    exited: bool,
    last_at: u64,
    process: Option<ProcessId>,
    queue: Option<QueueId>,
    /// The first fork of the thread, until the thread's init: without an init it orders nothing.
    forked_at: Option<OpId>,
}

/// Builds a [`Trace`] and checks its operations.
#[derive(Clone, Default)]
pub struct TraceBuilder {
    trace: Trace,
    /// How many operations were pushed.
    pushed: usize,
    /// The counts of a builder that keeps no operations.
    census: Option<Box<Census>>,
    /// The thread that each message began on. Threads of messages that did not begin are arbitrary.
    begun_on: Vec<ThreadId>,
    /// The arcs, with their operations.
    arcs: Vec<(OpId, EventId, EventId)>,
    conventions: Conventions,
    anomalies: Diagnostics,
    threads: Vec<ThreadState>,
    owners: HashMap<QueueId, ThreadId>,
    binders: HashSet<QueueId>,
    removed: HashSet<EventId>,
    notified: HashSet<HandleId>,
    registered: HashSet<CallbackId>,
    enabled: HashSet<EnvironmentId>,
    barriers: HashSet<BarrierId>,
    sources: HashMap<Source, SourceId>,
    location_kinds: HashMap<LocationId, LocationKind>,
}

impl TraceBuilder {
    /// Creates a builder without operations.
    pub fn new() -> Self {
        let mut builder = Self::default();
        builder.trace.names.processes.intern(DEFAULT_PROCESS);
        builder
    }

    /// Creates a builder that checks and counts operations but does not keep them. It ends with
    /// [`Self::finish_census`].
    pub fn counting() -> Self {
        Self { census: Some(Box::default()), ..Self::new() }
    }

    /// The name tables, to intern the names that operations mention.
    pub fn names(&mut self) -> &mut NameTables {
        &mut self.trace.names
    }

    /// How many operations were pushed. This is the number of the next operation.
    pub fn len(&self) -> usize {
        self.pushed
    }

    /// Whether no operation was pushed.
    pub fn is_empty(&self) -> bool {
        self.pushed == 0
    }

    /// How many reads and writes were pushed.
    pub fn accesses(&self) -> usize {
        self.trace.accesses
    }

    /// The operations pushed so far, with their names and attributes. It lacks the tables that only
    /// [`Self::finish`] can fill: the processes of threads and the kinds of queues and locations.
    pub fn so_far(&self) -> &Trace {
        &self.trace
    }

    /// Sets the happens-before model that the trace asks for.
    pub fn set_model(&mut self, model: &[u8]) {
        self.trace.model = Some(self.trace.names.texts.intern(model));
        self.conventions = Conventions::of_model(model);
    }

    /// Puts a thread into a process.
    pub fn assign_process(&mut self, thread: ThreadId, process: ProcessId) {
        self.thread_mut(thread).process = Some(process);
    }

    /// Declares the kind of a location.
    pub fn set_location_kind(&mut self, location: LocationId, kind: LocationKind) {
        self.location_kinds.insert(location, kind);
    }

    /// The declared kind of a location.
    pub fn location_kind(&self, location: LocationId) -> Option<LocationKind> {
        self.location_kinds.get(&location).copied()
    }

    /// Interns a free text.
    pub fn text(&mut self, text: &[u8]) -> TextId {
        self.trace.names.texts.intern(text)
    }

    /// Interns a source position.
    pub fn source(&mut self, source: Source) -> SourceId {
        let positions = &mut self.trace.positions;
        *self.sources.entry(source).or_insert_with(|| {
            positions.push(source);
            SourceId::new(positions.len() - 1)
        })
    }

    /// Interns the frame of a call stack, for an excerpt that leaves out calls.
    pub fn frame(&mut self, frame: Frame) -> StackId {
        self.trace.stacks.intern(frame)
    }

    /// Replaces the call stack of a thread, for an excerpt that leaves out calls.
    pub fn set_stack(&mut self, thread: ThreadId, stack: Option<StackId>) {
        self.thread_mut(thread).stack = stack;
    }

    /// Appends an operation.
    pub fn push(&mut self, thread: ThreadId, op: Op, attributes: Attributes) -> OpId {
        let id = OpId::new(self.pushed);
        let op = self.normalise(id, op);
        self.check_thread_life(id, thread, op, attributes.at);
        self.apply(id, thread, op, attributes);
        let state = self.thread_mut(thread);
        state.ran = true;
        let event = state.open.last().map(|o| o.event);
        let stack = state.stack;
        if let Op::End(ended) = op {
            self.close_event(id, thread, ended);
        }
        self.pushed += 1;
        if let Some(census) = &mut self.census {
            census.count(op, &attributes);
        } else {
            self.trace.store(thread, op, event, stack);
            self.trace.store_attributes(id, attributes);
        }
        id
    }

    /// Accounts for an access at time `at` that an excerpt leaves out. Returns false if the access
    /// is an anomaly that the whole trace would report: then the caller must push it.
    pub fn leave_out(&mut self, thread: ThreadId, at: Option<u64>) -> bool {
        let state = self.thread_mut(thread);
        if state.exited || at.is_some_and(|at| at < state.last_at) {
            return false;
        }
        state.ran = true;
        state.last_at = at.unwrap_or(state.last_at);
        true
    }

    /// Appends accesses that carry no attributes. An access is a location, and whether it is
    /// written.
    ///
    /// The result is the same as that of pushing the accesses one by one, but this only fills
    /// columns.
    pub fn push_accesses(
        &mut self,
        thread: ThreadId,
        accesses: impl ExactSizeIterator<Item = (LocationId, bool)>,
    ) {
        let op = |(location, write)| if write { Op::Write(location) } else { Op::Read(location) };
        let state = self.thread_mut(thread);
        if state.exited {
            for access in accesses {
                self.push(thread, op(access), Attributes::default());
            }
            return;
        }
        state.ran |= accesses.len() > 0;
        let event = state.open.last().map(|o| o.event);
        let stack = state.stack;
        self.pushed += accesses.len();
        self.trace.accesses += accesses.len();
        if let Some(census) = &mut self.census {
            let all = accesses.len();
            census.count_accesses(all, accesses.filter(|&(_, write)| write).count());
            return;
        }
        self.trace.store_accesses(thread, event, stack, accesses);
    }

    /// Returns the trace and the anomalies found in it.
    pub fn finish(self) -> (Trace, Vec<Diagnostic>) {
        debug_assert!(self.census.is_none(), "a counting builder has no trace");
        self.close()
    }

    /// Returns the counts of a [`Self::counting`] builder, and the anomalies that it found.
    pub fn finish_census(mut self) -> (Census, Vec<Diagnostic>) {
        let mut census = *self.census.take().expect("the builder counts");
        let (trace, diagnostics) = self.close();
        census.count_tables(&trace);
        (census, diagnostics)
    }

    /// Fills the tables that depend on the whole trace.
    fn close(mut self) -> (Trace, Vec<Diagnostic>) {
        self.check_whole();
        let trace = &mut self.trace;
        let app = ProcessId::new(0);
        self.threads.resize(trace.names.threads.len(), ThreadState::default());
        trace.threads = self
            .threads
            .iter()
            .map(|t| Thread { process: t.process.unwrap_or(app), queue: t.queue })
            .collect();
        trace.queues = trace
            .names
            .queues
            .ids()
            .map(|queue| Queue {
                kind: match (self.owners.get(&queue), self.binders.contains(&queue)) {
                    (Some(_), _) => QueueKind::Looper,
                    (None, true) => QueueKind::Binder,
                    (None, false) => QueueKind::Pool,
                },
                owner: self.owners.get(&queue).copied(),
            })
            .collect();
        trace.events.resize(trace.names.events.len(), Event::default());
        trace.location_kinds = trace
            .names
            .locations
            .ids()
            .map(|location| self.location_kinds.get(&location).copied())
            .collect();
        for i in 0..trace.events.len() {
            let event = trace.events[i];
            if let (None, None, Some(_)) = (event.queue, event.enqueue, event.begin) {
                trace.events[i].queue = trace.threads[self.begun_on[i].index()].queue;
            }
        }
        self.check_foreign_begins();
        (self.trace, self.anomalies.finish())
    }

    fn thread_mut(&mut self, thread: ThreadId) -> &mut ThreadState {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, ThreadState::default());
        }
        &mut self.threads[thread.index()]
    }

    fn event_mut(&mut self, event: EventId) -> &mut Event {
        let events = &mut self.trace.events;
        if events.len() <= event.index() {
            events.resize(event.index() + 1, Event::default());
        }
        &mut events[event.index()]
    }

    fn event_anomaly(&mut self, code: &'static Code, at: OpId, event: EventId) {
        let names = &self.trace.names.events;
        let at = Place::Operation(at.0);
        self.anomalies.report(code, at, || format!("message {}", Escaped(names.get(event))));
    }

    fn thread_anomaly(&mut self, code: &'static Code, at: OpId, thread: ThreadId) {
        let names = &self.trace.names.threads;
        let at = Place::Operation(at.0);
        self.anomalies.report(code, at, || format!("thread {}", Escaped(names.get(thread))));
    }

    fn check_thread_life(&mut self, id: OpId, thread: ThreadId, op: Op, at: Option<u64>) {
        let state = self.thread_mut(thread);
        let mut found: Vec<&'static Code> = Vec::new();
        if op == Op::Init {
            match (state.initialised, state.ran) {
                (true, _) => found.push(&anomaly::DUPLICATE_INIT),
                (false, true) => found.push(&anomaly::OPERATION_BEFORE_INIT),
                (false, false) => {}
            }
            state.initialised = true;
            state.forked_at = None;
        }
        if state.exited {
            found.push(&anomaly::OPERATION_AFTER_EXIT);
        }
        if op == Op::Exit {
            state.exited = true;
            if !state.held.is_empty() {
                found.push(&anomaly::LOCK_HELD_AT_EXIT);
            }
        }
        if at.is_some_and(|at| at < state.last_at) {
            found.push(&anomaly::TIME_RUNS_BACKWARDS);
        }
        state.last_at = at.unwrap_or(state.last_at);
        for code in found {
            self.thread_anomaly(code, id, thread);
        }
    }

    /// Returns the operation as it is stored, and reports flags that contradict the rest of it.
    fn normalise(&mut self, id: OpId, op: Op) -> Op {
        let stored = op.normalised();
        if let Op::Enqueue(enqueue) = op
            && stored != op
        {
            self.event_anomaly(&anomaly::SYNC_WITHOUT_IPC, id, enqueue.event);
        }
        stored
    }

    /// Updates the state that the operation changes. It leaves out the closing of an event by its
    /// `end`, because the end itself still belongs to the event.
    fn apply(&mut self, id: OpId, thread: ThreadId, op: Op, attributes: Attributes) {
        match op {
            Op::Begin(event) => self.open_event(id, thread, event),
            Op::Enqueue(enqueue) => self.post(id, enqueue),
            Op::Remove(event) | Op::EnqueueEnd(event) => {
                if self.event_mut(event).enqueue.is_none() {
                    self.event_anomaly(&anomaly::MESSAGE_NOT_POSTED, id, event);
                }
                if matches!(op, Op::Remove(_)) {
                    self.removed.insert(event);
                }
            }
            Op::Fork(child) => {
                let started = self.thread_mut(child).ran;
                self.thread_mut(child).forked_at.get_or_insert(id);
                self.report_if(started, &anomaly::FORK_AFTER_START, id, child);
            }
            Op::Join(child) => {
                let exited = self.thread_mut(child).exited;
                self.report_if(!exited, &anomaly::JOIN_WITHOUT_EXIT, id, child);
            }
            Op::Lock(lock) => *self.thread_mut(thread).held.entry(lock).or_insert(0) += 1,
            Op::Unlock(lock) => self.release(id, thread, lock),
            Op::Attach(queue) => self.attach(id, thread, queue),
            Op::Loop(queue) => {
                let owned = self.owners.get(&queue) == Some(&thread);
                self.report_if(!owned, &anomaly::LOOP_WITHOUT_ATTACH, id, thread);
            }
            Op::Enter(function) => {
                let (source, provenance) = (attributes.source, attributes.provenance);
                let parent = self.thread_mut(thread).stack;
                let frame = Frame { parent, function, source, provenance };
                self.thread_mut(thread).stack = Some(self.trace.stacks.intern(frame));
            }
            Op::Leave => self.leave(id, thread),
            Op::Arc(from, to) => self.arcs.push((id, from, to)),
            Op::Read(_) | Op::Write(_) => self.trace.accesses += 1,
            _ => self.check_pair(id, op),
        }
    }

    /// Checks the operations that belong to an earlier one by a shared name alone, such as `wait`
    /// to `notify`.
    fn check_pair(&mut self, id: OpId, op: Op) {
        let missing: Option<&'static Code> = match op {
            Op::Notify(handle) => {
                self.notified.insert(handle);
                None
            }
            Op::Wait(handle) => {
                (!self.notified.contains(&handle)).then_some(&anomaly::WAIT_WITHOUT_NOTIFY)
            }
            Op::Register(callback) => {
                self.registered.insert(callback);
                None
            }
            Op::Invoke { callback, .. } | Op::Unregister(callback) => {
                (!self.registered.contains(&callback)).then_some(&anomaly::CALLBACK_NOT_REGISTERED)
            }
            Op::Enable(event) => {
                self.enabled.insert(event);
                None
            }
            Op::Trigger(event) => {
                (!self.enabled.contains(&event)).then_some(&anomaly::TRIGGER_WITHOUT_ENABLE)
            }
            Op::PostBarrier(barrier, _) => {
                (!self.barriers.insert(barrier)).then_some(&anomaly::DUPLICATE_BARRIER)
            }
            Op::RemoveBarrier(barrier) => {
                (!self.barriers.contains(&barrier)).then_some(&anomaly::BARRIER_NOT_POSTED)
            }
            _ => None,
        };
        if let Some(code) = missing {
            let name = self.paired_name(op);
            self.anomalies.report(code, Place::Operation(id.0), || name);
        }
    }

    fn paired_name(&self, op: Op) -> String {
        let names = &self.trace.names;
        let (what, name) = match op {
            Op::Wait(handle) => ("handle", names.handles.get(handle)),
            Op::Invoke { callback, .. } | Op::Unregister(callback) => {
                ("callback", names.callbacks.get(callback))
            }
            Op::Trigger(event) => ("environment event", names.environment.get(event)),
            Op::PostBarrier(barrier, _) | Op::RemoveBarrier(barrier) => {
                ("barrier", names.barriers.get(barrier))
            }
            _ => unreachable!("{op:?} pairs with nothing"),
        };
        format!("{what} {}", Escaped(name))
    }

    fn report_if(&mut self, wrong: bool, code: &'static Code, id: OpId, thread: ThreadId) {
        if wrong {
            self.thread_anomaly(code, id, thread);
        }
    }

    fn post(&mut self, id: OpId, enqueue: Enqueue) {
        let event = self.event_mut(enqueue.event);
        let code = match (event.enqueue, event.begin) {
            (Some(_), _) => Some(&anomaly::DUPLICATE_ENQUEUE),
            (None, Some(_)) => Some(&anomaly::ENQUEUE_AFTER_BEGIN),
            (None, None) => None,
        };
        if event.enqueue.is_none() {
            event.enqueue = Some(id);
            event.queue = Some(enqueue.queue);
            if enqueue.posting == Posting::Ipc {
                self.binders.insert(enqueue.queue);
            }
        }
        if let Some(code) = code {
            self.event_anomaly(code, id, enqueue.event);
        }
    }

    fn open_event(&mut self, id: OpId, thread: ThreadId, event: EventId) {
        if self.event_mut(event).begin.is_some() {
            self.event_anomaly(&anomaly::DUPLICATE_BEGIN, id, event);
            return;
        }
        self.event_mut(event).begin = Some(id);
        if self.begun_on.len() <= event.index() {
            self.begun_on.resize(event.index() + 1, thread);
        }
        self.begun_on[event.index()] = thread;
        let is_odd = !self.conventions.begins_unposted;
        if self.event_mut(event).enqueue.is_none() && is_odd {
            self.event_anomaly(&anomaly::BEGIN_WITHOUT_ENQUEUE, id, event);
        }
        if self.removed.contains(&event) {
            self.event_anomaly(&anomaly::BEGIN_AFTER_REMOVE, id, event);
        }
        let state = self.thread_mut(thread);
        let stack = state.stack;
        state.open.push(OpenEvent { event, stack });
        if state.open.len() > 1 {
            self.event_anomaly(&anomaly::NESTED_BEGIN, id, event);
        }
    }

    fn close_event(&mut self, id: OpId, thread: ThreadId, event: EventId) {
        let state = self.thread_mut(thread);
        let Some(open) = state.open.last().copied().filter(|o| o.event == event) else {
            self.event_anomaly(&anomaly::WRONG_END, id, event);
            return;
        };
        state.open.pop();
        let left_open = state.stack != open.stack;
        state.stack = open.stack;
        self.event_mut(event).end = Some(id);
        if left_open {
            self.event_anomaly(&anomaly::FUNCTION_LEFT_OPEN, id, event);
        }
    }

    fn release(&mut self, id: OpId, thread: ThreadId, lock: LockId) {
        let held = &mut self.thread_mut(thread).held;
        match held.get_mut(&lock) {
            Some(1) => {
                held.remove(&lock);
            }
            Some(count) => *count -= 1,
            None => {
                let name = Escaped(self.trace.names.locks.get(lock)).to_string();
                self.anomalies.report(
                    &anomaly::UNLOCK_WITHOUT_LOCK,
                    Place::Operation(id.0),
                    || format!("lock {name}"),
                );
            }
        }
    }

    fn attach(&mut self, id: OpId, thread: ThreadId, queue: QueueId) {
        let first_of_thread = *self.thread_mut(thread).queue.get_or_insert(queue);
        let is_odd = first_of_thread != queue && !self.conventions.serves_several_queues;
        self.report_if(is_odd, &anomaly::SECOND_QUEUE, id, thread);
        let owner = *self.owners.entry(queue).or_insert(thread);
        self.report_if(owner != thread, &anomaly::SECOND_OWNER, id, thread);
    }

    fn leave(&mut self, id: OpId, thread: ThreadId) {
        let state = self.thread_mut(thread);
        let floor = state.open.last().and_then(|o| o.stack);
        match state.stack {
            Some(stack) if state.stack != floor => {
                let parent = self.trace.stacks.frame(stack).parent;
                self.thread_mut(thread).stack = parent;
            }
            _ => self.report_if(true, &anomaly::LEAVE_WITHOUT_ENTER, id, thread),
        }
    }

    /// Reports the anomalies that only the whole trace shows.
    fn check_whole(&mut self) {
        for i in 0..self.threads.len() {
            let state = &self.threads[i];
            let unfinished: Vec<EventId> = state.open.iter().map(|o| o.event).collect();
            if let Some(fork) = state.forked_at {
                self.report_if(true, &anomaly::FORK_WITHOUT_INIT, fork, ThreadId::new(i));
            }
            for event in unfinished {
                let begin = self.event_mut(event).begin.expect("an open event has begun");
                self.event_anomaly(&anomaly::UNENDED_EVENT, begin, event);
            }
        }
        for (op, from, to) in std::mem::take(&mut self.arcs) {
            if !self.arc_leads_forward(from, to) {
                let names = &self.trace.names.events;
                let (from, to) = (Escaped(names.get(from)), Escaped(names.get(to)));
                self.anomalies.report(&anomaly::ARC_BACKWARD, Place::Operation(op.0), || {
                    format!("{from} to {to}")
                });
            }
        }
    }

    fn arc_leads_forward(&mut self, from: EventId, to: EventId) -> bool {
        match (self.event_mut(from).end, self.event_mut(to).begin) {
            (Some(end), Some(begin)) => end < begin,
            _ => false,
        }
    }

    fn check_foreign_begins(&mut self) {
        for i in 0..self.trace.events.len() {
            let event = self.trace.events[i];
            let (Some(begin), Some(queue)) = (event.begin, event.queue) else { continue };
            let owner = self.trace.queue(queue).owner;
            if owner.is_some_and(|owner| owner != self.begun_on[i]) {
                self.event_anomaly(&anomaly::BEGIN_ON_FOREIGN_THREAD, begin, EventId::new(i));
            }
        }
    }
}
