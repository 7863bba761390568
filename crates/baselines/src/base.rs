//! The rules whose premises do not mention ≺: program order, forks and joins, notifications,
//! callbacks, posts, blocking calls, native messages and inter-process messages.
//!
//! If a rule orders several operations before another, an operation that precedes another of them
//! gets no edge (EventRacer Android, §6.1: "it is sufficient to add an edge only to the latest").

use std::collections::BTreeMap;

use trace::{Id, Op, OpId, Posting, ProcessId, QueueId, QueueKind, ThreadId, Trace};

use crate::skeleton::{Message, Node};

/// An event, or a thread outside events. Its operations are in trace order.
type Task = (ThreadId, Option<u32>);

/// The last operation of some kind in each task.
type Latest = BTreeMap<Task, Node>;

/// An inter-process message that ended.
#[derive(Clone, Copy)]
struct Ended {
    enqueue: OpId,
    begin: OpId,
    end: OpId,
    at: Node,
    sync: bool,
}

#[derive(Default)]
struct Callback {
    registers: Latest,
    invokes: Latest,
    last_sync: Option<Node>,
}

struct Base<'t> {
    trace: &'t Trace,
    /// The node of each operation, if it has one.
    node_of: &'t [Option<Node>],
    last_of_task: BTreeMap<Task, Node>,
    inits: Vec<Option<Node>>,
    /// The last operations of the tasks of each thread since its last exit, the exit included.
    running: Vec<Latest>,
    exits: Vec<Vec<Node>>,
    forks: Vec<Latest>,
    notifies: Vec<Latest>,
    callbacks: Vec<Callback>,
    /// The begins and ends of the native messages of a queue and kind that ended and precede no
    /// other that ended.
    native: BTreeMap<(QueueId, bool), Vec<(Node, Node)>>,
    ipc: BTreeMap<(QueueId, ProcessId), Vec<Ended>>,
}

/// Returns the predecessors of each node. `number` maps an event to the number of its message.
pub(crate) fn predecessors(
    trace: &Trace,
    (ops, node_of): (&[OpId], &[Option<Node>]),
    messages: &[Message],
    number: &[Option<u32>],
) -> Vec<Vec<Node>> {
    let threads = trace.names().threads.len();
    let mut base = Base {
        trace,
        node_of,
        last_of_task: BTreeMap::new(),
        inits: vec![None; threads],
        running: vec![Latest::new(); threads],
        exits: vec![Vec::new(); threads],
        forks: vec![Latest::new(); threads],
        notifies: vec![Latest::new(); trace.names().handles.len()],
        callbacks: trace.names().callbacks.ids().map(|_| Callback::default()).collect(),
        native: BTreeMap::new(),
        ipc: BTreeMap::new(),
    };
    let mut all = Vec::with_capacity(ops.len());
    for (i, &op) in ops.iter().enumerate() {
        let node = Node::new(i);
        let mut found = Vec::new();
        base.order_in_thread(node, op, &mut found);
        match trace.op(op) {
            Op::Begin(event) => {
                let message = number[event.index()].map(|m| &messages[m as usize]);
                if message.is_some_and(|m| m.begin == node) {
                    base.begin(op, event, &mut found);
                }
            }
            Op::End(event) => base.end(node, op, event),
            Op::EnqueueEnd(event) => {
                let message = number[event.index()].map(|m| &messages[m as usize]);
                found.extend(message.and_then(|m| m.end).filter(|&end| end < node));
            }
            operation => base.synchronise(node, op, operation, &mut found),
        }
        all.push(found);
    }
    all
}

