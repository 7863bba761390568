//! What an app can reach: a confined process has a file system of its own with nothing in it but the
//! Java runtime, the jars and the app, all read-only, and an empty scratch space; no network; and
//! only its own processes (docs/security.md).
//!
//! Namespaces of Linux do this without privileges, by the programs of util-linux. `confine.sh` builds
//! the file system.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::java::Java;

const SCRIPT: &str = include_str!("confine.sh");

/// What every Java process needs of the system. Paths that a machine does not have are left out.
const SYSTEM: [&str; 10] = [
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/ssl/certs/java",
    "/nix/store",
    "/gnu/store",
];

/// A Java program to run: what it reads and writes, and its arguments.
#[derive(Default)]
pub(super) struct Program {
    pub(super) reads: Vec<PathBuf>,
    pub(super) writes: Vec<PathBuf>,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(&'static str, OsString)>,
}

/// How programs are confined.
pub(super) struct Confinement {
    /// The mount point of the programs' root, or the scratch folder of programs that are not
    /// confined.
    folder: TempDir,
    is_confined: bool,
}

impl Confinement {
    /// Tries it out. Fails if the machine does not allow it.
    pub(super) fn new(unconfined: bool, java: &Java) -> Result<Confinement> {
        let folder = tempfile::Builder::new()
            .prefix("interloper-")
            .tempdir()
            .context("cannot make a scratch folder")?;
        let confinement = Confinement { folder, is_confined: !unconfined };
        if confinement.is_confined {
            let program = Program { arguments: vec!["-version".into()], ..Program::default() };
            let tried = confinement.command(java, &program).output();
            let why = match tried {
                Ok(output) if output.status.success() => return Ok(confinement),
                Ok(output) => String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; "),
                Err(error) => error.to_string(),
            };
            bail!(
                "the app cannot be confined on this machine: {}\nThis needs Linux with unprivileged \
                 user namespaces and util-linux (unshare, setpriv, mount). An app runs with your \
                 rights otherwise: if you trust it, use --unconfined (docs/security.md)",
                report::name::printable_message(&why)
            );
        }
        Ok(confinement)
    }

    /// Returns the folder in which a program can make files that nobody keeps.
    pub(super) fn scratch(&self) -> PathBuf {
        if self.is_confined { PathBuf::from("/tmp") } else { self.folder.path().to_owned() }
    }

    /// Returns the command that runs a Java program. The program ends when this process does, even
    /// if a signal kills it.
    pub(super) fn command(&self, java: &Java, program: &Program) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]);
        if self.is_confined {
            command
                .args(["unshare", "--user", "--map-root-user", "--net", "--pid", "--ipc", "--uts"])
                .args(["--mount", "--fork", "--kill-child=KILL", "sh", "-c", SCRIPT, "confine"])
                .arg(self.folder.path());
            for path in readable(java).iter().chain(&program.reads) {
                command.arg("r").arg(path);
            }
            for path in &program.writes {
                command.arg("w").arg(path);
            }
            let spawner = java.home.join("lib/jspawnhelper");
            if spawner.is_file() {
                command.arg("x").arg(spawner);
            }
            command.arg("--").env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        }
        let home = if self.is_confined { Path::new("/home") } else { self.folder.path() };
        command
            .arg(java.home.join("bin/java"))
            .arg(option("-Djava.io.tmpdir=", &self.scratch()))
            .arg(option("-Duser.home=", home))
            .args(&program.arguments)
            .env_remove("JAVA_TOOL_OPTIONS")
            .env("HOME", home)
            .env("LC_ALL", "C.UTF-8")
            .envs(program.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// Returns what a Java process reads of the system: its libraries and the folders of the runtime,
/// some of which are links to elsewhere.
fn readable(java: &Java) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).filter(|p| p.exists()).collect();
    let mut add = |path: PathBuf| {
        if !paths.iter().any(|known| path.starts_with(known)) {
            paths.push(path);
        }
    };
    add(java.home.clone());
    for folder in ["conf", "lib", "lib/security"] {
        for entry in fs::read_dir(java.home.join(folder)).into_iter().flatten().flatten() {
            if let Ok(target) = fs::canonicalize(entry.path()) {
                let folder = if target.is_dir() { target } else { target.with_file_name("") };
                add(folder);
            }
        }
    }
    paths
}
