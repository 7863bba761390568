//! The syntax tree: what was written, with its places, before any name is resolved.

use super::span::Span;

/// An identifier where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A comment, with its introducing `//`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text up to the end of the line, without trailing blanks.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its declarations in order.
    pub items: Vec<Item>,
    /// Its comments in order; they belong to no node.
    pub comments: Vec<Comment>,
    /// The whole text.
    pub span: Span,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `enum Mode { idle, busy }`
    Enum(EnumDecl),
    /// `record Row { shown: bool, age: 0..3 }`
    Record(RecordDecl),
    /// `var x: bool := true;`
    Var(VarDecl),
    /// `procedure p(y: bool) { … }`
    Procedure(Procedure),
    /// `driver { a: send; }`
    Driver(Driver),
}

impl Item {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Enum(decl) => decl.span,
            Self::Record(decl) => decl.span,
            Self::Var(decl) => decl.span,
            Self::Procedure(decl) => decl.span,
            Self::Driver(decl) => decl.span,
        }
    }
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumDecl {
    /// Its name.
    pub name: Name,
    /// Its values, the first being the default.
    pub values: Vec<Name>,
    /// Where it stands.
    pub span: Span,
}

/// A record type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordDecl {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<(Name, Type)>,
    /// Where it stands.
    pub span: Span,
}

/// A declaration of variables of one type, global or local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarDecl {
    /// The names declared.
    pub names: Vec<Name>,
    /// Their type; `bool` when not written.
    pub ty: Option<Type>,
    /// The initial value; the type's default when not written.
    pub init: Option<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// A type where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// Which.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// Which type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `0..7`, both ends included
    Range(i64, i64),
    /// An enumeration or record.
    Named(String),
    /// `[bool; 4]`
    Array(Box<Type>, i64),
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Its parameters; `bool` when no type is written.
    pub params: Vec<(Name, Option<Type>)>,
    /// What it does.
    pub body: Block,
    /// Where it stands.
    pub span: Span,
}

/// The event instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The instances in order.
    pub instances: Vec<Instance>,
    /// Where it stands.
    pub span: Span,
}

/// One event instance: `b: dblclick after a.start;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Its name.
    pub name: Name,
    /// The procedure that handles it.
    pub procedure: Name,
    /// Constant arguments.
    pub args: Vec<Expr>,
    /// What must have happened before it may start.
    pub after: Vec<After>,
    /// Where it stands.
    pub span: Span,
}

/// A causality constraint of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// The other instance.
    pub instance: Name,
    /// Whether its end is meant rather than its start.
    pub end: bool,
}

/// Statements between braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The statements in order.
    pub stmts: Vec<Stmt>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// Where a task is posted: the paper's `w`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Where {
    /// The main thread.
    Main,
    /// A fresh thread.
    Any,
}

impl Where {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Any => "any",
        }
    }
}

/// Which statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `var y: bool;`
    Var(VarDecl),
    /// `x := e;`
    Assign(Place, Expr),
    /// `assume e;`
    Assume(Expr),
    /// `havoc x;`
    Havoc(Place),
    /// `async[main] p(e);`
    Async(Where, Name, Vec<Expr>),
    /// `call p(e);`
    Call(Name, Vec<Expr>),
    /// `return;`
    Return,
    /// `if e { … } else { … }`
    If(Expr, Block, Option<Block>),
    /// `while e { … }`
    While(Expr, Block),
    /// `repeat 3 { … }`
    Repeat(i64, Block),
}

/// A variable, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The variable.
    pub root: Name,
    /// The way into it.
    pub path: Vec<Step>,
    /// Where it stands.
    pub span: Span,
}

/// A step into a record or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `.field`
    Field(Name),
    /// `[index]`
    Index(Expr),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// Which expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// `true` or `false`.
    Bool(bool),
    /// `*`: either Boolean, chosen anew at each evaluation.
    Any,
    /// A variable or an enumeration's value.
    Place(Place),
    /// `!e`
    Not(Box<Expr>),
    /// `-e`
    Negate(Box<Expr>),
    /// `e + f - g` and the like: one or more operators of the same precedence, applied from left
    /// to right. A list rather than a tree, so that a sum of many terms nests no deeper than one
    /// of two.
    Chain(Box<Expr>, Vec<(Binary, Expr)>),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
}

impl Binary {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
        }
    }

    /// How tightly it binds, 1 being loosest. Operators associate to the left; comparisons do
    /// not associate.
    pub fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge => 3,
            Self::Add | Self::Sub => 4,
            Self::Mul => 5,
        }
    }

    /// Whether it compares.
    pub fn is_comparison(self) -> bool {
        self.precedence() == 3
    }
}
