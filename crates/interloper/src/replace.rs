//! Writes a file that appears complete or not at all.
//!
//! A [`Replacement`] is written under another name in the target's folder, and renamed on
//! [`Replacement::commit`]. Until then the target is unchanged. The temporary file is created
//! exclusively, so that no existing file or symbolic link is followed or overwritten. It is removed
//! when the replacement is dropped and when a signal ends the process. If the process is killed,
//! the next replacement of the same target removes the file (`part.rs`).
//!
//! A file that is replaced keeps its permissions, and its owner if the system allows it. Other hard
//! links to it keep the old content. A file that is write-protected, or that a recorder is writing,
//! is not replaced.

mod part;

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::lock;
use crate::place::Place;
use crate::signals::Guard;
use part::Part;

/// A file that is written beside its target and takes the target's place on
/// [`Replacement::commit`]. A device or a pipe is written directly.
pub(crate) struct Replacement {
    file: File,
    /// The temporary file and its target; none for a device or a pipe.
    pending: Option<Pending>,
    failed: Option<io::Error>,
}

/// A temporary file, removed when dropped.
struct Pending {
    beside: PathBuf,
    target: PathBuf,
    /// The file at the target when the replacement started.
    replaced: Option<Metadata>,
    /// Dropped after the file was removed or renamed.
    _guard: Guard,
}

impl Drop for Pending {
    fn drop(&mut self) {
        // A renamed file is gone, and an error while removing it cannot be handled.
        let _ = fs::remove_file(&self.beside);
    }
}

impl Replacement {
    /// Starts a replacement of `target`, in the same folder.
    pub(crate) fn new(target: &Path) -> io::Result<Self> {
        let (path, replaced) = match Place::of(target)? {
            Place::Direct(path) => {
                let file = File::options().append(true).open(path)?;
                return Ok(Self { file, pending: None, failed: None });
            }
            Place::Free(path) => (path, None),
            Place::File(path) => {
                // The file is opened by the given name, so that the system's own rules for links
                // apply.
                let file = File::options().write(true).open(target)?;
                refuse_recorded(&file)?;
                (path, Some(file.metadata()?))
            }
        };
        part::remove_abandoned(&path);
        let (Part { file, path: beside }, guard) = part::create(&path, replaced.is_none())?;
        let pending = Pending { beside, target: path, replaced, _guard: guard };
        Ok(Self { file, pending: Some(pending), failed: None })
    }

    /// Returns why the last write failed, if one did.
    pub(crate) fn failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Flushes the content to the disk, so that [`Replacement::commit`] is unlikely to fail.
    pub(crate) fn sync(&self) -> io::Result<()> {
        if self.pending.is_some() { self.file.sync_all() } else { Ok(()) }
    }

    /// Moves the file to its target.
    pub(crate) fn commit(self) -> io::Result<()> {
        self.sync()?;
        let Some(Pending { beside, target, replaced, .. }) = &self.pending else { return Ok(()) };
        if let Ok(file) = File::options().write(true).open(target) {
            refuse_recorded(&file)?;
        }
        if let Some(replaced) = fs::metadata(target).as_ref().ok().or(replaced.as_ref()) {
            keep_access(replaced, &self.file)?;
        }
        fs::rename(beside, target)
    }
}

fn refuse_recorded(file: &File) -> io::Result<()> {
    if lock::is_taken(file) {
        return Err(io::Error::new(ErrorKind::ResourceBusy, "a recorder is writing it"));
    }
    Ok(())
}

/// Gives a file the permissions of another, and its owner if the system allows it.
fn keep_access(of: &Metadata, file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (of.uid(), of.gid()) {
            // Only root may change the owner. Otherwise the new file keeps its own.
            let _ = fchown(file, Some(of.uid()), Some(of.gid()));
        }
    }
    file.set_permissions(of.permissions())
}

impl Write for Replacement {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.file.write(buffer).inspect_err(|error| {
            if error.kind() != ErrorKind::Interrupted {
                self.failed = Some(io::Error::new(error.kind(), error.to_string()));
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests;
