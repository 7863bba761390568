//! The encodings of documents and scripts: detection, decoding and encoding.
//!
//! The encoding is found as in the HTML standard: by a byte order mark, the header, or the `meta`
//! element in the first 1024 bytes. Without any of these it is windows-1252, in which every byte is
//! a character, so that unedited text keeps its bytes.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The encoding of an HTML document.
pub(crate) fn of_document(bytes: &[u8], content_type: &str) -> &'static Encoding {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    marked.or_else(|| of_header(content_type)).or_else(|| prescan(bytes)).unwrap_or(WINDOWS_1252)
}

/// The `charset` of a Content-Type.
pub(crate) fn of_header(content_type: &str) -> Option<&'static Encoding> {
    let charset = content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    })?;
    Encoding::for_label(charset.as_bytes())
}

/// The encoding that a `meta` in the first bytes names. It cannot name UTF-16.
fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    let meta = head.split("<meta").skip(1).find_map(|rest| {
        let tag = rest.split('>').next()?;
        let value = tag.split("charset").nth(1)?.trim_start().strip_prefix('=')?;
        let value = value.trim_start().trim_start_matches(['"', '\'']);
        let end = value.find(['"', '\'', ' ', ';', '/']).unwrap_or(value.len());
        Encoding::for_label(value[..end].trim().as_bytes())
    })?;
    Some(if meta == UTF_16BE || meta == UTF_16LE { UTF_8 } else { meta })
}

/// Decodes bytes. Returns the text and the encoding, which a byte order mark may have decided.
pub(crate) fn decode<'b>(
    bytes: &'b [u8],
    encoding: &'static Encoding,
) -> (Cow<'b, str>, &'static Encoding) {
    let (text, used, _) = encoding.decode(bytes);
    (text, used)
}

/// Encodes a text in its original encoding, or in UTF-8 if that encoding can only be decoded.
pub(crate) fn encode<'t>(
    text: &'t str,
    encoding: &'static Encoding,
) -> (Cow<'t, [u8]>, &'static Encoding) {
    let (bytes, used, _) = encoding.encode(text);
    (bytes, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_the_one_the_standard_finds() {
        let of = |bytes: &[u8], header| of_document(bytes, header).name();
        assert_eq!(of(b"", "text/html; charset=\"Shift_JIS\""), "Shift_JIS");
        assert_eq!(of(b"\xef\xbb\xbfx", "text/html; charset=gbk"), "UTF-8");
        assert_eq!(of(b"<html><meta charset=utf-8>", "text/html"), "UTF-8");
        let old = b"<meta http-equiv=content-type content='text/html; charset=koi8-r'>";
        assert_eq!(of(old, "text/html"), "KOI8-R");
        assert_eq!(of(b"<p>", "text/html"), "windows-1252");
    }

    #[test]
    fn bytes_of_an_unknown_encoding_come_out_as_they_went_in() {
        let bytes: Vec<u8> = (0..=255).collect();
        let (text, encoding) = decode(&bytes, WINDOWS_1252);
        assert_eq!(encode(&text, encoding).0, bytes.as_slice());
    }
}
