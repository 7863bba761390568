//! Statements.

use super::super::ast::{Block, Expr, Stmt, StmtKind, Where};
use super::super::lexer::TokenKind;
use super::super::span::Span;
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.expect("{")?;
        let mut stmts = Vec::new();
        loop {
            if self.at_word("}") {
                return Ok(Block { stmts, span: start.to(self.next().span) });
            }
            if self.peek().kind == TokenKind::End {
                return Err(self.unexpected("`}`"));
            }
            match self.stmt() {
                Ok(stmt) => stmts.push(stmt),
                Err(_) => self.recover_stmt(),
            }
        }
    }

    /// Goes on after the next `;`, or before the next brace.
    fn recover_stmt(&mut self) {
        while !self.at_word("}") && self.peek().kind != TokenKind::End {
            if self.take(";") || self.at_word("{") {
                return;
            }
            self.next();
        }
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let start = self.peek().span;
        let kind = if self.at_word("var") {
            StmtKind::Var(self.variables()?)
        } else if self.take("if") {
            self.if_rest()?
        } else if self.take("while") {
            StmtKind::While(self.expr()?, self.block()?)
        } else if self.take("repeat") {
            StmtKind::Repeat(self.integer()?, self.block()?)
        } else if self.at_word("{") {
            return Err(self.unexpected("a statement"));
        } else {
            self.simple()?
        };
        Ok(Stmt { kind, span: start.to(self.previous_end()) })
    }

    fn if_rest(&mut self) -> Parsed<StmtKind> {
        let condition = self.expr()?;
        let then = self.block()?;
        let otherwise = if !self.take("else") {
            None
        } else if self.at_word("if") {
            let start = self.next().span;
            let kind = self.if_rest()?;
            let span = start.to(self.previous_end());
            Some(Block { stmts: vec![Stmt { kind, span }], span })
        } else {
            Some(self.block()?)
        };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    /// A statement that ends in `;`.
    fn simple(&mut self) -> Parsed<StmtKind> {
        let kind = if self.take("assume") {
            StmtKind::Assume(self.expr()?)
        } else if self.take("havoc") {
            StmtKind::Havoc(self.place()?)
        } else if self.take("async") {
            self.expect("[")?;
            let on = if self.take("main") {
                Where::Main
            } else if self.take("any") {
                Where::Any
            } else {
                return Err(self.unexpected("`main` or `any`"));
            };
            self.expect("]")?;
            let (name, args) = (self.name()?, self.arguments()?);
            StmtKind::Async(on, name, args)
        } else if self.take("call") {
            StmtKind::Call(self.name()?, self.arguments()?)
        } else if self.take("return") {
            StmtKind::Return
        } else if self.peek().kind == TokenKind::Ident {
            let place = self.place()?;
            self.expect(":=")?;
            StmtKind::Assign(place, self.expr()?)
        } else {
            return Err(self.unexpected("a statement"));
        };
        self.expect_semicolon()?;
        Ok(kind)
    }

    /// A missing `;` is said where it belongs, not at the token that follows.
    fn expect_semicolon(&mut self) -> Parsed<()> {
        if self.take(";") {
            return Ok(());
        }
        let end = self.previous_end().end as usize;
        let abandoned = self.unexpected("`;`");
        if let Some(error) = self.errors.last_mut() {
            error.span = Span::new(end, end);
        }
        Err(abandoned)
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        self.list(")", Self::expr)
    }
}
