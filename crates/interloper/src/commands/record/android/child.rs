//! Runs the command, and passes its output on without the line that every Java virtual machine
//! prints about [`OPTIONS`].

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use super::agent::OPTIONS;
use crate::signals::Stop;

/// How long the command may go on after a signal. A terminal sends the signal to the command too.
const ENDING: Duration = Duration::from_secs(10);
const MOMENT: Duration = Duration::from_millis(20);

/// Runs the command to its end, and returns its exit status.
pub(super) fn run(words: &[OsString], variables: &[(&str, OsString)]) -> Result<ExitCode> {
    let (program, arguments) = words.split_first().context("the command is missing after --")?;
    let stop = Stop::new().context("cannot wait for signals")?;
    // starts: own
    let mut child = Command::new(program)
        .args(arguments)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| anyhow!("cannot start {}: {error}", program.display()))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let out = thread::spawn(move || out.map(|from| pass_on(from, io::stdout())));
    let err = thread::spawn(move || err.map(|from| pass_on(from, io::stderr())));
    let mut stopped: Option<Instant> = None;
    let status = loop {
        if let Some(status) = child.try_wait().context("cannot wait for the command")? {
            break status;
        }
        if stop.flag().load(Ordering::Relaxed) && stopped.is_none() {
            stopped = Some(Instant::now());
        }
        if stopped.is_some_and(|since| since.elapsed() > ENDING) {
            // The command may have ended meanwhile.
            let _ = child.kill();
        }
        thread::sleep(MOMENT);
    };
    // A process that the command left behind may keep the pipes open; it is not waited for after a
    // signal.
    if stopped.is_none() {
        let _ = (out.join(), err.join());
    }
    Ok(code(status))
}

/// Returns the exit status as shells show it.
fn code(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let number = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(u8::try_from(number & 0xff).unwrap_or(u8::MAX))
}

/// Copies everything except lines that state which options a virtual machine has picked up.
fn pass_on(mut from: impl Read, mut to: impl Write) {
    let mut filter = Filter::default();
    let mut buffer = [0; 1 << 13];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        // If nobody reads any more, the command must still be able to write.
        let _ = to.write_all(&filter.pass(&buffer[..count])).and_then(|()| to.flush());
    }
    let _ = to.write_all(&filter.rest()).and_then(|()| to.flush());
}

/// Leaves out lines that contain `Picked up JAVA_TOOL_OPTIONS: ` and the name of the agent.
#[derive(Default)]
struct Filter {
    /// The part of a line that may still turn out to be such a line.
    held: Vec<u8>,
}

impl Filter {
    /// Returns what is certain to be passed on after some more bytes.
    fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.held.len() + bytes.len());
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.held.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.held);
                if !is_notice(&line) {
                    out.extend_from_slice(&line);
                }
            }
        }
        if !may_become_notice(&self.held) {
            out.append(&mut self.held);
        }
        out
    }

    fn rest(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.held);
        if is_notice(&line) { Vec::new() } else { line }
    }
}

fn notice() -> String {
    format!("Picked up {OPTIONS}: ")
}

fn is_notice(line: &[u8]) -> bool {
    let has = |text: &[u8]| line.windows(text.len()).any(|at| at == text);
    has(notice().as_bytes()) && has(b"interloper-android")
}

/// Returns whether a line without its end contains the notice, or ends in a beginning of it.
fn may_become_notice(line: &[u8]) -> bool {
    let notice = notice().into_bytes();
    line.windows(notice.len()).any(|at| at == notice)
        || (1..notice.len()).any(|length| line.ends_with(&notice[..length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTICE: &str = "Picked up JAVA_TOOL_OPTIONS: \"-javaagent:/a/interloper-android.jar\"\n";

    fn passed(text: &str, size: usize) -> String {
        let mut filter = Filter::default();
        let mut out = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            out.extend(filter.pass(piece));
        }
        out.extend(filter.rest());
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn only_the_notice_is_left_out_however_the_bytes_arrive() {
        let own = "Picked up JAVA_TOOL_OPTIONS: -Xmx1g\n";
        let text = format!("one\n{NOTICE}two\n\n{NOTICE}{own}Picked up a");
        for size in 1..=text.len() {
            assert_eq!(passed(&text, size), format!("one\ntwo\n\n{own}Picked up a"), "{size}");
        }
    }

    #[test]
    fn a_notice_that_a_build_tool_passes_on_is_left_out_with_its_prefix() {
        let text = format!("one\n[ERROR] {NOTICE}two\n");
        assert_eq!(passed(&text, text.len()), "one\ntwo\n");
    }

    #[test]
    fn a_prompt_is_passed_on_before_its_line_ends() {
        let mut filter = Filter::default();
        assert_eq!(filter.pass(b"Password: "), b"Password: ");
        assert_eq!(filter.pass(b"Picked"), b"");
        assert_eq!(filter.pass(b" apples\n"), b"Picked apples\n");
    }
}
