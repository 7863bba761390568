//! Constrained Horn clauses in SMT-LIB (logic HORN), for unbounded data.
//!
//! One predicate per procedure and kept operation relates the state in which the procedure was
//! entered to the state at the operation; one per procedure, its summary, relates the entry to
//! the globals at its exit. The clauses are those of [`summaries`](super::summaries) with states
//! as variables: a call enters its callee and waits for the summary. The error is reachable iff
//! the clauses are unsatisfiable.
//!
//! The export is plain text and needs no solver. [`solve`], behind the feature `z3`, hands it to
//! the `z3` program as a subprocess rather than linking the library. So the solver gets exactly the
//! text that `--emit smt` shows, a build needs neither libz3 nor libclang, and a solver that
//! crashes or runs out of memory does not end this process.

mod clause;
mod solve;

use std::fmt::Write;

use super::summaries::kept_operations;
use crate::core::flat::{Code, OpKind, Pc, compile};
use crate::core::{
    GlobalId, LocalId, ProcedureId, Program, StmtKind, Type, Var, expr_vars, for_each_stmt,
};
use crate::reduce::Sequential;

pub use solve::{Answer, solve};

/// The clauses that are satisfiable iff `sequential` cannot end with its error flag set.
pub fn smt(sequential: &Sequential) -> String {
    let mut horn = Horn::new(&sequential.program);
    horn.declare();
    horn.start();
    for index in 0..horn.code.len() {
        horn.procedure(ProcedureId::new(index));
    }
    horn.query(sequential.error);
    horn.out.push_str("(check-sat)\n");
    horn.out
}

struct Horn<'p> {
    program: &'p Program,
    code: Vec<Code>,
    kept: Vec<Vec<bool>>,
    /// The globals that some statement reads or writes.
    globals: Vec<GlobalId>,
    out: String,
}

impl<'p> Horn<'p> {
    fn new(program: &'p Program) -> Self {
        let code = compile(program);
        let kept = code.iter().map(kept_operations).collect();
        Self { program, kept, code, globals: used_globals(program), out: String::new() }
    }

    fn locals(&self, procedure: ProcedureId) -> impl Iterator<Item = LocalId> + use<> {
        (0..self.code[procedure.index()].types.len()).map(LocalId::new)
    }

    fn params(&self, procedure: ProcedureId) -> impl Iterator<Item = LocalId> + use<> {
        (0..self.code[procedure.index()].params).map(LocalId::new)
    }

    fn ty(&self, procedure: ProcedureId, var: Var) -> Type {
        match var {
            Var::Global(id) => self.program.global(id).ty,
            Var::Local(id) => self.code[procedure.index()].types[id.index()],
        }
    }

    /// The variables of an entry state: globals and parameters.
    fn entry_vars(&self, procedure: ProcedureId) -> Vec<Var> {
        let globals = self.globals.iter().copied().map(Var::Global);
        globals.chain(self.params(procedure).map(Var::Local)).collect()
    }

    /// The variables of a state: globals and all locals.
    fn state_vars(&self, procedure: ProcedureId) -> Vec<Var> {
        let globals = self.globals.iter().copied().map(Var::Global);
        globals.chain(self.locals(procedure).map(Var::Local)).collect()
    }

    fn declare(&mut self) {
        self.out.push_str("(set-logic HORN)\n");
        for index in 0..self.code.len() {
            let id = ProcedureId::new(index);
            let sorts = |vars: Vec<Var>| {
                vars.into_iter().map(|var| sort(self.ty(id, var))).collect::<Vec<_>>()
            };
            let entry = sorts(self.entry_vars(id)).join(" ");
            let state = sorts(self.state_vars(id)).join(" ");
            let globals = sorts(self.globals.iter().copied().map(Var::Global).collect()).join(" ");
            let mut text = format!("; {}\n", self.program.procedure(id).name);
            for pc in (0..self.kept[index].len()).filter(|pc| self.kept[index][*pc]) {
                let name = predicate(id, Pc::new(pc));
                writeln!(text, "(declare-fun {name} ({entry} {state}) Bool)").expect("a string");
            }
            writeln!(text, "(declare-fun {} ({entry} {globals}) Bool)", summary(id))
                .expect("a string");
            self.out += &text;
        }
    }

