use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a place for files")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("there").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn replace(target: &Path, contents: &str) -> io::Result<()> {
    let mut replacement = Replacement::new(target)?;
    replacement.write_all(contents.as_bytes())?;
    replacement.commit()
}

#[test]
fn the_target_changes_on_commit_only() {
    let folder = folder();
    let target = folder.path().join("t");
    fs::write(&target, "old").expect("writable");
    let mut replacement = Replacement::new(&target).expect("writable");
    replacement.write_all(b"new").expect("writable");
    assert_eq!(fs::read(&target).expect("there"), b"old");
    drop(replacement);
    assert_eq!(fs::read(&target).expect("there"), b"old");
    assert_eq!(names(folder.path()), ["t"]);
    replace(&target, "new").expect("writable");
    assert_eq!(fs::read(&target).expect("there"), b"new");
    assert_eq!(names(folder.path()), ["t"]);
}

#[test]
fn long_names_leave_room_for_the_temporary_file() {
    let folder = folder();
    for name in ["n".repeat(255), "ä".repeat(127)] {
        let target = folder.path().join(name);
        replace(&target, "new").expect("writable");
        assert_eq!(fs::read(&target).expect("there"), b"new");
    }
}

#[test]
fn abandoned_parts_are_removed_and_no_others() {
    let folder = folder();
    let target = folder.path().join("t");
    let mut running = Replacement::new(&target).expect("writable");
    let kept = ["t.interloper-1.part", "t.interloper-a-0.part", "t.part", "u.interloper-1-0.part"];
    for name in kept.iter().chain(&["t.interloper-1-0.part"]) {
        fs::write(folder.path().join(name), "x").expect("writable");
    }
    replace(&target, "second").expect("writable");
    let left = names(folder.path());
    assert!(!left.contains(&"t.interloper-1-0.part".to_string()), "{left:?}");
    assert!(kept.iter().all(|name| left.contains(&(*name).to_string())), "{left:?}");
    running.write_all(b"first").expect("writable");
    running.commit().expect("it was left alone");
    assert_eq!(fs::read(&target).expect("there"), b"first");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("there").permissions().mode() & 0o7777
    }

    #[test]
    fn links_lead_to_their_file_and_devices_stay() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("t"), "old").expect("writable");
        symlink("t", at("link")).expect("writable");
        symlink("free", at("dangling")).expect("writable");
        for (link, file) in [("link", "t"), ("dangling", "free")] {
            replace(&at(link), "new").expect("writable");
            assert_eq!(fs::read(at(file)).expect("there"), b"new");
            assert!(fs::symlink_metadata(at(link)).expect("there").is_symlink());
        }
        let null = Path::new("/dev/null");
        replace(null, "new").expect("writable");
        assert!(!fs::metadata(null).expect("there").is_file());
    }

    #[test]
    fn a_link_in_the_way_of_the_temporary_file_is_not_followed() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("precious"), "mine").expect("writable");
        let planted: Vec<_> =
            (0..3).map(|n| at(&format!("t.interloper-{}-{n}.part", std::process::id()))).collect();
        for (link, to) in planted.iter().zip(["precious", "nowhere", "."]) {
            symlink(to, link).expect("writable");
        }
        replace(&at("t"), "new").expect("another name is free");
        assert_eq!(fs::read(at("t")).expect("there"), b"new");
        assert_eq!(fs::read(at("precious")).expect("there"), b"mine");
        assert!(planted.iter().all(|link| link.is_symlink()));
        assert!(!at("nowhere").exists());
    }

    #[test]
    fn the_mode_of_a_replaced_file_is_kept() {
        let folder = folder();
        let (target, fresh) = (folder.path().join("t"), folder.path().join("fresh"));
        for bits in [0o600, 0o640, 0o755, 0o666] {
            fs::write(&target, "old").expect("writable");
            fs::set_permissions(&target, fs::Permissions::from_mode(bits)).expect("ours");
            let replacement = Replacement::new(&target).expect("writable");
            let pending = replacement.pending.as_ref().expect("a file");
            assert_eq!(mode(&pending.beside), 0o600, "nobody else reads it before");
            replacement.commit().expect("writable");
            assert_eq!(mode(&target), bits);
        }
        File::create(folder.path().join("plain")).expect("writable");
        replace(&fresh, "new").expect("writable");
        assert_eq!(mode(&fresh), mode(&folder.path().join("plain")));
    }

    #[test]
    fn the_owner_of_a_replaced_file_is_kept() {
        let folder = folder();
        let target = folder.path().join("t");
        fs::write(&target, "old").expect("writable");
        if std::os::unix::fs::chown(&target, Some(12_345), Some(12_346)).is_err() {
            testkit::skip::skip("only root can give files away");
            return;
        }
        replace(&target, "new").expect("writable");
        let there = fs::metadata(&target).expect("there");
        assert_eq!((there.uid(), there.gid()), (12_345, 12_346));
    }

    #[test]
    fn a_file_that_is_being_recorded_is_not_replaced() {
        let folder = folder();
        let target = folder.path().join("t");
        fs::write(&target, "old").expect("writable");
        let late = Replacement::new(&target).expect("writable");
        let recorded = File::open(&target).expect("there");
        assert!(lock::take(&recorded));
        for refused in [replace(&target, "new"), late.commit()] {
            let error = refused.expect_err("it is locked");
            assert!(error.to_string().contains("a recorder is writing it"), "{error}");
        }
        assert_eq!(fs::read(&target).expect("there"), b"old");
        assert_eq!(names(folder.path()), ["t"]);
        drop(recorded);
        replace(&target, "new").expect("writable");
    }
}
