//! Our own jars: where they are, and the environment that lets Java processes load the agent.
//!
//! The jars are built by Maven from `recorder/android` and are not part of the binary, so that the
//! binary can be built without Java.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::cli::record::AndroidArgs;

const VARIABLE: &str = "INTERLOPER_ANDROID_JAR";
/// The variable with options that every Java virtual machine reads.
pub(super) const OPTIONS: &str = "JAVA_TOOL_OPTIONS";

/// One of our own jars, which is named after the folder of `recorder/android` that it is built from.
#[derive(Clone, Copy)]
pub(super) enum Module {
    Agent,
    Convert,
    Driver,
    Standin,
}

impl Module {
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Module::Agent => ("agent", "interloper-android.jar"),
            Module::Convert => ("convert", "interloper-android-convert.jar"),
            Module::Driver => ("driver", "interloper-android-driver.jar"),
            Module::Standin => ("standin", "interloper-android-standin.jar"),
        }
    }

    /// Finds the jar: beside the agent's that the environment names, else beside the binary, else in
    /// the repository, seen from the binary's folder `target/PROFILE`.
    pub(super) fn find(self) -> Result<PathBuf> {
        let (folder, name) = self.names();
        if let Some(named) = env::var_os(VARIABLE) {
            let agent = PathBuf::from(named);
            let path = match self {
                Module::Agent => agent,
                _ => agent.with_file_name(name),
            };
            return path.canonicalize().with_context(|| format!("{VARIABLE}: {}", path.display()));
        }
        let binary = env::current_exe().context("cannot find the folder of interloper")?;
        let beside = binary.parent().unwrap_or(Path::new("."));
        let built = beside.join("../../recorder/android").join(folder).join("target").join(name);
        match [beside.join(name), built].iter().find_map(|path| path.canonicalize().ok()) {
            Some(path) => Ok(path),
            None => bail!(
                "{name} is not beside interloper; in the repository `mvn -f recorder/android package \
                 -DskipTests` builds it (Java 17 and Maven), and {VARIABLE} can name another place"
            ),
        }
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
