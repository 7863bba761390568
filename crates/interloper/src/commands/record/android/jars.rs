//! Robolectric, the Android framework and the converter of dex code: fetched once by the user's own
//! Maven, whose settings apply, into a cache. Afterwards no network is needed.
//!
//! `recorder/android/jars/checksums` lists every file with its SHA-256 and size. A folder is used only
//! if it has all of them: sizes are compared each time, checksums when the files arrive.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use report::name::printable_message;

use super::agent::Module;
use super::java::Java;
use crate::output;
use crate::progress::Progress;

const POM: &str = include_str!("../../../../../../recorder/android/jars/pom.xml");
const CHECKSUMS: &str = include_str!("../../../../../../recorder/android/jars/checksums");
/// The folders of the cache, which are profiles of the pom.
const FOLDERS: [&str; 3] = ["convert", "driver", "framework"];
/// The name of the cache's folder. Another list of jars needs another name.
const VERSION: &str = "jars-1";
const PLUGIN: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

/// A file that is needed.
struct Needed {
    checksum: &'static str,
    size: u64,
    /// Its folder and name.
    path: &'static str,
}

fn needed() -> impl Iterator<Item = Needed> {
    CHECKSUMS.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let checksum = words.next()?;
        let size = words.next()?.parse().ok()?;
        Some(Needed { checksum, size, path: words.next()? })
    })
}

/// A folder that has all files.
pub(super) struct Jars {
    folder: PathBuf,
}

impl Jars {
    /// Takes the folder that the user names, or the cache, which is filled if it is empty.
    pub(super) fn prepare(named: Option<&Path>, java: &Java) -> Result<Jars> {
        if let Some(folder) = named {
            if let Some(path) = missing(folder) {
                bail!("--jars {}: {path} is missing or has another size", folder.display());
            }
            let folder = folder.canonicalize().with_context(|| format!("{}", folder.display()))?;
            return Ok(Jars { folder });
        }
        let folder = cache()?.join(VERSION);
        if missing(&folder).is_some() {
            fetch(&folder, java)?;
        }
        Ok(Jars { folder: folder.canonicalize()? })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder with the Android framework.
    pub(super) fn framework(&self) -> PathBuf {
        self.folder.join("framework")
    }

    /// Returns the jars of a folder. The stubs of the framework come last: an app must not find them
    /// before the real classes.
    pub(super) fn of(&self, folder: &str) -> Vec<PathBuf> {
        let mut paths: Vec<&str> = needed()
            .map(|file| file.path)
            .filter(|path| path.split('/').next() == Some(folder))
            .collect();
        paths.sort_by_key(|path| path.contains("/android-"));
        paths.into_iter().map(|path| self.folder.join(path)).collect()
    }
}

/// Returns the folder for everything that can be made again.
pub(super) fn cache() -> Result<PathBuf> {
    let of = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")));
    let base = base.context("neither XDG_CACHE_HOME nor HOME says where to keep files; set one")?;
    let folder = base.join("interloper/android");
    fs::create_dir_all(&folder).with_context(|| cannot_write(&folder))?;
    Ok(folder)
}

fn cannot_write(folder: &Path) -> String {
    format!(
        "cannot write to the cache {}; set XDG_CACHE_HOME to a folder that you can write to, or name \
         a folder that has the jars with --jars DIR",
        folder.display()
    )
}

/// Returns a file that a folder does not have, if there is one.
fn missing(folder: &Path) -> Option<&'static str> {
    let is_there = |file: &Needed| {
        fs::metadata(folder.join(file.path)).is_ok_and(|found| found.len() == file.size)
    };
    needed().find(|file| !is_there(file)).map(|file| file.path)
}

