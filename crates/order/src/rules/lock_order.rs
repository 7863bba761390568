//! Critical sections of one lock follow each other in the order of the trace.
//!
//! Locks are re-entrant: of nested acquires and releases only the outermost count, and a release
//! of a lock that its thread does not hold is ignored. In a log where sections of one lock overlap,
//! a release precedes the acquires after it, whatever else is held.

use std::collections::HashMap;

use trace::{Id, LockId, Op, OpId, ThreadId, Trace};

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use crate::rules;

pub(crate) static RULE: Rule = Rule {
    name: "LOCK-ORDER",
    reference: "FastTrack, §2.1 (locking)",
    logic: "α = release(l), β = acquire(l), both outermost ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/lock-order.md"),
    misses: |p| p.locked(true),
    derive: Derive::Operations(derive, &[Mechanism::ReleaseAcquire]),
};

/// From an outermost acquire to its release; open when the trace shows none.
#[derive(Clone, Copy)]
struct Section {
    acquire: OpId,
    release: Option<OpId>,
}

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let thread_order = p.rules.contains(&rules::THREAD_ORDER);
    for sections in sections(p.facts.trace) {
        for release in sections.iter().filter_map(|section| section.release) {
            let later = &sections[sections.partition_point(|s| s.acquire < release)..];
            // What is acquired after the end of a later section follows through that section, if
            // threads are ordered: without this cut the conclusions would be quadratic.
            let end = later.iter().find_map(|s| s.release).filter(|_| thread_order);
            for section in later.iter().take_while(|s| end.is_none_or(|end| s.acquire < end)) {
                out.order(release, section.acquire);
            }
        }
    }
}

/// The sections of every lock, by acquire.
fn sections(trace: &Trace) -> Vec<Vec<Section>> {
    let mut sections: Vec<Vec<Section>> = vec![Vec::new(); trace.names().locks.len()];
    // How often a thread holds a lock, and which of the lock's sections is its own.
    let mut held: HashMap<(ThreadId, LockId), (usize, usize)> = HashMap::new();
    for op in trace.ops() {
        let thread = trace.thread_of(op);
        match trace.op(op) {
            Op::Lock(lock) => {
                let of_lock = &mut sections[lock.index()];
                let (depth, _) = held.entry((thread, lock)).or_insert_with(|| {
                    of_lock.push(Section { acquire: op, release: None });
                    (0, of_lock.len() - 1)
                });
                *depth += 1;
            }
            Op::Unlock(lock) => {
                let Some((depth, section)) = held.get_mut(&(thread, lock)) else { continue };
                *depth -= 1;
                if *depth == 0 {
                    sections[lock.index()][*section].release = Some(op);
                    held.remove(&(thread, lock));
                }
            }
            _ => {}
        }
    }
    sections
}
