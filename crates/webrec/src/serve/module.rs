//! Decides whether a loaded script is a module. The protocol does not say, so the decision uses the
//! document's markup, the origin of the request, and the text of the script.

use crate::html::Wanted;
use crate::shared::Shared;

/// Remembers the scripts that a document loads.
pub(super) fn expect(shared: &Shared, wanted: Vec<Wanted>) {
    let mut files = shared.files();
    for script in wanted {
        files.modules.insert(script.url, script.module);
    }
}

/// The request for a script.
pub(super) struct Asker<'a> {
    /// The script's address.
    pub(super) url: &'a str,
    /// The address of the document or script that requested it.
    pub(super) referrer: &'a str,
    /// Whether the request uses CORS, as requests for modules do.
    pub(super) cors: bool,
}

/// Whether a script is a module. A module is remembered, because the scripts that it requests are
/// modules, too.
pub(super) fn is_module(shared: &Shared, asker: &Asker<'_>, source: &str) -> bool {
    let mut files = shared.files();
    let module = asker.cors
        && match files.modules.get(asker.url) {
            Some(&module) => module,
            None => files.importers.contains(asker.referrer) || looks_like_one(source),
        };
    if module {
        files.importers.insert(asker.url.to_string());
    }
    module
}

/// Whether a script that a service worker loads is a module. How a page will request it is not known.
pub(super) fn is_module_by_name(shared: &Shared, url: &str, source: &str) -> bool {
    let mut files = shared.files();
    let module = files.modules.get(url).copied().unwrap_or_else(|| looks_like_one(source));
    if module {
        files.importers.insert(url.to_string());
    }
    module
}

/// Whether a line of the source starts as only a line of a module can.
fn looks_like_one(source: &str) -> bool {
    let imports = |rest: &str| rest.starts_with([' ', '"', '\'', '{', '*']);
    source.split(['\n', ';', '}']).map(str::trim_start).any(|line| {
        line.strip_prefix("import").is_some_and(imports)
            || line.strip_prefix("export").is_some_and(|rest| rest.starts_with([' ', '{', '*']))
            || line.contains("import.meta")
    })
}
