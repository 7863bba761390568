//! Runs the binary, signals it, and checks what is left.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGSTOP, SIGTERM};

/// The content of the earlier file.
pub(crate) const OLD: &str = "what was there before\n";
/// The mode of the earlier file, which is no default.
pub(crate) const MODE: u32 = 0o640;

/// The number of moments that are tried for each command and signal.
pub(crate) fn moments(usual: usize) -> usize {
    let asked = std::env::var("INTERLOPER_FAULT_MOMENTS").ok();
    asked.map_or(usual, |asked| asked.parse().expect("INTERLOPER_FAULT_MOMENTS is a number"))
}

/// Random numbers, which are the same for the same seed and purpose.
pub(crate) fn random(purpose: &str) -> fastrand::Rng {
    let asked = std::env::var("INTERLOPER_FAULT_SEED").ok();
    let seed = asked.map_or(1, |asked| asked.parse().expect("INTERLOPER_FAULT_SEED is a number"));
    let mixed = purpose.bytes().fold(seed, |mixed: u64, byte| {
        mixed.wrapping_mul(0x0100_0000_01b3).wrapping_add(u64::from(byte))
    });
    fastrand::Rng::with_seed(mixed)
}

pub(crate) fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a place for files")
}

/// Writes a file that must not be lost.
pub(crate) fn put(path: &Path) {
    fs::write(path, OLD).expect("writable");
    fs::set_permissions(path, fs::Permissions::from_mode(MODE)).expect("ours");
}

/// Returns whether a file is as [`put`] left it.
pub(crate) fn is_old(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes == OLD.as_bytes())
        && fs::metadata(path).is_ok_and(|it| it.permissions().mode() & 0o7777 == MODE)
}

/// Returns the names in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn said(output: &Output) -> String {
    format!("{:?}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}

pub(crate) fn signal(child: &Child, signal: i32) {
    signal_process(child.id(), signal);
}

pub(crate) fn signal_process(process: u32, signal: i32) {
    let arguments = [format!("-{signal}"), process.to_string()];
    // The process may have ended by itself.
    let _ = Command::new("kill").args(arguments).stderr(Stdio::null()).status();
}

/// Waits for a process, but not for ever.
pub(crate) fn wait(mut child: Child, longest: Duration) -> ExitStatus {
    let until = Instant::now() + longest;
    while Instant::now() < until {
        if let Some(status) = child.try_wait().expect("ours") {
            return status;
        }
        thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let output = child.wait_with_output().expect("ours");
    panic!("it did not end within {longest:?}: {}", said(&output));
}

/// A file that all tests of this process read.
fn shared(name: &str, make: impl FnOnce(&Path)) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{name}"));
    // Other processes may run the same tests: each creates its own file, and one of them is kept.
    let own = path.with_extension(format!("{}.new", std::process::id()));
    make(&own);
    fs::rename(own, &path).expect("writable");
    path
}

/// A trace of 700,000 operations, some 20 MB as text, with 42 races.
pub(crate) fn long_trace() -> &'static str {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    let path = TRACE.get_or_init(|| {
        shared("long.ilt", |path| {
            let synth = ["synth", "eventracer-web/max", "--scale", "0.05", "--out"];
            let output = binary().args(synth).arg(path).output().expect("the binary runs");
            assert!(output.status.success(), "{}", said(&output));
            let answers = format!("{}.answers.json", path.display());
            fs::remove_file(answers).expect("written beside it");
        })
    });
    path.to_str().expect("UTF-8")
}

/// A trace with 30,000 races, whose report takes time to write.
pub(crate) fn racy_trace() -> &'static str {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    let path = TRACE.get_or_init(|| {
        shared("racy.trace", |path| {
            fs::write(path, testkit::many_races::trace(30_000)).expect("writable");
        })
    });
    path.to_str().expect("UTF-8")
}

/// Returns the processes whose arguments or environment name a path.
pub(crate) fn processes_of(path: &Path) -> BTreeMap<u32, String> {
    let wanted = path.to_str().expect("UTF-8");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir("/proc").expect("Linux").flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let arguments = text(&fs::read(entry.path().join("cmdline")).unwrap_or_default());
        let environment = text(&fs::read(entry.path().join("environ")).unwrap_or_default());
        if arguments.contains(wanted) || environment.contains(wanted) {
            found.insert(process, arguments.replace('\0', " "));
        }
    }
    found
}

/// A page on loopback.
pub(crate) struct Site {
    pub(crate) url: String,
    marks: Arc<AtomicUsize>,
}

impl Site {
    /// The number of requests for `/mark`, by which the page reports that it is about to hang.
    pub(crate) fn marks(&self) -> usize {
        self.marks.load(Ordering::SeqCst)
    }
}

/// Serves `/` and `/mark` with a page; anything else is never answered.
pub(crate) fn serve(page: &'static str) -> Site {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let url = format!("http://{}/", listener.local_addr().expect("bound"));
    let marks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&marks);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let marks = Arc::clone(&counted);
            thread::spawn(move || drop(answer(stream, page, &marks)));
        }
    });
    Site { url, marks }
}

fn answer(mut stream: TcpStream, page: &str, marks: &AtomicUsize) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    if first.starts_with("GET /mark ") {
        marks.fetch_add(1, Ordering::SeqCst);
    } else if !first.starts_with("GET / ") {
        thread::sleep(Duration::from_secs(600));
    }
    let length = page.len();
    let header = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close";
    write!(stream, "{header}\r\nContent-Length: {length}\r\n\r\n{page}")
}
