//! Signals at random moments of `check --out`, `convert` and `record`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use codec::native;

use crate::support::{
    MODE, OLD, SIGHUP, SIGINT, SIGKILL, SIGTERM, binary, folder, is_old, long_trace, moments,
    names, processes_of, put, racy_trace, random, said, serve, signal, text, wait,
};

const SIGNALS: [(i32, &str); 4] =
    [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP"), (SIGKILL, "SIGKILL")];
const LONGEST: Duration = Duration::from_secs(120);

/// A row of the table.
#[derive(Default)]
struct Row {
    ended_by_signal: usize,
    completed: usize,
    /// Runs that were interrupted while the temporary file, or the recording, was being written.
    under_way: usize,
    /// Files, folders and processes that `kill -9` left and the next run removed.
    left_and_removed: usize,
}

impl Row {
    fn print(&self, command: &str, signal: &str) {
        let Row { ended_by_signal, completed, under_way, left_and_removed } = self;
        let all = ended_by_signal + completed;
        println!(
            "| {command} | {signal} | {all} | {under_way} | {ended_by_signal} | {completed} | \
             {left_and_removed} |"
        );
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o7777
}

fn is_part(name: &str) -> bool {
    name.contains(".interloper-") && Path::new(name).extension().is_some_and(|it| it == "part")
}

/// Waits until a random moment: any, or one after the temporary file appeared.
fn wait_for_moment(child: &mut Child, folder: &Path, whole: Duration, random: &mut fastrand::Rng) {
    let started = Instant::now();
    if random.bool() {
        let until = started + whole * 2;
        while Instant::now() < until && !names(folder).iter().any(|name| is_part(name)) {
            if child.try_wait().expect("ours").is_some() {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(whole.mul_f64(random.f64() * 0.3));
    } else {
        thread::sleep(whole.mul_f64(random.f64()));
    }
}

/// Interrupts a command that writes `out` in a folder, again and again.
fn cut_off(command: &str, out: &str, make: impl Fn(&Path) -> Command) {
    let place = folder();
    let started = Instant::now();
    let output = make(place.path()).output().expect("the binary runs");
    let whole = started.elapsed();
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", said(&output));
    let new = fs::read(place.path().join(out)).expect("written");
    assert_eq!(names(place.path()), [out]);
    let mut random = random(command);
    for (number, name) in SIGNALS {
        let mut row = Row::default();
        for _ in 0..moments(4) {
            let place = folder();
            let target = place.path().join(out);
            put(&target);
            put(&place.path().join("bystander"));
            let mut child = make(place.path()).spawn().expect("the binary runs");
            wait_for_moment(&mut child, place.path(), whole, &mut random);
            row.under_way += usize::from(names(place.path()).iter().any(|name| is_part(name)));
            signal(&child, number);
            let status = wait(child, LONGEST);
            let is_new = fs::read(&target).expect("there") == new;
            if let Some(signal) = status.signal() {
                assert_eq!(signal, number);
                row.ended_by_signal += 1;
                // Between the renaming and the end of the process the file is the new one.
                assert!(is_old(&target) || is_new, "{command} {name}: neither old nor new");
            } else {
                assert!(status.code().is_some_and(|code| code < 2), "{status:?}");
                row.completed += 1;
                assert!(is_new, "{command} {name}: not what an undisturbed run writes");
            }
            assert_eq!(mode(&target), MODE);
            let (parts, rest): (Vec<_>, Vec<_>) =
                names(place.path()).into_iter().partition(|name| is_part(name));
            let mut expected = ["bystander", out];
            expected.sort_unstable();
            assert_eq!(rest, expected, "{command} {name}");
            if number == SIGKILL {
                row.left_and_removed += parts.len();
                let output = make(place.path()).output().expect("the binary runs");
                assert!(output.status.code().is_some_and(|code| code < 2), "{}", said(&output));
                assert_eq!(names(place.path()), expected, "the next run leaves nothing");
                assert_eq!(fs::read(&target).expect("there"), new);
            } else {
                assert!(parts.is_empty(), "{command} {name}: left {parts:?}");
            }
            assert!(is_old(&place.path().join("bystander")));
        }
        row.print(command, name);
    }
}

#[test]
fn check_is_cut_off() {
    cut_off("check --out", "report.json", |folder| {
        let mut command = binary();
        command.current_dir(folder).args(["check", racy_trace()]);
        command.args(["--format", "json", "--pairs", "all", "--out", "report.json"]);
        command
    });
}

#[test]
fn convert_is_cut_off() {
    cut_off("convert", "out.trace", |folder| {
        let mut command = binary();
        command.current_dir(folder).args(["convert", long_trace(), "out.trace"]);
        command
    });
}

/// A page with two timers that access one variable, and more that run all the time.
const PAGE: &str = "<!doctype html><title>t</title><script>\n\
    var total = 0;\n\
    setTimeout(() => { total = 1 }, 20);\n\
    setTimeout(() => { total = 2 }, 10);\n\
    setInterval(() => { window.ticks = (window.ticks || 0) + 1 }, 5);\n\
    </script>";

fn record(folder: &Path, temporary: &Path, url: &str, time: &str) -> Command {
    let mut command = binary();
    command.current_dir(folder).env("TMPDIR", temporary);
    command.args(["record", "web", url, "--time", time, "--out", "r.ilt", "--fail-on", "never"]);
    command.args(["--report-to", "r.txt", "--replay", "none"]);
    command
}

/// Waits until no process works in a folder. The processes of a browser notice only after a moment
/// that the recorder has ended.
fn wait_for_processes(temporary: &Path) {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let left = processes_of(temporary);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "processes are left: {left:#?}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Returns whether a recording can be read, and whether it is closed.
fn recording(path: &Path) -> (bool, bool) {
    let open = || fs::File::open(path).expect("the recording is there");
    let report = native::doctor(open()).expect("readable");
    (report.damaged.is_empty() && native::read(open()).is_ok(), report.closed)
}

/// Checks the leftovers of an interrupted recording, and returns whether the file was opened.
fn check_recording(folder: &Path, name: &str, is_orderly: bool) -> bool {
    let (target, moved) = (folder.join("r.ilt"), folder.join("r.ilt.old.1"));
    if !moved.exists() {
        assert!(is_old(&target), "{name}: the earlier recording is lost");
        return false;
    }
    assert!(is_old(&moved), "{name}: the earlier recording was changed");
    if !is_orderly && fs::metadata(&target).map_or(0, |it| it.len()) == 0 {
        return true;
    }
    let (loads, closed) = recording(&target);
    assert!(loads, "{name}: the recording does not load");
    assert!(closed || !is_orderly, "{name}: the recording was not closed");
    true
}

/// Returns whether the new recording was not opened, or contains no operation.
fn is_empty(folder: &Path) -> bool {
    !folder.join("r.ilt.old.1").exists()
        || native::read(fs::File::open(folder.join("r.ilt")).expect("there"))
            .is_ok_and(|loaded| loaded.trace.is_empty())
}

#[test]
fn record_is_cut_off() {
    let url = serve(PAGE).url;
    let (place, temporary) = (folder(), folder());
    let started = Instant::now();
    let output = record(place.path(), temporary.path(), &url, "1").output().expect("it runs");
    let whole = started.elapsed();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(names(place.path()), ["r.ilt", "r.txt"]);
    assert_eq!(names(temporary.path()), [""; 0]);
    let mut random = random("record");
    for (number, name) in SIGNALS {
        let mut row = Row::default();
        for _ in 0..moments(2) {
            let (place, temporary) = (folder(), folder());
            for file in ["r.ilt", "r.txt", "bystander"] {
                put(&place.path().join(file));
            }
            let child = record(place.path(), temporary.path(), &url, "1").spawn().expect("it runs");
            thread::sleep(whole.mul_f64(random.f64()));
            signal(&child, number);
            let status = wait(child, LONGEST);
            let is_orderly = number != SIGKILL;
            let was_opened = check_recording(place.path(), name, is_orderly);
            row.under_way += usize::from(was_opened);
            match (status.signal(), status.code()) {
                // The signal may arrive before the process listens, or while it reports.
                (Some(signal), _) => {
                    assert_eq!(signal, number);
                    row.ended_by_signal += 1;
                }
                (_, code) => {
                    // There is no report if nothing was recorded yet.
                    let expected = if is_empty(place.path()) { 2 } else { 0 };
                    assert_eq!(code, Some(expected), "{name}");
                    row.completed += 1;
                }
            }
            let report = fs::read(place.path().join("r.txt")).expect("there");
            let is_report = text(&report).contains("under model web");
            assert!(report == OLD.as_bytes() || is_report, "{name}: half a report");
            wait_for_processes(temporary.path());
            let mut expected = vec!["bystander", "r.ilt", "r.txt"];
            if was_opened {
                expected.insert(2, "r.ilt.old.1");
            }
            if is_orderly {
                assert_eq!(names(place.path()), expected, "{name}");
                assert_eq!(names(temporary.path()), [""; 0], "{name}");
            } else {
                let left = names(place.path());
                let parts = left.iter().filter(|name| is_part(name)).count();
                row.left_and_removed += parts + names(temporary.path()).len();
                let mut next = record(place.path(), temporary.path(), &url, "0.1");
                let output = next.output().expect("it runs");
                assert!(output.status.success(), "{}", said(&output));
                let left = names(place.path());
                assert!(!left.iter().any(|name| is_part(name)), "{left:?}");
                assert_eq!(names(temporary.path()), [""; 0]);
                assert!(is_old(&place.path().join("r.ilt.old.1")));
            }
            assert!(is_old(&place.path().join("bystander")));
        }
        row.print("record", name);
    }
}
