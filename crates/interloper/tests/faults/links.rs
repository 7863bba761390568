//! Tests symbolic links at output paths, and descriptors that refer to files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{MODE, OLD, binary, folder, is_old, names, put, said, serve, text};

const TRACE: &str = "interloper-trace 1\nT init\nT write x\n";

fn with_trace() -> tempfile::TempDir {
    let place = folder();
    fs::write(place.path().join("t.trace"), TRACE).expect("writable");
    place
}

fn convert(folder: &Path, out: &str) -> Output {
    let mut command = binary();
    command.current_dir(folder).args(["convert", "t.trace", out, "--to=text"]);
    command.output().expect("the binary runs")
}

fn is_trace(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.contains("T write x"))
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_written() {
    let place = with_trace();
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("sub")).expect("writable");
    put(&at("sub/file"));
    for (to, link, file) in
        [("sub/file", "to-file", "sub/file"), ("sub/new", "dangling", "sub/new")]
    {
        symlink(to, at(link)).expect("writable");
        let output = convert(place.path(), link);
        assert!(output.status.success(), "{}", said(&output));
        assert!(at(link).is_symlink(), "{link}");
        assert!(is_trace(&at(file)), "{link}");
    }
    let mode = fs::metadata(at("sub/file")).expect("there").permissions().mode() & 0o7777;
    assert_eq!(mode, MODE);
    assert_eq!(names(&at("sub")), ["file", "new"]);
    for (to, link, why) in [
        ("sub", "to-folder", "it is a folder"),
        ("no/where", "nowhere", "No such file or directory"),
        ("circle", "circle", "lead in a circle"),
    ] {
        symlink(to, at(link)).expect("writable");
        let output = convert(place.path(), link);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(text(&output.stderr).contains(why), "{}", said(&output));
        assert!(at(link).is_symlink(), "{link}");
    }
    assert_eq!(names(&at("sub")), ["file", "new"]);
}

#[test]
fn links_planted_at_the_temporary_name_are_not_followed() {
    let place = with_trace();
    let at = |name: &str| place.path().join(name);
    put(&at("precious"));
    // The shell becomes the binary, so the process id is known before.
    let plant = "ln -s precious out.interloper-$$-0.part; ln -s new out.interloper-$$-1.part; \
                 ln -s . out.interloper-$$-2.part; exec \"$@\"";
    // starts: own
    let mut command = Command::new("sh");
    command.args(["-c", plant, "sh", env!("CARGO_BIN_EXE_interloper")]);
    command.args(["convert", "t.trace", "out", "--to=text"]).current_dir(place.path());
    let output = command.output().expect("sh runs");
    assert!(output.status.success(), "{}", said(&output));
    assert!(is_trace(&at("out")) && !at("out").is_symlink());
    assert!(is_old(&at("precious")));
    assert!(!at("new").exists());
    let planted: Vec<_> =
        names(place.path()).into_iter().filter(|name| name.contains(".part")).collect();
    assert_eq!(planted.len(), 3, "they are not ours to remove");
}

#[test]
fn a_descriptor_is_appended_to() {
    let place = with_trace();
    let log = place.path().join("log");
    for out in ["/dev/stdout", "/dev/fd/1", "-"] {
        fs::write(&log, OLD).expect("writable");
        let file = fs::File::options().append(true).open(&log).expect("writable");
        let mut command = binary();
        command.current_dir(place.path()).args(["convert", "t.trace", out, "--to=text"]);
        let output = command.stdout(file).output().expect("the binary runs");
        assert!(output.status.success(), "{}", said(&output));
        let written = fs::read_to_string(&log).expect("there");
        assert!(written.starts_with(OLD) && written.contains("T write x"), "{out}: {written}");
    }
}

#[test]
fn a_recorder_follows_links_and_keeps_what_they_lead_to() {
    let url = serve("<!doctype html><script>window.x = 1</script>").url;
    let place = folder();
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("sub")).expect("writable");
    put(&at("sub/file"));
    for (to, link) in [("sub/file", "to-file"), ("sub/new", "dangling"), ("sub", "to-folder")] {
        symlink(to, at(link)).expect("writable");
        let mut command = binary();
        command.current_dir(place.path()).args(["record", "web", &url, "--time", "0.2"]);
        let output = command.args(["--no-check", "--out", link]).output().expect("it runs");
        assert!(at(link).is_symlink(), "{link}");
        if link == "to-folder" {
            assert_eq!(output.status.code(), Some(2), "{}", said(&output));
            assert!(text(&output.stderr).contains("it is a folder"), "{}", said(&output));
            continue;
        }
        assert!(output.status.success(), "{}", said(&output));
        let recording = fs::read(at(to)).expect("recorded");
        assert!(!codec::native::read(&recording[..]).expect("it loads").trace.is_empty());
    }
    assert_eq!(names(&at("sub")), ["file", "file.old.1", "new"]);
    assert!(is_old(&at("sub/file.old.1")));
}
