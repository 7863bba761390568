//! Visiting the statements and variables of a program.

use super::{Block, Cond, Expr, Stmt, StmtKind, Var};

/// Calls `visit` on every statement of `block`, outer before inner, in textual order.
pub(crate) fn for_each_stmt<'b>(block: &'b Block, visit: &mut impl FnMut(&'b Stmt)) {
    for stmt in block {
        visit(stmt);
        match &stmt.kind {
            StmtKind::If(_, then, otherwise) => {
                for_each_stmt(then, visit);
                for_each_stmt(otherwise, visit);
            }
            StmtKind::While(_, body) => for_each_stmt(body, visit),
            _ => {}
        }
    }
}

/// Whether `block` contains a `return`.
pub(crate) fn has_return(block: &Block) -> bool {
    let mut found = false;
    for_each_stmt(block, &mut |stmt| found |= stmt.kind == StmtKind::Return);
    found
}

/// Calls `visit` on every variable of `expr`.
pub(crate) fn expr_vars(expr: &Expr, visit: &mut impl FnMut(Var)) {
    match expr {
        Expr::Const(..) => {}
        Expr::Var(var) => visit(*var),
        Expr::Not(inner) | Expr::Negate(inner) => expr_vars(inner, visit),
        Expr::Binary(_, left, right) => {
            expr_vars(left, visit);
            expr_vars(right, visit);
        }
    }
}

impl Cond {
    /// The expression of the condition. None for `*`.
    pub fn expr(&self) -> Option<&Expr> {
        match self {
            Self::Expr(expr) => Some(expr),
            Self::Any => None,
        }
    }
}
