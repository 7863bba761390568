//! The Java agent: where its jar is, and the environment that lets Java processes load it.
//!
//! The jar is built by Maven from `recorder/android` and is not part of the binary, so that the
//! binary can be built without Java.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::cli::record::AndroidArgs;

const JAR: &str = "interloper-android.jar";
const VARIABLE: &str = "INTERLOPER_ANDROID_JAR";
/// Where a build of the repository puts the jar, seen from the binary's folder `target/PROFILE`.
const BUILT: &str = "../../recorder/android/agent/target";
/// The variable with options that every Java virtual machine reads.
pub(super) const OPTIONS: &str = "JAVA_TOOL_OPTIONS";

/// Finds the jar: the one that the environment names, else beside the binary, else in the
/// repository.
pub(super) fn find() -> Result<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        let path = PathBuf::from(named);
        return path.canonicalize().with_context(|| format!("{VARIABLE}: {}", path.display()));
    }
    let binary = env::current_exe().context("cannot find the folder of interloper")?;
    let folder = binary.parent().unwrap_or(Path::new("."));
    let places = [folder.join(JAR), folder.join(BUILT).join(JAR)];
    match places.iter().find_map(|path| path.canonicalize().ok()) {
        Some(path) => Ok(path),
        None => bail!(
            "the Java agent {JAR} is not beside interloper; in the repository `mvn -f \
             recorder/android -pl agent package` builds it (Java 17 and Maven), and {VARIABLE} can \
             name another place"
        ),
    }
}

/// Returns the variables that the command gets.
pub(super) fn environment(
    jar: &Path,
    folder: &Path,
    args: &AndroidArgs,
) -> Result<Vec<(&'static str, OsString)>> {
    let mut variables = vec![
        (OPTIONS, options(env::var_os(OPTIONS), jar)?),
        ("INTERLOPER_ANDROID_OUT", folder.as_os_str().to_owned()),
    ];
    if args.per_test {
        variables.push(("INTERLOPER_ANDROID_PER_TEST", "1".into()));
    }
    if !args.packages.is_empty() {
        variables.push(("INTERLOPER_ANDROID_PACKAGES", args.packages.join(",").into()));
    }
    Ok(variables)
}

/// Adds the agent to the options that the environment has. The virtual machine splits them at
/// spaces, except between quotes.
fn options(known: Option<OsString>, jar: &Path) -> Result<OsString> {
    let Some(path) = jar.to_str().filter(|path| !path.contains('"')) else {
        bail!(
            "{} cannot be passed to Java; copy the jar to a path without quotes, and name it with \
             {VARIABLE}",
            jar.display()
        );
    };
    let agent = format!("\"-javaagent:{path}\"");
    let mut options = known.unwrap_or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    options.push(agent);
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_added_to_those_of_the_user() {
        let jar = Path::new("/opt/my tools/a.jar");
        let agent = "\"-javaagent:/opt/my tools/a.jar\"";
        assert_eq!(options(None, jar).expect("plain"), agent);
        let both = options(Some("-Xmx1g".into()), jar).expect("plain");
        assert_eq!(both, format!("-Xmx1g {agent}").as_str());
        assert!(options(None, Path::new("/odd\"name/a.jar")).is_err());
    }
}
