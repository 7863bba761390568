//! Splits text into tokens. Comments are kept separately, for the formatter.

use super::ast::Comment;
use super::error::{Error, SYNTAX};
use super::span::Span;

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// The kind of a token. Keywords are identifiers to the lexer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Ident,
    Int,
    /// Punctuation, longest match first.
    Symbol(&'static str),
    End,
}

/// Longest first, so that the first prefix that matches is the token.
const SYMBOLS: [&str; 27] = [
    ":=", "..", "||", "&&", "==", "!=", "<=", ">=", "{", "}", "(", ")", "[", "]", ";", ":", ",",
    ".", "<", ">", "!", "+", "-", "*", "=", "|", "&",
];

/// The tokens of `text`, ended by [`TokenKind::End`], its comments, and what could not be read.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Vec<Comment>, Vec<Error>) {
    let (mut tokens, mut comments, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") {
            let line = rest.lines().next().unwrap_or("");
            let text = line.trim_end().to_owned();
            comments.push(Comment { span: Span::new(at, at + text.len()), text });
            line.len()
        } else {
            let (kind, length) = token(rest, first);
            let span = Span::new(at, at + length);
            match kind {
                Some(kind) => tokens.push(Token { kind, span }),
                None => errors.push(Error::new(
                    &SYNTAX,
                    span,
                    format!("`{}` is no part of the language", first.escape_debug()),
                    "remove it; names are ASCII letters, digits, `_` and `$`",
                )),
            }
            length
        };
        at += length;
    }
    tokens.push(Token { kind: TokenKind::End, span: Span::new(text.len(), text.len()) });
    (tokens, comments, errors)
}

fn token(rest: &str, first: char) -> (Option<TokenKind>, usize) {
    let run = |accept: fn(char) -> bool| rest.find(|c| !accept(c)).unwrap_or(rest.len());
    if first.is_ascii_digit() {
        return (Some(TokenKind::Int), run(|c| c.is_ascii_digit()));
    }
    if is_name(first) {
        return (Some(TokenKind::Ident), run(is_name));
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => (Some(TokenKind::Symbol(symbol)), symbol.len()),
        None => (None, first.len_utf8()),
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}
