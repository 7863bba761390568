//! The folder for the recordings of a run.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Makes the requested folder, or the first of the default names that is free, and returns its
/// absolute path: the command may start processes elsewhere.
pub(super) fn prepare(asked: Option<&Path>) -> Result<PathBuf> {
    let folder = match asked {
        Some(folder) => {
            let cannot = || format!("cannot write to {}", folder.display());
            fs::create_dir_all(folder).with_context(cannot)?;
            if !recordings(folder)?.is_empty() {
                bail!("{} has recordings already; name another folder", folder.display());
            }
            folder.to_owned()
        }
        None => fresh()?,
    };
    let cannot = || format!("cannot write to {}", folder.display());
    fs::canonicalize(&folder).with_context(cannot)
}

fn fresh() -> Result<PathBuf> {
    for number in 1.. {
        let folder = match number {
            1 => PathBuf::from("recordings"),
            n => PathBuf::from(format!("recordings-{n}")),
        };
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                bail!("cannot make {}: {error}; --out names a folder", folder.display())
            }
        }
    }
    unreachable!("there are more names than folders")
}

/// Returns the recordings in a folder, by name.
pub(super) fn recordings(folder: &Path) -> Result<Vec<PathBuf>> {
    let cannot = || format!("cannot read {}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        if path.extension().is_some_and(|extension| extension == "ilt") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Removes a folder that has nothing in it.
pub(super) fn remove_if_empty(folder: &Path) {
    let _ = fs::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_recordings_is_refused() {
        let top = tempfile::tempdir().expect("a place for files");
        let folder = top.path().join("new/races");
        let made = prepare(Some(&folder)).expect("writable");
        assert!(made.is_absolute() && recordings(&made).expect("there").is_empty());
        fs::write(made.join("b.ilt"), "").expect("writable");
        fs::write(made.join("a.ilt"), "").expect("writable");
        fs::write(made.join("notes.txt"), "").expect("writable");
        let names = [made.join("a.ilt"), made.join("b.ilt")];
        assert_eq!(recordings(&made).expect("there"), names);
        let error = prepare(Some(&folder)).expect_err("it has recordings").to_string();
        assert!(error.ends_with("has recordings already; name another folder"), "{error}");
    }
}
