//! A file that appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes beside a target and takes its place on [`Replacement::commit`].
///
/// Dropped before, it removes what it wrote, and the target is as it was. A recorder that must
/// survive being killed appends to its target instead. Where a link leads to a file, that file is
/// replaced; a device or a pipe is not, but written to.
pub(crate) struct Replacement {
    file: Option<File>,
    target: PathBuf,
    /// Where it is written until then, if that is not the target.
    beside: Option<PathBuf>,
}

impl Replacement {
    /// Starts a replacement of `target`, in the same directory.
    pub(crate) fn new(target: impl AsRef<Path>) -> io::Result<Self> {
        let target = target.as_ref();
        if fs::metadata(target).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            let file = File::options().write(true).open(target)?;
            return Ok(Self { file: Some(file), target: target.into(), beside: None });
        }
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.into());
        let name = target.file_name().ok_or_else(|| {
            let message = format!("{} does not name a file", target.display());
            io::Error::new(io::ErrorKind::InvalidInput, message)
        })?;
        let mut part = name.to_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let beside = target.with_file_name(part);
        Ok(Self { file: Some(File::create(&beside)?), target, beside: Some(beside) })
    }

    /// Puts what was written in the target's place.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        if let (Some(file), Some(beside)) = (self.file.take(), &self.beside) {
            let renamed = file.sync_all().and_then(|()| fs::rename(beside, &self.target));
            if renamed.is_err() {
                self.discard();
            }
            return renamed;
        }
        Ok(())
    }

    /// Nothing more can be done about a file that cannot be removed: the target is untouched.
    fn discard(&self) {
        if let Some(beside) = &self.beside {
            let _ = fs::remove_file(beside);
        }
    }

    fn file(&mut self) -> &mut File {
        self.file.as_mut().expect("open until committed")
    }
}

impl Write for Replacement {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.file().write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            self.discard();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_changes_on_commit_only() {
        let directory = tempfile::tempdir().expect("a place for files");
        let target = directory.path().join("t");
        fs::write(&target, "old").expect("writable");
        let mut replacement = Replacement::new(&target).expect("writable");
        replacement.write_all(b"new").expect("writable");
        assert_eq!(fs::read(&target).expect("there"), b"old");
        drop(replacement);
        assert_eq!(fs::read(&target).expect("there"), b"old");
        let mut replacement = Replacement::new(&target).expect("writable");
        replacement.write_all(b"new").expect("writable");
        replacement.commit().expect("writable");
        assert_eq!(fs::read(&target).expect("there"), b"new");
        assert_eq!(fs::read_dir(directory.path()).expect("there").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_their_file_and_devices_stay() {
        let directory = tempfile::tempdir().expect("a place for files");
        let (target, link) = (directory.path().join("t"), directory.path().join("l"));
        fs::write(&target, "old").expect("writable");
        std::os::unix::fs::symlink(&target, &link).expect("writable");
        let mut replacement = Replacement::new(&link).expect("writable");
        replacement.write_all(b"new").expect("writable");
        replacement.commit().expect("writable");
        assert_eq!(fs::read(&target).expect("there"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        let null = Path::new("/dev/null");
        let mut replacement = Replacement::new(null).expect("writable");
        replacement.write_all(b"new").expect("writable");
        replacement.commit().expect("writable");
        assert!(!fs::metadata(null).expect("there").is_file());
    }
}
