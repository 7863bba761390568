//! Computes the closure with rows of bits and a worklist.
//!
//! TRANS on a row of bits is one union: the successors of b, masked by the operations that a may
//! follow transitively. The mask depends only on the task of a, and grows when ret(task a) R
//! call(m) is found. Rows that gained bits wait in a worklist. The last row in log order comes
//! first, because most edges point forwards, and successors are then final when they are used.
//!
//! A bit c that row a gained through b need not be followed again if b may follow everything that a
//! may (b is in no task, or in that of a): whatever a gains through c, b gains through c and a
//! through b.
//!
//! The closure takes two n × n bit matrices, R and its transpose, and O(n³/64) time at worst.

use std::collections::BinaryHeap;

use super::Relation;
use super::bits::{BitMatrix, intersect, ones, set, union};
use super::instances::Instances;
use crate::base::{Base, OpId, Role, TaskId};
use crate::rules::Rule;

/// Returns the relation of `base`.
pub fn close(base: &Base) -> Relation {
    let mut saturation = Saturation::new(base);
    for edge in base.edges() {
        saturation.found.push((edge.from, edge.to));
    }
    saturation.run();
    Relation { rows: saturation.rows }
}

/// The bits that a row gained since it was last taken from the worklist.
struct Gain {
    /// All gained bits, for the predecessors of the row.
    bits: Vec<u64>,
    /// The gained bits that the row itself must still follow.
    follow: Vec<u64>,
}

struct Saturation<'a> {
    instances: Instances<'a>,
    is_transitive: bool,
    rows: BitMatrix,
    columns: BitMatrix,
    /// For each task, the operations that its operations may follow transitively.
    masks: BitMatrix,
    task_ops: Vec<Vec<OpId>>,
    gains: Vec<Option<Gain>>,
    worklist: BinaryHeap<OpId>,
    /// The pairs that were found but not yet added to the relation.
    found: Vec<(OpId, OpId)>,
    /// For each task, the operations of tasks found to follow it that are not yet in its mask.
    widenings: Vec<Option<Vec<u64>>>,
    to_widen: Vec<TaskId>,
    scratch: Vec<u64>,
}

impl<'a> Saturation<'a> {
    fn new(base: &'a Base) -> Self {
        let n = base.len();
        let mut task_ops = vec![Vec::new(); base.tasks().len()];
        for (index, op) in base.ops().iter().enumerate() {
            if let Some(task) = op.task {
                task_ops[task.index()].push(OpId(index as u32));
            }
        }
        let rows = BitMatrix::new(n, n);
        Self {
            instances: Instances::new(base),
            is_transitive: base.rules().has(Rule::Trans),
            columns: rows.clone(),
            masks: masks(base),
            task_ops,
            gains: (0..n).map(|_| None).collect(),
            worklist: BinaryHeap::new(),
            found: Vec::new(),
            widenings: vec![None; base.tasks().len()],
            to_widen: Vec::new(),
            scratch: vec![0; rows.words()],
            rows,
        }
    }

    fn run(&mut self) {
        loop {
            if let Some((a, b)) = self.found.pop() {
                self.insert(a, b, true);
            } else if let Some(task) = self.to_widen.pop() {
                self.widen(task);
            } else if let Some(a) = self.worklist.pop() {
                self.propagate(a);
            } else {
                return;
            }
        }
    }

    /// Adds a R b, and notes the pairs that it implies by itself.
    fn insert(&mut self, a: OpId, b: OpId, follow: bool) {
        if !self.rows.set(a.index(), b.index()) {
            return;
        }
        self.columns.set(b.index(), a.index());
        let found = &mut self.found;
        self.instances.consequences(a, b, |from, to, _| found.push((from, to)));
        if !self.is_transitive {
            return;
        }
        self.note_gain(a, b, follow);
        let base = self.instances.base;
        if let (Role::Ret(first), Role::Call(second)) = (base.op(a).role, base.op(b).role) {
            self.note_order(first, second);
        }
        if self.instances.post_of_call(b) == Some(a) {
            let posts_too = ones(self.columns.row(a.index())).map(|p| (OpId(p as u32), b));
            self.found.extend(posts_too);
        }
        if let Role::Post(task) = base.op(b).role {
            let call = base.task(task).call;
            if self.rows.has(b.index(), call.index()) {
                self.found.push((a, call));
            }
        }
    }

    fn note_gain(&mut self, a: OpId, b: OpId, follow: bool) {
        let words = self.rows.words();
        let gain = self.gains[a.index()].get_or_insert_with(|| {
            self.worklist.push(a);
            Gain { bits: vec![0; words], follow: vec![0; words] }
        });
        set(&mut gain.bits, b.index());
        if follow {
            set(&mut gain.follow, b.index());
        }
    }

