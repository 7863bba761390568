//! Expressions, by precedence climbing.

use super::super::ast::{Binary, Expr, ExprKind, Place, Step};
use super::super::error::{Error, SYNTAX};
use super::super::lexer::TokenKind;
use super::{Abandoned, Parsed, Parser};

const OPERATORS: [Binary; 11] = [
    Binary::Or,
    Binary::And,
    Binary::Eq,
    Binary::Ne,
    Binary::Lt,
    Binary::Le,
    Binary::Gt,
    Binary::Ge,
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
];

/// Deeper nesting would only exhaust the stack.
const MAX_DEPTH: u32 = 200;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.binary(1, 0)
    }

    fn binary(&mut self, weakest: u8, depth: u32) -> Parsed<Expr> {
        let mut left = self.unary(depth)?;
        while let Some(operator) = OPERATORS
            .into_iter()
            .find(|operator| self.at_word(operator.symbol()) && operator.precedence() >= weakest)
        {
            self.next();
            let right = self.binary(operator.precedence() + 1, depth + 1)?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expr { kind, span };
            if operator.is_comparison() && weakest <= 3 {
                self.reject_chained_comparison()?;
            }
        }
        Ok(left)
    }

    fn reject_chained_comparison(&mut self) -> Parsed<()> {
        if OPERATORS.iter().any(|o| o.is_comparison() && self.at_word(o.symbol())) {
            self.errors.push(Error::new(
                &SYNTAX,
                self.peek().span,
                "comparisons do not chain",
                "write `a < b && b < c`",
            ));
            return Err(Abandoned);
        }
        Ok(())
    }

    fn unary(&mut self, depth: u32) -> Parsed<Expr> {
        let start = self.peek().span;
        if depth > MAX_DEPTH {
            self.errors.push(Error::new(
                &SYNTAX,
                start,
                format!("expressions nest at most {MAX_DEPTH} deep"),
                "name a part of it with a local variable",
            ));
            return Err(Abandoned);
        }
        let kind = if self.take("!") {
            ExprKind::Not(Box::new(self.unary(depth + 1)?))
        } else if self.take("-") {
            ExprKind::Negate(Box::new(self.unary(depth + 1)?))
        } else if self.take("*") {
            ExprKind::Any
        } else if self.take("true") {
            ExprKind::Bool(true)
        } else if self.take("false") {
            ExprKind::Bool(false)
        } else if self.take("(") {
            let inner = self.binary(1, depth + 1)?;
            self.expect(")")?;
            return Ok(Expr { kind: inner.kind, span: start.to(self.previous_end()) });
        } else {
            match self.peek().kind {
                TokenKind::Int => ExprKind::Int(self.integer()?),
                TokenKind::Ident => ExprKind::Place(self.place()?),
                _ => return Err(self.unexpected("an expression")),
            }
        };
        Ok(Expr { kind, span: start.to(self.previous_end()) })
    }

    pub(super) fn place(&mut self) -> Parsed<Place> {
        let root = self.name()?;
        let mut path = Vec::new();
        loop {
            if self.take(".") {
                path.push(Step::Field(self.name()?));
            } else if self.take("[") {
                path.push(Step::Index(self.expr()?));
                self.expect("]")?;
            } else {
                let span = root.span.to(self.previous_end());
                return Ok(Place { root, path, span });
            }
        }
    }
}
