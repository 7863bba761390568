//! The documents and scripts in a session, for those who show them or write tests of a page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use record::names;
use replay::{Exchange, Session};
use url::Url;

use crate::charset;
use crate::html::gates;

/// Finds the n-th classic inline script of a document, counted from 0, in an exchange of a session whose first
/// page is `page`. Returns the markup of the document and the position of the script's code in it, or none if the
/// exchange is another document.
pub fn inline_script(
    exchange: &Exchange,
    page: &str,
    document: &str,
    nth: u32,
) -> Option<(String, usize)> {
    let page = Url::parse(page).ok()?;
    if names::file(&exchange.url, Some(&page)) != document {
        return None;
    }
    let html = text(exchange, charset::of_document)?;
    let at = gates::code(&html, nth as usize)?;
    Some((html, at))
}

/// Returns the documents and scripts of a session, each with the name that a recording has for it. If a file
/// was served several times, the last one counts.
pub fn served(session: &Session) -> impl Iterator<Item = (String, String)> {
    let page = Url::parse(&session.url).ok();
    session.exchanges.iter().filter_map(move |exchange| {
        let of_script = |_: &[u8], content_type: &str| {
            charset::of_header(content_type).unwrap_or(encoding_rs::UTF_8)
        };
        let text = match &*exchange.kind {
            "Document" => text(exchange, charset::of_document)?,
            "Script" | "Other" => text(exchange, of_script)?,
            _ => return None,
        };
        Some((names::file(&exchange.url, page.as_ref()), text))
    })
}

/// Returns the text of an answer.
fn text(
    exchange: &Exchange,
    encoding: impl Fn(&[u8], &str) -> &'static encoding_rs::Encoding,
) -> Option<String> {
    let body = BASE64.decode(&exchange.body).ok()?;
    let is_type = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("content-type");
    let content_type = exchange.headers.iter().find(is_type).map_or("", |(_, value)| value);
    let (text, _) = charset::decode(&body, encoding(&body, content_type));
    Some(text.into_owned())
}
