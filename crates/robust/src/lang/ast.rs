//! The syntax tree: the source as written, with its places, before names are resolved.

use super::span::Span;

/// An identifier where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// The source range of the name.
    pub span: Span,
}

/// A comment, with its introducing `//`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text up to the end of the line, without trailing blanks.
    pub text: String,
    /// The source range of the comment.
    pub span: Span,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The declarations in order.
    pub items: Vec<Item>,
    /// The comments in order. They belong to no node.
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
    /// The source range of the declaration.
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
    /// The name of the enumeration.
    pub name: Name,
    /// Its values, the first being the default.
    pub values: Vec<Name>,
    /// The source range of the enumeration.
    pub span: Span,
}

/// A record type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordDecl {
    /// The name of the record type.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<(Name, Type)>,
    /// The source range of the record type.
    pub span: Span,
}

/// A declaration of variables of one type, global or local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarDecl {
    /// The names declared.
    pub names: Vec<Name>,
    /// The type of the variables. `bool` if it is not written.
    pub ty: Option<Type>,
    /// The initial value. The default of the type if it is not written.
    pub init: Option<Expr>,
    /// The source range of the declaration.
    pub span: Span,
}

/// A type where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// The kind of the type.
    pub kind: TypeKind,
    /// The source range of the type.
    pub span: Span,
}

/// The kind of a type.
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
    /// The name of the procedure.
    pub name: Name,
    /// The parameters. Their type is `bool` if none is written.
    pub params: Vec<(Name, Option<Type>)>,
    /// The statements of the procedure.
    pub body: Block,
    /// The source range of the procedure.
    pub span: Span,
}

/// The event instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The instances in order.
    pub instances: Vec<Instance>,
    /// The source range of the driver.
    pub span: Span,
}

/// One event instance: `b: dblclick after a.start;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The name of the instance.
    pub name: Name,
    /// The procedure that handles it.
    pub procedure: Name,
    /// Constant arguments.
    pub args: Vec<Expr>,
    /// The milestones of other instances that must have happened before this one may start.
    pub after: Vec<After>,
    /// The source range of the instance.
    pub span: Span,
}

/// A causality constraint of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// The other instance.
    pub instance: Name,
    /// Whether the milestone is the other instance's end rather than its start.
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
    /// The kind of the statement.
    pub kind: StmtKind,
    /// The source range of the statement.
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
    /// The spelling of the destination.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Any => "any",
        }
    }
}

/// The kind of a statement.
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
    /// The path to the part.
    pub path: Vec<Step>,
    /// The source range of the place.
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
    /// The kind of the expression.
    pub kind: ExprKind,
    /// The source range of the expression.
    pub span: Span,
}

/// The kind of an expression.
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
    /// The spelling of the operator.
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

    /// The precedence of the operator; 1 binds loosest. Operators associate to the left;
    /// comparisons do not associate.
    pub fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge => 3,
            Self::Add | Self::Sub => 4,
            Self::Mul => 5,
        }
    }

    /// Whether the operator is a comparison.
    pub fn is_comparison(self) -> bool {
        self.precedence() == 3
    }
}
