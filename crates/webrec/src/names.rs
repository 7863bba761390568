//! What files are called in a recording: by where they are, not by how they were asked for, so that
//! names are equal between recordings and lead to files below a source root.

use url::Url;

/// The name of what a URL leads to, seen from a page's origin: the path of a file of the same
/// origin (`js/app.js`), `host/path` of another. Queries, fragments and ports of other hosts are
/// dropped; a folder stands for its `index.html`.
pub(crate) fn file(url: &str, page: Option<&Url>) -> String {
    let Ok(parsed) = Url::parse(url) else { return short(url) };
    if !matches!(parsed.scheme(), "http" | "https" | "file") {
        return short(url);
    }
    let mut path = parsed.path().trim_start_matches('/').to_string();
    if path.is_empty() || path.ends_with('/') {
        path.push_str("index.html");
    }
    match parsed.host_str() {
        Some(host) if page.is_none_or(|page| page.origin() != parsed.origin()) => {
            format!("{host}/{path}")
        }
        _ => path,
    }
}

/// The name of a source that a source map lists: bundlers put a scheme and the project before it.
pub(crate) fn original(source: &str, map: &str, page: Option<&Url>) -> String {
    if let Some((_, rest)) = source.split_once("://").filter(|(scheme, _)| is_virtual(scheme)) {
        let path = rest.split_once('/').map_or(rest, |(_, path)| path);
        return path.trim_start_matches("./").to_string();
    }
    let resolved = Url::parse(map).and_then(|map| map.join(source));
    resolved.map_or_else(|_| source.to_string(), |url| file(url.as_str(), page))
}

fn is_virtual(scheme: &str) -> bool {
    !matches!(scheme, "http" | "https" | "file")
}

/// A URL that names no file: its start.
fn short(url: &str) -> String {
    let start = crate::notes::cut(url, 60);
    start.split(',').next().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_where_they_are() {
        let page = Url::parse("http://127.0.0.1:8080/shop/").expect("a URL");
        let name = |url| file(url, Some(&page));
        assert_eq!(name("http://127.0.0.1:8080/shop/"), "shop/index.html");
        assert_eq!(name("http://127.0.0.1:8080/"), "index.html");
        assert_eq!(name("http://127.0.0.1:8080/js/app.js?v=3#x"), "js/app.js");
        assert_eq!(name("https://cdn.example:444/lib.js"), "cdn.example/lib.js");
        assert_eq!(name("data:text/javascript;base64,AAAA"), "data:text/javascript;base64");
        let map = "http://127.0.0.1:8080/js/app.js.map";
        assert_eq!(original("../src/a.ts", map, Some(&page)), "src/a.ts");
        assert_eq!(original("webpack://shop/./src/a.ts", map, Some(&page)), "src/a.ts");
    }
}
