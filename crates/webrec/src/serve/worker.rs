//! The code that starts the runtime in a worker, before the worker's own script.

use rewrite::contract;
use url::Url;

/// Returns what to put before the script of a worker, in its first line. A module imports the
/// runtime before its other imports; a classic script keeps its mode, because its own directive is
/// no longer the first statement. The recorder answers below `path`.
pub(super) fn opening(path: &str, url: &str, source: &str, is_module: bool) -> String {
    let origin = Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let runtime = format!("\"{origin}{path}{}\"", contract().runtime);
    match (is_module, is_strict(source)) {
        (true, _) => format!("import {runtime};"),
        (false, true) => format!("\"use strict\";importScripts({runtime});"),
        (false, false) => format!("importScripts({runtime});"),
    }
}

/// Whether a classic script begins with the directive `"use strict"`.
fn is_strict(source: &str) -> bool {
    let mut rest = source.trim_start();
    loop {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once(['\n', '\r']).map_or("", |(_, after)| after).trim_start();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after).trim_start();
        } else {
            return rest.starts_with("\"use strict\"") || rest.starts_with("'use strict'");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_keeps_its_mode() {
        let strict =
            |source| opening("/p/", "http://a.test/w.js", source, false).starts_with("\"use");
        assert!(strict("'use strict'; f()"));
        assert!(strict("/* a\n */ // b\n\"use strict\""));
        assert!(!strict("f(); 'use strict'"));
        assert!(!strict("/* 'use strict'"));
    }
}