    /// Propagates the bits that row `a` gained to the row itself and to its predecessors.
    fn propagate(&mut self, a: OpId) {
        let gain = self.gains[a.index()].take().expect("a row in the worklist has gained");
        let mut reached = std::mem::take(&mut self.scratch);
        reached.fill(0);
        for b in ones(&gain.follow) {
            union(&mut reached, self.rows.row(b));
        }
        self.insert_new(a, &mut reached, true);
        let predecessors: Vec<usize> = ones(self.columns.row(a.index())).collect();
        for p in predecessors {
            let p = OpId(p as u32);
            reached.copy_from_slice(&gain.bits);
            let follow = !self.covers(a, p);
            self.insert_new(p, &mut reached, follow);
        }
        self.scratch = reached;
    }

    /// Returns whether b may follow transitively whatever a may.
    fn covers(&self, b: OpId, a: OpId) -> bool {
        let base = self.instances.base;
        base.op(b).task.is_none_or(|task| base.op(a).task == Some(task))
    }

    /// Adds to row `a` those of `reached` that it may follow and lacks. Overwrites `reached`.
    fn insert_new(&mut self, a: OpId, reached: &mut [u64], follow: bool) {
        let row = self.rows.row(a.index());
        match self.instances.base.op(a).task {
            None => {
                for (word, had) in reached.iter_mut().zip(row) {
                    *word &= !had;
                }
            }
            Some(task) => {
                let mask = self.masks.row(task.index());
                for ((word, had), may) in reached.iter_mut().zip(row).zip(mask) {
                    *word &= !had & may;
                }
            }
        }
        for b in ones(reached) {
            self.insert(a, OpId(b as u32), follow);
        }
    }

    /// Notes that `first` ends before `second` begins.
    fn note_order(&mut self, first: TaskId, second: TaskId) {
        let words = self.rows.words();
        let added = self.widenings[first.index()].get_or_insert_with(|| {
            self.to_widen.push(first);
            vec![0; words]
        });
        for &op in &self.task_ops[second.index()] {
            set(added, op.index());
        }
    }

    /// Lets the operations of `task` follow those of the tasks that were found to begin after its
    /// end.
    ///
    /// Operations that precede the task's end now precede the begins of those tasks, and everything
    /// that these begins precede. A search over all reached operations is needed only for
    /// operations of the later tasks that do not follow a begin, or not yet, and for operations of
    /// `task` that do not precede its end.
    fn widen(&mut self, task: TaskId) {
        let added = self.widenings[task.index()].take().expect("a task to widen has widened");
        union(self.masks.row_mut(task.index()), &added);
        let base = self.instances.base;
        let mut at_once = vec![0; added.len()];
        for op in ones(&added).filter(|&op| matches!(base.ops()[op].role, Role::Call(_))) {
            union(&mut at_once, self.rows.row(op));
            set(&mut at_once, op);
        }
        intersect(&mut at_once, &added);
        let has_more = at_once != added;
        for index in 0..self.task_ops[task.index()].len() {
            let a = self.task_ops[task.index()][index];
            let ret = base.task(task).ret;
            let ends = ret.is_some_and(|ret| a == ret || self.rows.has(a.index(), ret.index()));
            let mut reached = if ends { at_once.clone() } else { vec![0; added.len()] };
            if has_more || !ends {
                self.reach(a, &added, &mut reached);
            }
            self.insert_new(a, &mut reached, true);
        }
    }

    /// Adds to `reached` those of `targets` that follow something that follows `a`.
    fn reach(&self, a: OpId, targets: &[u64], reached: &mut [u64]) {
        let (from, to) = word_range(targets);
        for b in ones(self.rows.row(a.index())) {
            union(&mut reached[from..to], &self.rows.row(b)[from..to]);
        }
        intersect(reached, targets);
    }
}

/// Returns the range of words outside which `bits` is empty.
fn word_range(bits: &[u64]) -> (usize, usize) {
    let from = bits.iter().position(|&word| word != 0).unwrap_or(0);
    let to = bits.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
    (from, to)
}

/// Returns, for each task, the operations in no task, those of other threads, and its own.
fn masks(base: &Base) -> BitMatrix {
    let mut masks = BitMatrix::new(base.tasks().len(), base.len());
    for (index, task) in base.tasks().iter().enumerate() {
        let row = masks.row_mut(index);
        for (column, op) in base.ops().iter().enumerate() {
            let own = op.task.is_some_and(|other| other.index() == index);
            if own || op.task.is_none() || op.thread != Some(task.thread) {
                set(row, column);
            }
        }
    }
    masks
}
