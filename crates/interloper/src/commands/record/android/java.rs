//! The Java runtime of the machine.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

/// The oldest version that can run the recorder.
const OLDEST: u32 = 17;
const ADVICE: &str = "install a JDK, version 17 or newer (Debian: openjdk-17-jdk-headless), or let \
                      JAVA_HOME name one";

/// A Java runtime.
pub(super) struct Java {
    /// Its folder, without symbolic links.
    pub(super) home: PathBuf,
}

impl Java {
    /// Finds the runtime: of `JAVA_HOME`, else of the search path.
    pub(super) fn find() -> Result<Java> {
        let named = env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
        let program = match &named {
            Some(home) => PathBuf::from(home).join("bin/java"),
            None => PathBuf::from("java"),
        };
        // starts: java
        let output = Command::new(&program)
            .args(["-XshowSettings:properties", "-version"])
            .env_remove("JAVA_TOOL_OPTIONS")
            .output();
        let Ok(output) = output else {
            bail!("there is no Java here ({} cannot be started); {ADVICE}", program.display());
        };
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let property = |name: &str| {
            text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(" = "))
        };
        let (Some(version), Some(home)) = (property("java.version"), property("java.home")) else {
            bail!("{} is no Java that can be used; {ADVICE}", program.display());
        };
        match major(version) {
            Some(major) if major >= OLDEST => {}
            _ => bail!("{} is Java {version}, which is too old; {ADVICE}", program.display()),
        }
        match PathBuf::from(home).canonicalize() {
            Ok(home) => Ok(Java { home }),
            Err(error) => bail!("{home}, the folder of Java, cannot be read: {error}; {ADVICE}"),
        }
    }
}

/// Returns the major version: 8 for `1.8.0_292`, 17 for `17.0.15`.
fn major(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match numbers.next()? {
        Ok(1) => numbers.next()?.ok(),
        first => first.ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn versions_before_9_begin_with_1() {
        assert_eq!(major("1.8.0_292"), Some(8));
        assert_eq!(major("17.0.15"), Some(17));
        assert_eq!(major("25-ea"), Some(25));
        assert_eq!(major("soon"), None);
    }
}
