//! Reads source files for excerpts.
//!
//! A trace is untrusted and may name any file: a source map of a recorded page, for example, may name a file
//! of the machine that makes the report. So an excerpt comes only from what the recorded page itself was
//! served, or from a file below a folder that the user names, and never from a file whose name, or whose
//! folder's name, begins with a dot.

#[cfg(all(unix, feature = "record-web"))]
mod served;
#[cfg(not(all(unix, feature = "record-web")))]
#[path = "sources/unserved.rs"]
mod served;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use report::text::SourceFiles;

use served::Served;

/// The files that may be shown.
pub(crate) struct Allowed {
    trace: PathBuf,
    roots: Vec<PathBuf>,
    /// What the recorded page was served, once it is needed.
    served: OnceLock<Served>,
}

/// The largest size of a source file that is shown, in bytes.
const LONGEST: u64 = 16 << 20;

impl Allowed {
    /// Allows what was served to the page that was recorded, and the files below some folders.
    pub(crate) fn new(trace: &Path, roots: &[PathBuf]) -> Self {
        let roots = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        Self { trace: trace.to_owned(), roots, served: OnceLock::new() }
    }

    /// Returns the text of a file below one of the folders.
    fn below(&self, file: &str) -> Option<String> {
        self.roots.iter().find_map(|root| {
            let path = root.join(file).canonicalize().ok()?;
            let rest = path.strip_prefix(root).ok()?;
            let is_hidden = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b".");
            let is_shown = !rest.iter().any(is_hidden)
                && path.metadata().is_ok_and(|m| m.is_file() && m.len() <= LONGEST);
            if is_shown { std::fs::read_to_string(path).ok() } else { None }
        })
    }
}

impl SourceFiles for Allowed {
    fn get(&self, file: &str) -> Option<String> {
        let served = || self.served.get_or_init(|| Served::by(&self.trace)).get(file);
        self.below(file).or_else(served)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_files_below_the_named_folders_are_shown_and_no_hidden_ones() {
        let folder = tempfile::tempdir().expect("a place for files");
        let at = |name: &str| folder.path().join(name);
        for name in ["src/a.js", "src/.env", "src/.git/config", "b.js", ".dot/c.js"] {
            fs::create_dir_all(at(name).parent().expect("a folder")).expect("writable");
            fs::write(at(name), name).expect("writable");
        }
        std::os::unix::fs::symlink(at("src/.env"), at("src/env.js")).expect("writable");
        let trace = at("run.trace");
        let unasked = Allowed::new(&trace, &[]);
        assert_eq!(unasked.get("b.js"), None);
        assert_eq!(unasked.get("src/a.js"), None);
        let shown = Allowed::new(&trace, &[at("src"), at(".dot")]);
        assert_eq!(shown.get("a.js").as_deref(), Some("src/a.js"));
        assert_eq!(shown.get("c.js").as_deref(), Some(".dot/c.js"));
        for hidden in
            [".env", "./.env", "x/../.env", ".git/config", "env.js", "../b.js", "/etc/passwd"]
        {
            assert_eq!(shown.get(hidden), None, "{hidden}");
        }
    }
}
