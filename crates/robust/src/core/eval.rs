//! The value of an expression.

use super::{Binary, Expr, Var};

/// The value of `expr` under `read`, or `None` if it does not fit 64 bits: integers of the
/// language have no bound, so a wrapped value would be wrong.
pub fn eval(expr: &Expr, read: &impl Fn(Var) -> i64) -> Option<i64> {
    Some(match expr {
        Expr::Const(value, _) => *value,
        Expr::Var(var) => read(*var),
        Expr::Not(inner) => i64::from(eval(inner, read)? == 0),
        Expr::Negate(inner) => eval(inner, read)?.checked_neg()?,
        Expr::Binary(operator, left, right) => {
            let (left, right) = (eval(left, read)?, eval(right, read)?);
            match operator {
                Binary::Or => left | right,
                Binary::And => left & right,
                Binary::Eq => i64::from(left == right),
                Binary::Ne => i64::from(left != right),
                Binary::Lt => i64::from(left < right),
                Binary::Le => i64::from(left <= right),
                Binary::Gt => i64::from(left > right),
                Binary::Ge => i64::from(left >= right),
                Binary::Add => left.checked_add(right)?,
                Binary::Sub => left.checked_sub(right)?,
                Binary::Mul => left.checked_mul(right)?,
            }
        }
    })
}
