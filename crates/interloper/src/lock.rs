//! Locks that show which files a running process still writes.
//!
//! A lock belongs to the open file and ends with its process, however the process ends. On a file
//! system without locks, no writer is refused and no file counts as abandoned.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How long a file that replaced another may stay locked.
const MOMENT: Duration = Duration::from_millis(25);
const MOMENTS: u32 = 20;

/// Takes the lock of a file until the file is closed. Returns false if another process holds it.
pub(crate) fn take(file: &File) -> bool {
    !is_refused(|| file.try_lock())
}

/// Returns whether another process holds the lock of a file.
pub(crate) fn is_taken(file: &File) -> bool {
    let refused = is_refused(|| file.try_lock_shared());
    if !refused {
        // Closing the file releases the lock as well.
        let _ = file.unlock();
    }
    refused
}

/// Takes the lock of a file whose writer has ended. Returns false if the writer still runs, or if
/// that is unknown.
pub(crate) fn take_abandoned(file: &File) -> bool {
    file.try_lock().is_ok()
}

fn is_refused(lock: impl Fn() -> Result<(), TryLockError>) -> bool {
    for _ in 0..MOMENTS {
        match lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(MOMENT),
            Ok(()) | Err(TryLockError::Error(_)) => return false,
        }
    }
    true
}

/// Returns whether a path, not followed if it is a link, names the open file.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of_file = file.metadata().map(|it| (it.dev(), it.ino()));
    let of_path = fs::symlink_metadata(path).map(|it| (it.dev(), it.ino()));
    matches!((of_file, of_path), (Ok(file), Ok(path)) if file == path)
}

/// Returns whether a path names a regular file, which then counts as the open one.
#[cfg(not(unix))]
pub(crate) fn is_at(_file: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_file())
}
