//! Names without the parts that change between recordings.
//!
//! Object ids, instance numbers, addresses and line numbers inside names differ from run to run;
//! numbers that belong to an identifier (`x1`, `onClick2`) do not. A number counts as an identity
//! when it is hexadecimal after `0x`, when no letter, digit or `_` stands before it
//! (`Parcel@12`, `DOMNode[7]`, `app.js:30`), when it ends the name of an object whose field is
//! named (`ImageView1.mDrawable`), or when it has at least [`LONG`] digits
//! (`jQuery360037826800010515481`, a time in milliseconds).
//!
//! Names that a program draws at random are identities, too. In a maximal run of ASCII letters and
//! digits, that is
//!
//! - what follows a prefix of `data/random.list`, which lists libraries that append random text;
//! - a UUID, whose runs are joined by `-`;
//! - the whole run, if it has at least [`LONG`] characters, all of them hexadecimal digits of one
//!   case, with both letters and digits (`a5f9d56c`);
//! - the whole run, if it has at least [`LONG`] characters, digits in at least two places, a letter
//!   between them, and nowhere more than [`WORD`] letters in a row (`k3j9x0q2p1a`, but neither
//!   `base64encode` nor `getInt32FromUint8`).
//!
//! Random text without digits, or with digits in one place, is taken for an identifier.

use std::sync::LazyLock;

/// Numbers and random texts have at least this length: shorter ones are too likely to be chosen by
/// a person.
const LONG: usize = 8;
/// More letters than this in a row are a word.
const WORD: usize = 6;
/// The lengths of the runs of a UUID.
const UUID: [usize; 5] = [8, 4, 4, 4, 12];
/// Prefixes after which a library appends random text.
const PREFIXES: &str = include_str!("../data/random.list");

/// Returns the name with every identity replaced by `#`.
pub(crate) fn pattern(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while at < name.len() {
        if let Some((kept, random)) = random_at(name, at) {
            out.extend(&name[at..at + kept]);
            out.push(b'#');
            at += kept + random;
            continue;
        }
        let digits = number_at(name, at);
        let (before, after) = (name[..at].last(), name.get(at + digits));
        let is_hex = digits > 1 && name[at + 1] == b'x';
        let in_identifier = before.is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'_');
        let ends_object = after.is_some_and(|b| b".[".contains(b));
        if digits > 0 && (is_hex || !in_identifier || ends_object || digits >= LONG) {
            out.push(b'#');
        } else {
            out.extend(&name[at..at + digits.max(1)]);
        }
        at += digits.max(1);
    }
    out
}

/// Returns how many bytes from `at` on are kept and how many after them are random, if a run of
/// letters and digits starts at `at` and has random text in it.
fn random_at(name: &[u8], at: usize) -> Option<(usize, usize)> {
    if name[..at].last().is_some_and(u8::is_ascii_alphanumeric) || name[at..].starts_with(b"0x") {
        return None;
    }
    let rest = &name[at..];
    // Most positions differ in the first byte, which is compared without a call.
    let starts = |prefix: &&&[u8]| prefix.first() == rest.first() && rest.starts_with(prefix);
    for prefix in prefixes().iter().filter(starts) {
        let random = run_length(&rest[prefix.len()..]);
        if random >= LONG {
            return Some((prefix.len(), random));
        }
    }
    let uuid = uuid_length(rest);
    let run = run_length(rest);
    if uuid > 0 { Some((0, uuid)) } else { is_random(&rest[..run]).then_some((0, run)) }
}

/// Returns the prefixes after which a library appends random text.
fn prefixes() -> &'static [&'static [u8]] {
    static LIST: LazyLock<Vec<&[u8]>> = LazyLock::new(|| {
        let lines = PREFIXES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(str::as_bytes).collect()
    });
    &LIST
}

/// Returns the number of ASCII letters and digits at the start.
fn run_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// Returns the length of the UUID at the start, or 0 if there is none.
fn uuid_length(text: &[u8]) -> usize {
    let mut rest = text;
    for (index, length) in UUID.into_iter().enumerate() {
        let dashed = if index > 0 { rest.strip_prefix(b"-") } else { Some(rest) };
        let Some(run) = dashed else { return 0 };
        if run_length(run) != length || !run[..length].iter().all(u8::is_ascii_hexdigit) {
            return 0;
        }
        rest = &run[length..];
    }
    text.len() - rest.len()
}

/// Whether a run of letters and digits looks as if it was drawn at random or is a hash.
fn is_random(run: &[u8]) -> bool {
    let is_digit = u8::is_ascii_digit;
    if run.len() < LONG || run.iter().all(is_digit) || !run.iter().any(is_digit) {
        return false;
    }
    let lower = run.iter().all(|&byte| is_digit(&byte) || (b'a'..=b'f').contains(&byte));
    let upper = run.iter().all(|&byte| is_digit(&byte) || (b'A'..=b'F').contains(&byte));
    let places = run.split(|byte| !is_digit(byte)).filter(|digits| !digits.is_empty());
    let longest = run.split(is_digit).map(<[u8]>::len).max().unwrap_or_default();
    lower || upper || (places.count() >= 2 && longest <= WORD)
}

