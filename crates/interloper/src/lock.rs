//! Locks that show which file a running process still writes.
//!
//! A lock belongs to the open file and goes with its process, however that ends. Where the file
//! system has no locks, nobody is refused and nothing counts as abandoned.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// A file that replaces another stays locked for a moment after it did.
const MOMENT: Duration = Duration::from_millis(25);
const MOMENTS: u32 = 20;

/// Takes the lock of a file, until it is closed. False if another process holds it.
pub(crate) fn take(file: &File) -> bool {
    !is_refused(|| file.try_lock())
}

/// Whether another process holds the lock of a file.
pub(crate) fn is_taken(file: &File) -> bool {
    let refused = is_refused(|| file.try_lock_shared());
    if !refused {
        // Closing the file releases it as well.
        let _ = file.unlock();
    }
    refused
}

/// Takes the lock of a file whose writer has gone. False if it still runs, or if nobody knows.
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

/// Whether a path, not followed if it is a link, names the file that is open.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of_file = file.metadata().map(|it| (it.dev(), it.ino()));
    let of_path = fs::symlink_metadata(path).map(|it| (it.dev(), it.ino()));
    matches!((of_file, of_path), (Ok(file), Ok(path)) if file == path)
}

/// Whether a path names a regular file, which is then taken for the one that is open.
#[cfg(not(unix))]
pub(crate) fn is_at(_file: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_file())
}
