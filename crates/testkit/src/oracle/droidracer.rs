//! Model `droidracer`: the definition of docs/droidracer.md for any trace, without the parts that
//! only the tool's logs have.
//!
//! task(o) is the event of o, and none for init, exit, attach and loop. The base edges are stated
//! pair by pair, but for the locks, whose rule is a procedure. The closure is TRANS, NOPRE and FIFO
//! over all pairs and triples until nothing is new. Edges may lead against the trace.
//!
//! A trace differs from the tool's log in these points: a post after its begin does not count; a
//! message for the front or a point in time takes no part in FIFO; any other kind has no delay;
//! notify and wait pair by a handle; an exit precedes the join of its thread.

use std::collections::BTreeMap;

use trace::{EventId, Op, OpId, Posting, ThreadId};

use super::facts::Facts;
use super::{Order, RuleSwitches};

/// The rules of the model.
pub(super) const RULES: &[&str] = &[
    "PO",
    "FORK",
    "JOIN",
    "NOTIFY",
    "ATTACH",
    "LOOP",
    "POST",
    "PARENT",
    "LOCK",
    "ENABLE-EVENT",
    "FIFO",
    "NOPRE",
    "TRANS",
];

/// a R b. Nothing is related to itself.
pub(super) fn order(facts: &Facts, switches: &RuleSwitches) -> Order {
    let model = Definition { facts, switches };
    let mut order = Order::empty(facts.ops().len());
    for a in facts.ops() {
        for b in facts.ops() {
            if a != b && model.edge(a, b) {
                order.insert(a, b);
            }
        }
    }
    if model.on("LOCK") {
        for (unlock, lock) in model.lock_edges() {
            order.insert(unlock, lock);
        }
    }
    loop {
        let so_far = order.clone();
        model.apply(&so_far, &mut order);
        if order == so_far {
            return order;
        }
    }
}

struct Definition<'a> {
    facts: &'a Facts,
    switches: &'a RuleSwitches,
}

