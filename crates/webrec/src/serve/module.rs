//! Whether a script that is loaded is a module. The protocol does not tell, so it is put together
//! from what is known: what the document said, who asks, and what is in it.

use crate::html::Wanted;
use crate::shared::Shared;

/// Remembers the scripts that a document asks for.
pub(super) fn expect(shared: &Shared, wanted: Vec<Wanted>) {
    let mut files = shared.files();
    for script in wanted {
        files.modules.insert(script.url, script.module);
    }
}

/// Who asked for a script.
pub(super) struct Asker<'a> {
    /// The script's address.
    pub(super) url: &'a str,
    /// Who asked for it.
    pub(super) referrer: &'a str,
    /// Whether it was asked for with CORS, as modules are.
    pub(super) cors: bool,
}

/// Whether a script is a module; remembers it as one that may ask for others.
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

/// Whether a line of the source starts as only a module's can.
fn looks_like_one(source: &str) -> bool {
    let imports = |rest: &str| rest.starts_with([' ', '"', '\'', '{', '*']);
    source.split(['\n', ';', '}']).map(str::trim_start).any(|line| {
        line.strip_prefix("import").is_some_and(imports)
            || line.strip_prefix("export").is_some_and(|rest| rest.starts_with([' ', '{', '*']))
            || line.contains("import.meta")
    })
}
