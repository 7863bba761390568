//! Tests full disks and read-only folders.
//!
//! Both are mounted in a separate namespace of the command, which ends with it. If the system
//! allows no such namespace, these tests skip with a line. The limit on the size of files needs
//! none.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use codec::native;

use crate::support::{
    OLD, binary, folder, is_old, long_trace, names, put, racy_trace, said, serve, text,
};

/// Runs the binary in a folder that `mount`, a shell command, has changed, and then copies the
/// content of the folder to `seen`.
fn run_mounted(mount: &str, folder: &Path, seen: &Path, arguments: &[&str]) -> Output {
    let size = match arguments[0] {
        "record" => "256k",
        // A baseline is short.
        _ if arguments.contains(&"--write-baseline") => "4k",
        _ => "64k",
    };
    let script = "folder=$1 seen=$2; shift 2; eval \"$MOUNT\" || exit 99; cd \"$folder\" || exit 98; \
                  \"$@\"; status=$?; cp -a . \"$seen\"; exit $status";
    let mut command = Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-c", script, "sh"]);
    command.arg(folder).arg(seen).arg(env!("CARGO_BIN_EXE_interloper")).args(arguments);
    command.env("MOUNT", mount).env("SIZE", size).stdin(Stdio::null());
    command.output().expect("unshare runs")
}

/// Mounts a file system of $SIZE bytes that contains the earlier files.
const SMALL: &str = "mount -t tmpfs -o size=$SIZE none \"$folder\" && \
                     printf '%s\\n' 'what was there before' >\"$folder/out\" && \
                     chmod 640 \"$folder/out\"";
const READ_ONLY: &str =
    "mount --bind \"$folder\" \"$folder\" && mount -o remount,bind,ro \"$folder\"";

fn can_mount() -> bool {
    let (place, seen) = (folder(), folder());
    let is_installed = Command::new("mount").arg("--version").output().is_ok();
    let can = is_installed
        && [SMALL, READ_ONLY].iter().all(|mount| {
            let output = run_mounted(mount, place.path(), seen.path(), &["--version"]);
            output.status.success()
        });
    if !can {
        testkit::skip::skip("no file system can be mounted here");
    }
    can
}

/// Every command that writes a file, here `out`.
fn writers() -> Vec<Vec<&'static str>> {
    let (long, racy) = (long_trace(), racy_trace());
    vec![
        vec!["check", racy, "--pairs=all", "--format=json", "--out", "out"],
        vec!["check", long, "--format=html", "--out", "out"],
        vec!["check", racy, "--write-baseline", "out"],
        vec!["convert", long, "out", "--to=text"],
        vec!["convert", long, "out", "--to=native"],
        vec!["doctor", long, "--repair", "out"],
        vec!["synth", "eventracer-web/max", "--scale=0.05", "--out", "out"],
    ]
}

#[test]
fn a_full_disk_costs_nothing_that_was_there() {
    if !can_mount() {
        return;
    }
    for arguments in writers() {
        let (place, seen) = (folder(), folder());
        let output = run_mounted(SMALL, place.path(), seen.path(), &arguments);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("No space left on device"), "{arguments:?}: {said}");
        assert!(said.contains("cannot write out"), "{arguments:?}: {said}");
        assert!(is_old(&seen.path().join("out")), "{arguments:?}");
        assert_eq!(names(seen.path()), ["out"], "{arguments:?}");
    }
}

#[test]
fn a_limit_on_the_size_of_files_costs_nothing_that_was_there() {
    for arguments in writers() {
        let place = folder();
        put(&place.path().join("out"));
        // starts: own
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -f 1; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_interloper")]);
        command.args(&arguments).current_dir(place.path());
        let output = command.output().expect("sh runs");
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("File too large"), "{arguments:?}: {said}");
        assert!(is_old(&place.path().join("out")), "{arguments:?}");
        assert_eq!(names(place.path()), ["out"], "{arguments:?}");
    }
}

