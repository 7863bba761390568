//! Temporary files beside the files that they will replace.
//!
//! The name is `NAME.interloper-PROCESS-N.part`. The process that writes a temporary file holds its
//! lock, so one that another process can lock was left by a process that was killed.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::lock;
use crate::signals::{self, Guard};

/// The largest part of a target's name that is used. Names may have 255 bytes on most systems, and
/// the rest is for the suffix.
const LONGEST_NAME: usize = 200;
/// The number of names that are tried.
const TRIES: u32 = 1000;
const MARK: &str = ".interloper-";
const END: &str = ".part";

pub(super) struct Part {
    pub(super) file: File,
    pub(super) path: PathBuf,
}

/// Returns the prefix of the names of all temporary files of a target.
fn prefix(target: &Path) -> String {
    let mut name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    name + MARK
}

/// Creates and locks a temporary file, which a signal removes until the guard is dropped. If it
/// will replace an existing file, it is private until it gets the permissions of that file.
pub(super) fn create(target: &Path, is_new: bool) -> io::Result<(Part, Guard)> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if !is_new {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let prefix = prefix(target);
    let process = std::process::id();
    for number in 0..TRIES {
        let path = target.with_file_name(format!("{prefix}{process}-{number}{END}"));
        let made = signals::guarded(|| {
            let file = options.open(&path)?;
            let abandoned = path.clone();
            let remove = move || drop(fs::remove_file(abandoned));
            Ok((file, Box::new(remove) as signals::Cleanup))
        });
        match made {
            // Another process may treat the file as abandoned before it is locked.
            Ok((file, guard)) if lock::take(&file) && lock::is_at(&file, &path) => {
                return Ok((Part { file, path }, guard));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(ErrorKind::AlreadyExists, "all names for a temporary file are taken"))
}

/// Removes the temporary files of a target that killed processes left. Errors are ignored.
pub(super) fn remove_abandoned(target: &Path) {
    let Some(folder) = target.parent() else { return };
    let prefix = prefix(target);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let inner = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(END));
        let is_part = inner.and_then(|inner| inner.split_once('-')).is_some_and(|(process, n)| {
            let is_number = |text: &str| text.parse::<u32>().is_ok();
            is_number(process) && is_number(n)
        });
        if !is_part || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        let Ok(file) = File::open(&path) else { continue };
        // If the file was renamed or removed meanwhile, the name may belong to another file now.
        if lock::take_abandoned(&file) && lock::is_at(&file, &path) {
            let _ = fs::remove_file(&path);
        }
    }
}
