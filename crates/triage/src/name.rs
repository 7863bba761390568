//! Names without the parts that change between recordings.
//!
//! Object ids, instance numbers, addresses and line numbers inside names differ from run to run;
//! numbers that belong to an identifier (`x1`, `onClick2`) do not. A number counts as an identity
//! when it is hexadecimal after `0x`, when no letter, digit or `_` stands before it
//! (`Parcel@12`, `DOMNode[7]`, `app.js:30`), or when it ends the name of an object whose field is
//! named (`ImageView1.mDrawable`).

/// Returns the name with every identity replaced by `#`.
pub(crate) fn pattern(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while at < name.len() {
        let digits = number_at(name, at);
        let (before, after) = (name[..at].last(), name.get(at + digits));
        let is_hex = digits > 1 && name[at + 1] == b'x';
        let in_identifier = before.is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'_');
        let ends_object = after.is_some_and(|b| b".[".contains(b));
        if digits > 0 && (is_hex || !in_identifier || ends_object) {
            out.push(b'#');
        } else {
            out.extend(&name[at..at + digits.max(1)]);
        }
        at += digits.max(1);
    }
    out
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
