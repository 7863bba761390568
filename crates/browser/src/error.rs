//! The errors of starting and calling a browser.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// An error of starting or calling a browser.
#[derive(Debug)]
pub enum Error {
    /// None of the known browsers is installed.
    NotFound,
    /// The browser cannot be started.
    Start {
        /// The program.
        path: PathBuf,
        /// Why the browser cannot be started.
        why: String,
    },
    /// The browser exited, crashed or closed its pipe.
    Gone {
        /// The last output of the browser. It may be empty.
        said: String,
    },
    /// The browser did not answer in time.
    Slow {
        /// The method that was called.
        method: String,
        /// How long the caller waited.
        waited: Duration,
    },
    /// The call was cancelled.
    Stopped,
    /// The browser's answer is too long.
    TooLong {
        /// The method that was called.
        method: String,
    },
    /// The browser answered with an error.
    Refused {
        /// The method that was called.
        method: String,
        /// The browser's message.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => write!(
                f,
                "no browser found: install Chromium (Debian: apt-get install chromium), or name \
                 one with --browser PATH (looked for {} in PATH)",
                crate::NAMES.join(", ")
            ),
            Self::Start { path, why } => {
                write!(f, "cannot start the browser {}: {why}", path.display())
            }
            Self::Gone { said } if said.is_empty() => write!(f, "the browser exited"),
            Self::Gone { said } => write!(f, "the browser exited; it last said:\n{said}"),
            Self::Slow { method, waited } => {
                write!(f, "the browser did not answer {method} within {} s", waited.as_secs())
            }
            Self::Stopped => write!(f, "stopped"),
            Self::TooLong { method } => write!(f, "{method}: the answer is too long"),
            Self::Refused { method, message } => write!(f, "{method}: {message}"),
        }
    }
}

impl std::error::Error for Error {}
