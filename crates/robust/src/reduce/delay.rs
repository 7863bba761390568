//! Simulating delayed and incomplete invocations: the common part of both instrumentations.
//!
//! A borderline violation, its pivot left out, is equivalent to a run of the single-thread
//! semantics in which invocations may stop early (Fig. 7 and 8a). The instrumentation lets them:
//!
//! - An invocation posted to `any` may stop before any access, `assume`, call or round of a loop.
//! - The main thread runs its tasks one after the other, so at most one task of it is *cut*:
//!   begun, and not finished. All others are completed or never dispatched. The cut task is
//!   simulated at its depth-first place although it really runs last of its thread; so nothing a
//!   completed main task does may depend on it. `touched` holds how the cut task and whatever
//!   depends on it touched each location. A task *depends* once one of its accesses conflicts
//!   with that, or when posted by a task that then depended. A completed main task must not.
//!
//! # Lemma
//!
//! Let τ be an interleaving of the multi-thread semantics whose conflict-event graph is acyclic and
//! in which no two conflicting accesses of one event occur against <dfs. Then the instrumented
//! program, its events run one after the other in any order that extends the graph of τ, has a run
//! that executes exactly the accesses of τ, conflicting ones in the order of τ.
//!
//! *Proof.* Sort the accesses of τ by the order of their events, then by <dfs of their invocations,
//! then as in τ. Conflicting accesses keep their order: those of two events by the graph, those of
//! two invocations of an event because they are not inverted, those of one invocation always. So
//! every access reads what it reads in τ, and every task takes the same steps. A task is run after
//! the task that posts it, because that is of the same event and <dfs-smaller. Neither does it
//! matter for this how much of an event happened in τ:
//!
//! - A task on a thread of its own that is not finished in τ is stopped after its last access of
//!   τ. A place to stop follows: before its next access, before the `assume` or the range check
//!   it does not pass, and, if it runs for ever without an access, before some call or round of a
//!   loop. What it posts until then it may post in τ too, because this depends on nothing else.
//! - A task of the main thread that is not finished in τ is cut at such a place. There is at most
//!   one, whichever its event; it keeps the thread, so every other task of the thread finished
//!   before it began. By induction over the sorted accesses, those that `touched` and `depends`
//!   mark as dependent follow an access of the cut task in τ or belong to a task that was posted
//!   after one. A finished task of the main thread has none of them, and the `assume` that
//!   forbids it holds.
//! - A pending task of the main thread, or an event that did not start, is not dispatched. A
//!   pending task of another thread is dispatched and stopped at once.
//!
//! The driver's causality plays no role, so the simulation is also sound without it. ∎
//!
//! Conversely, each run of the instrumented program is a real interleaving if the driver orders
//! nothing: completed main tasks and what does not depend on the cut one first, in the order of
//! the run, then the cut one and what depends on it.
//!
//! Stopping is `return` from the procedure that holds the task's body; the task itself goes on
//! to run what was posted. What belongs to the current task is kept in globals, which is enough
//! because the single-thread semantics never interrupts a task.
//!
//! Against the specification's `skipMainSet`, `procSets` and `conflictDetected`: which main task
//! is cut is guessed when it begins rather than when it stops, so the sets of the tasks before it
//! need not be kept; and a dependent task contributes its accesses from the conflicting one on,
//! rather than all of them. This admits every run the specification's sets admit and only runs
//! that can be reordered into real ones, completed main tasks and what does not depend on the cut
//! one first, with two bits a location instead of four.

use std::collections::BTreeMap;

use super::accesses::Accesses;
use super::build::{assume, call, either, leave, maybe, set, set_bool, set_local, when};
use crate::core::{
    Access, AccessKind, Binary, Block, EnumId, Expr, GlobalId, Instance, Local, LocalId, Mark,
    ProcedureId, Program, SiteId, Stmt, StmtKind, Type, for_each_stmt,
};
use crate::lang::ast::Where;

/// The statements that a criterion adds at the points of the simulation.
pub(super) trait Witness {
    /// The task stops right before this access.
    fn stop(&self, site: SiteId, access: Access) -> Block;
    /// The access is about to be executed, and its location is written somewhere.
    fn before(&self, site: SiteId, access: Access) -> Block;
    /// The access was executed, and its location is written somewhere.
    fn after(&self, site: SiteId, access: Access) -> Block;
}

