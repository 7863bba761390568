//! Tests `record`: earlier files, a second recorder, and signals while the browser does not answer.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use codec::native;

use crate::support::{
    SIGHUP, SIGINT, SIGSTOP, SIGTERM, binary, folder, is_old, names, processes_of, put, said,
    serve, signal, signal_process, text, wait,
};

/// A page that runs all the time. When the button is clicked, it requests `/mark` and hangs for
/// ever.
const PAGE: &str = "<!doctype html><title>t</title><button id=b>b</button><script>\n\
    setInterval(() => { window.ticks = (window.ticks || 0) + 1 }, 5);\n\
    document.getElementById('b').onclick = () => {\n\
        const mark = new XMLHttpRequest();\n\
        mark.open('GET', '/mark', false);\n\
        mark.send();\n\
        for (;;) {}\n\
    };\n\
    </script>";
const LONGEST: Duration = Duration::from_secs(30);

fn record(folder: &Path, temporary: &Path, arguments: &[&str]) -> Command {
    let mut command = binary();
    command
        .current_dir(folder)
        .env("TMPDIR", temporary)
        .args(["record", "web", "--replay", "none"])
        .args(arguments);
    command
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a recording into `r.ilt`, and waits until the file is not empty.
fn recording(folder: &Path, temporary: &Path, arguments: &[&str]) -> Child {
    let usual = ["--out", "r.ilt", "--fail-on", "never"];
    let mut command = record(folder, temporary, &[arguments, &usual].concat());
    let child = command.spawn().expect("the binary runs");
    let path = folder.join("r.ilt");
    wait_until("nothing is recorded", || path.metadata().is_ok_and(|file| file.len() > 500));
    child
}

fn is_closed(path: &Path) -> bool {
    let file = fs::File::open(path).expect("the recording is there");
    native::doctor(file).expect("readable").is_healthy()
}

#[test]
fn a_browser_that_does_not_start_costs_nothing() {
    let place = folder();
    put(&place.path().join("old.ilt"));
    let silent = place.path().join("silent");
    fs::write(&silent, "#!/bin/sh\nexec sleep 600\n").expect("writable");
    fs::set_permissions(&silent, fs::Permissions::from_mode(0o755)).expect("ours");
    let temporary = folder();
    let url = "http://127.0.0.1:9/";
    for browser in ["/bin/false", "/nonexistent", "./silent"] {
        let arguments = [url, "--browser", browser, "--out", "old.ilt"];
        let child = record(place.path(), temporary.path(), &arguments).spawn().expect("it runs");
        if browser == "./silent" {
            wait_until("no browser", || processes_of(temporary.path()).len() > 1);
            thread::sleep(Duration::from_millis(300));
            signal(&child, SIGTERM);
        }
        let status = wait(child, LONGEST);
        assert_eq!(status.code(), Some(2), "{browser}");
        assert!(is_old(&place.path().join("old.ilt")), "{browser}");
        assert_eq!(names(place.path()), ["old.ilt", "silent"], "{browser}");
        assert_eq!(names(temporary.path()), [""; 0], "{browser}");
    }
}

#[test]
fn a_second_recorder_of_the_same_file_is_refused() {
    let (place, temporary, url) = (folder(), folder(), serve(PAGE).url);
    let target = place.path().join("r.ilt");
    put(&target);
    let child = recording(place.path(), temporary.path(), &[&url, "--time", "100"]);
    let second = [&*url, "--time", "0.1", "--out", "r.ilt"];
    let output = record(place.path(), temporary.path(), &second).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(text(&output.stderr).contains("another recorder is writing it"), "{}", said(&output));
    fs::write(place.path().join("t.trace"), "interloper-trace 1\nT init\n").expect("writable");
    let mut convert = binary();
    convert.current_dir(place.path()).args(["convert", "t.trace", "r.ilt"]);
    let output = convert.output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(text(&output.stderr).contains("a recorder is writing it"), "{}", said(&output));
    signal(&child, SIGINT);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", said(&output));
    let said_of_old = text(&output.stderr);
    assert!(
        said_of_old.contains("the earlier r.ilt is now") && said_of_old.contains("r.ilt.old.1")
    );
    assert!(is_closed(&target));
    assert!(is_old(&place.path().join("r.ilt.old.1")));
    assert_eq!(names(place.path()), ["r.ilt", "r.ilt.old.1", "t.trace"]);
}

#[test]
fn two_recorders_at_once_agree_on_one() {
    let (place, temporary, url) = (folder(), folder(), serve(PAGE).url);
    put(&place.path().join("r.ilt"));
    let arguments = [&*url, "--time", "3", "--no-check", "--out", "r.ilt"];
    let start = || record(place.path(), temporary.path(), &arguments).spawn().expect("it runs");
    let children = [start(), start()];
    let mut codes = children.map(|child| wait(child, Duration::from_secs(90)).code());
    codes.sort_unstable();
    // Both succeed if one started so late that the other had ended.
    let one_after_the_other = place.path().join("r.ilt.old.2").exists();
    assert_eq!(codes, [Some(0), Some(if one_after_the_other { 0 } else { 2 })]);
    assert!(is_old(&place.path().join("r.ilt.old.1")));
    assert!(is_closed(&place.path().join("r.ilt")));
}

/// Signals a recording, and checks that it ends soon, with its file closed and nothing left.
fn ends_orderly(child: Child, number: i32, place: &Path, temporary: &Path) -> String {
    let started = Instant::now();
    signal(&child, number);
    let until = started + LONGEST;
    let mut child = child;
    while child.try_wait().expect("ours").is_none() {
        assert!(Instant::now() < until, "signal {number} is not obeyed");
        thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", said(&output));
    assert!(is_closed(&place.join("r.ilt")));
    wait_until("the browser still runs", || processes_of(temporary).is_empty());
    assert_eq!(names(temporary), [""; 0], "the browser's files are left");
    text(&output.stdout)
}

#[test]
fn every_signal_ends_a_recording_with_its_report() {
    let url = serve(PAGE).url;
    for number in [SIGINT, SIGTERM, SIGHUP] {
        let (place, temporary) = (folder(), folder());
        let mut child = recording(place.path(), temporary.path(), &[&url, "--time", "100"]);
        if number == SIGHUP {
            // As when the terminal is gone.
            drop(child.stderr.take());
        }
        let report = ends_orderly(child, number, place.path(), temporary.path());
        assert!(report.contains("under model web"), "{report}");
    }
}

/// Makes a recorded page hang, and waits until it does. The second click is never answered.
fn hanging(place: &Path, temporary: &Path) -> Child {
    let site = serve(PAGE);
    fs::write(place.join("s"), "wait 500\nclick #b\nclick #b\n").expect("writable");
    let child = recording(place, temporary, &[&site.url, "--steps", "s"]);
    wait_until("the page does not hang", || site.marks() > 0);
    thread::sleep(Duration::from_millis(200));
    child
}

#[test]
fn a_signal_is_obeyed_while_a_page_hangs() {
    let (place, temporary) = (folder(), folder());
    let child = hanging(place.path(), temporary.path());
    let report = ends_orderly(child, SIGINT, place.path(), temporary.path());
    assert!(report.contains("under model web"), "{report}");
}

#[test]
fn a_signal_is_obeyed_while_a_step_waits() {
    let url = serve(PAGE).url;
    for (steps, number) in [
        // The server never answers.
        ("wait 500\ngoto /never\n", SIGTERM),
        ("wait 600000\n", SIGINT),
        ("wait-for #never\n", SIGHUP),
    ] {
        let (place, temporary) = (folder(), folder());
        fs::write(place.path().join("s"), steps).expect("writable");
        let arguments = [&*url, "--steps", "s", "--load-timeout", "600"];
        let child = recording(place.path(), temporary.path(), &arguments);
        thread::sleep(Duration::from_secs(1));
        let report = ends_orderly(child, number, place.path(), temporary.path());
        assert!(report.contains("under model web"), "{steps}: {report}");
    }
}

#[test]
fn a_signal_is_obeyed_while_the_browser_is_stopped() {
    let (place, temporary, url) = (folder(), folder(), serve(PAGE).url);
    fs::write(place.path().join("s"), "wait 2000\ntype #b x\n").expect("writable");
    let arguments = [&*url, "--steps", "s", "--time", "600"];
    let child = recording(place.path(), temporary.path(), &arguments);
    for (process, arguments) in processes_of(temporary.path()) {
        // The crash handler is not in the browser's process group, and waits for the end of the
        // browser.
        if process != child.id() && !arguments.contains("crashpad_handler") {
            signal_process(process, SIGSTOP);
        }
    }
    thread::sleep(Duration::from_millis(500));
    ends_orderly(child, SIGINT, place.path(), temporary.path());
}

#[test]
fn a_second_signal_skips_the_report_and_leaves_nothing() {
    let (place, temporary) = (folder(), folder());
    // The recorder waits seconds for the page before it gives up.
    let child = hanging(place.path(), temporary.path());
    signal(&child, SIGINT);
    thread::sleep(Duration::from_millis(300));
    signal(&child, SIGINT);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.signal(), Some(SIGINT), "{}", said(&output));
    assert!(is_closed(&place.path().join("r.ilt")));
    wait_until("the browser still runs", || processes_of(temporary.path()).is_empty());
    assert_eq!(names(temporary.path()), [""; 0], "the browser's files are left");
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let (place, temporary, url) = (folder(), folder(), serve(PAGE).url);
    // starts: own
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_interloper")]);
    command.args(["record", "web", &url, "--time", "2", "--out", "r.ilt", "--no-check"]);
    command.current_dir(place.path()).env("TMPDIR", temporary.path()).stderr(Stdio::piped());
    let child = command.spawn().expect("sh runs");
    let path = place.path().join("r.ilt");
    wait_until("nothing is recorded", || path.metadata().is_ok_and(|file| file.len() > 500));
    let started = Instant::now();
    signal(&child, SIGHUP);
    let status = wait(child, LONGEST);
    assert!(status.success());
    assert!(started.elapsed() > Duration::from_millis(500), "it was ended by the signal");
    assert!(is_closed(&path));
}
