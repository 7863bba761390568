//! The operations that can order others, as nodes, with the data that the rules need.

use trace::{EventId, Id, Op, OpId, Posting, QueueId, QueueKind, Trace};

use crate::base;

/// An operation that can order others, by its position among such operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32);

impl Node {
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2³² nodes"))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A message that was dispatched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) begin: Node,
    pub(crate) end: Option<Node>,
    /// The Looper that the message's event ran on.
    pub(crate) looper: Option<QueueId>,
    pub(crate) posted: Option<Posted>,
}

/// How a message was posted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posted {
    pub(crate) at: Node,
    /// The posting in normal form: a post for time 0 goes to the front, and a negative delay is 0.
    pub(crate) posting: Posting,
    pub(crate) is_async: bool,
}

/// The role of a node in the rules whose premises mention ≺. The numbers are those of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    /// Posts a message that a Looper dispatched.
    Enqueue(u32),
    Begin(u32),
    End(u32),
    /// Removes a message that was dispatched, on the thread that dispatched it.
    Remove(u32),
    PostBarrier(QueueId, u32),
    Other,
}

/// The nodes and messages of a trace, and the order by rules without premises about order.
pub struct Skeleton {
    pub(crate) ops: Vec<OpId>,
    pub(crate) roles: Vec<Role>,
    /// The message in whose event each node runs.
    pub(crate) message_of: Vec<Option<u32>>,
    pub(crate) messages: Vec<Message>,
    /// The messages of each Looper, by begin.
    pub(crate) loopers: Vec<Vec<u32>>,
    /// Whether an event of each Looper began before another had ended.
    pub(crate) overlapping: Vec<bool>,
    /// The removals of each barrier.
    pub(crate) removals: Vec<Vec<Node>>,
    /// The barriers posted to each queue.
    pub(crate) barriers: Vec<Vec<(Node, u32)>>,
    /// The predecessors of each node by rules without premises about order, program order first.
    pub(crate) base: Vec<Vec<Node>>,
}

impl Skeleton {
    /// Builds the skeleton of a trace. It takes linear time, except for a few rules of `base`.
    pub fn new(trace: &Trace) -> Self {
        let ops: Vec<OpId> = trace.ops().filter(|&op| orders(trace.op(op))).collect();
        let mut node_of = vec![None; trace.len()];
        for (i, op) in ops.iter().enumerate() {
            node_of[op.index()] = Some(Node::new(i));
        }
        let node = |op: OpId| node_of[op.index()].expect("begins, ends and posts are nodes");
        let mut messages = Vec::new();
        let mut number = vec![None; trace.names().events.len()];
        let mut events: Vec<_> =
            trace.events().filter_map(|(id, event)| Some((event.begin?, id, event))).collect();
        events.sort_by_key(|&(begin, ..)| begin);
        for (begin, id, event) in events {
            number[id.index()] = Some(messages.len() as u32);
            let posting = event.enqueue.zip(trace.posting_of(id));
            messages.push(Message {
                begin: node(begin),
                end: event.end.map(node),
                looper: event.queue.filter(|&q| trace.queue(q).kind == QueueKind::Looper),
                posted: posting.map(|(at, enqueue)| Posted {
                    at: node(at),
                    posting: normal(enqueue.posting),
                    is_async: enqueue.is_async,
                }),
            });
        }
        let message = |event: EventId| number[event.index()];
        let mut skeleton = Self {
            roles: vec![Role::Other; ops.len()],
            message_of: ops.iter().map(|&op| trace.event_of(op).and_then(message)).collect(),
            loopers: vec![Vec::new(); trace.names().queues.len()],
            overlapping: vec![false; trace.names().queues.len()],
            removals: vec![Vec::new(); trace.names().barriers.len()],
            barriers: vec![Vec::new(); trace.names().queues.len()],
            base: base::predecessors(trace, (&ops, &node_of), &messages, &number),
            ops,
            messages,
        };
        skeleton.index_messages();
        skeleton.index_operations(trace, &number);
        skeleton
    }

    fn index_messages(&mut self) {
        let mut last_end = vec![None; self.loopers.len()];
        for (i, message) in self.messages.iter().enumerate() {
            let number = i as u32;
            self.roles[message.begin.index()] = Role::Begin(number);
            if let Some(end) = message.end {
                self.roles[end.index()] = Role::End(number);
            }
            let Some(looper) = message.looper.map(Id::index) else { continue };
            self.loopers[looper].push(number);
            self.overlapping[looper] |= last_end[looper] > Some(message.begin);
            last_end[looper] = last_end[looper].max(message.end);
            if let Some(posted) = message.posted {
                self.roles[posted.at.index()] = Role::Enqueue(number);
            }
        }
    }

    fn index_operations(&mut self, trace: &Trace, number: &[Option<u32>]) {
        for (i, &op) in self.ops.iter().enumerate() {
            let node = Node::new(i);
            match trace.op(op) {
                Op::PostBarrier(barrier, queue) => {
                    self.roles[i] = Role::PostBarrier(queue, barrier.0);
                    self.barriers[queue.index()].push((node, barrier.0));
                }
                Op::RemoveBarrier(barrier) => self.removals[barrier.index()].push(node),
                Op::Remove(event) => {
                    let owner = trace.event(event).queue.and_then(|q| trace.queue(q).owner);
                    if let Some(message) = number[event.index()]
                        && owner == Some(trace.thread_of(op))
                    {
                        self.roles[i] = Role::Remove(message);
                    }
                }
                _ => {}
            }
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// All nodes, in trace order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node> + use<> {
        (0..self.len() as u32).map(Node)
    }

    /// The operation of a node.
    pub fn op(&self, node: Node) -> OpId {
        self.ops[node.index()]
    }

    pub(crate) fn message(&self, number: u32) -> &Message {
        &self.messages[number as usize]
    }

    /// The message in whose event a node runs, if a Looper dispatched it.
    pub(crate) fn looper_event(&self, node: Node) -> Option<(u32, QueueId)> {
        let number = self.message_of[node.index()]?;
        Some((number, self.message(number).looper?))
    }

    /// The removals of a barrier after a post of it.
    pub(crate) fn removals_after(&self, post: Node, barrier: u32) -> &[Node] {
        let removals = &self.removals[barrier as usize];
        &removals[removals.partition_point(|&removal| removal < post)..]
    }
}

/// Whether operations of a kind can be a premise or a conclusion of anything but program order.
fn orders(op: Op) -> bool {
    !matches!(
        op,
        Op::Read(_)
            | Op::Write(_)
            | Op::Enter(_)
            | Op::Leave
            | Op::Attach(_)
            | Op::Loop(_)
            | Op::Enable(_)
            | Op::Trigger(_)
            | Op::Arc(..)
            | Op::Lock(_)
            | Op::Unlock(_)
    )
}

fn normal(posting: Posting) -> Posting {
    match posting {
        Posting::AtTime(0) => Posting::Front,
        Posting::Delayed(delay) => Posting::Delayed(delay.max(0)),
        other => other,
    }
}
