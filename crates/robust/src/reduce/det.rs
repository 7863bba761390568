//! Witnessing determinism violations (Fig. 8b): `detStr`.
//!
//! In the observed event, the first access a task leaves out may become the pivot; a later one
//! that is executed and conflicts with it, the root. Execution is in depth-first order and a
//! stopped task executes nothing more, so the root's invocation is <dfs-greater than the pivot's
//! and runs before it: the pair is inverted. The specification keeps root and pivot and compares
//! at the end of the event; comparing when the root is chosen is the same, the pivot being fixed,
//! and leaves one flag to keep. Events before the observed one run complete.

use super::accesses::Accesses;
use super::build::{maybe, set, set_bool, when};
use super::delay::{Witness, delay, posts_to_main};
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
    let program = delay(source, out, &accesses, &det, posts_to_main(source));
    Instrumented { program, error, event_begin: vec![observe], event_end: vec![end], ordered: true }
}

impl Witness for Det<'_> {
    fn active(&self) -> Option<GlobalId> {
        Some(self.observed)
    }

    fn stop(&self, site: SiteId, access: Access) -> Block {
        if !self.options.may_be_pivot(site) || !self.accesses.is_compared(access) {
            return Vec::new();
        }
        let chosen = set(self.pivot, self.accesses.value(access)).marked(Mark::Pivot(site));
        let unset = Expr::global(self.pivot).equals(self.accesses.none());
        vec![when(unset, vec![maybe(vec![chosen])])]
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
