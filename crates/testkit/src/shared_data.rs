//! Real traces that stand beside the repository, not in it.
//!
//! Tests on them skip with one line when the folder is absent. `.ci/run` sets
//! `INTERLOPER_REQUIRE_SHARED_DATA=1`, which turns a skip into a failure.

use std::path::{Path, PathBuf};

/// The file `name` under `../shared/data`, or `None` (said on standard error) when it is absent.
pub fn shared_data(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var_os("INTERLOPER_REQUIRE_SHARED_DATA").is_none(),
        "{} is required here but absent",
        path.display()
    );
    eprintln!("skipped: {} is absent", path.display());
    None
}
