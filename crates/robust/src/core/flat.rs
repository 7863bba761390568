//! Procedures as lists of operations with a program counter.
//!
//! The steppers, the summaries and the Horn clauses all use this form. A structured statement
//! becomes at most two operations besides its parts.

use super::{Cond, Expr, Mark, Procedure, ProcedureId, Program, Stmt, StmtKind, Type, Var};
use crate::lang::ast::Where;
use crate::lang::span::Span;

/// A position in a procedure's list of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pc(u32);

impl Pc {
    /// The position at which every procedure starts.
    pub const START: Self = Self(0);

    /// The position `index`.
    pub fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// The index into the list.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The next position.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// The kind of the operation.
    pub kind: OpKind,
    /// The source range of the operation.
    pub span: Span,
    /// The mark of the operation's statement.
    pub mark: Option<Mark>,
}

/// The kind of an operation. All but jumps continue at the next position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// `x := e`
    Assign(Var, Expr),
    /// `havoc x`
    Havoc(Var),
    /// Blocks unless the expression holds.
    Assume(Expr),
    /// Posts a task.
    Async(Where, ProcedureId, Vec<Expr>),
    /// Calls a procedure and waits until it returns.
    Call(ProcedureId, Vec<Expr>),
    /// Leaves the procedure.
    Return,
    /// Continues at the position.
    Jump(Pc),
    /// Continues at the next position if the expression holds, else at the given one.
    Unless(Expr, Pc),
    /// Continues at the next position (1) or at the given one (0).
    Choose(Pc),
}

/// The operations of one procedure; the last is [`OpKind::Return`].
#[derive(Clone, Debug)]
pub struct Code {
    /// The operations.
    pub ops: Vec<Op>,
    /// The default values of all locals; a call overwrites the parameters.
    pub frame: Vec<i64>,
    /// The types of all locals.
    pub types: Vec<Type>,
    /// How many locals are parameters.
    pub params: usize,
}

impl Code {
    /// The operation at `pc`.
    pub fn op(&self, pc: Pc) -> &Op {
        &self.ops[pc.index()]
    }
}

/// Every procedure of `program`, by id.
pub fn compile(program: &Program) -> Vec<Code> {
    program.procedures.iter().map(compile_procedure).collect()
}

fn compile_procedure(procedure: &Procedure) -> Code {
    let mut compiler = Compiler { ops: Vec::new() };
    compiler.block(&procedure.body);
    compiler.ops.push(Op { kind: OpKind::Return, span: procedure.span, mark: None });
    let types: Vec<Type> = procedure.locals.iter().map(|local| local.ty).collect();
    let frame = types.iter().map(|ty| ty.default_value()).collect();
    Code { ops: compiler.ops, frame, types, params: procedure.params }
}

struct Compiler {
    ops: Vec<Op>,
}

impl Compiler {
    fn here(&self) -> Pc {
        Pc::new(self.ops.len())
    }

    fn push(&mut self, kind: OpKind, stmt: &Stmt) -> usize {
        self.ops.push(Op { kind, span: stmt.span, mark: stmt.mark });
        self.ops.len() - 1
    }

    fn branch(&mut self, condition: &Cond, stmt: &Stmt) -> usize {
        let kind = match condition {
            Cond::Expr(expr) => OpKind::Unless(expr.clone(), Pc::START),
            Cond::Any => OpKind::Choose(Pc::START),
        };
        self.push(kind, stmt)
    }

    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.ops[jump].kind {
            OpKind::Jump(to) | OpKind::Unless(_, to) | OpKind::Choose(to) => *to = here,
            _ => unreachable!("only jumps are patched"),
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let kind = match &stmt.kind {
            StmtKind::Assign(target, value) => OpKind::Assign(*target, value.clone()),
            StmtKind::Havoc(target) => OpKind::Havoc(*target),
            StmtKind::Assume(expr) => OpKind::Assume(expr.clone()),
            StmtKind::Async(on, procedure, args) => OpKind::Async(*on, *procedure, args.clone()),
            StmtKind::Call(procedure, args) => OpKind::Call(*procedure, args.clone()),
            StmtKind::Return => OpKind::Return,
            StmtKind::If(condition, then, otherwise) => {
                let branch = self.branch(condition, stmt);
                self.block(then);
                if otherwise.is_empty() {
                    return self.land(branch);
                }
                let jump = self.push(OpKind::Jump(Pc::START), stmt);
                self.ops[jump].mark = None;
                self.land(branch);
                self.block(otherwise);
                return self.land(jump);
            }
            StmtKind::While(condition, body) => {
                let head = self.here();
                let branch = self.branch(condition, stmt);
                self.block(body);
                let jump = self.push(OpKind::Jump(head), stmt);
                self.ops[jump].mark = None;
                return self.land(branch);
            }
        };
        self.push(kind, stmt);
    }
}
