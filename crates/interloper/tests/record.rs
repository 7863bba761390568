//! Runs `interloper record web` as its users do, with the installed browser, on pages on loopback.

#![cfg(all(target_os = "linux", feature = "record-web"))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use codec::native;
use signal_hook::consts::{SIGINT, SIGKILL};

/// A page with two timers and a click handler that write a variable, which another timer shows, and more
/// that run all the time.
const PAGE: &str = "<!doctype html><title>t</title><button id=b>b</button><script>\n\
    var total = 0;\n\
    setTimeout(() => { total = 1 }, 20);\n\
    setTimeout(() => { total = 2 }, 10);\n\
    document.getElementById('b').onclick = () => { total = 3 };\n\
    setInterval(() => { window.ticks = (window.ticks || 0) + 1 }, 5);\n\
    setTimeout(() => { document.getElementById('b').title = total }, 60);\n\
    </script>";

/// Serves `/` at once; anything else is never answered. Returns the address.
fn serve(page: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = format!("http://{}/", listener.local_addr().expect("bound"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || drop(answer(stream, page)));
        }
    });
    address
}

fn answer(mut stream: TcpStream, page: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    if !first.starts_with("GET / ") {
        thread::sleep(Duration::from_secs(120));
    }
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{page}",
        page.len()
    )
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    command.args(["record", "web"]).args(args).current_dir(folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    said(&command(folder, args).output().expect("the binary runs"))
}

fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    (code, text(&output.stdout), text(&output.stderr))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a place for files")
}

fn operations(path: &Path) -> usize {
    let file = std::fs::File::open(path).expect("the recording is there");
    native::read(file).expect("a native file").trace.len()
}

#[test]
fn a_page_is_recorded_and_its_races_reported() {
    let (folder, url) = (folder(), serve(PAGE));
    let steps = folder.path().join("use.steps");
    std::fs::write(&steps, "click #b\nwait 100\n").expect("writable");
    let started = Instant::now();
    let (code, out, err) = run(folder.path(), &[&url, "--steps", "use.steps"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("both write Window.total"), "{out}{err}");
    assert!(out.contains("index.html:3:"), "{out}");
    // Which of the races leads the group depends on the order in which the timers fired.
    assert!(out.starts_with("1 race shown harmful, 0 undecided, 1 set aside.\n"), "{out}");
    assert!(out.contains("= shown: harmful, state\n"), "{out}");
    assert!(out.contains("button#b @title: "), "{out}");
    assert!(out.contains("under model web"), "{out}");
    assert!(err.contains("recording.ilt: "), "{err}");
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    // The second run keeps the first recording. The report can go to a file, and need not fail.
    let args =
        [&url, "--time", "0.5", "--format", "json", "--report-to", "r.json", "--replay", "none"];
    let (code, out, err) = run(folder.path(), &[&args[..], &["--fail-on", "never"]].concat());
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("recording-2.ilt: "), "{err}");
    let report = std::fs::read_to_string(folder.path().join("r.json")).expect("written");
    assert!(report.contains("\"model\": \"web\"") && !report.contains("\"replay\""), "{report}");
}

/// The locations of the uncovered races of a JSON report.
fn uncovered_locations(report: &str) -> std::collections::BTreeSet<String> {
    let report: serde_json::Value = serde_json::from_str(report).expect("a JSON report");
    let races = report["races"].as_array().expect("races").iter();
    let uncovered = races.filter(|race| race["covered"] == false);
    uncovered.map(|race| race["location"].to_string()).collect()
}

