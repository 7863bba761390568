//! Tokens to syntax tree, by recursive descent.
//!
//! After a mistake the parser drops the statement or declaration it stands in and goes on, so
//! that one run reports several mistakes. The grammar is in `docs/robustness.md`.

mod expr;
mod item;
mod stmt;

use super::ast::{File, Name};
use super::error::{Error, SYNTAX};
use super::lexer::{Token, TokenKind, tokens};
use super::span::Span;

/// Words that cannot name anything.
pub(crate) const KEYWORDS: [&str; 21] = [
    "enum",
    "record",
    "var",
    "procedure",
    "driver",
    "after",
    "bool",
    "int",
    "true",
    "false",
    "assume",
    "havoc",
    "async",
    "call",
    "return",
    "if",
    "else",
    "while",
    "repeat",
    "main",
    "any",
];

/// The tree of `text`, or everything that keeps it from being one.
pub fn parse(text: &str) -> Result<File, Vec<Error>> {
    let (tokens, comments, errors) = tokens(text);
    let mut parser = Parser { text, tokens, at: 0, errors };
    let items = parser.items();
    if parser.errors.is_empty() {
        Ok(File { items, comments, span: Span::new(0, text.len()) })
    } else {
        parser.errors.sort_by_key(|error| error.span);
        Err(parser.errors)
    }
}

/// A mistake was recorded; the caller gives up its construct.
struct Abandoned;

type Parsed<T> = Result<T, Abandoned>;

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    errors: Vec<Error>,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn previous_end(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn text_of(&self, token: Token) -> &str {
        &self.text[token.span.range()]
    }

    /// Whether the next token is this symbol or keyword.
    fn at_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind != TokenKind::End && self.text_of(token) == word
    }

    /// Takes this symbol or keyword if it is next.
    fn take(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, word: &str) -> Parsed<Span> {
        if self.at_word(word) {
            return Ok(self.next().span);
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    fn unexpected(&mut self, wanted: &str) -> Abandoned {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text_of(token)),
        };
        self.errors.push(Error::new(
            &SYNTAX,
            token.span,
            format!("expected {wanted}, found {found}"),
            format!("write {wanted} here"),
        ));
        Abandoned
    }

    fn name(&mut self) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != TokenKind::Ident {
            return Err(self.unexpected("a name"));
        }
        let text = self.text_of(token).to_owned();
        if KEYWORDS.contains(&text.as_str()) {
            self.errors.push(Error::new(
                &SYNTAX,
                token.span,
                format!("`{text}` is a keyword and cannot be a name"),
                "choose another name",
            ));
            return Err(Abandoned);
        }
        self.at += 1;
        Ok(Name { text, span: token.span })
    }

    fn integer(&mut self) -> Parsed<i64> {
        let negative = self.take("-");
        let token = self.peek();
        if token.kind != TokenKind::Int {
            return Err(self.unexpected("a number"));
        }
        let Ok(value) = self.text_of(token).parse::<i64>() else {
            self.errors.push(Error::new(
                &SYNTAX,
                token.span,
                "this number does not fit 64 bits",
                "use a smaller one",
            ));
            return Err(Abandoned);
        };
        self.at += 1;
        Ok(if negative { -value } else { value })
    }

    /// `first (, next)* ,?` up to and including `close`.
    fn list<T>(
        &mut self,
        close: &str,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut elements = Vec::new();
        while !self.take(close) {
            elements.push(element(self)?);
            if !self.take(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(elements)
    }
}