impl Definition<'_> {
    fn on(&self, rule: &str) -> bool {
        self.switches.enabled(rule, true)
    }

    fn task(&self, op: OpId) -> Option<EventId> {
        match self.facts.op(op) {
            Op::Init | Op::Exit | Op::Attach(_) | Op::Loop(_) => None,
            _ => self.facts.event(op),
        }
    }

    /// The last operation before `op` that `is` holds of.
    fn last(&self, op: OpId, is: impl Fn(OpId) -> bool) -> Option<OpId> {
        self.facts.ops().take_while(|&other| other < op).filter(|&other| is(other)).last()
    }

    /// The message whose post `op` is, of those that began.
    fn posted(&self, op: OpId) -> Option<EventId> {
        let Op::Enqueue(enqueue) = self.facts.op(op) else { return None };
        let message = Some(enqueue.event).filter(|&m| self.facts.enqueue(m) == Some(op))?;
        self.facts.begin(message).map(|_| message)
    }

    /// A base edge, locks left aside.
    fn edge(&self, a: OpId, b: OpId) -> bool {
        let (facts, same_thread) = (self.facts, self.facts.thread(a) == self.facts.thread(b));
        let (first, second) = (facts.op(a), facts.op(b));
        let on_thread = |op: OpId| facts.thread(op) == facts.thread(b);
        let is_attach = |op: OpId| on_thread(op) && matches!(facts.op(op), Op::Attach(_));
        let is_loop = |op: OpId| on_thread(op) && matches!(facts.op(op), Op::Loop(_));
        let latest = |is: &dyn Fn(OpId) -> bool| self.last(b, is) == Some(a);
        match (first, second) {
            (Op::Fork(child), Op::Init) if child == facts.thread(b) => {
                let forks = |op| facts.op(op) == Op::Fork(child);
                if self.on("FORK") && latest(&forks) {
                    return true;
                }
            }
            (Op::Exit, Op::Join(child)) if child == facts.thread(a) => {
                let exits = |op| facts.op(op) == Op::Exit && facts.thread(op) == child;
                if self.on("JOIN") && latest(&exits) {
                    return true;
                }
            }
            (Op::Notify(h), Op::Wait(g)) if h == g && a < b => {
                let waits_between = facts.ops().any(|o| a < o && o < b && facts.op(o) == second);
                if self.on("NOTIFY") && !waits_between {
                    return true;
                }
            }
            (Op::Enable(e), Op::Trigger(f))
                if e == f && self.on("ENABLE-EVENT") && latest(&|op| facts.op(op) == first) =>
            {
                return true;
            }
            _ => {}
        }
        let opens =
            matches!(second, Op::Loop(_)) || (self.posted(b).is_some() && self.task(b).is_none());
        self.on("PO") && same_thread && self.program_order(a, b)
            || self.on("ATTACH") && opens && latest(&is_attach)
            || self.on("LOOP") && facts.begun(b).is_some() && latest(&is_loop)
            || self.on("POST") && self.posted(a).is_some_and(|m| facts.begin(m) == Some(b)) && a < b
            || self.on("PARENT") && self.is_parent(a, b)
            || self.on("ENABLE-EVENT") && self.enables_post(a, b)
    }

    /// prev(b) = a, for a that does not end and b that does not begin a segment.
    fn program_order(&self, a: OpId, b: OpId) -> bool {
        let facts = self.facts;
        let previous = self.last(b, |op| facts.thread(op) == facts.thread(b));
        let ends = matches!(facts.op(a), Op::Loop(_)) || facts.ended(a).is_some();
        let begins = facts.op(b) == Op::Init || facts.begun(b).is_some();
        previous == Some(a) && !ends && !begins
    }

    /// a = ret(parent(m)), b = call(m), both on the thread of m's post.
    fn is_parent(&self, a: OpId, b: OpId) -> bool {
        let facts = self.facts;
        let Some(post) = facts.begun(b).and_then(|m| facts.enqueue(m)).filter(|&p| p < b) else {
            return false;
        };
        facts.thread(post) == facts.thread(b)
            && self.task(post).is_some_and(|parent| facts.end(parent) == Some(a))
    }

    /// a = the latest enable of a trigger in the task that b posts.
    fn enables_post(&self, a: OpId, b: OpId) -> bool {
        let Some(task) = self.posted(b) else { return false };
        self.facts.ops().any(|trigger| {
            let Op::Trigger(event) = self.facts.op(trigger) else { return false };
            let enables = |op| self.facts.op(op) == Op::Enable(event);
            self.task(trigger) == Some(task) && self.last(trigger, enables) == Some(a)
        })
    }

    /// Whether the base has ret(t) → call(m).
    fn ends_before(&self, t: EventId, m: EventId) -> bool {
        let (Some(ret), Some(call)) = (self.facts.end(t), self.facts.begin(m)) else {
            return false;
        };
        self.on("PARENT") && self.is_parent(ret, call)
    }

    /// The procedure of the page, on outermost entrances only.
    fn lock_edges(&self) -> Vec<(OpId, OpId)> {
        #[derive(Default)]
        struct Record {
            last: Option<ThreadId>,
            unlocks: BTreeMap<ThreadId, Vec<OpId>>,
            seen: Vec<OpId>,
        }
        let mut records: BTreeMap<_, Record> = BTreeMap::new();
        let mut depth: BTreeMap<_, u32> = BTreeMap::new();
        let mut edges = Vec::new();
        for o in self.facts.ops() {
            let (tid, task) = (self.facts.thread(o), self.task(o));
            match self.facts.op(o) {
                Op::Lock(lock) => {
                    let depth = depth.entry((tid, lock)).or_default();
                    *depth += 1;
                    if *depth > 1 {
                        continue;
                    }
                    let record = records.entry(lock).or_default();
                    let Some(last) = record.last else { continue };
                    if tid != last {
                        let unlocks = record.unlocks.get(&last).cloned().unwrap_or_default();
                        edges.extend(unlocks.iter().map(|&u| (u, o)));
                        record.seen = if task.is_some() { unlocks } else { Vec::new() };
                    } else if task.is_some() {
                        edges.extend(record.seen.iter().map(|&u| (u, o)));
                    }
                }
                Op::Unlock(lock) => {
                    match depth.get_mut(&(tid, lock)) {
                        Some(depth) if *depth > 0 => {
                            *depth -= 1;
                            if *depth > 0 {
                                continue;
                            }
                        }
                        _ => continue,
                    }
                    let record = records.entry(lock).or_default();
                    let unlocks = record.unlocks.entry(tid).or_default();
                    unlocks.retain(|&u| match (task, self.task(u)) {
                        (Some(m), Some(t)) => t != m && !self.ends_before(t, m),
                        _ => false,
                    });
                    unlocks.push(o);
                    record.last = Some(tid);
                }
                _ => {}
            }
        }
        edges
    }

    /// One round of the derived rules.
    fn apply(&self, so_far: &Order, order: &mut Order) {
        for a in self.facts.ops() {
            for b in self.facts.ops().filter(|&b| so_far.holds(a, b)) {
                if self.on("NOPRE") {
                    self.no_pre(a, b, order);
                }
                if self.on("FIFO") {
                    self.fifo(a, b, order);
                }
                if !self.on("TRANS") {
                    continue;
                }
                for c in self.facts.ops().filter(|&c| c != a && so_far.holds(b, c)) {
                    if !so_far.holds(a, c) && self.carries(so_far, a, b, c) {
                        order.insert(a, c);
                    }
                }
            }
        }
    }

    fn no_pre(&self, a: OpId, b: OpId, order: &mut Order) {
        let (Some(later), Some(m)) = (self.facts.begun(b), self.task(a)) else { return };
        if m != later
            && self.thread_of(m) == self.thread_of(later)
            && let Some(ret) = self.facts.end(m)
        {
            order.insert(ret, b);
        }
    }

    fn fifo(&self, a: OpId, b: OpId, order: &mut Order) {
        let (Some(one), Some(two)) = (self.posted(a), self.posted(b)) else { return };
        let (Some(d1), Some(d2)) = (self.delay(one), self.delay(two)) else { return };
        if one != two
            && self.thread_of(one) == self.thread_of(two)
            && (d1 == 0 || (0 < d1 && d1 <= d2))
            && let (Some(ret), Some(call)) = (self.facts.end(one), self.facts.begin(two))
            && ret != call
        {
            order.insert(ret, call);
        }
    }

    fn carries(&self, so_far: &Order, a: OpId, b: OpId, c: OpId) -> bool {
        let (Some(first), Some(second)) = (self.task(a), self.task(c)) else { return true };
        let (ret, call) = (self.facts.end(first), self.facts.begin(second));
        self.facts.thread(a) != self.facts.thread(c)
            || first == second
            || ret.zip(call).is_some_and(|(ret, call)| so_far.holds(ret, call))
            || self.posted(b).is_some_and(|m| self.facts.begin(m) == Some(c))
    }

    fn thread_of(&self, m: EventId) -> Option<ThreadId> {
        self.facts.begin(m).map(|begin| self.facts.thread(begin))
    }

    /// The delay of a message that its queue keeps by its delay.
    fn delay(&self, m: EventId) -> Option<i64> {
        match self.facts.post(m)?.posting {
            Posting::Delayed(delay) => Some(delay.max(0)),
            Posting::Front | Posting::AtTime(_) => None,
            Posting::Idle | Posting::Input | Posting::Display | Posting::Ipc => Some(0),
        }
    }
}
