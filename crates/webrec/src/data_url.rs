//! `data:` addresses: decoding them, and making them of scripts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

/// Returns the content of a `data:` address.
pub(crate) fn content(address: &str) -> Option<Vec<u8>> {
    let (scheme, rest) = address.split_at_checked("data:".len())?;
    let (head, body) = rest.split_once(',').filter(|_| scheme.eq_ignore_ascii_case("data:"))?;
    let bytes = percent_decoded(body);
    if head.to_ascii_lowercase().ends_with(";base64") {
        let text: Vec<u8> = bytes.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
        return BASE64.decode(text).ok();
    }
    Some(bytes)
}

/// Returns a `data:` address whose content is a script.
pub(crate) fn of_script(code: &str) -> String {
    format!("data:text/javascript;charset=utf-8;base64,{}", BASE64.encode(code))
}

/// The bytes of a percent-encoded text.
pub(crate) fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digit = |i: usize| bytes.get(at + i).and_then(|&digit| char::from(digit).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (byte, digit(1), digit(2)) {
            decoded.push((high * 16 + low) as u8);
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_found() {
        let content = |address| content(address).and_then(|bytes| String::from_utf8(bytes).ok());
        assert_eq!(content("data:,a%20b+c%2").as_deref(), Some("a b+c%2"));
        assert_eq!(content("DATA:text/javascript;base64,YSs%3D").as_deref(), Some("a+"));
        assert_eq!(content("data:text/javascript"), None);
        assert_eq!(content("http://x/,y"), None);
        assert_eq!(content(&of_script("é")).as_deref(), Some("é"));
    }
}
