//! The robustness of a recorded execution: cycles of conflicts between events, and conflicts inside
//! an event that contradict its depth-first order. Both are reported as recorded, and as predicted
//! for other orders.
//!
//! An event here is a tree of posts. Its root is input of the user or the system, or an event whose
//! post the trace does not contain.

use std::fmt::Write;

use robust::recorded::{self, Edge, Forest};
use serde::{Deserialize, Serialize};
use trace::{OpId, Trace};

use crate::entries::{self, Forks};
use crate::model::AccessEntry;
use crate::name::{printable, text};
use crate::phrase::count;

/// The violations, by criterion.
#[derive(Debug, Serialize, Deserialize)]
pub struct Robustness {
    /// Conflict-serializability: the conflicts between events form no cycle.
    pub serializability: Findings,
    /// Conflict-determinism: no conflict inside an event contradicts its depth-first order.
    pub determinism: Findings,
}

/// The violations of one criterion.
#[derive(Debug, Serialize, Deserialize)]
pub struct Findings {
    /// The violations in the trace as it was recorded.
    pub observed: Vec<Violation>,
    /// The violations in another order of the same operations.
    pub predicted: Vec<Violation>,
}

/// One violation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Violation {
    /// The conflicts of the violation: a cycle of events, or one inverted pair.
    pub conflicts: Vec<Conflict>,
    /// For a prediction, a feasible order of operations up to the access that completes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<u32>,
}

/// Two conflicting accesses, in the order in which they occur in the violation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Conflict {
    /// The location.
    pub location: String,
    /// The access that comes first.
    pub first: AccessEntry,
    /// The access that comes second.
    pub second: AccessEntry,
}

impl Robustness {
    /// Finds the violations of a trace.
    pub fn new(trace: &Trace) -> Self {
        let forest = Forest::new(trace);
        let entries = Entries { trace, forks: Forks::new(trace) };
        let cycles = recorded::cycles(trace, &forest);
        let inversions = recorded::inversions(trace, &forest);
        Self {
            serializability: Findings {
                observed: cycles.iter().map(|cycle| entries.violation(cycle, &[])).collect(),
                predicted: entries.predictions(&recorded::predicted_cycles(trace, &forest)),
            },
            determinism: Findings {
                observed: inversions
                    .iter()
                    .map(|i| entries.violation(&[Edge { first: i.root, second: i.pivot }], &[]))
                    .collect(),
                predicted: entries.predictions(&recorded::predicted_inversions(trace, &forest)),
            },
        }
    }

    /// Returns the violations as text for people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let criteria = [
            ("conflict-serializability", &self.serializability),
            ("conflict-determinism", &self.determinism),
        ];
        for (criterion, findings) in criteria {
            let observed = count(findings.observed.len(), "violation");
            let predicted = findings.predicted.len();
            let _ = writeln!(
                out,
                "{criterion}: {observed} observed, {predicted} possible in another order"
            );
            let kinds = [("observed", &findings.observed), ("possible", &findings.predicted)];
            for (kind, violations) in kinds {
                for violation in violations.iter().take(SHOWN) {
                    write_violation(&mut out, kind, violation);
                }
            }
        }
        out
    }
}

/// The largest number of violations of a kind that the text shows.
const SHOWN: usize = 5;

fn write_violation(out: &mut String, kind: &str, violation: &Violation) {
    let _ = writeln!(out, "  {kind}");
    for conflict in &violation.conflicts {
        let side = |access: &AccessEntry| {
            let event = access.event.as_deref().map(printable).unwrap_or_default();
            let thread = printable(&access.thread);
            format!("{} by operation {} on {thread}, in {event}", access.kind, access.op)
        };
        let _ = writeln!(out, "    {}", printable(&conflict.location));
        let _ = writeln!(out, "      {}", side(&conflict.first));
        let _ = writeln!(out, "      then {}", side(&conflict.second));
    }
}

struct Entries<'t> {
    trace: &'t Trace,
    forks: Forks,
}

impl Entries<'_> {
    fn predictions(&self, predicted: &[recorded::Predicted]) -> Vec<Violation> {
        predicted.iter().map(|p| self.violation(&p.conflicts, &p.order)).collect()
    }

    fn violation(&self, conflicts: &[Edge], order: &[OpId]) -> Violation {
        Violation {
            conflicts: conflicts.iter().map(|&edge| self.conflict(edge)).collect(),
            order: order.iter().map(|op| op.0).collect(),
        }
    }

    fn conflict(&self, edge: Edge) -> Conflict {
        let location = self.trace.op(edge.first).access().map(|(location, _)| location);
        Conflict {
            location: location
                .map(|l| text(self.trace.names().locations.get(l)))
                .unwrap_or_default(),
            first: entries::access(self.trace, &self.forks, edge.first, false),
            second: entries::access(self.trace, &self.forks, edge.second, false),
        }
    }
}
