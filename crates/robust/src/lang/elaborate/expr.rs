//! Expressions: types, constants, and reads of globals, which are moved in front of the expression.

use super::super::ast::{self, Binary, ExprKind};
use super::super::error::{OUT_OF_RANGE, TYPE_MISMATCH};
use super::stmt::Body;
use super::{Elaborator, Entity};
use crate::core::{Expr, Stmt, StmtKind, Type, Var};

/// The type of a value, with the least and greatest integer it may be where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int(Option<i64>, Option<i64>),
    Enum(crate::core::EnumId),
}

impl Kind {
    pub(super) fn of(ty: Type) -> Self {
        match ty {
            Type::Bool => Self::Bool,
            Type::Range(low, high) => Self::Int(Some(low), Some(high)),
            Type::Int => Self::Int(None, None),
            Type::Enum(id) => Self::Enum(id),
        }
    }

    fn same(self, other: Self) -> bool {
        matches!((self, other), (Self::Int(..), Self::Int(..))) || self == other
    }
}

/// An expression over locals with its type.
pub(super) struct Typed {
    pub(super) expr: Expr,
    pub(super) kind: Kind,
}

impl Elaborator {
    pub(super) fn describe(&self, kind: Kind) -> String {
        match kind {
            Kind::Bool => "a Boolean".into(),
            Kind::Int(..) => "an integer".into(),
            Kind::Enum(id) => format!("a value of `{}`", self.program.enums[id.index()].name),
        }
    }

    /// Whether `found` may be used where `wanted` is needed. Adds an error if not.
    pub(super) fn require(&mut self, found: Kind, wanted: Kind, span: super::Span) -> bool {
        let same = found.same(wanted);
        if !same {
            let (found, wanted) = (self.describe(found), self.describe(wanted));
            let message = format!("expected {wanted}, found {found}");
            self.error(&TYPE_MISMATCH, span, message, format!("write {wanted} here"));
        }
        same
    }

    /// The value of a constant expression of type `ty`.
    pub(super) fn constant(&mut self, e: &ast::Expr, ty: Type) -> Option<i64> {
        let mut body = Body::constants();
        let typed = self.expr(e, &mut body)?;
        if !self.require(typed.kind, Kind::of(ty), e.span) {
            return None;
        }
        let Some(value) = crate::core::eval::eval(&typed.expr, &|_| 0) else {
            self.error(&OUT_OF_RANGE, e.span, "this value leaves 64 bits", "use a smaller one");
            return None;
        };
        let fits = self.program.bounds(ty).is_none_or(|(low, high)| low <= value && value <= high);
        if !fits {
            let message = format!("{value} lies outside the range of its place");
            self.error(&OUT_OF_RANGE, e.span, message, "use a value of the range");
        }
        fits.then_some(value)
    }

    /// Lowers `e` to an expression over locals. The globals that it reads are read into fresh
    /// locals of `body` first.
    pub(super) fn expr(&mut self, e: &ast::Expr, body: &mut Body) -> Option<Typed> {
        match &e.kind {
            ExprKind::Int(value) => Some(Typed {
                expr: Expr::Const(*value, Type::Int),
                kind: Kind::Int(Some(*value), Some(*value)),
            }),
            ExprKind::Bool(value) => Some(Typed { expr: Expr::bool(*value), kind: Kind::Bool }),
            ExprKind::Any => {
                if body.constant_only {
                    let message = "a constant cannot be chosen freely";
                    self.error(&TYPE_MISMATCH, e.span, message, "write `true` or `false`");
                    return None;
                }
                let chosen = Var::Local(body.fresh(Type::Bool));
                body.push(StmtKind::Havoc(chosen), e.span);
                Some(Typed { expr: Expr::Var(chosen), kind: Kind::Bool })
            }
            ExprKind::Place(place) => self.place_value(place, body),
            ExprKind::Not(inner) => {
                let typed = self.expr(inner, body)?;
                self.require(typed.kind, Kind::Bool, inner.span)
                    .then(|| Typed { expr: typed.expr.negated(), kind: Kind::Bool })
            }
            ExprKind::Negate(inner) => {
                let typed = self.expr(inner, body)?;
                if !self.require(typed.kind, Kind::Int(None, None), inner.span) {
                    return None;
                }
                let Kind::Int(low, high) = typed.kind else { return None };
                let negated = |end: Option<i64>| end.and_then(i64::checked_neg);
                Some(Typed {
                    expr: Expr::Negate(Box::new(typed.expr)),
                    kind: Kind::Int(negated(high), negated(low)),
                })
            }
            ExprKind::Chain(first, rest) => self.chain(first, rest, body),
        }
    }

