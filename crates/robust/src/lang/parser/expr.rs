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

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.binary(1)
    }

    /// Operators that bind at least as tightly as `weakest`.
    fn binary(&mut self, weakest: u8) -> Parsed<Expr> {
        let mut first = self.unary()?;
        let mut rest: Vec<(Binary, Expr)> = Vec::new();
        while let Some(operator) = OPERATORS
            .into_iter()
            .find(|operator| self.at_word(operator.symbol()) && operator.precedence() >= weakest)
        {
            if rest.last().is_some_and(|(last, _)| last.precedence() != operator.precedence()) {
                first = chain(first, std::mem::take(&mut rest));
            }
            self.next();
            rest.push((operator, self.binary(operator.precedence() + 1)?));
            if operator.is_comparison() {
                self.reject_chained_comparison()?;
            }
        }
        Ok(if rest.is_empty() { first } else { chain(first, rest) })
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

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.peek().span;
        let kind = if self.take("!") {
            ExprKind::Not(Box::new(self.nested(Self::unary)?))
        } else if self.take("-") {
            ExprKind::Negate(Box::new(self.nested(Self::unary)?))
        } else if self.take("*") {
            ExprKind::Any
        } else if self.take("true") {
            ExprKind::Bool(true)
        } else if self.take("false") {
            ExprKind::Bool(false)
        } else if self.take("(") {
            let inner = self.nested(Self::expr)?;
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
                path.push(Step::Index(self.nested(Self::expr)?));
                self.expect("]")?;
            } else {
                let span = root.span.to(self.previous_end());
                return Ok(Place { root, path, span });
            }
        }
    }
}

/// The chain of `first` and one or more operators with their right operands.
fn chain(first: Expr, rest: Vec<(Binary, Expr)>) -> Expr {
    let end = rest.last().expect("a chain has an operator").1.span;
    let span = first.span.to(end);
    Expr { kind: ExprKind::Chain(Box::new(first), rest), span }
}
