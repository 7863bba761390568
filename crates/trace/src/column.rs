//! Columns that are cheap where most rows hold nothing new.

use crate::id::{Id, OpId};

/// A value for some of the operations, in trace order. Lookup is a binary search.
#[derive(Clone, Debug)]
pub(crate) struct Sparse<T> {
    rows: Vec<(OpId, T)>,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self { rows: Vec::new() }
    }
}

impl<T: Copy> Sparse<T> {
    /// Appends the value at `op`. Operations must be pushed in ascending order.
    pub(crate) fn push(&mut self, op: OpId, value: T) {
        debug_assert!(self.rows.last().is_none_or(|&(last, _)| last < op));
        self.rows.push((op, value));
    }

    /// The value at `op`, if one was pushed for it.
    pub(crate) fn get(&self, op: OpId) -> Option<T> {
        let row = self.rows.binary_search_by_key(&op, |&(o, _)| o).ok()?;
        Some(self.rows[row].1)
    }
}

/// A value for every operation, stored only where it changes. Lookup is a binary search.
#[derive(Clone, Debug)]
pub(crate) struct Runs<T> {
    starts: Vec<(OpId, T)>,
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Self { starts: Vec::new() }
    }
}

impl<T: Copy + PartialEq> Runs<T> {
    /// Sets the value from `op` on. Operations must be pushed in ascending order.
    pub(crate) fn push(&mut self, op: OpId, value: T) {
        if self.starts.last().is_none_or(|&(_, last)| last != value) {
            self.starts.push((op, value));
        }
    }

    /// The value at `op`. At least one value must have been pushed at or before `op`.
    pub(crate) fn get(&self, op: OpId) -> T {
        let after = self.starts.partition_point(|&(start, _)| start.index() <= op.index());
        self.starts[after - 1].1
    }
}