#[test]
fn a_read_only_folder_is_refused_and_unchanged() {
    if !can_mount() {
        return;
    }
    let url = serve("<!doctype html><title>t</title>").url;
    let record = ["record", "web", &url, "--time", "0.1", "--no-check", "--out"];
    let mut writers = writers();
    writers.extend(["out", "new"].map(|out| [&record[..], &[out]].concat()));
    for arguments in writers {
        let (place, seen) = (folder(), folder());
        put(&place.path().join("out"));
        let output = run_mounted(READ_ONLY, place.path(), seen.path(), &arguments);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("Read-only file system"), "{arguments:?}: {said}");
        assert!(said.contains("cannot write out") || said.contains("cannot write new"), "{said}");
        assert!(is_old(&place.path().join("out")), "{arguments:?}");
        assert_eq!(names(place.path()), ["out"], "{arguments:?}");
    }
}

/// A page that records more than fits on a small disk, in many blocks.
const TALKATIVE: &str = "<!doctype html><title>t</title><script>\n\
    setInterval(() => { for (let i = 0; i < 100; i++) { \
        window['v' + Math.random().toString(36)] = Math.random(); } }, 20);\n\
    </script>";

#[test]
fn a_recording_that_fills_the_disk_is_kept_up_to_there() {
    if !can_mount() {
        return;
    }
    let url = serve(TALKATIVE).url;
    let (place, seen, temporary) = (folder(), folder(), folder());
    let arguments = ["record", "web", &url, "--time", "60", "--out", "out"];
    // Only the folder of the recording is small.
    let mount = format!("export TMPDIR='{}'; {SMALL}", temporary.path().display());
    let output = run_mounted(&mount, place.path(), seen.path(), &arguments);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert!(said.contains("interloper check out"), "{said}");
    assert_eq!(names(seen.path()), ["out", "out.old.1"]);
    assert!(is_old(&seen.path().join("out.old.1")));
    let recording = fs::read(seen.path().join("out")).expect("there");
    let loaded = native::read(&recording[..]).expect("it loads");
    assert!(loaded.trace.len() > 100, "{said}");
    assert_eq!(names(temporary.path()), [""; 0]);
}

#[test]
fn what_may_not_be_written_is_not_replaced() {
    let place = folder();
    let out = place.path().join("out");
    put(&out);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
    command.arg(env!("CARGO_BIN_EXE_interloper")).args(["explain"]);
    if !command.output().is_ok_and(|output| output.status.success()) {
        testkit::skip::skip("the binary cannot be run as another user");
        return;
    }
    // The folder belongs to the other user, and the file is protected from them, so renaming would
    // succeed.
    chown(place.path(), Some(65534), Some(65534)).expect("root");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).expect("ours");
    fs::write(place.path().join("t.trace"), "interloper-trace 1\nT init\n").expect("writable");
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
    command.arg(env!("CARGO_BIN_EXE_interloper"));
    command.args(["check", "t.trace", "--out", "out"]).current_dir(place.path());
    let output = command.output().expect("it runs");
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("Permission denied"), "{said}");
    assert_eq!(fs::read_to_string(&out).expect("there"), OLD);
    assert_eq!(names(place.path()), ["out", "t.trace"]);
}

#[test]
fn a_trace_is_not_overwritten_by_its_report() {
    let place = folder();
    let trace = "interloper-trace 1\nT init\n";
    fs::write(place.path().join("t.trace"), trace).expect("writable");
    for option in ["--out", "--write-baseline"] {
        let mut command = binary();
        command.current_dir(place.path()).args(["check", "t.trace", option, "./t.trace"]);
        let output = command.output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(text(&output.stderr).contains("would be overwritten"), "{}", said(&output));
        assert_eq!(fs::read_to_string(place.path().join("t.trace")).expect("there"), trace);
    }
}
