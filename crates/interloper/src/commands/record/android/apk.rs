//! The app: what it is, and its classes, which are converted once and kept in the cache.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use report::name::{printable, printable_message};

use super::agent::Module;
use super::confine::{Confinement, Program};
use super::jars::{self, Jars};
use super::java::Java;
use crate::output;

/// The newest platform that an app may ask for: that of the framework jar.
const NEWEST: u64 = 34;
/// Part of the names of converted apps. Another conversion needs another one.
const CONVERSION: &str = "1";
const HEAP: &str = "-Xmx2g";

/// An app that can be run.
pub(super) struct App {
    pub(super) apk: PathBuf,
    /// Its classes.
    pub(super) jar: PathBuf,
}

/// What is needed to run Java programs.
pub(super) struct Tools<'a> {
    pub(super) java: &'a Java,
    pub(super) jars: &'a Jars,
    pub(super) confinement: &'a Confinement,
}

/// Returns an existing, readable file.
pub(super) fn readable(apk: &Path) -> Result<PathBuf> {
    let cannot = || format!("cannot read {}", apk.display());
    let path = apk.canonicalize().with_context(cannot)?;
    if path.is_dir() {
        bail!("{} is a folder; name the app's APK", apk.display());
    }
    fs::File::open(&path).with_context(cannot)?;
    Ok(path)
}

/// Checks an app, and converts it unless the cache has it.
pub(super) fn prepare(path: PathBuf, tools: &Tools, without_native: bool) -> Result<App> {
    let found = Inspected::of(&path, tools)?;
    found.check(&path, without_native)?;
    let folder = jars::cache()?.join("apps");
    fs::create_dir_all(&folder).with_context(|| format!("cannot write to {}", folder.display()))?;
    let jar = folder.join(format!("{}-{CONVERSION}.jar", found.one("sha256").unwrap_or("app")));
    if !jar.is_file() {
        convert(&path, &jar, &folder, tools)?;
    }
    Ok(App { apk: path, jar: jar.canonicalize()? })
}

/// What `convert.Inspect` prints: words with texts.
struct Inspected(Vec<(String, String)>);

impl Inspected {
    fn of(apk: &Path, tools: &Tools) -> Result<Inspected> {
        let own = Module::Convert.find()?;
        let program = Program {
            reads: vec![own.clone(), apk.to_owned()],
            arguments: vec![
                "-Xmx256m".into(),
                "-cp".into(),
                own.into(),
                "convert.Inspect".into(),
                apk.into(),
            ],
            ..Program::default()
        };
        let output = tools.confinement.command(tools.java, &program).output();
        let output = output.context("cannot start Java")?;
        if !output.status.success() {
            bail!(
                "{} cannot be read: {}",
                apk.display(),
                printable_message(&String::from_utf8_lossy(&output.stderr))
            );
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let pairs = text.lines().filter_map(|line| line.split_once('\t'));
        Ok(Inspected(pairs.map(|(word, text)| (word.to_owned(), text.to_owned())).collect()))
    }

    fn all(&self, word: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == word).map(|(_, text)| text.as_str())
    }

    fn one(&self, word: &str) -> Option<&str> {
        self.all(word).next()
    }

    /// Fails if the app cannot be run.
    fn check(&self, apk: &Path, without_native: bool) -> Result<()> {
        let name = apk.display();
        if let Some(why) = self.one("broken") {
            bail!("{name} is not an APK that can be run: {}", printable(why));
        }
        if let Some(split) = self.one("split") {
            bail!(
                "{name} is only the part {} of an app; name an APK that has the whole app, such as \
                 a universal APK (bundletool build-apks --mode=universal)",
                printable(split)
            );
        }
        if self.one("needsSplits").is_some() {
            bail!(
                "{name} needs other APKs that belong to it; name one that has the whole app, such as \
                 a universal APK (bundletool build-apks --mode=universal)"
            );
        }
        let oldest = self.one("minSdk").and_then(|text| text.parse().ok()).unwrap_or(1_u64);
        if oldest > NEWEST {
            bail!(
                "{name} needs Android API {oldest} or newer, and interloper runs apps on API \
                 {NEWEST}; build the app with a minSdk of {NEWEST} or less"
            );
        }
        let native: Vec<&str> = self.all("native").collect();
        if native.is_empty() {
            return Ok(());
        }
        let list = native.iter().map(|one| printable(one)).collect::<Vec<_>>().join(", ");
        if !without_native && !native.iter().any(|one| ours().contains(one)) {
            bail!(
                "{name} has native code for {list} only, and this machine is {}; name an APK for it, \
                 or let native methods return 0 or null with --without-native",
                std::env::consts::ARCH
            );
        }
        output::note(format_args!(
            "the app has native code ({list}), which is not run: its native methods return 0 or null"
        ));
        Ok(())
    }
}

/// Returns what Android calls the architecture of this machine.
fn ours() -> &'static [&'static str] {
    match std::env::consts::ARCH {
        "x86_64" => &["x86_64", "x86"],
        "aarch64" => &["arm64-v8a", "armeabi-v7a", "armeabi"],
        _ => &[],
    }
}

fn convert(apk: &Path, jar: &Path, folder: &Path, tools: &Tools) -> Result<()> {
    let part = tempfile::Builder::new()
        .prefix(".converting-")
        .tempdir_in(folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    let out = part.path().join("app.jar");
    let framework = tools.jars.of("framework");
    let mut class_path = vec![Module::Convert.find()?];
    class_path.extend(tools.jars.of("convert"));
    let joined = std::env::join_paths(&class_path).context("a path has a colon")?;
    let mut arguments = vec![HEAP.into(), "-cp".into(), joined, "convert.Convert".into()];
    arguments.extend([apk.into(), out.clone().into()]);
    arguments.extend(framework.into_iter().map(Into::into));
    let program = Program {
        reads: vec![Module::Convert.find()?, tools.jars.folder().to_owned(), apk.to_owned()],
        writes: vec![part.path().to_owned()],
        arguments,
        ..Program::default()
    };
    output::note("converting the app to Java classes");
    let output = tools.confinement.command(tools.java, &program).output();
    let output = output.context("cannot start Java")?;
    if !output.status.success() || !out.is_file() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let why = text.lines().find(|line| line.contains("Exception")).unwrap_or(&text);
        bail!("{} cannot be converted: {}", apk.display(), printable_message(why));
    }
    fs::rename(&out, jar).with_context(|| format!("cannot write {}", jar.display()))
}
