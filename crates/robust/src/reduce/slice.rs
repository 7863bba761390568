//! Removes data that nothing depends on.
//!
//! A variable matters if it is the error flag, occurs in a condition, or occurs in a value assigned
//! to a variable that matters. An assignment to another variable is removed if it has no mark, and
//! loses its value if it has one; the instrumentation around it stays. This is exact, because
//! neither the error flag nor any branch depends on the removed data.

use std::collections::BTreeSet;

use crate::core::{
    Block, Cond, Expr, GlobalId, LocalId, ProcedureId, Program, Stmt, StmtKind, Type, Var,
    expr_vars, for_each_stmt,
};

/// A variable with the procedure a local belongs to.
type Slot = (Option<ProcedureId>, Var);

fn slot(procedure: ProcedureId, var: Var) -> Slot {
    match var {
        Var::Global(_) => (None, var),
        Var::Local(_) => (Some(procedure), var),
    }
}

/// `program` with only the data that `error` and the conditions depend on.
pub(super) fn slice(program: &Program, error: GlobalId) -> Program {
    let relevant = relevant(program, error);
    let mut out = program.clone();
    for (index, procedure) in out.procedures.iter_mut().enumerate() {
        let id = ProcedureId::new(index);
        let keep = |var| relevant.contains(&slot(id, var));
        procedure.body = reduced(&procedure.body, &keep, program, &relevant);
    }
    out
}

fn relevant(program: &Program, error: GlobalId) -> BTreeSet<Slot> {
    let mut relevant: BTreeSet<Slot> = BTreeSet::from([(None, Var::Global(error))]);
    loop {
        let before = relevant.len();
        for (index, procedure) in program.procedures.iter().enumerate() {
            let id = ProcedureId::new(index);
            for_each_stmt(&procedure.body, &mut |stmt| {
                for expr in influences(id, stmt, &relevant) {
                    expr_vars(expr, &mut |var| {
                        relevant.insert(slot(id, var));
                    });
                }
            });
        }
        if relevant.len() == before {
            return relevant;
        }
    }
}

/// The expressions of `stmt` whose values matter, given what matters.
fn influences<'s>(id: ProcedureId, stmt: &'s Stmt, relevant: &BTreeSet<Slot>) -> Vec<&'s Expr> {
    match &stmt.kind {
        StmtKind::Assign(target, value) if relevant.contains(&slot(id, *target)) => vec![value],
        StmtKind::Assume(condition) => vec![condition],
        StmtKind::If(condition, ..) | StmtKind::While(condition, _) => {
            condition.expr().into_iter().collect()
        }
        StmtKind::Call(callee, args) => (0..)
            .map(LocalId::new)
            .zip(args)
            .filter(|(param, _)| relevant.contains(&(Some(*callee), Var::Local(*param))))
            .map(|(_, arg)| arg)
            .collect(),
        _ => Vec::new(),
    }
}

fn reduced(
    block: &Block,
    keep: &impl Fn(Var) -> bool,
    program: &Program,
    relevant: &BTreeSet<Slot>,
) -> Block {
    let mut out = Vec::new();
    for stmt in block {
        let kind = match &stmt.kind {
            StmtKind::Assign(target, _) | StmtKind::Havoc(target) if !keep(*target) => {
                if stmt.mark.is_none() {
                    continue;
                }
                // The statement stays, because it belongs to the source map.
                StmtKind::Assume(Expr::bool(true))
            }
            StmtKind::Call(callee, args) => {
                let params = &program.procedure(*callee).locals;
                let args = args.iter().zip(params).enumerate().map(|(index, (arg, param))| {
                    let var = Var::Local(LocalId::new(index));
                    if relevant.contains(&(Some(*callee), var)) {
                        arg.clone()
                    } else {
                        constant(param.ty)
                    }
                });
                StmtKind::Call(*callee, args.collect())
            }
            StmtKind::If(condition, then, otherwise) => {
                let then = reduced(then, keep, program, relevant);
                let otherwise = reduced(otherwise, keep, program, relevant);
                // Both branches are empty, and the choice has no mark.
                if then.is_empty() && otherwise.is_empty() && *condition != Cond::Any {
                    continue;
                }
                StmtKind::If(condition.clone(), then, otherwise)
            }
            StmtKind::While(condition, body) => {
                StmtKind::While(condition.clone(), reduced(body, keep, program, relevant))
            }
            kind => kind.clone(),
        };
        out.push(Stmt { kind, ..*stmt });
    }
    out
}

fn constant(ty: Type) -> Expr {
    Expr::Const(ty.default_value(), ty)
}