/// Returns the name without its identities. For example, `Parcel@12.mPtr`, `Parcel[3].mPtr` and
/// `Parcel7.mPtr` all become `Parcel.mPtr`.
pub(crate) fn plain(name: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(name.len());
    let mut rest = &pattern(name)[..];
    while let Some((&byte, tail)) = rest.split_first() {
        let skipped = [&b"@#"[..], b"[#]", b"#"].into_iter().find(|mark| rest.starts_with(mark));
        if skipped.is_none() {
            out.push(byte);
        }
        rest = skipped.map_or(tail, |mark| &rest[mark.len()..]);
    }
    out
}

/// Returns a name of the trace as text for a sentence.
pub(crate) fn text_of(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Returns the length of the number that starts at `at`, decimal or hexadecimal after `0x`; 0 if
/// there is none.
fn number_at(name: &[u8], at: usize) -> usize {
    let rest = &name[at..];
    if rest.starts_with(b"0x") {
        2 + rest[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count()
    } else {
        rest.iter().take_while(|b| b.is_ascii_digit()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_do_not_matter() {
        for (name, expected) in [
            ("Object(created at app.js:12)@3.items", "Object(created at app.js:#)@#.items"),
            ("DOMNode[0x7fA0].id", "DOMNode[#].id"),
            ("ImageView1.mDrawable", "ImageView#.mDrawable"),
            ("rows7[3]", "rows#[#]"),
            ("lambda$onCreate$1", "lambda$onCreate$#"),
            ("Timer:2", "Timer:#"),
        ] {
            assert_eq!(String::from_utf8(pattern(name.as_bytes())).unwrap(), expected);
        }
    }

    #[test]
    fn random_names_do_not_matter() {
        for (name, expected) in [
            ("HTMLAnchorElement.jQuery360037826800010515481", "HTMLAnchorElement.jQuery#"),
            ("Object.sizzle1794942570234", "Object.sizzle#"),
            ("HTMLDivElement.__reactFiber$k3j9x0q2p1a", "HTMLDivElement.__reactFiber$#"),
            ("HTMLDivElement.__reactProps$kajqxbqzpla", "HTMLDivElement.__reactProps$#"),
            ("Window._reactListeningk3jqxoqzpla", "Window._reactListening#"),
            ("bundle.a5f9d56c.min.js:14", "bundle.#.min.js:#"),
            ("cache[123e4567-e89b-12d3-a456-426614174000].at", "cache[#].at"),
            ("Object.item-4fzz3xjylrx7", "Object.item-#"),
            ("localStorage[0c1ad7rcp9jghx]", "localStorage[#]"),
        ] {
            assert_eq!(String::from_utf8(pattern(name.as_bytes())).unwrap(), expected);
        }
    }

    /// What `Math.random().toString(36).slice(2)` appends is one pattern, whichever letters and
    /// digits it has.
    #[test]
    fn what_react_draws_is_one_pattern() {
        // The multiplier of Knuth's MMIX; the upper bits are random enough.
        let mut state = 18_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..10_000 {
            let length = 9 + draw(4);
            let drawn: String = (0..length)
                .map(|_| char::from_digit(u32::try_from(draw(36)).unwrap(), 36).unwrap())
                .collect();
            let name = format!("HTMLDivElement.__reactFiber${drawn}.return");
            let found = pattern(name.as_bytes());
            assert_eq!(found, b"HTMLDivElement.__reactFiber$#.return", "{name}");
        }
    }

    #[test]
    fn words_with_numbers_are_not_random() {
        for name in [
            "base64encode",
            "getInt32FromUint8",
            "sha256",
            "Object.utf8Decoder",
            "deadbeef",
            "window.__reactFiber$",
            "matrix3d",
            "closure(handleClick2).x1",
            "accessibility",
        ] {
            assert_eq!(pattern(name.as_bytes()), name.as_bytes());
        }
    }

    #[test]
    fn numbers_of_identifiers_do() {
        for name in ["x1", "rect.y2", "onClick2", "sha_256", "x"] {
            assert_eq!(pattern(name.as_bytes()), name.as_bytes());
        }
    }

    #[test]
    fn plain_names_have_no_instances() {
        for name in ["Parcel@12.mPtr", "Parcel[3].mPtr", "Parcel7.mPtr", "Parcel.mPtr"] {
            assert_eq!(plain(name.as_bytes()), b"Parcel.mPtr");
        }
    }
}