    fn chain(
        &mut self,
        first: &ast::Expr,
        rest: &[(Binary, ast::Expr)],
        body: &mut Body,
    ) -> Option<Typed> {
        let typed: Vec<Option<Typed>> = [first]
            .into_iter()
            .chain(rest.iter().map(|(_, e)| e))
            .map(|e| self.expr(e, body))
            .collect();
        let typed = typed.into_iter().collect::<Option<Vec<Typed>>>()?;
        // Operators of one precedence take operands of one type.
        let wanted = match rest[0].0 {
            Binary::Or | Binary::And => Kind::Bool,
            Binary::Eq | Binary::Ne => typed[0].kind,
            _ => Kind::Int(None, None),
        };
        let spans = [first.span].into_iter().chain(rest.iter().map(|(_, e)| e.span));
        for (operand, span) in typed.iter().zip(spans) {
            if !self.require(operand.kind, wanted, span) {
                return None;
            }
        }
        let mut kind = typed[0].kind;
        for ((operator, _), operand) in rest.iter().zip(&typed[1..]) {
            kind = match (operator, kind, operand.kind) {
                (Binary::Add | Binary::Sub | Binary::Mul, Kind::Int(a, b), Kind::Int(c, d)) => {
                    arithmetic(*operator, (a, b), (c, d))
                }
                _ => Kind::Bool,
            };
        }
        let operators: Vec<Binary> = rest.iter().map(|(operator, _)| *operator).collect();
        let operands = typed.into_iter().map(|typed| typed.expr).collect();
        Some(Typed { expr: balanced(operands, &operators), kind })
    }

    /// The value of a local, a global read into a fresh local, or an enumeration's value.
    fn place_value(&mut self, place: &ast::Place, body: &mut Body) -> Option<Typed> {
        if let Some(local) = body.local(&place.root.text) {
            if !place.path.is_empty() {
                let message = format!("`{}` has no parts", place.root.text);
                self.error(&TYPE_MISMATCH, place.span, message, "use the variable itself");
                return None;
            }
            let kind = Kind::of(body.ty(local));
            return Some(Typed { expr: Expr::local(local), kind });
        }
        if let Some(Entity::EnumValue(id, value)) = self.scope.get(&place.root.text)
            && place.path.is_empty()
        {
            let ty = Type::Enum(*id);
            return Some(Typed { expr: Expr::Const(*value, ty), kind: Kind::of(ty) });
        }
        if body.constant_only {
            let message = "only constants may stand here";
            self.error(&TYPE_MISMATCH, place.span, message, "write the value itself");
            return None;
        }
        let located = self.locate(place, body)?;
        let target = body.fresh(located.ty);
        let read = |global| {
            let kind = StmtKind::Assign(Var::Local(target), Expr::global(global));
            Stmt::new(kind, place.span)
        };
        let stmts = located.select(place.span, read);
        body.extend(stmts);
        Some(Typed { expr: Expr::local(target), kind: Kind::of(located.ty) })
    }
}

/// The operands with the operators between them, as a tree whose depth is logarithmic: all passes
/// over expressions recurse. The operators are associative, except that what follows a `-` is
/// subtracted from what precedes it: `a - (b - c)` stands for `a - b + c`.
fn balanced(mut operands: Vec<Expr>, operators: &[Binary]) -> Expr {
    if operands.len() == 1 {
        return operands.remove(0);
    }
    let middle = operands.len().div_ceil(2);
    let right = operands.split_off(middle);
    let operator = operators[middle - 1];
    let mut inner = operators[middle..].to_vec();
    if operator == Binary::Sub {
        for operator in &mut inner {
            *operator = if *operator == Binary::Sub { Binary::Add } else { Binary::Sub };
        }
    }
    let left = balanced(operands, &operators[..middle - 1]);
    left.binary(operator, balanced(right, &inner))
}

fn arithmetic(
    operator: Binary,
    left: (Option<i64>, Option<i64>),
    right: (Option<i64>, Option<i64>),
) -> Kind {
    let (Some(a), Some(b), Some(c), Some(d)) = (left.0, left.1, right.0, right.1) else {
        return Kind::Int(None, None);
    };
    let corners: [Option<i64>; 4] = match operator {
        Binary::Add => [a.checked_add(c), b.checked_add(d), a.checked_add(c), b.checked_add(d)],
        Binary::Sub => [a.checked_sub(d), b.checked_sub(c), a.checked_sub(d), b.checked_sub(c)],
        _ => [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)],
    };
    match corners.into_iter().collect::<Option<Vec<i64>>>() {
        Some(values) => Kind::Int(values.iter().min().copied(), values.iter().max().copied()),
        None => Kind::Int(None, None),
    }
}