/// Fills the cache. It is complete or absent.
fn fetch(folder: &Path, java: &Java) -> Result<()> {
    let megabytes = needed().map(|file| file.size).sum::<u64>() / 1_000_000;
    output::note(format_args!(
        "fetching Robolectric 4.17, the Android 14 framework and dex2jar through Maven, once: \
         {megabytes} MB, to {}",
        folder.display()
    ));
    let parent = folder.parent().context("the cache has a folder")?;
    let part = tempfile::Builder::new()
        .prefix(".fetching-")
        .tempdir_in(parent)
        .with_context(|| cannot_write(parent))?;
    let pom = part.path().join("pom.xml");
    fs::write(&pom, POM).with_context(|| cannot_write(parent))?;
    let mut progress = Progress::new();
    for name in FOLDERS {
        maven(&pom, name, &part.path().join(name), &mut progress)?;
    }
    progress.clear();
    verify(part.path(), java)?;
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| cannot_write(folder))?;
    }
    fs::rename(part.keep(), folder).with_context(|| cannot_write(folder))?;
    Ok(())
}

/// Lets Maven copy the jars of a profile.
fn maven(pom: &Path, profile: &str, to: &Path, progress: &mut Progress) -> Result<()> {
    let mut child = Command::new("mvn")
        .args(["--batch-mode", "--strict-checksums", "--file"])
        .arg(pom)
        .arg(format!("-P{profile}"))
        .arg(PLUGIN)
        .arg("-DincludeScope=runtime")
        .arg(format!("-DoutputDirectory={}", to.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context(
            "cannot start Maven (mvn), which is needed once to fetch the framework; install it \
             (Debian: maven), or name a folder that has the jars with --jars DIR",
        )?;
    let mut complaints = Vec::new();
    let lines = child.stdout.take().context("the output of Maven")?;
    for line in BufReader::new(lines).lines().map_while(Result::ok) {
        if let Some((_, url)) = line.split_once("Downloaded from ") {
            let name = url.rsplit('/').next().unwrap_or(url);
            progress.say(&format!("{profile}: {}", printable_message(name)));
        } else if let Some((_, why)) = line.split_once("[ERROR] ") {
            complaints.push(why.to_owned());
        }
    }
    if child.wait().context("cannot wait for Maven")?.success() {
        return Ok(());
    }
    progress.clear();
    let why = complaints.first().map_or("it gives no reason", String::as_str);
    bail!(
        "Maven could not fetch the framework: {}\nIs there a network? The jars are needed once; a \
         folder that has them can be named with --jars DIR",
        printable_message(why)
    )
}

/// Compares all files with the list.
fn verify(folder: &Path, java: &Java) -> Result<()> {
    if let Some(path) = missing(folder) {
        bail!("Maven gave another file than expected for {path}; a mirror may have changed it");
    }
    // starts: java
    let output = Command::new(java.home.join("bin/java"))
        .arg("-cp")
        .arg(Module::Convert.find()?)
        .arg("convert.Checksums")
        .args(needed().map(|file| folder.join(file.path)))
        .output()
        .context("cannot compute checksums")?;
    let sums = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut sums = sums.lines();
    for file in needed() {
        if sums.next() != Some(file.checksum) {
            bail!("{} has another checksum than expected; a mirror may have changed it", file.path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_all_folders_and_the_versions_of_the_pom() {
        let paths: Vec<&str> = needed().map(|file| file.path).collect();
        assert_eq!(paths.len(), CHECKSUMS.lines().count());
        for folder in FOLDERS {
            assert!(paths.iter().any(|path| path.starts_with(&format!("{folder}/"))), "{folder}");
            assert!(POM.contains(&format!("<id>{folder}</id>")), "{folder}");
        }
        let modules = ["pom.xml", "convert/pom.xml", "driver/pom.xml"].map(|name| {
            let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recorder/android");
            fs::read_to_string(top.join(name)).expect("a pom")
        });
        for version in ["4.17", "14-robolectric-10818077-i7", "4.1.1.4", "2.4.38"] {
            assert!(POM.contains(&format!("<version>{version}</version>")), "{version}");
            assert!(modules.iter().any(|pom| pom.contains(&format!(">{version}<"))), "{version}");
            assert!(
                paths.iter().any(|path| path.ends_with(&format!("-{version}.jar"))),
                "{version}"
            );
        }
    }

    #[test]
    fn a_folder_without_a_file_is_not_used() {
        let folder = tempfile::tempdir().expect("a place for files");
        assert_eq!(missing(folder.path()), needed().next().map(|file| file.path));
    }
}
