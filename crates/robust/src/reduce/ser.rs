//! Witnessing serializability violations (Section 7, Fig. 9): `robStr`.
//!
//! Events run one after the other in any order, each possibly incomplete. One of them is the
//! *first* of the cycle: it holds the pivot, which it leaves out, and an exit. Each later event
//! on the cycle has an entry that conflicts with the exit of the one before, and an exit of its
//! own. When the pivot conflicts with the current exit the cycle closes. One exit is kept at a
//! time; an exit that precedes its event's entry waits in `tmpExit`.
//!
//! # No violation is missed, if the program is conflict-deterministic
//!
//! Let τ·p be a shortest interleaving whose conflict-event graph has a cycle; p is the pivot, of
//! event j. The graph of τ is acyclic. Were a pair of conflicting accesses of one event inverted
//! in τ, then τ would violate determinism, whose definition
//! ([`explore`](mod@crate::explore)) speaks of every interleaving with an acyclic graph, whether
//! its events end or not. So no pair is, and by the lemma of [`delay`](super::delay) the
//! instrumented program simulates τ in an order of events that extends the graph of τ. The cycle
//! is j → e₁ → … → eₖ → j, all of whose conflicts but the last are in τ: the events of the cycle
//! are simulated in this order, j first. The task of p does not get past p in τ, so the simulation
//! may stop it there and choose p as pivot.
//!
//! Determinism may have been proved under the driver's causality: τ respects it. The simulated
//! order of events need not.

use super::accesses::Accesses;
use super::build::{assume, either, leave, maybe, set, set_bool, when};
use super::delay::{Witness, delay};
use super::{Instrumented, Options, empty_copy};
use crate::Criterion;
use crate::core::{Access, Binary, Block, Expr, GlobalId, Mark, Program, SiteId};

pub(super) struct Ser<'a> {
    accesses: &'a Accesses,
    options: &'a Options,
    /// Whether the first event of the cycle has started.
    first: GlobalId,
    /// Whether the first event of the cycle is the current one.
    in_first: GlobalId,
    /// Whether the current event has its entry, and whether it has its exit.
    entry_set: GlobalId,
    exit_set: GlobalId,
    /// Whether an event was entered.
    moved: GlobalId,
    pivot: GlobalId,
    exit: GlobalId,
    tmp_exit: GlobalId,
}

/// `source` with serializability instrumentation, to be run under the single-thread semantics.
pub(super) fn rob_str(source: &Program, options: &Options) -> Instrumented {
    let mut out = empty_copy(source);
    let accesses = Accesses::new(source, &mut out, Criterion::Serializability);
    let error = out.add_flag("$error");
    let ser = Ser {
        accesses: &accesses,
        options,
        first: out.add_flag("$first"),
        in_first: out.add_flag("$inFirst"),
        entry_set: out.add_flag("$entrySet"),
        exit_set: out.add_flag("$exitSet"),
        moved: out.add_flag("$moved"),
        pivot: out.add_global("$pivot", accesses.ty()),
        exit: out.add_global("$exit", accesses.ty()),
        tmp_exit: out.add_global("$tmpExit", accesses.ty()),
    };
    let (event_begin, event_end) = (ser.event_begin(), ser.event_end(error));
    let program = delay(source, out, &accesses, &ser, true);
    Instrumented { program, error, event_begin, event_end }
}

impl Ser<'_> {
    fn event_begin(&self) -> Block {
        let begin = [self.first, self.in_first, self.entry_set];
        let begin = maybe(begin.map(|flag| set_bool(flag, true)).to_vec());
        vec![when(Expr::global(self.first).negated(), vec![begin])]
    }

    /// Also resets the globals that belong to one event, so that equal pasts are equal states.
    fn event_end(&self, error: GlobalId) -> Block {
        let both = Expr::global(self.entry_set).equals(Expr::global(self.exit_set));
        let has_pivot = Expr::global(self.pivot).binary(Binary::Ne, self.accesses.none());
        let closes = Expr::global(self.moved).and(self.accesses.conflict_of(self.pivot, self.exit));
        let flags = [self.in_first, self.entry_set, self.exit_set];
        let mut block = vec![
            assume(both),
            when(Expr::global(self.in_first), vec![assume(has_pivot)]),
            set(self.tmp_exit, self.accesses.none()),
        ];
        block.extend(flags.map(|flag| set_bool(flag, false)));
        block.push(when(closes, vec![set_bool(error, true), leave()]));
        block
    }
}

impl Witness for Ser<'_> {
    fn stop(&self, site: SiteId, access: Access) -> Block {
        if !self.options.may_be_pivot(site) || !self.accesses.is_compared(access) {
            return Vec::new();
        }
        let chosen = set(self.pivot, self.accesses.value(access)).marked(Mark::Pivot(site));
        let unset = Expr::global(self.pivot).equals(self.accesses.none());
        vec![when(Expr::global(self.in_first).and(unset), vec![maybe(vec![chosen])])]
    }

    fn before(&self, _: SiteId, _: Access) -> Block {
        Vec::new()
    }

    fn after(&self, site: SiteId, access: Access) -> Block {
        if !self.accesses.is_compared(access) {
            return Vec::new();
        }
        let value = || self.accesses.value(access);
        let leave_event = maybe(vec![
            set_bool(self.exit_set, true).marked(Mark::Exit(site)),
            either(
                Expr::global(self.entry_set),
                vec![set(self.exit, value())],
                vec![set(self.tmp_exit, value())],
            ),
        ]);
        let enter_event = maybe(vec![
            set_bool(self.entry_set, true).marked(Mark::Entry(site)),
            set_bool(self.moved, true),
            set(self.exit, Expr::global(self.tmp_exit)),
            set(self.tmp_exit, self.accesses.none()),
        ]);
        let may_leave = Expr::global(self.first).and(Expr::global(self.exit_set).negated());
        let may_enter = Expr::global(self.first)
            .and(Expr::global(self.in_first).negated())
            .and(Expr::global(self.entry_set).negated())
            .and(self.accesses.conflict(self.exit, access));
        vec![when(may_leave, vec![leave_event]), when(may_enter, vec![enter_event])]
    }
}
