//! The core language, on which the analyses work.
//!
//! Every global is a scalar *location*: arrays and records are taken apart by
//! [`elaborate`](crate::lang::elaborate), `a[i] := e` becoming a branch over the elements. A
//! program straight from `elaborate` is *lowered*: each statement does at most one global access,
//! namely [`StmtKind::Assign`] that reads one global into a local or writes an expression over
//! locals to one global ([`Stmt::access`]). The reductions produce *sequential* programs of the
//! same language, without `async`, whose expressions may read globals freely.

mod access;
pub mod eval;
pub mod flat;
mod print;
mod walk;

use crate::lang::ast::Where;
use crate::lang::span::Span;

pub use crate::lang::ast::Binary;
pub(crate) use access::assign_access;
pub use access::{Access, AccessKind};
pub use print::print;
pub(crate) use walk::{expr_vars, for_each_stmt, has_return};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id of the `index`-th element of its table.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table of a program fits 32 bits"))
            }

            /// The index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A global location.
    GlobalId;
    /// A parameter or local variable of a procedure, parameters first.
    LocalId;
    /// A procedure.
    ProcedureId;
    /// An enumeration.
    EnumId;
    /// An event instance of the driver.
    InstanceId;
    /// A statement of the lowered program, numbered in textual order.
    SiteId;
}

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Booleans, 0 and 1.
    Bool,
    /// Integers between the two ends, both included.
    Range(i64, i64),
    /// All integers.
    Int,
    /// An enumeration; values are indices.
    Enum(EnumId),
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The name of the enumeration.
    pub name: String,
    /// Its values in order.
    pub values: Vec<String>,
}

/// A global location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// The path as the source writes it, such as `rows[2].shown`.
    pub name: String,
    /// The type of the location.
    pub ty: Type,
    /// The initial value of the location.
    pub init: i64,
}

/// A parameter or local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// The name of the variable.
    pub name: String,
    /// The type of the variable.
    pub ty: Type,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// The name of the procedure.
    pub name: String,
    /// How many of the locals are parameters.
    pub params: usize,
    /// Parameters, then locals. A local starts at its type's default.
    pub locals: Vec<Local>,
    /// The statements of the procedure.
    pub body: Block,
    /// The source range of the procedure's name.
    pub span: Span,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A milestone of another instance that must have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Milestone {
    /// The instance started.
    Start,
    /// The instance ended: all its tasks returned.
    End,
}

/// An event instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The name of the instance.
    pub name: String,
    /// The procedure that handles it.
    pub procedure: ProcedureId,
    /// The procedure's arguments.
    pub args: Vec<i64>,
    /// The milestones that must have happened before the instance may start.
    pub after: Vec<(InstanceId, Milestone)>,
    /// The source range of the instance.
    pub span: Span,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its enumerations.
    pub enums: Vec<Enum>,
    /// Its global locations.
    pub globals: Vec<Global>,
    /// Its procedures.
    pub procedures: Vec<Procedure>,
    /// Its event instances.
    pub instances: Vec<Instance>,
}

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Var {
    /// A global location.
    Global(GlobalId),
    /// A parameter or local variable of the current procedure.
    Local(LocalId),
}

/// An expression without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A value. Its type decides how it is written.
    Const(i64, Type),
    /// A variable.
    Var(Var),
    /// `!e`
    Not(Box<Expr>),
    /// `-e`
    Negate(Box<Expr>),
    /// `e + f` and the like; both operands are evaluated.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// The condition of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cond {
    /// The value of an expression.
    Expr(Expr),
    /// `*`: either way.
    Any,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// The kind of the statement.
    pub kind: StmtKind,
    /// The source range of the statement.
    pub span: Span,
    /// The meaning of this statement for the program that it was derived from.
    pub mark: Option<Mark>,
}

/// The kind of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `x := e`
    Assign(Var, Expr),
    /// `havoc x`
    Havoc(Var),
    /// `assume e`: a task that finds it false stays there.
    Assume(Expr),
    /// `async[w] p(e)`
    Async(Where, ProcedureId, Vec<Expr>),
    /// `call p(e)`
    Call(ProcedureId, Vec<Expr>),
    /// `return`
    Return,
    /// `if c { … } else { … }`
    If(Cond, Block, Block),
    /// `while c { … }`
    While(Cond, Block),
}