/// Adds the simulation of incomplete invocations to `source`. `out` holds the globals of
/// `source`, the witness's own, and nothing else; the result runs under the single-thread
/// semantics.
pub(super) fn delay(
    source: &Program,
    mut out: Program,
    accesses: &Accesses,
    witness: &impl Witness,
    track: bool,
) -> Program {
    let vars = Vars::new(source, &mut out, accesses, track);
    let mut delay = Delay {
        source,
        out,
        accesses,
        witness,
        vars,
        tasks: BTreeMap::new(),
        bodies: BTreeMap::new(),
    };
    for instance in &source.instances {
        let procedure = delay.task(instance.procedure, Where::Main);
        let args = [0].into_iter().chain(instance.args.iter().copied()).collect();
        delay.out.instances.push(Instance { procedure, args, ..instance.clone() });
    }
    delay.out
}

/// Whether the main thread may run two tasks, so that one may depend on another that is cut.
pub(super) fn has_two_main_tasks(program: &Program) -> bool {
    let mut found = program.instances.len() > 1;
    for procedure in &program.procedures {
        for_each_stmt(&procedure.body, &mut |stmt| {
            found |= matches!(stmt.kind, StmtKind::Async(Where::Main, ..));
        });
    }
    found
}

struct Vars {
    /// Whether the current task stopped early. The callers of the procedure that stopped check it.
    stopped: GlobalId,
    /// Whether the current task depends on the cut task, or is the cut task.
    depends: GlobalId,
    /// Whether the current task is the cut task.
    cut: GlobalId,
    /// Whether there was a cut task.
    main_cut: GlobalId,
    touch: EnumId,
    /// How the cut task and its dependents accessed each location that is written and must be
    /// tracked.
    touched: BTreeMap<GlobalId, GlobalId>,
}

impl Vars {
    fn new(source: &Program, out: &mut Program, accesses: &Accesses, track: bool) -> Self {
        let touch = ["$untouched", "$read", "$written"].map(str::to_owned).to_vec();
        let touch = out.add_enum("$Touch", touch);
        let mut touched = BTreeMap::new();
        if track {
            for location in accesses.locations() {
                let name = format!("$touched${}", source.global(location).name);
                touched.insert(location, out.add_global(name, Type::Enum(touch)));
            }
        }
        Self {
            stopped: out.add_flag("$stopped"),
            depends: out.add_flag("$depends"),
            cut: out.add_flag("$cut"),
            main_cut: out.add_flag("$mainCut"),
            touch,
            touched,
        }
    }

    fn touch(&self, value: i64) -> Expr {
        Expr::Const(value, Type::Enum(self.touch))
    }
}

struct Delay<'a, W> {
    source: &'a Program,
    out: Program,
    accesses: &'a Accesses,
    witness: &'a W,
    vars: Vars,
    tasks: BTreeMap<(ProcedureId, Where), ProcedureId>,
    bodies: BTreeMap<(ProcedureId, Where), ProcedureId>,
}

