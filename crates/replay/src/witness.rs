//! What the two tasks of a race did in an execution.

use std::collections::HashMap;

use order::Tasks;
use trace::{LocationId, Trace};

use crate::control::paths;
use crate::plan::Plan;

/// What the two tasks of a race did in an execution, the first one in the recording first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Witness {
    /// Whether each of them accessed the racing location.
    pub accesses: [bool; 2],
    /// Whether each of them wrote to something that is shown.
    pub shows: [bool; 2],
}

/// Reads what the two tasks of a race did, with the name of the racing location and the locations that are
/// shown. O(operations).
pub fn witness(
    trace: &Trace,
    plan: &Plan,
    location: &str,
    is_shown: impl Fn(LocationId) -> bool,
) -> Witness {
    let (paths, _) = paths(trace);
    let tasks = Tasks::new(trace);
    let sides: HashMap<_, _> = paths
        .iter()
        .filter_map(|(event, path)| {
            let side = [&plan.first, &plan.second].iter().position(|wanted| *wanted == path)?;
            Some((*event, side))
        })
        .collect();
    let mut found = Witness::default();
    for op in trace.ops() {
        let Some((at, is_write)) = trace.op(op).access() else { continue };
        let Some(event) = trace.event_of(op) else { continue };
        let Some(&side) = sides.get(&tasks.head(event)) else { continue };
        found.accesses[side] |= trace.names().locations.get(at) == location.as_bytes();
        found.shows[side] |= is_write && is_shown(at);
    }
    found
}
