//! The browser's process.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use crate::{Client, Error, Event};

/// How much of what the browser prints is kept.
const KEPT: usize = 2000;
/// How long a browser that was asked to close may take.
const CLOSING: Duration = Duration::from_secs(3);
/// How long the first answer may take: a cold start on a busy machine.
const STARTING: Duration = Duration::from_secs(60);

/// Connects the pipes of standard input and output to the descriptors that
/// `--remote-debugging-pipe` reads and writes, then becomes the browser.
const SHELL: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// What the browser does without being asked: nothing that leaves the machine.
const FLAGS: [&str; 20] = [
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
    // RenderDocument gives every document a frame of its own, and what one says while it is left
    // comes from a frame that is no longer listened to.
    "--disable-features=Translate,MediaRouter,OptimizationHints,AcceptCHFrame,\
     Prerender2,BackForwardCache,RenderDocument",
];

/// How to start a browser.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The program; otherwise [`crate::find`] looks for it.
    pub path: Option<PathBuf>,
    /// With a window.
    pub headed: bool,
}

/// What the folders of profiles are called, before the number of their process.
const PROFILE: &str = "interloper-browser-";

/// A running browser.
pub struct Browser {
    child: Child,
    client: Client,
    profile: Option<TempDir>,
}

impl Browser {
    /// Starts a browser and waits until it answers.
    pub fn launch(options: &Options) -> Result<(Browser, Receiver<Event>), Error> {
        let path = crate::find(options.path.as_deref())?;
        let fail = |why: String| Error::Start { path: path.clone(), why };
        let place = std::env::temp_dir();
        remove_abandoned(&place);
        let profile = tempfile::Builder::new()
            .prefix(&format!("{PROFILE}{}-", std::process::id()))
            .tempdir_in(&place)
            .map_err(|error| fail(format!("no place for its profile: {error}")))?;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SHELL]).arg(&path).args(FLAGS);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        if !options.headed {
            command.args(["--headless", "--disable-gpu", "--hide-scrollbars", "--mute-audio"]);
        }
        if is_root() {
            command.arg("--no-sandbox");
        }
        command.arg("about:blank").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| fail(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            unreachable!("all three are piped")
        };
        let (client, events) = Client::new(input, output, keep_last(errors));
        let browser = Browser { child, client, profile: Some(profile) };
        browser
            .client
            .call_within(None, "Browser.getVersion", json!({}), STARTING)
            .map_err(|error| fail(error.to_string()))?;
        Ok((browser, events))
    }

    /// The handle to call methods.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Asks the browser to close, and waits for it.
    pub fn close(self) {
        let _ = self.client.send(None, "Browser.close", json!({}));
    }

    /// Waits for the process to end; whether it did.
    fn ends_within(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            thread::sleep(Duration::from_millis(10));
        }
        false
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.client.send(None, "Browser.close", json!({}));
        if !self.ends_within(CLOSING) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        // Its other processes end when they notice; until then they may still write.
        if let Some(profile) = self.profile.take() {
            let path = profile.keep();
            for _ in 0..40 {
                if std::fs::remove_dir_all(&path).is_ok() || !path.exists() {
                    break;
                }
                thread::sleep(Duration::from_millis(25));
            }
        }
    }
}

/// Removes the profiles of recorders that were killed: a profile is called after the process that
/// made it. What cannot be removed stays.
fn remove_abandoned(place: &Path) {
    let Ok(own) = std::fs::metadata("/proc/self") else { return };
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(PROFILE));
        let maker = rest.and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
        let Some(maker) = maker else { continue };
        let is_own = entry.metadata().is_ok_and(|it| it.is_dir() && it.uid() == own.uid());
        if is_own && !Path::new(&format!("/proc/{maker}")).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Chromium refuses to run its sandbox as root.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|this| this.uid() == 0)
}

/// Keeps the last of what the browser prints, for the message when it exits.
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
    fn only_profiles_of_processes_that_are_gone_are_removed() {
        let place = tempfile::tempdir().expect("a place for files");
        let mut gone = Command::new("/bin/true").spawn().expect("it runs");
        gone.wait().expect("it ends");
        let abandoned = format!("{PROFILE}{}-a", gone.id());
        let kept = [
            format!("{PROFILE}{}-b", std::process::id()),
            format!("{PROFILE}x-c"),
            format!("{PROFILE}{}", gone.id()),
            format!("other-{}-d", gone.id()),
        ];
        for name in kept.iter().chain([&abandoned]) {
            std::fs::create_dir_all(place.path().join(name).join("Default")).expect("writable");
        }
        remove_abandoned(place.path());
        assert!(!place.path().join(abandoned).exists());
        for name in kept {
            assert!(place.path().join(&name).exists(), "{name}");
        }
    }
}
