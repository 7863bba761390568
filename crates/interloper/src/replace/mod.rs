//! A file that appears whole or not at all.
//!
//! A [`Replacement`] is written under another name in the target's folder and renamed on
//! [`Replacement::commit`]. Until then the target is as it was. The temporary file is created
//! exclusively, so nothing in the way, such as a symbolic link, is followed or overwritten; it is
//! removed when the replacement is dropped and when a signal ends the process. What a killed
//! process leaves, the next replacement of the same target removes (`part.rs`).
//!
//! A file that is replaced keeps its permissions, and its owner where the system allows it. Other
//! hard links to it keep the old contents. A file that may not be written, or that a recorder is
//! writing, is not replaced.

mod part;

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::lock;
use crate::place::Place;
use crate::signals::Guard;
use part::Part;

/// Writes beside a target and takes its place on [`Replacement::commit`]; a device or a pipe is
/// written to directly.
pub(crate) struct Replacement {
    file: File,
    /// What takes whose place; none for a device or a pipe.
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
        // Renamed, it is not there; and nothing can be done about one that cannot be removed.
        let _ = fs::remove_file(&self.beside);
    }
}

impl Replacement {
    /// Starts a replacement of `target`, in the same folder.
    pub(crate) fn new(target: &Path) -> io::Result<Self> {
        let (path, replaced) = match Place::of(target)? {
            Place::Stream(path) => {
                let file = File::options().append(true).open(path)?;
                return Ok(Self { file, pending: None, failed: None });
            }
            Place::Free(path) => (path, None),
            Place::File(path) => {
                // Opened by the name given, so that the system's own rules for links apply.
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

    /// Why the last write failed, if one did.
    pub(crate) fn failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Hands what was written to the disk, so that little can go wrong in [`Replacement::commit`].
    pub(crate) fn sync(&self) -> io::Result<()> {
        if self.pending.is_some() { self.file.sync_all() } else { Ok(()) }
    }

    /// Puts what was written in the target's place.
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

/// Gives a file the owner, if the system allows it, and the permissions of another.
fn keep_access(of: &Metadata, file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (of.uid(), of.gid()) {
            // Only root may give files away; others keep the new file.
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
