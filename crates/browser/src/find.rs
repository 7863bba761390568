//! Finds the installed browser.

use std::env;
use std::path::{Path, PathBuf};

use crate::Error;

/// The names of the programs that are looked for, the preferred first.
pub const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Returns the browser at `asked`, or the first of [`NAMES`] in `PATH`.
pub fn find(asked: Option<&Path>) -> Result<PathBuf, Error> {
    if let Some(path) = asked {
        // A bare name is looked up in `PATH` when the program is started.
        if path.is_file() || path.components().count() == 1 {
            return Ok(path.to_path_buf());
        }
        return Err(Error::Start { path: path.to_path_buf(), why: "no such file".into() });
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let places = |name: &&str| {
        env::split_paths(&folders).map(|folder| folder.join(name)).collect::<Vec<_>>()
    };
    let mut all = NAMES.iter().flat_map(places);
    all.find(|path| path.is_file()).ok_or(Error::NotFound)
}
