//! The language `.evp`: Fig. 4 of the paper, extended for practical use.
//!
//! Text → [`parse`] → [`ast::File`] → [`elaborate`] → [`core::Program`](crate::core::Program), or
//! at once by [`read`].
//! Every mistake in a program is an [`Error`] value with a span, a message and advice.

pub mod ast;
mod elaborate;
pub mod error;
mod format;
mod lexer;
mod parser;
pub mod span;

pub use elaborate::elaborate;
pub use error::Error;
pub use format::format;
pub use parser::parse;
pub(crate) use parser::{KEYWORDS, parse_printed};
use parser::{Recovered, parse_recovering};
pub use span::Span;

use crate::core::Program;

/// Returns the core program of `text`, or all its errors.
///
/// Syntax errors do not hide other errors: the part that can be parsed is elaborated too. An
/// undeclared name is no error if it occurs in the dropped part, because that part may declare it.
/// Errors about the driver are left out as well, because the driver may be incomplete.
pub fn read(text: &str) -> Result<Program, Vec<Error>> {
    let Recovered { file, mut errors, dropped } = parse_recovering(text);
    let elaborated = elaborate(&file);
    if errors.is_empty() {
        return elaborated;
    }
    let may_follow = |error: &Error| {
        *error.code == error::BAD_DRIVER || dropped.contains(&text[error.span.range()])
    };
    errors.extend(elaborated.err().unwrap_or_default().into_iter().filter(|e| !may_follow(e)));
    errors.sort_by_key(|error| error.span);
    Err(errors)
}

/// Levenshtein distance.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substitution = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitution.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