impl<W: Witness> Delay<'_, W> {
    /// Returns the procedure that simulates a task running `id`. Its first parameter states whether
    /// the task depends on the cut task from the start.
    fn task(&mut self, id: ProcedureId, on: Where) -> ProcedureId {
        if let Some(known) = self.tasks.get(&(id, on)) {
            return *known;
        }
        let source = self.source.procedure(id);
        let params = source.locals[..source.params].iter().cloned();
        let inherits = Local { name: "$inherits".into(), ty: Type::Bool };
        let runs = Local { name: "$runs".into(), ty: Type::Bool };
        let locals: Vec<Local> = [inherits].into_iter().chain(params).chain([runs]).collect();
        let name = format!("{}${}", source.name, on.name());
        let task = self.out.add_procedure(name, source.params + 1, locals, source.span);
        self.tasks.insert((id, on), task);
        let body = self.body(id, on);
        let args = (1..=source.params).map(|index| Expr::local(LocalId::new(index))).collect();
        let run = call(body, args);
        let runs = LocalId::new(source.params + 1);
        self.out.procedures[task.index()].body = match on {
            Where::Main => self.main_task(run, runs),
            Where::Any => self.any_task(run),
        };
        task
    }

    fn any_task(&self, run: Stmt) -> Block {
        let inherits = Expr::local(LocalId::new(0));
        let begin = set(self.vars.depends, inherits).marked(Mark::Dispatched);
        [vec![begin, run], self.reset()].concat()
    }

    fn main_task(&self, run: Stmt, runs: LocalId) -> Block {
        let vars = &self.vars;
        let inherits = Expr::local(LocalId::new(0));
        let cut = maybe(vec![
            set_bool(vars.main_cut, true),
            set_bool(vars.cut, true).marked(Mark::Cut),
            set_bool(vars.depends, true),
        ]);
        let may_cut = when(Expr::global(vars.main_cut).negated(), vec![cut]);
        let begin = set_bool(vars.depends, false).marked(Mark::Dispatched);
        let complete = when(Expr::global(vars.cut).negated(), vec![assume(inherits.negated())]);
        let body = [vec![begin, may_cut, complete, run], self.reset()].concat();
        let stay_pending = maybe(vec![set_local(runs, Expr::bool(false))]);
        vec![set_local(runs, Expr::bool(true)), stay_pending, when(Expr::local(runs), body)]
    }

    /// Resets the globals that belong to the current task.
    fn reset(&self) -> Block {
        let vars = &self.vars;
        [vars.stopped, vars.depends, vars.cut].map(|flag| set_bool(flag, false)).to_vec()
    }

    /// The procedure that runs the statements of `id` within a task of `on`.
    fn body(&mut self, id: ProcedureId, on: Where) -> ProcedureId {
        if let Some(known) = self.bodies.get(&(id, on)) {
            return *known;
        }
        let source = self.source.procedure(id);
        let name = format!("{}${}$body", source.name, on.name());
        let body = self.out.add_procedure(name, source.params, source.locals.clone(), source.span);
        self.bodies.insert((id, on), body);
        self.out.procedures[body.index()].body = self.block(&source.body, on);
        body
    }

    fn block(&mut self, block: &Block, on: Where) -> Block {
        let mut out = Vec::new();
        for stmt in block {
            self.stmt(stmt, on, &mut out);
        }
        out
    }

    fn stmt(&mut self, stmt: &Stmt, on: Where, out: &mut Block) {
        let copy = |kind| Stmt { kind, span: stmt.span, mark: stmt.mark };
        match &stmt.kind {
            StmtKind::Assign(..) => match (stmt.access(), stmt.mark) {
                (Some(access), Some(Mark::Access(site)))
                    if self.accesses.is_conflicting(access) =>
                {
                    out.extend(self.may_stop(on, self.witness.stop(site, access)));
                    out.extend(self.witness.before(site, access));
                    out.push(stmt.clone());
                    out.extend(self.track(access, on));
                    out.extend(self.witness.after(site, access));
                }
                _ => out.push(stmt.clone()),
            },
            StmtKind::Havoc(_) | StmtKind::Return => out.push(stmt.clone()),
            StmtKind::Assume(_) => {
                out.extend(self.may_stop(on, Vec::new()));
                out.push(stmt.clone());
            }
            StmtKind::Async(posted_on, target, args) => {
                let target = self.task(*target, *posted_on);
                let depends = Expr::global(self.vars.depends);
                let args = [depends].into_iter().chain(args.iter().cloned()).collect();
                out.push(copy(StmtKind::Async(*posted_on, target, args)));
            }
            StmtKind::Call(callee, args) => {
                let callee = self.body(*callee, on);
                out.extend(self.may_stop(on, Vec::new()));
                out.push(copy(StmtKind::Call(callee, args.clone())));
                out.push(when(Expr::global(self.vars.stopped), vec![leave()]));
            }
            StmtKind::If(condition, then, otherwise) => {
                let (then, otherwise) = (self.block(then, on), self.block(otherwise, on));
                out.push(copy(StmtKind::If(condition.clone(), then, otherwise)));
            }
            StmtKind::While(condition, body) => {
                // The task may stop in each round, because a loop may run forever after some rounds
                // with accesses.
                let mut round = self.may_stop(on, Vec::new());
                round.extend(self.block(body, on));
                out.push(copy(StmtKind::While(condition.clone(), round)));
            }
        }
    }

    /// The task may stop here; `stop` runs if it does.
    fn may_stop(&self, on: Where, mut stop: Block) -> Block {
        stop.push(set_bool(self.vars.stopped, true));
        stop.push(leave());
        match on {
            Where::Main => vec![when(Expr::global(self.vars.cut), vec![maybe(stop)])],
            Where::Any => vec![maybe(stop)],
        }
    }

    /// Keeps `touched` and `depends` after an access.
    fn track(&self, access: Access, on: Where) -> Option<Stmt> {
        let vars = &self.vars;
        let touched = *vars.touched.get(&access.global)?;
        let state = |value| Expr::global(touched).equals(vars.touch(value));
        let (conflict, touch) = match access.kind {
            AccessKind::Read => (state(2), when(state(0), vec![set(touched, vars.touch(1))])),
            AccessKind::Write => {
                let conflict = Expr::global(touched).binary(Binary::Ne, vars.touch(0));
                (conflict, set(touched, vars.touch(2)))
            }
        };
        Some(match on {
            Where::Main => {
                either(Expr::global(vars.cut), vec![touch], vec![assume(conflict.negated())])
            }
            Where::Any => when(
                Expr::global(vars.depends).or(conflict),
                vec![set_bool(vars.depends, true), touch],
            ),
        })
    }
}
