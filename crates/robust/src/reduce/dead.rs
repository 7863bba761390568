//! Resets locals that are no longer read.
//!
//! A local is *live* at a place if some path from there reads it before it is assigned. Where a
//! local dies it is set to its default, so that runs that differ only in dead values reach equal
//! states, and engines keep fewer states. This is exact, because a dead value is not read. Paths
//! are those of the text, with every branch taken either way.

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
    /// Returns the block with its resets, and the locals that are live before it.
    fn block(&self, block: &Block, after: &Live) -> (Block, Live) {
        // The block is built from its end.
        let mut out = Vec::new();
        let mut live = after.clone();
        for stmt in block.iter().rev() {
            let kind = match &stmt.kind {
                StmtKind::Return => {
                    live.clear();
                    StmtKind::Return
                }
                StmtKind::If(condition, then, otherwise) => {
                    let kind = self.branch(condition, then, otherwise, stmt, &mut live);
                    out.push(Stmt { kind, ..*stmt });
                    continue;
                }
                StmtKind::While(condition, body) => {
                    let (kind, head) = self.repetition(condition, body, stmt, &live);
                    out.extend(self.resets(head.difference(&live), stmt));
                    live = head;
                    kind
                }
                kind => {
                    let (read, assigned) = uses(kind);
                    let used: Live = read.iter().copied().chain(assigned).collect();
                    out.extend(self.resets(used.difference(&live), stmt));
                    if let Some(assigned) = assigned {
                        live.remove(&assigned);
                    }
                    live.extend(read);
                    kind.clone()
                }
            };
            out.push(Stmt { kind, ..*stmt });
        }
        out.reverse();
        (out, live)
    }

    /// Returns a branch with its resets. Changes `live` from the locals live after it to those live
    /// before it.
    fn branch(
        &self,
        condition: &Cond,
        then: &Block,
        otherwise: &Block,
        stmt: &Stmt,
        live: &mut Live,
    ) -> StmtKind {
        let (then, in_then) = self.block(then, live);
        let (otherwise, in_otherwise) = self.block(otherwise, live);
        let before = &(&in_then | &in_otherwise) | &locals(condition);
        let then = self.entered(then, &in_then, &before, stmt);
        let otherwise = self.entered(otherwise, &in_otherwise, &before, stmt);
        *live = before;
        StmtKind::If(condition.clone(), then, otherwise)
    }

    /// Returns a loop with its resets, and the locals that are live at its head.
    fn repetition(
        &self,
        condition: &Cond,
        body: &Block,
        stmt: &Stmt,
        after: &Live,
    ) -> (StmtKind, Live) {
        let mut head = after | &locals(condition);
        loop {
            let (done, in_body) = self.block(body, &head);
            let grown = &head | &in_body;
            if grown == head {
                let done = self.entered(done, &in_body, &head, stmt);
                return (StmtKind::While(condition.clone(), done), head);
            }
            head = grown;
        }
    }

    /// Returns a branch that begins with resets of the locals that only other branches need.
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

/// The locals a statement without parts reads, and the one it assigns.
fn uses(kind: &StmtKind) -> (Live, Option<LocalId>) {
    let mut read = Live::new();
    let mut read_in = |expr: &Expr| expr_vars(expr, &mut |var| read.extend(local(var)));
    let mut assigned = None;
    match kind {
        StmtKind::Assign(target, value) => {
            read_in(value);
            assigned = local(*target);
        }
        StmtKind::Havoc(target) => assigned = local(*target),
        StmtKind::Assume(condition) => read_in(condition),
        StmtKind::Call(_, args) | StmtKind::Async(_, _, args) => args.iter().for_each(read_in),
        StmtKind::Return | StmtKind::If(..) | StmtKind::While(..) => {}
    }
    (read, assigned)
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
