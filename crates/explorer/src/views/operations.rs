//! Operations, one row each.

use report::name::printable_message;
use serde::Serialize;
use trace::{Id, OpId, Trace};

/// An operation.
#[derive(Serialize)]
pub(crate) struct Operation {
    pub(crate) op: u32,
    event: Option<u32>,
    at: Option<u64>,
    line: String,
}

/// The largest number of operations of an answer.
pub(crate) const MOST: usize = 2000;

/// Returns an operation in the notation.
pub(crate) fn line(trace: &Trace, op: OpId) -> String {
    printable_message(&codec::text::line(trace, op))
}

/// Returns the operations with numbers from `from` up to and without `to`, at most `most` of them.
pub(crate) fn list(trace: &Trace, from: u32, to: u32, most: usize) -> Vec<Operation> {
    let (mut low, mut high) = (0, trace.len());
    while low < high {
        let middle = low.midpoint(high);
        if trace.number(OpId::new(middle)) < from { low = middle + 1 } else { high = middle }
    }
    let ops = trace.ops().skip(low).take_while(|&op| trace.number(op) < to).take(most);
    ops.map(|op| Operation {
        op: trace.number(op),
        event: trace.event_of(op).map(|event| event.0),
        at: trace.attributes(op).at,
        line: line(trace, op),
    })
    .collect()
}
