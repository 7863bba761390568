//! Parses tokens to a syntax tree, by recursive descent.
//!
//! After an error the parser drops the statement or declaration around it and continues, so that
//! one run reports several errors. The grammar is in `docs/robustness.md`.
//!
//! The parser and all later passes recurse over the tree, so the parser limits nesting. Operators
//! in a row do not nest ([`ExprKind::Chain`](super::ast::ExprKind::Chain)).

mod expr;
mod item;
mod stmt;

use std::collections::BTreeSet;

use super::ast::{Comment, File, Name};
use super::edit_distance;
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

/// How deep statements, expressions and types of a source may nest, all together.
const MAX_NESTING: u32 = 200;

/// The nesting limit for text that this crate prints from an accepted program. It is higher,
/// because lowering and the reductions add levels, and every operator is in parentheses.
const MAX_PRINTED_NESTING: u32 = 4_000;

/// Returns the syntax tree of `text`, or all its errors.
pub fn parse(text: &str) -> Result<File, Vec<Error>> {
    parsed(Parser::new(text, MAX_NESTING))
}

/// Like [`parse`], for text printed from a core program.
pub(crate) fn parse_printed(text: &str) -> Result<File, Vec<Error>> {
    parsed(Parser::new(text, MAX_PRINTED_NESTING))
}

fn parsed(parser: Parser<'_>) -> Result<File, Vec<Error>> {
    let Recovered { file, errors, .. } = parser.recovered();
    if errors.is_empty() { Ok(file) } else { Err(errors) }
}

/// The result of parsing a text with errors.
pub(crate) struct Recovered {
    /// The declarations and statements without an error.
    pub(crate) file: File,
    /// The errors, in the order of the text.
    pub(crate) errors: Vec<Error>,
    /// The names in the dropped parts. Some of them may be declared there.
    pub(crate) dropped: BTreeSet<String>,
}

/// Parses `text` as far as its errors allow.
pub(crate) fn parse_recovering(text: &str) -> Recovered {
    Parser::new(text, MAX_NESTING).recovered()
}

/// States that an error was recorded, and that the caller must give up its construct.
struct Abandoned;

type Parsed<T> = Result<T, Abandoned>;

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    at: usize,
    errors: Vec<Error>,
    dropped: BTreeSet<String>,
    depth: u32,
    max_depth: u32,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, max_depth: u32) -> Self {
        let (tokens, comments, errors) = tokens(text);
        let dropped = BTreeSet::new();
        Self { text, tokens, comments, at: 0, errors, dropped, depth: 0, max_depth }
    }

    fn recovered(mut self) -> Recovered {
        let items = self.items();
        self.errors.sort_by_key(|error| error.span);
        let file = File { items, comments: self.comments, span: Span::new(0, self.text.len()) };
        Recovered { file, errors: self.errors, dropped: self.dropped }
    }

    /// Parses a construct one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == self.max_depth {
            self.errors.push(Error::new(
                &SYNTAX,
                self.peek().span,
                format!("statements and expressions nest at most {} deep", self.max_depth),
                "move a part into a procedure, or name it with a local variable",
            ));
            return Err(Abandoned);
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Notes the names between the token `from` and the next one to parse as dropped.
    fn drop_since(&mut self, from: usize) {
        for token in &self.tokens[from..self.at] {
            if token.kind == TokenKind::Ident {
                self.dropped.insert(self.text[token.span.range()].to_owned());
            }
        }
    }

    /// Returns the word of `known` that the next token probably misspells.
    fn near_word(&self, known: &[&'static str]) -> Option<&'static str> {
        let token = self.peek();
        let text = self.text_of(token);
        let distances = known.iter().map(|word| (edit_distance(word, text), *word));
        let near = distances.filter(|(distance, word)| *distance <= 2 && 2 * distance < word.len());
        if token.kind == TokenKind::Ident { near.min().map(|(_, word)| word) } else { None }
    }

    /// Records that the next token is a misspelt `word`.
    fn misspelt(&mut self, word: &str) -> Abandoned {
        let token = self.peek();
        let message = format!("`{}` is not a word of the language", self.text_of(token));
        let advice = format!("did you mean `{word}`?");
        self.errors.push(Error::new(&SYNTAX, token.span, message, advice));
        Abandoned
    }

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