#[test]
fn a_page_is_analysed_while_it_runs() {
    let (folder, url) = (folder(), serve(PAGE));
    std::fs::write(folder.path().join("use.steps"), "click #b\nwait 800\n").expect("writable");
    let live = [&*url, "--steps", "use.steps", "--live"];
    let bounded = [&live[..], &["--no-trace", "--window", "60s"]].concat();
    let (code, out, err) = run(folder.path(), &bounded);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("both write Window.total"), "{out}{err}");
    assert!(err.contains("race on Window.total (write-write): write by "), "{err}");
    let files = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(files, 1, "only the steps are there");
    // The file of a live recording, checked afterwards, shows the same.
    let json = ["--out", "x.ilt", "--format", "json", "--report-to", "live.json"];
    let (code, _, err) = run(folder.path(), &[&live[..], &json].concat());
    assert_eq!(code, 1, "{err}");
    let mut check = Command::new(env!("CARGO_BIN_EXE_interloper"));
    check.args(["check", "x.ilt", "--format", "json"]).current_dir(folder.path());
    let (_, graph, _) = said(&check.output().expect("the binary runs"));
    let stream = std::fs::read_to_string(folder.path().join("live.json")).expect("written");
    assert_eq!(uncovered_locations(&stream), uncovered_locations(&graph), "{stream}\n{graph}");
}

#[test]
fn an_interrupt_ends_a_live_recording_with_its_report() {
    let (folder, url) = (folder(), serve(PAGE));
    let args = [&*url, "--time", "60", "--live", "--no-trace"];
    let mut child = command(folder.path(), &args).spawn().expect("the binary runs");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let race = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with("race on ")));
    assert!(race.is_some(), "a race is printed while the page runs");
    signal(&child, SIGINT);
    lines.for_each(drop);
    let (code, out, _) = said(&child.wait_with_output().expect("it ends"));
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("Window.total"), "{out}");
}

#[test]
fn what_cannot_be_recorded_is_said() {
    let (folder, url) = (folder(), serve("<img src=never.png>"));
    std::fs::write(folder.path().join("bad.steps"), "click #a\nfly #b\n").expect("writable");
    let closed = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let nobody = format!("http://{}/", closed.local_addr().expect("bound"));
    drop(closed);
    for (args, parts) in [
        (&["localhost:8000"][..], &["write http://localhost:8000"][..]),
        (&["file:///etc/passwd"], &["over http or https"]),
        (&[&*url, "--browser", "/nonexistent"], &["/nonexistent", "no such file"]),
        (&[&*url, "--browser", "/bin/false"], &["cannot start the browser /bin/false"]),
        (&[&*url, "--time=-1"], &["--time -1 is no time"]),
        (&[&*url, "--time=1e19"], &["--time 10000000000000000000 is no time"]),
        (&[&*url, "--viewport", "wide"], &["--viewport wide is no size", "such as 1280x800"]),
        (&[&*url, "--header", "X-Token"], &["--header X-Token is no header", "a colon"]),
        (&[&*url, "--header", "A b: c"], &["--header A b: c is no header"]),
        (&[&*url, "--cookie", "=x"], &["--cookie =x is no cookie", "session=x"]),
        (&[&*url, "--storage-state", "none.json"], &["--storage-state: cannot read none.json"]),
        (
            &[&*url, "--storage-state", "bad.steps"],
            &["--storage-state bad.steps is no storage state", "line 1 column 1"],
        ),
        (&[&*url, "--source-map", "app.js"], &["--source-map app.js names no script and map"]),
        (&[&*url, "--source-map", "a.js=none.map"], &["--source-map: cannot read none.map"]),
        (&[&*url, "--source-map", "a.js=bad.steps"], &["bad.steps is no source map"]),
        (&[&*url, "--step-timeout", "1"], &["--steps"]),
        (&[&*url, "--until", "#x", "--explore"], &["--until", "--explore"]),
        (&[&*url, "--no-trace"], &["--live"]),
        (&[&*url, "--live", "--no-check"], &["--no-check"]),
        (&[&*url, "--live", "--engine", "graph"], &["--live needs --engine stream"]),
        (&[&*url, "--live", "--pairs", "all"], &["--pairs all needs --engine graph"]),
        (&[&*url, "--viewport", "0x800"], &["--viewport 0x800 is no size"]),
        (&[&*url, "--steps", "bad.steps"], &["bad.steps:2: `fly` is no step"]),
        (&[&*url, "--out", "/nonexistent/x.ilt"], &["cannot write /nonexistent/x.ilt"]),
        (&[&*url, "--out", "/dev/full"], &["No space left on device"]),
        (&[&*nobody], &["is the server running?", "interloper check recording"]),
        (&[&*url, "--load-timeout", "1"], &["within 1 s", "interloper check recording"]),
    ] {
        let (code, out, err) = run(folder.path(), args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        for part in parts {
            assert!(err.contains(part), "{args:?}: {err}");
        }
        assert!(!err.contains("panicked"), "{err}");
    }
    let device = Path::new("/dev/full").metadata().expect("it is still there");
    assert!(!device.is_file(), "a device is not replaced by a file");
    let mut without = command(folder.path(), &[&url]);
    let (code, _, err) = said(&without.env("PATH", "").output().expect("the binary runs"));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("apt-get install chromium"), "{err}");
    // What was recorded is kept and can be loaded; otherwise nothing is left behind.
    for entry in std::fs::read_dir(folder.path()).expect("there").flatten() {
        if entry.path().extension().is_some_and(|kind| kind == "ilt") {
            operations(&entry.path());
        }
    }
}