    /// The entry procedure may be entered in the initial state.
    fn start(&mut self) {
        let main = self.program.instances[0].procedure;
        let value = |var: Var| match var {
            Var::Global(id) => constant(self.program.global(id).init, self.program.global(id).ty),
            Var::Local(id) => {
                let code = &self.code[main.index()];
                constant(code.frame[id.index()], code.types[id.index()])
            }
        };
        let entry = self.entry_vars(main).into_iter().map(value);
        let state = self.state_vars(main).into_iter().map(value);
        let args: Vec<String> = entry.chain(state).collect();
        writeln!(self.out, "(assert {})", apply(&predicate(main, Pc::START), &args))
            .expect("writing to a string");
    }

    fn query(&mut self, error: GlobalId) {
        let main = self.program.instances[0].procedure;
        let entry = self
            .entry_vars(main)
            .into_iter()
            .map(|var| (clause::entry_name(var), self.ty(main, var)));
        let exit =
            self.globals.iter().map(|id| (format!("x{}", id.index()), self.program.global(*id).ty));
        let variables: Vec<(String, Type)> = entry.chain(exit).collect();
        let args: Vec<String> = variables.iter().map(|(name, _)| name.clone()).collect();
        let reached = apply(&summary(main), &args);
        let bound = clause::binders(&variables);
        writeln!(
            self.out,
            "(assert (forall ({bound}) (=> (and {reached} x{}) false)))",
            error.index()
        )
        .expect("writing to a string");
    }

    fn procedure(&mut self, id: ProcedureId) {
        for pc in (0..self.kept[id.index()].len()).filter(|pc| self.kept[id.index()][*pc]) {
            let pc = Pc::new(pc);
            let clauses = match &self.code[id.index()].op(pc).kind {
                OpKind::Return => vec![self.return_clause(id, pc)],
                OpKind::Call(callee, args) => self.call_clauses(id, pc, *callee, args),
                _ => self.step_clauses(id, pc),
            };
            for clause in clauses {
                self.out += &clause;
            }
        }
    }
}

fn sort(ty: Type) -> &'static str {
    if ty == Type::Bool { "Bool" } else { "Int" }
}

fn constant(value: i64, ty: Type) -> String {
    match ty {
        Type::Bool => (value != 0).to_string(),
        _ if value < 0 => format!("(- {})", value.unsigned_abs()),
        _ => value.to_string(),
    }
}

fn apply(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
}

fn predicate(id: ProcedureId, pc: Pc) -> String {
    format!("at_{}_{}", id.index(), pc.index())
}

fn summary(id: ProcedureId) -> String {
    format!("exit_{}", id.index())
}

fn used_globals(program: &Program) -> Vec<GlobalId> {
    let mut used = vec![false; program.globals.len()];
    let mut mark = |var: Var| {
        if let Var::Global(id) = var {
            used[id.index()] = true;
        }
    };
    for procedure in &program.procedures {
        for_each_stmt(&procedure.body, &mut |stmt| match &stmt.kind {
            StmtKind::Assign(target, value) => {
                mark(*target);
                expr_vars(value, &mut mark);
            }
            StmtKind::Havoc(target) => mark(*target),
            StmtKind::Assume(expr) => expr_vars(expr, &mut mark),
            StmtKind::If(condition, ..) | StmtKind::While(condition, _) => {
                if let Some(expr) = condition.expr() {
                    expr_vars(expr, &mut mark);
                }
            }
            StmtKind::Call(_, args) | StmtKind::Async(_, _, args) => {
                for arg in args {
                    expr_vars(arg, &mut mark);
                }
            }
            StmtKind::Return => {}
        });
    }
    (0..used.len()).filter(|index| used[*index]).map(GlobalId::new).collect()
}
