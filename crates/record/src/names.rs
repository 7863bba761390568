//! The names of files in a recording. A file is named by where it is, not by how it was requested,
//! so that names are equal between recordings and lead to files below a source root.

use std::hash::{DefaultHasher, Hasher};

use url::Url;

/// The longest name of a file, in bytes. The names of functions and objects contain it.
const LONGEST: usize = 400;

/// Returns the name of the file at `url`: its path (`js/app.js`) if it has the origin of `page`,
/// and `host/path` otherwise. Queries, fragments and ports of other hosts are dropped; a folder
/// stands for its `index.html`. A name of more than 400 bytes is cut, and a hash of the whole follows it.
pub fn file(url: &str, page: Option<&Url>) -> String {
    bounded(whole_file(url, page))
}

/// Returns a name that is not too long, so that two that differ stay different.
fn bounded(name: String) -> String {
    if name.len() <= LONGEST {
        return name;
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(name.as_bytes());
    format!("{}~{:016x}", crate::notes::cut_str(&name, LONGEST), hasher.finish())
}

fn whole_file(url: &str, page: Option<&Url>) -> String {
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

/// Returns the name of a source that the source map at `map` lists. Bundlers put a scheme and the
/// name of the project before its path.
pub fn original(source: &str, map: &str, page: Option<&Url>) -> String {
    if let Some((_, rest)) = source.split_once("://").filter(|(scheme, _)| is_virtual(scheme)) {
        let path = rest.split_once('/').map_or(rest, |(_, path)| path);
        return bounded(path.trim_start_matches("./").to_string());
    }
    let resolved = Url::parse(map).and_then(|map| map.join(source));
    resolved.map_or_else(|_| bounded(source.to_string()), |url| file(url.as_str(), page))
}

fn is_virtual(scheme: &str) -> bool {
    !matches!(scheme, "http" | "https" | "file")
}

/// Returns the start of a URL that names no file.
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
        let name = |url: &str| file(url, Some(&page));
        assert_eq!(name("http://127.0.0.1:8080/shop/"), "shop/index.html");
        assert_eq!(name("http://127.0.0.1:8080/"), "index.html");
        assert_eq!(name("http://127.0.0.1:8080/js/app.js?v=3#x"), "js/app.js");
        assert_eq!(name("https://cdn.example:444/lib.js"), "cdn.example/lib.js");
        assert_eq!(name("data:text/javascript;base64,AAAA"), "data:text/javascript;base64");
        let long = |end: &str| name(&format!("http://127.0.0.1:8080/{}{end}", "é".repeat(9999)));
        assert!(long("a").len() < 500 && long("a") == long("a") && long("a") != long("b"));
        let map = "http://127.0.0.1:8080/js/app.js.map";
        assert_eq!(original("../src/a.ts", map, Some(&page)), "src/a.ts");
        assert_eq!(original("webpack://shop/./src/a.ts", map, Some(&page)), "src/a.ts");
    }
}
