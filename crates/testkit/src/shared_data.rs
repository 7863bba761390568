//! Real traces in a folder beside the repository.
//!
//! Tests on them skip when the folder is absent, which `script/test` counts and reports. With
//! `INTERLOPER_REQUIRE_SHARED_DATA=1` the absence is a failure; `script/test` sets it in CI, and
//! where the folder exists.

use std::path::{Path, PathBuf};

use crate::skip::skip;

/// The file `name` under `../shared/data`, or `None` when it is absent, which counts as a skip.
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
    skip(&format!("../shared/data/{name} is absent"));
    None
}
