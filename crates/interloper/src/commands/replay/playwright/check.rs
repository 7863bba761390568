//! Runs a test in the user's own installation of Playwright, with the browser that recorded the page.

use std::fs;
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use replay::Secrets;
use report::name::printable_message;
use serde_json::{Value, json};
use url::Url;

use super::{Emission, Language};
use crate::signals::{Guard, guarded};

/// The answers of a recording in place of a server's.
const HERMETIC: &str = include_str!("hermetic.mjs");
/// The longest time that one run of a test takes.
const LONGEST: Duration = Duration::from_secs(150);
/// How long a test itself may take, in milliseconds.
const TIMEOUT: u32 = 90_000;
/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(50);

/// A project that has Playwright.
pub(super) struct Project {
    /// The folder that has `node_modules`.
    root: PathBuf,
}

impl Project {
    /// Finds the nearest project with Playwright above a file, or above the working folder.
    pub(super) fn find(file: &Path) -> Option<Project> {
        let here = std::env::current_dir().ok()?;
        let folder = here.join(file.parent().unwrap_or(Path::new(".")));
        let folder = folder.canonicalize().unwrap_or(folder);
        let has = |folder: &&Path| folder.join("node_modules/@playwright/test/cli.js").is_file();
        let root = folder.ancestors().find(has).or_else(|| here.ancestors().find(has))?;
        Some(Project { root: root.to_owned() })
    }
}

/// A folder in the project in which tests are run. It is removed in the end.
pub(super) struct Bench {
    folder: PathBuf,
    cli: PathBuf,
    language: Language,
    /// Whether the pages get the answers of the recording.
    pub(super) is_hermetic: bool,
    secrets: Secrets,
    stop: Arc<AtomicBool>,
    _guard: Guard,
}

/// What a run of a test showed.
pub(super) struct Outcome {
    pub(super) is_passed: bool,
    /// The lines at which the test failed, from 1.
    pub(super) lines: Vec<usize>,
    /// The first message.
    pub(super) message: String,
}

impl Bench {
    pub(super) fn new(
        project: &Project,
        emission: &Emission<'_>,
        language: Language,
    ) -> Result<Bench> {
        let Emission { session, browser, stop, secrets, .. } = *emission;
        let root = &project.root;
        let cannot = || format!("cannot write to {}", root.display());
        let make = || {
            let made = tempfile::Builder::new().prefix(".interloper-").tempdir_in(root)?;
            let folder = made.keep();
            let gone = folder.clone();
            Ok((folder, Box::new(move || drop(fs::remove_dir_all(gone))) as Box<_>))
        };
        let (folder, guard) = guarded(make).with_context(cannot)?;
        let bench = Bench {
            cli: root.join("node_modules/@playwright/test/cli.js"),
            language,
            is_hermetic: !is_reachable(&session.url),
            secrets: secrets.clone(),
            stop: Arc::clone(stop),
            _guard: guard,
            folder,
        };
        let config = json!({
            "testDir": bench.folder, "testMatch": "race.spec.*", "outputDir": bench.folder.join("results"),
            "timeout": TIMEOUT, "workers": 1, "retries": 0,
            "use": { "headless": true, "launchOptions": { "executablePath": browser } },
        });
        let write =
            |name: &str, text: &[u8]| fs::write(bench.folder.join(name), text).with_context(cannot);
        write("config.mjs", format!("export default {config};\n").as_bytes())?;
        if bench.is_hermetic {
            write(&format!("hermetic.{}", language.ending()), HERMETIC.as_bytes())?;
            write("session.json", &session.write())?;
        }
        Ok(bench)
    }

