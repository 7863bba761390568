//! Resolves the target of an output path.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf, is_separator};

/// The number of links that Linux follows.
const LINKS: usize = 40;

/// The target of output. Symbolic links are followed, as the shell's `>` does: the link stays, and
/// its target is written. The path of a file is the one after following links.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A free name in an existing folder.
    Free(PathBuf),
    /// A regular file.
    File(PathBuf),
    /// A device, a pipe, or an open descriptor such as `/dev/stdout`. It is written directly,
    /// because it cannot be replaced.
    Direct(PathBuf),
}

impl Place {
    /// Resolves `target`. Fails if it cannot be a file.
    pub(crate) fn of(target: &Path) -> io::Result<Place> {
        if target.as_os_str().to_string_lossy().ends_with(is_separator) {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the name of a file is missing"));
        }
        let mut path = target.to_path_buf();
        for _ in 0..=LINKS {
            let name = path.file_name().ok_or_else(|| {
                io::Error::new(ErrorKind::InvalidInput, "the name of a file is missing")
            })?;
            let folder = match path.parent() {
                Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
                Some(folder) => folder,
                None => Path::new("/"),
            };
            let folder = fs::canonicalize(folder)?;
            let named = folder.join(name);
            // A descriptor that refers to a file must not be treated as that file: output after the
            // shell's `>>log` would lose the content of the log.
            if cfg!(unix) && folder.starts_with("/proc") {
                return Ok(Place::Direct(named));
            }
            match fs::symlink_metadata(&named) {
                Ok(there) if there.is_symlink() => path = folder.join(fs::read_link(&named)?),
                Ok(there) if there.is_dir() => {
                    return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
                }
                Ok(there) if there.is_file() => return Ok(Place::File(named)),
                Ok(_) => return Ok(Place::Direct(named)),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Place::Free(named)),
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("the symbolic links lead in a circle"))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_files_free_names_and_devices() {
        let folder = tempfile::tempdir().expect("a place for files");
        let folder = fs::canonicalize(folder.path()).expect("it is there");
        let at = |name: &str| folder.join(name);
        fs::write(at("file"), "x").expect("writable");
        fs::create_dir(at("sub")).expect("writable");
        for (to, link) in [
            ("file", "to-file"),
            ("to-file", "to-link"),
            ("sub/new", "dangling"),
            ("no/where", "nowhere"),
            ("sub", "to-folder"),
            ("circle", "circle"),
            ("/dev/null", "to-device"),
        ] {
            symlink(to, at(link)).expect("writable");
        }
        for (name, expected) in [
            ("file", Place::File(at("file"))),
            ("to-file", Place::File(at("file"))),
            ("to-link", Place::File(at("file"))),
            ("to-folder/new", Place::Free(at("sub/new"))),
            ("dangling", Place::Free(at("sub/new"))),
            ("to-device", Place::Direct("/dev/null".into())),
        ] {
            assert_eq!(Place::of(&at(name)).expect(name), expected, "{name}");
        }
        for name in ["nowhere", "to-folder", "circle", "sub", "sub/", "new/", "sub/.."] {
            Place::of(&at(name)).expect_err(name);
        }
        let stdout = Place::of(Path::new("/proc/self/fd/1")).expect("it is open");
        assert!(matches!(stdout, Place::Direct(_)), "{stdout:?}");
    }
}
