//! Reads source files for excerpts.
//!
//! A trace is untrusted and may name any file, so only files below the given folders are shown.

use std::path::{Path, PathBuf};

use report::text::SourceFiles;

/// Files below some folders.
pub(crate) struct Below {
    roots: Vec<PathBuf>,
}

/// The largest size of a source file that is shown, in bytes.
const LONGEST: u64 = 16 << 20;

impl Below {
    /// Allows the folder of the trace, then the given folders.
    pub(crate) fn new(trace: &Path, roots: &[PathBuf]) -> Self {
        let own = trace.parent().map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
        let all = own.into_iter().chain(roots.iter().map(PathBuf::as_path));
        Self { roots: all.filter_map(|root| root.canonicalize().ok()).collect() }
    }
}

impl SourceFiles for Below {
    fn get(&self, file: &str) -> Option<String> {
        self.roots.iter().find_map(|root| {
            let path = root.join(file).canonicalize().ok()?;
            let shown = path.starts_with(root)
                && path.metadata().is_ok_and(|m| m.is_file() && m.len() <= LONGEST);
            if shown { std::fs::read_to_string(path).ok() } else { None }
        })
    }
}
