//! The browser's process, and the folder that only this process uses.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, geteuid, kill_process, kill_process_group};
use serde_json::json;

use crate::{Client, Error, Event};

/// How many bytes of the browser's output are kept.
const KEPT: usize = 2000;
/// How long the first answer may take, after a cold start on a busy machine.
const STARTING: Duration = Duration::from_secs(60);

/// Connects the pipes of standard input and output to the descriptors that
/// `--remote-debugging-pipe` reads and writes, then becomes the browser.
pub(crate) const SHELL: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// The flags that keep the browser from acting by itself, such as sending data from the machine.
const FLAGS: [&str; 19] = [
    "--remote-debugging-pipe=cbor",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-quic",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-search-engine-choice-screen",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-prompt-on-repost",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// Settings of the JavaScript engine. Rewritten code calls small functions at every access, and is
/// fast only if the engine inlines them all. By default it stops after some twenty in a function,
/// and treats a place that has seen more than four kinds of objects as if it had seen all of them.
pub(crate) const ENGINE: &str = "--js-flags=--max-inlined-bytecode-size-cumulative=20000 \
                      --max-inlined-bytecode-size-absolute=60000 \
                      --max-inlined-bytecode-size-small=90 \
                      --max-maglev-inlined-bytecode-size-cumulative=5000 \
                      --max-maglev-inlined-bytecode-size-small=90 \
                      --max-maglev-inlined-bytecode-size-small-total=10000 \
                      --max-valid-polymorphic-map-count=8";

/// Features that are switched off in every browser.
const DISABLED: &str = "Translate,MediaRouter,OptimizationHints,AcceptCHFrame,Prerender2,\
                        BackForwardCache";

/// The feature that gives every document a frame of its own. It is switched off: what a document sends
/// while the page leaves it would come from a frame that nobody listens to any more.
pub(crate) const OWN_FRAMES: &str = "RenderDocument";

/// Chromium's checks of who may reach addresses of the local network. A document that a recorder
/// answers has no address of its own, so these checks take it for a public page.
pub(crate) const LOCAL_NETWORK_CHECKS: &str = "LocalNetworkAccessChecks,LocalNetworkAccessChecksWebRTC,LocalNetworkAccessChecksWebSockets,\
     LocalNetworkAccessChecksWebTransport,LocalNetworkAccessForFencedFrameNavigations,\
     LocalNetworkAccessForNavigations,LocalNetworkAccessForSubframeNavigations,\
     LocalNetworkAccessForWorkers";

/// Options for starting a browser.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The program. If it is none, [`crate::find`] looks for one.
    pub path: Option<PathBuf>,
    /// Whether the browser has a window.
    pub headed: bool,
    /// What pages can reach.
    pub network: Network,
    /// Whether the browser accepts certificates that are not valid.
    pub ignore_certificate_errors: bool,
    /// The text by which the browser identifies itself to servers and pages.
    pub user_agent: Option<String>,
}

/// What pages can reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// No loopback and no other local address, except from a page that comes from such an address.
    #[default]
    Public,
    /// Every address, as a page that comes from a local address may.
    Local,
    /// No server at all: the browser reaches servers only through a proxy that does not exist. What the
    /// browser's client answers itself, it may answer for every address.
    Nothing,
}

/// The prefix of the names of browsers' folders. The number of the process that made the folder
/// follows it.
const FOLDER: &str = "interloper-browser-";
/// The longest path of a folder below which the browser can have its temporary files: the sockets
/// among them have names, and a socket's path has some hundred bytes.
const LONGEST_FOLDER: usize = 54;
/// Where the folder for temporary files is if the path of the profile is too long for that.
const SHORT: &str = "/tmp";
/// How often making a folder is tried. Between its creation and its locking, another process may
/// take it for abandoned and remove it.
const TRIES: usize = 10;

/// A running browser.
pub struct Browser {
    child: Child,
    client: Client,
    /// Removed when the process has ended.
    folder: Folder,
    /// The folder for temporary files, if the path of the other one is too long.
    _short: Option<Folder>,
}

