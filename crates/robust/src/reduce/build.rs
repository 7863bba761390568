//! Short forms for generated code.

use crate::core::{
    Block, Cond, Enum, EnumId, Expr, Global, GlobalId, Local, LocalId, Procedure, ProcedureId,
    Program, Stmt, StmtKind, Type, Var,
};
use crate::lang::span::Span;

/// A generated statement. It has no source of its own.
fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, Span::default())
}

pub(super) fn set(global: GlobalId, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(Var::Global(global), value))
}

pub(super) fn set_bool(global: GlobalId, value: bool) -> Stmt {
    set(global, Expr::bool(value))
}

pub(super) fn set_local(local: LocalId, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(Var::Local(local), value))
}

pub(super) fn assume(condition: Expr) -> Stmt {
    stmt(StmtKind::Assume(condition))
}

pub(super) fn leave() -> Stmt {
    stmt(StmtKind::Return)
}

pub(super) fn call(procedure: ProcedureId, args: Vec<Expr>) -> Stmt {
    stmt(StmtKind::Call(procedure, args))
}

pub(super) fn when(condition: Expr, then: Block) -> Stmt {
    stmt(StmtKind::If(Cond::Expr(condition), then, Vec::new()))
}

pub(super) fn either(condition: Expr, then: Block, otherwise: Block) -> Stmt {
    stmt(StmtKind::If(Cond::Expr(condition), then, otherwise))
}

/// `if * { … }`
pub(super) fn maybe(then: Block) -> Stmt {
    stmt(StmtKind::If(Cond::Any, then, Vec::new()))
}

/// Returns a block that executes one of the blocks, chosen freely.
pub(super) fn one_of(blocks: Vec<Block>) -> Block {
    let mut rest: Option<Block> = None;
    for block in blocks.into_iter().rev() {
        rest = Some(match rest {
            None => block,
            Some(rest) => vec![stmt(StmtKind::If(Cond::Any, block, rest))],
        });
    }
    rest.unwrap_or_default()
}

/// `while * { … }`
pub(super) fn any_number_of_times(body: Block) -> Stmt {
    stmt(StmtKind::While(Cond::Any, body))
}

/// Returns the disjunction of the expressions.
pub(super) fn some(exprs: impl IntoIterator<Item = Expr>) -> Expr {
    let mut exprs: Vec<Expr> = exprs.into_iter().collect();
    // Neighbours are paired repeatedly, which gives a tree of logarithmic depth, because passes
    // recurse.
    while exprs.len() > 1 {
        let mut all = exprs.into_iter();
        let mut pairs = Vec::new();
        while let Some(left) = all.next() {
            pairs.push(match all.next() {
                Some(right) => left.or(right),
                None => left,
            });
        }
        exprs = pairs;
    }
    exprs.pop().unwrap_or(Expr::bool(false))
}

impl Program {
    pub(super) fn add_flag(&mut self, name: impl Into<String>) -> GlobalId {
        self.add_global(name, Type::Bool)
    }

    pub(super) fn add_global(&mut self, name: impl Into<String>, ty: Type) -> GlobalId {
        self.globals.push(Global { name: name.into(), ty, init: ty.default_value() });
        GlobalId::new(self.globals.len() - 1)
    }

    pub(super) fn add_enum(&mut self, name: &str, values: Vec<String>) -> EnumId {
        self.enums.push(Enum { name: name.into(), values });
        EnumId::new(self.enums.len() - 1)
    }

    pub(super) fn add_procedure(
        &mut self,
        name: String,
        params: usize,
        locals: Vec<Local>,
        span: Span,
    ) -> ProcedureId {
        self.procedures.push(Procedure { name, params, locals, body: Vec::new(), span });
        ProcedureId::new(self.procedures.len() - 1)
    }
}
