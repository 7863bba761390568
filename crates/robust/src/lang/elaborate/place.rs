//! Places: the locations that a place such as `rows[i].shown` may be.

use super::super::ast::{self, Step};
use super::super::error::{OUT_OF_RANGE, TOO_LARGE, TYPE_MISMATCH, UNKNOWN_NAME};
use super::super::span::Span;
use super::expr::Kind;
use super::stmt::Body;
use super::types::Shape;
use super::{Elaborator, Entity};
use crate::core::{Cond, Expr, GlobalId, Stmt, StmtKind, Type, Var};

/// The largest number of locations of one place with computed indices.
const MAX_CANDIDATES: usize = 256;

/// The locations a place may be, each under the condition on the indices that selects it.
pub(super) struct Located {
    candidates: Vec<(GlobalId, Option<Expr>)>,
    /// Whether one of the conditions always holds.
    total: bool,
    pub(super) ty: Type,
}

impl Located {
    /// The one location, if no index is computed.
    pub(super) fn single(&self) -> Option<GlobalId> {
        match self.candidates.as_slice() {
            [(global, None)] => Some(*global),
            _ => None,
        }
    }

    /// Returns the statements of `access` on the location that the indices select. They block if
    /// the indices select none.
    pub(super) fn select(&self, span: Span, access: impl Fn(GlobalId) -> Stmt) -> Vec<Stmt> {
        let outside = Stmt::new(StmtKind::Assume(Expr::bool(false)), span);
        let mut rest = if self.total { Vec::new() } else { vec![outside] };
        for (index, (global, condition)) in self.candidates.iter().enumerate().rev() {
            let last = index + 1 == self.candidates.len();
            rest = match condition {
                Some(condition) if !(last && self.total) => {
                    let condition = Cond::Expr(condition.clone());
                    let branch = StmtKind::If(condition, vec![access(*global)], rest);
                    vec![Stmt::new(branch, span)]
                }
                _ => vec![access(*global)],
            };
        }
        rest
    }
}

impl Elaborator {
    /// The locations `place` may be; its indices are computed in `body` first.
    pub(super) fn locate(&mut self, place: &ast::Place, body: &mut Body) -> Option<Located> {
        let entity = self.lookup(&place.root, "variable")?;
        let Entity::Global(mut shape, first) = entity else {
            let message = format!("`{}` is not a variable", place.root.text);
            self.error(&TYPE_MISMATCH, place.root.span, message, "use a variable here");
            return None;
        };
        let mut candidates = vec![(first.index(), None)];
        let mut total = true;
        for step in &place.path {
            shape = match (step, shape) {
                (Step::Field(name), Shape::Record(fields)) => {
                    let (offset, field) = self.field(name, &fields)?;
                    for (location, _) in &mut candidates {
                        *location += offset;
                    }
                    field
                }
                (Step::Index(index), Shape::Array(element, length)) => {
                    let inside =
                        self.index(index, length, element.size(), &mut candidates, body)?;
                    total &= inside;
                    *element
                }
                (step, _) => {
                    let (span, message) = match step {
                        Step::Field(name) => (name.span, "only records have fields"),
                        Step::Index(index) => (index.span, "only arrays have elements"),
                    };
                    self.error(&TYPE_MISMATCH, span, message, "check the variable's declaration");
                    return None;
                }
            };
        }
        let Shape::Scalar(ty) = shape else {
            let message = "this is a whole array or record";
            self.error(&TYPE_MISMATCH, place.span, message, "name one element or field");
            return None;
        };
        let candidates = candidates.into_iter().map(|(at, c)| (GlobalId::new(at), c)).collect();
        Some(Located { candidates, total, ty })
    }

    fn field(&mut self, name: &ast::Name, fields: &[(String, Shape)]) -> Option<(usize, Shape)> {
        let mut offset = 0;
        for (known, shape) in fields {
            if *known == name.text {
                return Some((offset, shape.clone()));
            }
            offset += shape.size();
        }
        let known: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        let advice = format!("its fields are {}", known.join(", "));
        self.error(&UNKNOWN_NAME, name.span, format!("there is no field `{}`", name.text), advice);
        None
    }

    /// Multiplies the candidates by the elements that `index` may select. Returns whether the index
    /// is always in bounds.
    fn index(
        &mut self,
        index: &ast::Expr,
        length: usize,
        stride: usize,
        candidates: &mut Vec<(usize, Option<Expr>)>,
        body: &mut Body,
    ) -> Option<bool> {
        let typed = self.expr(index, body)?;
        if !self.require(typed.kind, Kind::Int(None, None), index.span) {
            return None;
        }
        let Kind::Int(low, high) = typed.kind else { return None };
        let last = length as i64 - 1;
        let (first, end) = (low.unwrap_or(0).max(0), high.unwrap_or(last).min(last));
        if first > end {
            let message = format!("the index is never between 0 and {last}");
            self.error(&OUT_OF_RANGE, index.span, message, "index inside the array");
            return None;
        }
        let inside = low.is_some_and(|low| low >= 0) && high.is_some_and(|high| high <= last);
        if candidates.len() * (end - first + 1) as usize > MAX_CANDIDATES {
            let message = format!("this may be any of more than {MAX_CANDIDATES} locations");
            self.error(&TOO_LARGE, index.span, message, "give the index a smaller range");
            return None;
        }
        let fixed = inside && first == end;
        let at = if fixed { None } else { Some(once(typed.expr, body, index.span)) };
        *candidates = candidates
            .iter()
            .flat_map(|(location, condition)| {
                let at = at.clone();
                (first..=end).map(move |element| {
                    let selected = at.clone().map(|at| at.equals(Expr::Const(element, Type::Int)));
                    let both = match (condition.clone(), selected) {
                        (Some(a), Some(b)) => Some(a.and(b)),
                        (a, b) => a.or(b),
                    };
                    (location + element as usize * stride, both)
                })
            })
            .collect();
        Some(inside)
    }
}

/// Returns `expr` in a form that may be repeated: a constant, a local, or a fresh local set to it.
fn once(expr: Expr, body: &mut Body, span: Span) -> Expr {
    if matches!(expr, Expr::Const(..) | Expr::Var(_)) {
        return expr;
    }
    let local = body.fresh(Type::Int);
    body.push(StmtKind::Assign(Var::Local(local), expr), span);
    Expr::local(local)
}
