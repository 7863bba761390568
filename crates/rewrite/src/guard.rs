//! Keeps deep nesting from overflowing the stack.
//!
//! The parser, the scope analysis and the walk recurse once for each level of nesting. This module
//! bounds the depth of a source without parsing it. Brackets nest at most as deep as they open.
//! Nesting without brackets (operators, arrows, `else if`, chains of keywords) takes a token for
//! each level, with no comma, semicolon or brace between, or an `else`.
//!
//! These estimates look at bytes, and a chain such as `f({})({})` or `for(;;)for(;;)` nests deeper than
//! they say. No source nests deeper than it has tokens, so a stack for all of its tokens is always large
//! enough. It is reserved as far as [`SURE`] goes, which costs nothing as long as it is not used. A source of
//! more tokens may still overflow it: only a process of its own ([`crate::apart`]) contains that.

use crate::Unparsable;
use crate::place::Places;

/// The deepest nesting of brackets that is accepted. V8 itself gives up near 10,000 with its
/// default stack.
const BRACKETS: usize = 20_000;
/// The longest run of tokens, and the largest number of `else`, that is accepted.
const TOKENS: usize = 300_000;
/// The bytes of stack for a level of nesting. A bracket passes through some twenty functions of the
/// parser, a token of a chain through fewer.
const PER_BRACKET: usize = 24 << 10;
const PER_TOKEN: usize = 3 << 10;
const LEAST: usize = 4 << 20;
/// The largest stack that is reserved because a source has so many tokens, whatever its estimated depth is.
const SURE: usize = 4 << 30;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Word,
    Punctuation,
    /// Ends a run of tokens.
    End,
    Open,
    Close,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Space; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'(' | b'[' | b'{' => Class::Open,
            b')' | b']' | b'}' => Class::Close,
            b';' | b',' => Class::End,
            b'_' | b'$' | 0x80.. => Class::Word,
            byte if byte.is_ascii_alphanumeric() => Class::Word,
            byte if byte.is_ascii_punctuation() => Class::Punctuation,
            _ => Class::Space,
        };
        byte += 1;
    }
    classes
};

/// Returns the bytes of stack for a source, or why the source is rejected.
pub(crate) fn stack(source: &str) -> Result<usize, Unparsable> {
    let bytes = source.as_bytes();
    let (mut open, mut deepest) = (0_usize, 0);
    let (mut tokens, mut longest) = (0_usize, 0);
    let (mut brackets, mut others) = (0_usize, 0_usize);
    let mut in_word = false;
    for (at, &byte) in bytes.iter().enumerate() {
        let class = CLASSES[byte as usize];
        brackets += usize::from(class == Class::Open);
        others += usize::from(class != Class::Space && (class != Class::Word || !in_word));
        match class {
            Class::Space => {}
            Class::Word => tokens += usize::from(!in_word),
            Class::Punctuation => tokens += 1,
            Class::End => tokens = 0,
            Class::Open => {
                open += 1;
                deepest = deepest.max(open);
                tokens = if byte == b'{' { 0 } else { tokens + 1 };
            }
            Class::Close => {
                open = open.saturating_sub(1);
                tokens = if byte == b'}' { 0 } else { tokens + 1 };
            }
        }
        in_word = class == Class::Word;
        longest = longest.max(tokens);
        if deepest > BRACKETS || longest > TOKENS {
            return Err(too_deep(source, at));
        }
    }
    let elses = memchr::memmem::find_iter(bytes, "else").count();
    if elses > TOKENS {
        return Err(too_deep(source, 0));
    }
    let all = LEAST.saturating_add(brackets * PER_BRACKET).saturating_add(others * PER_TOKEN);
    let estimated = LEAST + deepest * PER_BRACKET + (longest + elses) * PER_TOKEN;
    Ok(all.min(SURE).max(estimated))
}

fn too_deep(source: &str, at: usize) -> Unparsable {
    let (line, column) = Places::new(source).line_column(at as u32);
    Unparsable { message: "nested too deeply to parse safely".to_owned(), line, column }
}
