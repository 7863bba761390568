//! Witnessing determinism violations (Fig. 8b): `detStr`.
//!
//! Events run one after the other in any order, each possibly incomplete; the last is *observed*.
//! In the observed event, the first access a task leaves out may become the pivot; a later one
//! that is executed and conflicts with it, the root. Execution is in depth-first order and a
//! stopped task executes nothing more, so the root's invocation is <dfs-greater than the pivot's
//! and runs before it: the pair is inverted. The specification keeps root and pivot and compares
//! at the end of the event; comparing when the root is chosen is the same, the pivot being fixed,
//! and leaves one flag to keep.
//!
//! # No violation is missed
//!
//! Let τ·p be a shortest interleaving in which the access p, of event j, inverts a pair while the
//! conflict-event graph of τ is acyclic. No access of τ inverts a pair, or a prefix of τ would be
//! a shorter one. By the lemma of [`delay`](super::delay) the instrumented program simulates τ, in
//! an order of events that extends the graph of τ. Stop it after j: the events up to j access
//! nothing that later events accessed before, so they are still simulated. The task of p does not
//! get past p in τ, so the simulation may stop it there and choose p as pivot. The root is
//! executed by a <dfs-greater invocation of j, hence after that choice.
//!
//! The events before the observed one must be allowed to stay incomplete. An event that never
//! ends would otherwise hide all that other events do after it started, and the reduction for
//! serializability ([`ser`](super::ser)), which is sound for deterministic programs only, would
//! prove what does not hold. Nor may the driver order the simulated events: in τ an event may
//! start when another one is over and still come before it in the order of the conflicts.

use super::accesses::Accesses;
use super::build::{maybe, set, set_bool, when};
use super::delay::{Witness, delay, has_two_main_tasks};
use super::{Instrumented, Options, empty_copy};
use crate::Criterion;
use crate::core::{Access, Block, Expr, GlobalId, Mark, Program, SiteId};

pub(super) struct Det<'a> {
    accesses: &'a Accesses,
    options: &'a Options,
    observed: GlobalId,
    pivot: GlobalId,
    root: GlobalId,
}

/// `source` with determinism instrumentation, to be run under the single-thread semantics.
pub(super) fn det_str(source: &Program, options: &Options) -> Instrumented {
    let mut out = empty_copy(source);
    let accesses = Accesses::new(source, &mut out, Criterion::Determinism);
    let error = out.add_flag("$error");
    let det = Det {
        accesses: &accesses,
        options,
        observed: out.add_flag("$observed"),
        pivot: out.add_global("$pivot", accesses.ty()),
        root: out.add_flag("$root"),
    };
    let observe = maybe(vec![set_bool(det.observed, true)]);
    let found = when(Expr::global(det.root), vec![set_bool(error, true)]);
    let stop = super::build::leave();
    let end = when(Expr::global(det.observed), vec![found, stop]);
    let program = delay(source, out, &accesses, &det, has_two_main_tasks(source));
    Instrumented { program, error, event_begin: vec![observe], event_end: vec![end] }
}

impl Witness for Det<'_> {
    fn stop(&self, site: SiteId, access: Access) -> Block {
        if !self.options.may_be_pivot(site) || !self.accesses.is_compared(access) {
            return Vec::new();
        }
        let chosen = set(self.pivot, self.accesses.value(access)).marked(Mark::Pivot(site));
        let unset = Expr::global(self.pivot).equals(self.accesses.none());
        vec![when(Expr::global(self.observed).and(unset), vec![maybe(vec![chosen])])]
    }

    fn before(&self, site: SiteId, access: Access) -> Block {
        if !self.accesses.is_compared(access) {
            return Vec::new();
        }
        let chosen = set_bool(self.root, true).marked(Mark::Root(site));
        let conflict = self.accesses.conflict(self.pivot, access);
        let possible = Expr::global(self.root).negated().and(conflict);
        vec![when(possible, vec![maybe(vec![chosen])])]
    }

    fn after(&self, _: SiteId, _: Access) -> Block {
        Vec::new()
    }
}