impl Base<'_> {
    fn task(&self, op: OpId) -> Task {
        match self.trace.event_of(op) {
            Some(event) => (ThreadId(0), Some(event.0)),
            None => (self.trace.thread_of(op), None),
        }
    }

    /// Applies EVENT-OP, THREAD-OP, THREAD-INIT and THREAD-EXIT.
    fn order_in_thread(&mut self, node: Node, op: OpId, found: &mut Vec<Node>) {
        let (task, thread) = (self.task(op), self.trace.thread_of(op).index());
        let last = self.last_of_task.insert(task, node);
        found.extend(last);
        found.extend(self.inits[thread].filter(|&init| Some(init) > last));
        match self.trace.op(op) {
            Op::Init => self.inits[thread] = Some(node),
            Op::Exit => {
                found.extend(self.running[thread].values().copied().filter(|&n| Some(n) != last));
                self.running[thread].clear();
            }
            _ => {}
        }
        self.running[thread].insert(task, node);
    }

    fn synchronise(&mut self, node: Node, op: OpId, operation: Op, found: &mut Vec<Node>) {
        let (task, thread) = (self.task(op), self.trace.thread_of(op).index());
        match operation {
            Op::Fork(child) => _ = self.forks[child.index()].insert(task, node),
            Op::Init => found.extend(self.forks[thread].values()),
            Op::Exit => self.exits[thread].push(node),
            Op::Join(child) => found.extend(self.exits[child.index()].last()),
            Op::Notify(handle) => _ = self.notifies[handle.index()].insert(task, node),
            Op::Wait(handle) => found.extend(self.notifies[handle.index()].values()),
            Op::Register(callback) => {
                self.callbacks[callback.index()].registers.insert(task, node);
            }
            Op::Invoke { callback, sync } => {
                let callback = &mut self.callbacks[callback.index()];
                let last = callback.last_sync.filter(|_| sync);
                found.extend(callback.registers.values().filter(|&&r| Some(r) > last));
                found.extend(last);
                callback.invokes.insert(task, node);
                if sync {
                    callback.last_sync = Some(node);
                }
            }
            Op::Unregister(callback) => {
                let callback = &self.callbacks[callback.index()];
                found.extend(callback.registers.values().chain(callback.invokes.values()));
            }
            _ => {}
        }
    }

    /// Applies MSG-ENQUEUE, NATIVE and IPC-HANDLE, which implies IPC-ASYNC.
    fn begin(&self, op: OpId, event: trace::EventId, found: &mut Vec<Node>) {
        let trace = self.trace;
        let row = trace.event(event);
        let Some((at, enqueue)) = row.enqueue.zip(trace.posting_of(event)) else { return };
        if at < op {
            found.extend(self.node_of[at.index()]);
        }
        let Some(queue) = row.queue.filter(|&q| trace.queue(q).kind != QueueKind::Pool) else {
            return;
        };
        match enqueue.posting {
            Posting::Input | Posting::Display => {
                let kind = enqueue.posting == Posting::Input;
                let ended = self.native.get(&(queue, kind));
                found.extend(ended.into_iter().flatten().map(|&(_, end)| end));
            }
            Posting::Ipc => {
                let process = trace.thread(trace.thread_of(at)).process;
                let ended = self.ipc.get(&(queue, process)).map_or(&[][..], Vec::as_slice);
                latest_of_process(ended, at, enqueue.sync, found);
            }
            _ => {}
        }
    }

    fn end(&mut self, node: Node, op: OpId, event: trace::EventId) {
        let trace = self.trace;
        let row = trace.event(event);
        let posted = row.enqueue.zip(trace.posting_of(event));
        let (Some(begin), Some(queue), Some((at, enqueue))) = (row.begin, row.queue, posted) else {
            return;
        };
        if row.end != Some(op) {
            return;
        }
        match enqueue.posting {
            Posting::Input | Posting::Display => {
                let kind = enqueue.posting == Posting::Input;
                let ended = self.native.entry((queue, kind)).or_default();
                let Some(begin) = self.node_of[begin.index()] else { return };
                ended.retain(|&(_, end)| end > begin);
                ended.push((begin, node));
            }
            Posting::Ipc => {
                let process = trace.thread(trace.thread_of(at)).process;
                let message = Ended { enqueue: at, begin, end: op, at: node, sync: enqueue.sync };
                self.ipc.entry((queue, process)).or_default().push(message);
            }
            _ => {}
        }
    }
}

/// Applies IPC-HANDLE: finds the messages that ended, were posted before `posted`, and precede no
/// other such message.
fn latest_of_process(ended: &[Ended], posted: OpId, sync: bool, found: &mut Vec<Node>) {
    let mut latest: Vec<Ended> = Vec::new();
    for message in ended.iter().rev().filter(|m| m.enqueue < posted && (m.sync || !sync)) {
        let precedes = |other: &Ended| {
            message.end < other.begin
                && message.enqueue < other.enqueue
                && (message.sync || !other.sync)
        };
        if !latest.iter().any(precedes) {
            latest.push(*message);
        }
    }
    found.extend(latest.iter().map(|message| message.at));
}