/// The source map of a reduction: what a statement of the sequential program stands for in the
/// program it was made from. A path through marked statements is a run of that program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A choice of the program itself: `havoc`, or a branch on `*`.
    Decision,
    /// The program's access at this site is executed.
    Access(SiteId),
    /// The access at this site is left out and becomes the pivot.
    Pivot(SiteId),
    /// The access at this site becomes the root of a determinism violation.
    Root(SiteId),
    /// The access at this site enters its event on the conflict path.
    Entry(SiteId),
    /// The access at this site leaves its event on the conflict path.
    Exit(SiteId),
    /// The call runs this instance.
    Instance(InstanceId),
    /// The call runs the next task posted by the current one.
    Task,
    /// The current task is dispatched.
    Dispatched,
    /// The current task of the main thread is the one that stays incomplete.
    Cut,
}

impl Stmt {
    /// Creates a statement without a mark.
    pub fn new(kind: StmtKind, span: Span) -> Self {
        Self { kind, span, mark: None }
    }

    /// Returns the statement with a mark.
    #[must_use]
    pub fn marked(mut self, mark: Mark) -> Self {
        self.mark = Some(mark);
        self
    }

    /// The global access of a statement of a lowered program.
    pub fn access(&self) -> Option<Access> {
        match &self.kind {
            StmtKind::Assign(target, value) => assign_access(*target, value),
            _ => None,
        }
    }
}

impl Type {
    /// The initial value of a variable of the type.
    pub fn default_value(self) -> i64 {
        match self {
            Self::Range(low, high) if low > 0 || high < 0 => low,
            _ => 0,
        }
    }
}

impl Program {
    /// The least and greatest value of `ty`, unless it is unbounded.
    pub fn bounds(&self, ty: Type) -> Option<(i64, i64)> {
        match ty {
            Type::Bool => Some((0, 1)),
            Type::Range(low, high) => Some((low, high)),
            Type::Int => None,
            Type::Enum(id) => Some((0, self.enums[id.index()].values.len() as i64 - 1)),
        }
    }

    /// Whether a variable may hold any integer.
    pub fn has_unbounded_data(&self) -> bool {
        let locals = self.procedures.iter().flat_map(|procedure| &procedure.locals);
        let types = self.globals.iter().map(|global| global.ty).chain(locals.map(|local| local.ty));
        types.into_iter().any(|ty| ty == Type::Int)
    }

    /// The procedure.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// The location.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// The instances in order.
    pub fn instance_ids(&self) -> impl Iterator<Item = InstanceId> + use<> {
        (0..self.instances.len()).map(InstanceId::new)
    }
}

/// An access of the lowered program, with its place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The access.
    pub access: Access,
    /// The procedure that contains the access.
    pub procedure: ProcedureId,
    /// The source range of the access.
    pub span: Span,
}

impl Program {
    /// The accesses of a lowered program, by id.
    pub fn sites(&self) -> Vec<Site> {
        let mut sites = Vec::new();
        for (index, procedure) in self.procedures.iter().enumerate() {
            for_each_stmt(&procedure.body, &mut |stmt| {
                if let Some(access) = stmt.access() {
                    debug_assert_eq!(stmt.mark, Some(Mark::Access(SiteId::new(sites.len()))));
                    let procedure = ProcedureId::new(index);
                    sites.push(Site { access, procedure, span: stmt.span });
                }
            });
        }
        sites
    }
}

/// Short forms for building programs.
impl Expr {
    /// `true` or `false`.
    pub fn bool(value: bool) -> Self {
        Self::Const(value.into(), Type::Bool)
    }

    /// A global.
    pub fn global(id: GlobalId) -> Self {
        Self::Var(Var::Global(id))
    }

    /// A local.
    pub fn local(id: LocalId) -> Self {
        Self::Var(Var::Local(id))
    }

    /// `!e`
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// `e op f`
    #[must_use]
    pub fn binary(self, operator: Binary, other: Self) -> Self {
        Self::Binary(operator, Box::new(self), Box::new(other))
    }

    /// `e && f`
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.binary(Binary::And, other)
    }

    /// `e || f`
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.binary(Binary::Or, other)
    }

    /// `e == f`
    #[must_use]
    pub fn equals(self, other: Self) -> Self {
        self.binary(Binary::Eq, other)
    }
}
