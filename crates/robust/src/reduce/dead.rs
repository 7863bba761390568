//! Forgets what is not looked at any more.
//!
//! A local is *live* at a place if some way from there reads it before it is assigned. Where a
//! local dies it is set to its default, so that runs that differ only in dead values meet again:
//! engines keep fewer states. Exact: a dead value is not read. Ways are those of the text, every
//! branch taken either way.

use std::collections::BTreeSet;

use crate::core::{Block, Cond, Expr, LocalId, Procedure, Program, Stmt, StmtKind, Var, expr_vars};

/// The live locals at a place.
type Live = BTreeSet<LocalId>;

/// `program` with locals set to their defaults where they die.
pub(super) fn reset_dead(program: &mut Program) {
    for procedure in &mut program.procedures {
        let body = std::mem::take(&mut procedure.body);
        procedure.body = Resets { procedure }.block(&body, &Live::new()).0;
    }
}

struct Resets<'p> {
    procedure: &'p Procedure,
}

impl Resets<'_> {
    /// The block with its resets, and what is live before it.
    fn block(&self, block: &Block, after: &Live) -> (Block, Live) {
        // Built from the end.
        let mut out = Vec::new();
        let mut live = after.clone();
        for stmt in block.iter().rev() {
            let (kind, before, used) = self.stmt(stmt, &live);
            out.extend(self.resets(used.difference(&live), stmt));
            out.push(Stmt { kind, ..*stmt });
            live = before;
        }
        out.reverse();
        (out, live)
    }

    /// The statement, what is live before it, and what may hold a value when it is through.
    fn stmt(&self, stmt: &Stmt, after: &Live) -> (StmtKind, Live, Live) {
        let mut read = Live::new();
        let mut read_in = |expr: &Expr| {
            expr_vars(expr, &mut |var| read.extend(local(var)));
        };
        let mut assigned = None;
        match &stmt.kind {
            StmtKind::Assign(target, value) => {
                read_in(value);
                assigned = local(*target);
            }
            StmtKind::Havoc(target) => assigned = local(*target),
            StmtKind::Assume(condition) => read_in(condition),
            StmtKind::Call(_, args) | StmtKind::Async(_, _, args) => args.iter().for_each(read_in),
            StmtKind::Return => return (StmtKind::Return, Live::new(), Live::new()),
            StmtKind::If(condition, then, otherwise) => {
                let (then, in_then) = self.block(then, after);
                let (otherwise, in_otherwise) = self.block(otherwise, after);
                let before = &(&in_then | &in_otherwise) | &locals(condition);
                let then = self.entered(then, &in_then, &before, stmt);
                let otherwise = self.entered(otherwise, &in_otherwise, &before, stmt);
                let kind = StmtKind::If(condition.clone(), then, otherwise);
                return (kind, before, Live::new());
            }
            StmtKind::While(condition, body) => {
                let mut head = after | &locals(condition);
                loop {
                    let (done, in_body) = self.block(body, &head);
                    let grown = &head | &in_body;
                    if grown == head {
                        let done = self.entered(done, &in_body, &head, stmt);
                        return (StmtKind::While(condition.clone(), done), head.clone(), head);
                    }
                    head = grown;
                }
            }
        }
        let mut before = after.clone();
        before.retain(|id| Some(*id) != assigned);
        let used = read.iter().copied().chain(assigned).collect();
        before.extend(read);
        (stmt.kind.clone(), before, used)
    }

    /// A branch that begins with resets of what only other ways need.
    fn entered(&self, branch: Block, live: &Live, before: &Live, stmt: &Stmt) -> Block {
        let mut out: Block = self.resets(before.difference(live), stmt).collect();
        out.extend(branch);
        out
    }

    fn resets<'a>(
        &'a self,
        dead: impl Iterator<Item = &'a LocalId> + 'a,
        at: &'a Stmt,
    ) -> impl Iterator<Item = Stmt> + 'a {
        dead.map(|id| {
            let ty = self.procedure.locals[id.index()].ty;
            let default = Expr::Const(ty.default_value(), ty);
            Stmt { kind: StmtKind::Assign(Var::Local(*id), default), span: at.span, mark: None }
        })
    }
}

fn local(var: Var) -> Option<LocalId> {
    match var {
        Var::Local(id) => Some(id),
        Var::Global(_) => None,
    }
}

fn locals(condition: &Cond) -> Live {
    let mut found = Live::new();
    if let Some(expr) = condition.expr() {
        expr_vars(expr, &mut |var| found.extend(local(var)));
    }
    found
}
