//! The file that a recorder writes while a program runs.
//!
//! The file is written in place, under its own name, so that it can be followed and survives a
//! recorder that is killed. Its lock shows that a recorder is writing it. An earlier file is kept:
//! if it is not empty, it is moved to `NAME.old.N`, with the first free number.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::lock;
use crate::place::Place;

/// The number of attempts, because the folder may change between the check and the action.
const TRIES: usize = 10;

/// A file that is open for recording.
pub(crate) struct Recorded {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    /// The new path of the earlier file.
    pub(crate) moved: Option<PathBuf>,
}

/// Fails if [`open`] would certainly fail. Changes nothing.
pub(crate) fn check(asked: Option<&Path>) -> Result<()> {
    let Some(path) = asked else { return Ok(()) };
    let check = || match Place::of(path)? {
        Place::File(_) if lock::is_taken(&writable(path)?) => Err(busy()),
        Place::File(_) | Place::Free(_) | Place::Direct(_) => Ok(()),
    };
    check().with_context(|| format!("cannot write {}", path.display()))
}

/// Opens the requested file, or the first of the default names that is free.
pub(crate) fn open(asked: Option<&Path>) -> Result<Recorded> {
    if let Some(path) = asked {
        return open_at(path).with_context(|| format!("cannot write {}", path.display()));
    }
    for number in 1.. {
        let path = match number {
            1 => PathBuf::from("recording.ilt"),
            n => PathBuf::from(format!("recording-{n}.ilt")),
        };
        match File::create_new(&path) {
            Ok(file) if lock::take(&file) => return Ok(Recorded { path, file, moved: None }),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => bail!("cannot write {}: {error}; --out names a file", path.display()),
        }
    }
    unreachable!("there are more names than files")
}

fn open_at(asked: &Path) -> io::Result<Recorded> {
    for _ in 0..TRIES {
        let (file, moved) = match Place::of(asked)? {
            Place::Direct(path) => (Some(File::options().append(true).open(path)?), None),
            Place::Free(path) => (create(&path)?, None),
            Place::File(path) => {
                let earlier = writable(asked)?;
                if !lock::take(&earlier) {
                    return Err(busy());
                }
                if !lock::is_at(&earlier, &path) {
                    continue;
                }
                // The file is empty, as after `mktemp`, or another recorder has created it but not
                // locked it yet, and will find it taken.
                if earlier.metadata()?.len() == 0 {
                    (Some(earlier), None)
                } else {
                    let old = move_aside(&path)?;
                    let created = create(&path).inspect_err(|_| {
                        // The request failed, so the move is undone.
                        let _ = move_to(&old, &path);
                    })?;
                    (created, Some(old))
                }
            }
        };
        if let Some(file) = file {
            return Ok(Recorded { path: asked.into(), file, moved });
        }
    }
    Err(busy())
}

/// Opens the existing file. Fails if it is write-protected.
fn writable(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).open(path)
}

/// Creates and locks a file. Returns `None` if another process was faster.
fn create(path: &Path) -> io::Result<Option<File>> {
    match File::create_new(path) {
        Ok(file) if lock::take(&file) => Ok(Some(file)),
        Ok(_) => Err(busy()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error),
    }
}

fn busy() -> io::Error {
    let advice =
        "another recorder is writing it; wait for it to end, or name another file with --out";
    io::Error::new(ErrorKind::ResourceBusy, advice)
}

/// Moves a file to the first of its old names that is free. The caller must hold the file's lock.
fn move_aside(path: &Path) -> io::Result<PathBuf> {
    for number in 1_u32.. {
        let mut old = path.as_os_str().to_owned();
        old.push(format!(".old.{number}"));
        let old = PathBuf::from(old);
        match move_to(path, &old) {
            Ok(()) => return Ok(old),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(ErrorKind::AlreadyExists, "all its old names are taken"))
}

/// Renames a file, but never over another. If the process is killed meanwhile, the file exists
/// under both names, and the next call finishes the move.
fn move_to(path: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(path, to) {
        Ok(()) => fs::remove_file(path).inspect_err(|_| {
            let _ = fs::remove_file(to);
        }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let is_same = File::open(path).is_ok_and(|file| lock::is_at(&file, to));
            if cfg!(unix) && is_same { fs::remove_file(path) } else { Err(error) }
        }
        // The file system has no hard links, or the file belongs to another user.
        Err(_) if fs::symlink_metadata(to).is_err() => fs::rename(path, to),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a place for files")
    }

    fn read(folder: &Path, name: &str) -> String {
        fs::read_to_string(folder.join(name)).unwrap_or_else(|error| format!("{name}: {error}"))
    }

    #[test]
    fn what_was_there_is_moved_to_the_first_free_name() {
        let folder = folder();
        let out = folder.path().join("r.ilt");
        fs::write(folder.path().join("r.ilt.old.2"), "mine").expect("writable");
        for (contents, moved) in
            [("first", None), ("second", Some("r.ilt.old.1")), ("third", Some("r.ilt.old.3"))]
        {
            check(Some(&out)).expect("it can be written");
            let recorded = open(Some(&out)).expect("writable");
            let moved =
                moved.map(|name| fs::canonicalize(folder.path()).expect("there").join(name));
            assert_eq!(recorded.moved, moved);
            fs::write(&out, contents).expect("writable");
        }
        let contents = ["r.ilt.old.1", "r.ilt.old.2", "r.ilt.old.3", "r.ilt"];
        let contents = contents.map(|name| read(folder.path(), name));
        assert_eq!(contents, ["first", "mine", "second", "third"]);
    }

    #[test]
    fn a_second_recorder_is_refused_and_nothing_changes() {
        let folder = folder();
        let out = folder.path().join("r.ilt");
        let first = open(Some(&out)).expect("writable");
        fs::write(&out, "so far").expect("writable");
        for refused in [check(Some(&out)), open(Some(&out)).map(drop)] {
            let error = format!("{:#}", refused.expect_err("it is locked"));
            assert!(error.contains("another recorder is writing it"), "{error}");
        }
        assert_eq!(read(folder.path(), "r.ilt"), "so far");
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1);
        drop(first);
        open(Some(&out)).expect("the first has ended");
    }

    #[test]
    fn an_empty_file_is_used_as_it_is() {
        let folder = folder();
        let out = folder.path().join("made-by-mktemp");
        fs::write(&out, "").expect("writable");
        let recorded = open(Some(&out)).expect("writable");
        assert!(recorded.moved.is_none());
        assert!(!lock::take(&File::open(&out).expect("there")));
    }

    #[cfg(unix)]
    #[test]
    fn a_move_that_was_cut_off_is_finished() {
        let folder = folder();
        let out = folder.path().join("r.ilt");
        fs::write(&out, "old").expect("writable");
        fs::hard_link(&out, folder.path().join("r.ilt.old.1")).expect("writable");
        open(Some(&out)).expect("writable");
        assert_eq!(read(folder.path(), "r.ilt.old.1"), "old");
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_the_file_behind_it_is_moved() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).expect("writable");
        fs::write(at("sub/real.ilt"), "old").expect("writable");
        std::os::unix::fs::symlink("sub/real.ilt", at("r.ilt")).expect("writable");
        let recorded = open(Some(&at("r.ilt"))).expect("writable");
        assert!(lock::is_at(&recorded.file, &at("sub/real.ilt")));
        assert!(at("r.ilt").is_symlink());
        assert_eq!(read(folder.path(), "sub/real.ilt.old.1"), "old");
    }
}
