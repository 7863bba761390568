//! Inline scripts of recorded documents, for those who write tests of a page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use record::names;
use replay::Exchange;
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
    let body = BASE64.decode(&exchange.body).ok()?;
    let is_type = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("content-type");
    let content_type = exchange.headers.iter().find(is_type).map_or("", |(_, value)| value);
    let (html, _) = charset::decode(&body, charset::of_document(&body, content_type));
    let html = html.into_owned();
    let at = gates::code(&html, nth as usize)?;
    Some((html, at))
}