/// Starts a recording, and waits until the file is not empty.
fn recording(folder: &Path, url: &str) -> Child {
    let mut child =
        command(folder, &[url, "--time", "100", "--out", "r.ilt", "--fail-on", "never"])
            .spawn()
            .expect("the binary runs");
    let path = folder.join("r.ilt");
    for _ in 0..600 {
        if path.metadata().is_ok_and(|file| file.len() > 2000) {
            return child;
        }
        thread::sleep(Duration::from_millis(100));
    }
    child.kill().expect("it runs");
    child.wait().expect("it was killed");
    panic!("nothing was recorded");
}

fn signal(child: &Child, signal: i32) {
    let pid = child.id().to_string();
    let status = Command::new("kill").args([&format!("-{signal}"), &pid]).status();
    assert!(status.expect("kill runs").success());
}

#[test]
fn an_interrupt_ends_the_recording_with_its_report() {
    let (folder, url) = (folder(), serve(PAGE));
    let child = recording(folder.path(), &url);
    signal(&child, SIGINT);
    let (code, out, err) = said(&child.wait_with_output().expect("it ends"));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Window.total"), "{out}{err}");
    assert!(operations(&folder.path().join("r.ilt")) > 50);
}

#[test]
fn a_killed_recorder_leaves_what_it_recorded_and_no_browser() {
    let (folder, url) = (folder(), serve(PAGE));
    let mut child = recording(folder.path(), &url);
    let browsers = browsers_of(child.id());
    assert!(!browsers.is_empty());
    signal(&child, SIGKILL);
    child.wait().expect("it was killed");
    assert!(operations(&folder.path().join("r.ilt")) > 50);
    for _ in 0..200 {
        if browsers.iter().all(|pid| !is_running(pid)) {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("the browser still runs");
}

#[test]
fn a_browser_that_dies_ends_the_recording() {
    let (folder, url) = (folder(), serve(PAGE));
    let child = recording(folder.path(), &url);
    for browser in browsers_of(child.id()) {
        let _ = Command::new("kill").args(["-9", &browser]).status();
    }
    let (code, _, err) = said(&child.wait_with_output().expect("it ends"));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("closed") || err.contains("exited") || err.contains("crashed"), "{err}");
    assert!(err.contains("interloper check r.ilt"), "{err}");
    assert!(operations(&folder.path().join("r.ilt")) > 50);
}

/// Returns the processes that a process started.
fn browsers_of(parent: u32) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("Linux").flatten() {
        let Ok(status) = std::fs::read_to_string(entry.path().join("status")) else { continue };
        if status.lines().any(|line| line == format!("PPid:\t{parent}")) {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

fn is_running(pid: &str) -> bool {
    let mut status = String::new();
    let file = std::fs::File::open(format!("/proc/{pid}/status"));
    let read = file.and_then(|mut file| file.read_to_string(&mut status));
    read.is_ok() && !status.contains("State:\tZ")
}

/// A server with a self-signed certificate, which ends with the test.
struct Secure {
    server: Child,
    url: String,
}

impl Secure {
    /// Serves a page from `folder`. Returns none if there is no `openssl`.
    fn new(folder: &Path) -> Option<Secure> {
        let key = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"];
        let names = ["-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=elsewhere"];
        // starts: openssl
        let mut openssl = Command::new("openssl");
        let made = openssl.args(key).args(names).current_dir(folder).output().ok()?;
        assert!(made.status.success(), "{made:?}");
        std::fs::write(folder.join("page.html"), PAGE).expect("writable");
        let port = {
            let free = TcpListener::bind("127.0.0.1:0").expect("loopback");
            free.local_addr().expect("bound").port()
        };
        // starts: openssl
        let mut openssl = Command::new("openssl");
        let serve = ["s_server", "-quiet", "-WWW", "-key", "key.pem", "-cert", "cert.pem"];
        openssl.args(serve).arg("-accept").arg(port.to_string()).current_dir(folder);
        let server = openssl.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        for _ in 0..100 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        Some(Secure { server, url: format!("https://127.0.0.1:{port}/page.html") })
    }
}

impl Drop for Secure {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn a_certificate_that_is_not_trusted_can_be_accepted() {
    let folder = folder();
    let Some(secure) = Secure::new(folder.path()) else { return };
    let args = [&*secure.url, "--time", "0.5", "--no-check"];
    let (code, _, err) = run(folder.path(), &args);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("ERR_CERT") && err.contains("--ignore-certificate-errors"), "{err}");
    let (code, _, err) =
        run(folder.path(), &[&args[..], &["--ignore-certificate-errors"]].concat());
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_recording_ends_with_the_health_and_a_picture_of_the_page() {
    const SICK: &str = "<!doctype html><p id=ready>x</p><script>console.error('odd\\u001b[31m');\
        console.error(2); fetch('http://127.0.0.1:1/x').catch(() => {}); setTimeout(boom, 0)</script>\
        <script>}</script>";
    let (folder, url) = (folder(), serve(SICK));
    let args = [&*url, "--no-check", "--until"];
    let more = ["--screenshot", "page.png", "--viewport", "321x123"];
    let (code, _, err) = run(folder.path(), &[&args[..], &["quiet"], &more].concat());
    assert_eq!(code, 0, "{err}");
    let line = err.lines().find(|line| line.starts_with("page: ")).expect("a line");
    for part in [
        "2 console errors (first: odd",
        "1 failed request (GET /x: net::ERR_",
        "2 uncaught exceptions (first: ",
        "1 unparsable script",
    ] {
        assert!(line.contains(part), "no {part} in {line}");
    }
    assert!(!err.contains('\u{1b}'), "{err}");
    let picture = std::fs::read(folder.path().join("page.png")).expect("a picture");
    // The size is in the first chunk of a PNG.
    assert_eq!((&picture[16..20], &picture[20..24]), (&[0, 0, 1, 65][..], &[0, 0, 0, 123][..]));
    let never = ["#never", "--time", "0.5"];
    let (code, _, err) = run(folder.path(), &[&args[..], &never].concat());
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("--until #never: the page did not show such an element within 0.5 s"),
        "{err}"
    );
    let (code, _, err) = run(folder.path(), &[&args[..], &["p["]].concat());
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--until p[: this is no CSS selector"), "{err}");
    let (code, _, err) = run(
        folder.path(),
        &[&*url, "--no-check", "--time", "0", "--screenshot", "/nonexistent/x.png"],
    );
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--screenshot /nonexistent/x.png"), "{err}");
}