    /// Runs a test with the hold or without it.
    pub(super) fn run(&self, text: &str, holds: bool) -> Result<Outcome> {
        let name = self.folder.join(format!("race.spec.{}", self.language.ending()));
        let text = if self.is_hermetic {
            let own = format!("from './hermetic.{}'", self.language.imported());
            text.replacen("from '@playwright/test'", &own, 1)
        } else {
            text.to_owned()
        };
        fs::write(&name, text).with_context(|| format!("cannot write {}", name.display()))?;
        let (found, said) = (self.folder.join("found.json"), self.folder.join("said.txt"));
        let _ = fs::remove_file(&found);
        let output = fs::File::create(&said).context("cannot write the output of Playwright")?;
        // starts: node
        let mut child = Command::new("node")
            .arg(&self.cli)
            .args(["test", "--reporter=json", "--config"])
            .arg(self.folder.join("config.mjs"))
            .current_dir(&self.folder)
            .env("PLAYWRIGHT_JSON_OUTPUT_NAME", &found)
            .env("INTERLOPER_SESSION", self.folder.join("session.json"))
            .envs(self.secrets.iter().map(|(name, value)| (variable(name), value)))
            .env("HOLD", if holds { "1" } else { "0" })
            .env("FORCE_COLOR", "0")
            .stdin(Stdio::null())
            .stdout(output.try_clone().context("cannot write the output of Playwright")?)
            .stderr(output)
            .spawn()
            .context("cannot start node, which runs Playwright")?;
        let until = Instant::now() + LONGEST;
        let is_over = loop {
            if child.try_wait().context("cannot wait for Playwright")?.is_some() {
                break true;
            }
            if Instant::now() >= until || self.stop.load(Ordering::Relaxed) {
                break false;
            }
            std::thread::sleep(LOOK);
        };
        if !is_over {
            let _ = child.kill();
            let _ = child.wait();
            bail!("Playwright did not end within {} s", LONGEST.as_secs());
        }
        let text = fs::read(&found).unwrap_or_default();
        let report: Value = serde_json::from_slice(&text).map_err(|_| {
            let said = fs::read_to_string(&said).unwrap_or_default();
            anyhow!("Playwright could not run the test: {}", printable_message(said.trim()))
        })?;
        outcome(&report)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // What cannot be removed now is a temporary folder whose name says whose it is.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The environment variable that contains a secret.
pub(super) fn variable(name: &str) -> String {
    format!("INTERLOPER_SECRET_{}", name.to_ascii_uppercase())
}

/// Collects the results of the tests in a part of Playwright's report.
fn collect<'r>(suite: &'r Value, results: &mut Vec<&'r Value>) {
    let list = |value: &'r Value| value.as_array().into_iter().flatten();
    for spec in list(&suite["specs"]) {
        for test in list(&spec["tests"]) {
            results.extend(list(&test["results"]));
        }
    }
    for suite in list(&suite["suites"]) {
        collect(suite, results);
    }
}

/// Reads the report of Playwright on one test.
fn outcome(report: &Value) -> Result<Outcome> {
    let message = |error: &Value| {
        let text = error["message"].as_str().unwrap_or_default();
        printable_message(&uncoloured(text.lines().next().unwrap_or_default()))
    };
    let mut results = Vec::new();
    collect(report, &mut results);
    let Some(result) = results.first() else {
        let why = report["errors"].get(0).map(message).unwrap_or_default();
        bail!("Playwright could not run the test: {why}");
    };
    let errors = result["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |error: &Value| error["location"]["line"].as_u64().map(|line| line as usize);
    Ok(Outcome {
        is_passed: result["status"] == "passed",
        lines: errors.iter().filter_map(line).collect(),
        message: errors.first().map(message).unwrap_or_default(),
    })
}

/// A line without the sequences that colour it.
fn uncoloured(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    out
}

/// Whether something answers at the address of a page.
fn is_reachable(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return false;
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let places = (host, port).to_socket_addrs().into_iter().flatten();
    places.take(3).any(|place| TcpStream::connect_timeout(&place, CONNECT).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_where_a_test_failed() {
        let error = |line: u32| json!({ "message": "Error: \u{1b}[31mno\u{1b}[39m\nmore", "location": { "line": line } });
        let result = json!({ "status": "failed", "errors": [error(7), error(9)] });
        let report = json!({ "suites": [{ "suites": [{ "specs": [{ "tests": [{ "results": [result] }] }] }] }] });
        let found = outcome(&report).expect("a result");
        assert_eq!((found.is_passed, found.lines), (false, vec![7, 9]));
        assert_eq!(found.message, "Error: no");
        let nothing = json!({ "suites": [], "errors": [{ "message": "SyntaxError: x" }] });
        let error = outcome(&nothing).err().expect("nothing ran");
        assert!(error.to_string().contains("SyntaxError: x"), "{error}");
    }
}