impl Browser {
    /// Starts a browser and waits until it answers. Returns [`Error::Stopped`] if `stop` is set
    /// meanwhile.
    pub fn launch(
        options: &Options,
        stop: &AtomicBool,
    ) -> Result<(Browser, Receiver<Event>), Error> {
        let path = crate::find(options.path.as_deref())?;
        let fail = |why: String| Error::Start { path: path.clone(), why };
        let place = std::env::temp_dir();
        remove_abandoned(&place);
        let folder = Folder::new(&place)
            .map_err(|error| fail(format!("cannot make a folder for its profile: {error}")))?;
        let short = folder.is_too_long().then(|| Folder::new(Path::new(SHORT)).ok()).flatten();
        let mut command = command(&path, &folder, short.as_ref(), options);
        let mut child = command.spawn().map_err(|error| fail(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            unreachable!("all three are piped")
        };
        let (client, events) = Client::new(input, output, keep_last(errors));
        let browser = Browser { child, client, folder, _short: short };
        let is_over = || stop.load(Ordering::Relaxed);
        let version = "Browser.getVersion";
        match browser.client.call_unless(None, version, json!({}), STARTING, is_over) {
            Ok(_) => Ok((browser, events)),
            Err(Error::Stopped) => Err(Error::Stopped),
            Err(error) => Err(fail(error.to_string())),
        }
    }

    /// The handle to call methods.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The folder of the browser's profile and files, which is removed with the browser.
    pub fn folder(&self) -> &Path {
        &self.folder.path
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser that closes by itself first ends its sessions, and then passes requests on to their
        // servers that the sessions have paused. So its processes are ended, all at once.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
        end_others(&self.folder.path);
    }
}

/// Ends the processes that know the folder of a browser. Some of a browser's processes are not in its group,
/// such as its crash handler, and one that is busy may not notice that the others are gone.
fn end_others(folder: &Path) {
    let needle = folder.as_os_str().as_bytes();
    let knows = |file: PathBuf| {
        fs::read(file).is_ok_and(|text| text.windows(needle.len()).any(|part| part == needle))
    };
    // Only Linux has this folder.
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(process) = number.and_then(Pid::from_raw) else { continue };
        let own = Pid::from_raw(std::process::id().cast_signed());
        if Some(process) != own
            && ["cmdline", "environ"].iter().any(|file| knows(entry.path().join(file)))
        {
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

/// Asks a process to end, as a terminal's user or a supervisor does.
pub fn terminate(child: &Child) {
    // The call fails if the process has ended.
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
}

fn command(path: &Path, folder: &Folder, short: Option<&Folder>, options: &Options) -> Command {
    // starts: chromium
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SHELL]).arg(path).args(FLAGS).arg(ENGINE);
    let checks = if options.network == Network::Public { "" } else { LOCAL_NETWORK_CHECKS };
    command.arg(format!("--disable-features={DISABLED},{OWN_FRAMES},{checks}"));
    command.arg(format!("--user-data-dir={}", folder.path.join("profile").display()));
    // Otherwise crash reports would go to the profile of the user's own browser.
    command.env("BREAKPAD_DUMP_LOCATION", folder.path.join("crashes"));
    command.env("TMPDIR", &short.unwrap_or(folder).path);
    if !options.headed {
        command.args(["--headless", "--disable-gpu", "--hide-scrollbars", "--mute-audio"]);
    }
    if options.ignore_certificate_errors {
        command.arg("--ignore-certificate-errors");
    }
    if options.network == Network::Nothing {
        command.args(["--proxy-server=http://127.0.0.1:1", "--proxy-bypass-list=<-loopback>"]);
    }
    if let Some(user_agent) = &options.user_agent {
        command.arg(format!("--user-agent={user_agent}"));
    }
    if !has_sandbox() {
        command.arg("--no-sandbox");
    }
    command.arg("about:blank").process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Whether the browser confines pages in its sandbox. Chromium refuses to do that as root.
pub fn has_sandbox() -> bool {
    !geteuid().is_root()
}

/// A folder for a profile and temporary files. Its lock shows that the process that made it runs.
struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Whether the browser cannot have sockets below the folder.
    fn is_too_long(&self) -> bool {
        self.path.as_os_str().len() > LONGEST_FOLDER
    }

    fn new(place: &Path) -> io::Result<Folder> {
        let prefix = format!("{FOLDER}{}-", std::process::id());
        for _ in 0..TRIES {
            let path = tempfile::Builder::new().prefix(&prefix).tempdir_in(place)?.keep();
            match File::open(&path) {
                Ok(lock) => {
                    // On a file system without locks, no process takes the folder for abandoned.
                    let is_ours = !matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
                    if is_ours && path.exists() {
                        return Ok(Folder { path, _lock: lock });
                    }
                    // Another process is removing the folder, or has removed it.
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("another process removes it as soon as it is made"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The crash handler is not in the browser's process group, and ends a moment later.
        let mut gone = 0;
        for _ in 0..200 {
            let _ = fs::remove_dir_all(&self.path);
            gone = if self.path.exists() { 0 } else { gone + 1 };
            if gone == 2 {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Removes the folders of killed processes, whose locks are free. A folder that cannot be removed
/// stays.
fn remove_abandoned(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(FOLDER));
        let maker = rest.and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
        let is_own = entry.metadata().is_ok_and(|it| it.is_dir() && it.uid() == geteuid().as_raw());
        if maker.is_none() || !is_own {
            continue;
        }
        if File::open(entry.path()).is_ok_and(|folder| folder.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Keeps the last output of the browser, for the message when it exits.
fn keep_last(errors: ChildStderr) -> Arc<Mutex<String>> {
    let said = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&said);
    thread::spawn(move || {
        let mut lines = BufReader::new(errors);
        let mut line = Vec::new();
        while matches!(lines.read_until(b'\n', &mut line), Ok(1..)) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push_str(&String::from_utf8_lossy(&line));
            let surplus = kept.len().saturating_sub(KEPT);
            if surplus > 0 {
                let cut = (surplus..=kept.len()).find(|&at| kept.is_char_boundary(at));
                kept.drain(..cut.unwrap_or(surplus));
            }
            line.clear();
        }
    });
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_processes_that_are_gone_are_removed() {
        let place = tempfile::tempdir().expect("a place for files");
        let used = Folder::new(place.path()).expect("writable");
        let abandoned = place.path().join(format!("{FOLDER}1-a"));
        let others = [format!("{FOLDER}x-c"), format!("{FOLDER}1"), "other-1-d".to_string()];
        let others = others.map(|name| place.path().join(name));
        for folder in others.iter().chain([&abandoned]) {
            fs::create_dir_all(folder.join("Default")).expect("writable");
        }
        remove_abandoned(place.path());
        assert!(!abandoned.exists());
        for kept in others.iter().chain([&used.path]) {
            assert!(kept.exists(), "{}", kept.display());
        }
        let path = used.path.clone();
        drop(used);
        assert!(!path.exists());
    }
}
