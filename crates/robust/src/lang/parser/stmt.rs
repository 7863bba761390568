//! Statements.

use super::super::ast::{Block, Expr, Stmt, StmtKind, Where};
use super::super::error::{Error, SYNTAX};
use super::super::lexer::TokenKind;
use super::super::span::Span;
use super::{Abandoned, KEYWORDS, Parsed, Parser};

const STARTERS: [&str; 9] =
    ["var", "if", "while", "repeat", "assume", "havoc", "async", "call", "return"];

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.nested(Self::statements)
    }

    fn statements(&mut self) -> Parsed<Block> {
        let start = self.expect("{")?;
        let mut stmts = Vec::new();
        loop {
            if self.at_word("}") {
                return Ok(Block { stmts, span: start.to(self.next().span) });
            }
            if self.peek().kind == TokenKind::End {
                return Err(self.unexpected("`}`"));
            }
            let first = self.at;
            if let Ok(stmt) = self.stmt() {
                stmts.push(stmt);
            } else {
                self.recover_stmt();
                self.drop_since(first);
            }
        }
    }

    /// Skips to after the next `;` or block, or to before the brace that closes this block.
    fn recover_stmt(&mut self) {
        let mut depth = 0_u32;
        while self.peek().kind != TokenKind::End {
            if self.at_word("}") {
                if depth == 0 {
                    return;
                }
                depth -= 1;
                if depth == 0 {
                    self.next();
                    return;
                }
            } else if self.at_word("{") {
                depth += 1;
            } else if depth == 0 && self.at_word(";") {
                self.next();
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
            let kind = self.nested(Self::if_rest)?;
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
                return Err(match self.near_word(&["main", "any"]) {
                    Some(word) => self.misspelt(word),
                    None => self.unexpected("`main` or `any`"),
                });
            };
            self.expect("]")?;
            let (name, args) = (self.name()?, self.arguments()?);
            StmtKind::Async(on, name, args)
        } else if self.take("call") {
            StmtKind::Call(self.name()?, self.arguments()?)
        } else if self.take("return") {
            StmtKind::Return
        } else if self.peek().kind == TokenKind::Ident {
            self.reject_other_statement()?;
            let place = self.place()?;
            self.expect(":=")?;
            StmtKind::Assign(place, self.expr()?)
        } else {
            return Err(self.unexpected("a statement"));
        };
        self.expect_semicolon()?;
        Ok(kind)
    }

    /// Reports a word that no assignment can begin with: a misspelt keyword, or a procedure without
    /// `call`.
    fn reject_other_statement(&mut self) -> Parsed<()> {
        let following = |ahead: usize| self.tokens.get(self.at + ahead).map(|t| self.text_of(*t));
        let is_assignment = match following(1) {
            Some(":=" | "." | "=") => true,
            // `asinc[any] p();` against `rows[i] := 1;`
            Some("[") => {
                following(3) != Some("]")
                    || !self.tokens.get(self.at + 4).is_some_and(|t| t.kind == TokenKind::Ident)
            }
            _ => false,
        };
        let token = self.peek();
        let text = self.text_of(token);
        if is_assignment || KEYWORDS.contains(&text) {
            return Ok(());
        }
        if let Some(word) = self.near_word(&STARTERS) {
            return Err(self.misspelt(word));
        }
        if following(1) == Some("(") {
            let message = format!("`{text}(…)` is not a statement");
            let advice = format!("write `call {text}(…)` or `async[any] {text}(…)`");
            self.errors.push(Error::new(&SYNTAX, token.span, message, advice));
            return Err(Abandoned);
        }
        Ok(())
    }

    /// Reports a missing `;` at the place where it belongs, not at the next token.
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
