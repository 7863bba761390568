//! The reasons for which a recording ends early. The file has everything recorded until then.

use std::fmt;
use std::io;
use std::time::Duration;

/// What ended a recording.
#[derive(Debug)]
pub enum Error {
    /// The browser is missing, exited or does not answer.
    Browser(browser::Error),
    /// The page cannot be loaded.
    Unreachable {
        /// The page.
        url: String,
        /// The browser's error.
        why: String,
    },
    /// The page's load event did not come.
    NeverLoaded {
        /// The page.
        url: String,
        /// How long the recorder waited.
        waited: Duration,
    },
    /// The page's process crashed.
    Crashed,
    /// The page was closed.
    Closed,
    /// The recording cannot be written.
    Write(io::Error),
    /// A step cannot be performed.
    Step {
        /// The line of the step in the step file.
        line: usize,
        /// Why the step cannot be performed.
        why: String,
    },
    /// The browser does not accept a cookie.
    Cookie {
        /// The name of the cookie.
        name: String,
        /// The browser's error.
        why: String,
    },
    /// The storage of an origin cannot be set.
    Storage {
        /// The origin.
        origin: String,
        /// The browser's error.
        why: String,
    },
    /// An element did not become visible in time.
    NotVisible {
        /// The CSS selector of the element.
        selector: String,
        /// How long the recorder waited.
        waited: Duration,
    },
    /// A text that must be a CSS selector is none.
    Selector(String),
    /// The system has no random numbers, for the stated reason.
    Random(String),
    /// The user asked to stop.
    Stopped,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Browser(error) => error.fmt(f),
            Self::Unreachable { url, why } => {
                write!(f, "cannot load {url}: {why}{}", advice(why))
            }
            Self::NeverLoaded { url, waited } => write!(
                f,
                "{url} did not finish loading within {} s; --load-timeout S waits longer",
                waited.as_secs()
            ),
            Self::Crashed => write!(f, "the page crashed"),
            Self::Closed => write!(f, "the page was closed"),
            Self::Write(error) => write!(f, "cannot write the recording: {error}"),
            Self::Step { line, why } => write!(f, "step on line {line}: {why}"),
            Self::Cookie { name, why } => {
                write!(f, "the browser does not accept the cookie {name}: {why}")
            }
            Self::Storage { origin, why } => {
                write!(f, "the storage of {origin} cannot be set: {why}")
            }
            Self::NotVisible { selector, waited } => write!(
                f,
                "--until {selector}: the page did not show such an element within {} s; --time S \
                 waits longer",
                waited.as_secs_f64()
            ),
            Self::Selector(text) => write!(f, "--until {text}: this is no CSS selector"),
            Self::Random(why) => write!(f, "the system has no random numbers: {why}"),
            Self::Stopped => write!(f, "stopped"),
        }
    }
}

/// Explains an error of the browser's network, in parentheses.
fn advice(why: &str) -> &'static str {
    match why {
        "net::ERR_CONNECTION_REFUSED" => " (nothing listens there: is the server running?)",
        "net::ERR_NAME_NOT_RESOLVED" => " (no such host)",
        "net::ERR_UNSAFE_PORT" => " (browsers refuse this port)",
        "net::ERR_INTERNET_DISCONNECTED" => " (no network)",
        "net::ERR_ABORTED" => " (a download, or an empty answer)",
        why if why.starts_with("net::ERR_CERT") => {
            " (its certificate is not trusted; --ignore-certificate-errors accepts any)"
        }
        _ => "",
    }
}

impl std::error::Error for Error {}

impl From<browser::Error> for Error {
    fn from(error: browser::Error) -> Self {
        match error {
            browser::Error::Stopped => Self::Stopped,
            error => Self::Browser(error),
        }
    }
}
