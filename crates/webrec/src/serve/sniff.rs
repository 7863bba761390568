//! Recognises an HTML document that came without a usable Content-Type, as the MIME Sniffing
//! Standard does (<https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type>).

/// How many bytes of a document are examined.
const HEADER: usize = 1445;
/// The starts of an HTML document, in lower case. After each comes a space or `>`.
const TAGS: [&[u8]; 16] = [
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
];

/// Whether a browser determines the type of a document from its bytes, because its Content-Type is
/// missing or states nothing.
pub(super) fn is_unknown(mime: &str) -> bool {
    matches!(mime, "" | "unknown/unknown" | "application/unknown" | "*/*")
}

/// Whether bytes of an unknown type are an HTML document.
pub(super) fn is_html(bytes: &[u8]) -> bool {
    let start = bytes[..bytes.len().min(HEADER)].trim_ascii_start();
    let follows = |tag: &[u8]| {
        let (Some(begin), Some(end)) = (start.get(..tag.len()), start.get(tag.len())) else {
            return false;
        };
        begin.eq_ignore_ascii_case(tag) && matches!(end, b' ' | b'>')
    };
    start.starts_with(b"<!--") || TAGS.iter().any(|tag| follows(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_recognised_by_its_first_tag() {
        for (text, expected) in [
            ("<!DOCTYPE html><p>", true),
            ("\n\t <HTML lang=en>", true),
            ("<!-- x -->", true),
            ("<b>x", true),
            ("<script src=x>", true),
            ("<span>x", false),
            ("<p", false),
            ("<pre>", false),
            ("hello <p>", false),
            ("%PDF-1.7", false),
            ("<?xml version='1.0'?>", false),
            ("", false),
        ] {
            assert_eq!(is_html(text.as_bytes()), expected, "{text}");
        }
    }
}
