//! The options of a recording.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use record::{Counts, SourceMap};
use replay::{Given, Secrets};
use url::{Origin, Url};

use crate::conduct::Replay;
use crate::data_url::percent_decoded;
use crate::storage::StorageState;

/// How user input is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Inputs are ordered as they are given, by a person or by steps.
    Ordered,
    /// Inputs are not ordered, because exploring found them.
    Explored,
}

impl Input {
    /// The word for this in the contract with the page ([`rewrite::Contract::inputs`]).
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ordered => "scripted",
            Self::Explored => "explored",
        }
    }
}

/// A function that is called with the counts written so far, and with the current activity.
pub type Progress = Box<dyn Fn(Counts, &str)>;

/// Options of a recording.
pub struct Options {
    /// The browser to start.
    pub browser: browser::Options,
    /// What the page finds.
    pub page: PageOptions,
    /// How input is ordered at first.
    pub input: Input,
    /// How long a page may take to load.
    pub load_timeout: Duration,
    /// How long a step may take to find its element.
    pub step_timeout: Duration,
    /// Whether steps act as soon as their elements are there, before the page has loaded.
    pub early_steps: bool,
    /// What the recording keeps for replays.
    pub keep: Keep,
    /// Whether the recording gets pictures of the page (at most four a second). A replay never does.
    pub screenshots: bool,
    /// The replay that this recording is, if it is one.
    pub replay: Option<Replay>,
    /// Ends the recording when it becomes true.
    pub stop: Arc<AtomicBool>,
    /// Called several times a second with the progress of the recording.
    pub progress: Progress,
}

/// What a recording keeps so that its page can be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Nothing.
    Nothing,
    /// The steps and the addresses of requests, but no body of an answer.
    Addresses,
    /// The steps, and the answers of the network.
    Answers,
}

/// The size of a page's viewport in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    /// The width, which is `innerWidth` of the page's window.
    pub width: u32,
    /// The height, which is `innerHeight` of the page's window.
    pub height: u32,
}

/// What a page finds in its browser.
#[derive(Debug, Clone, Default)]
pub struct PageOptions {
    /// The size of the viewport. If it is none, the size follows from the browser's window.
    pub viewport: Option<Viewport>,
    /// What the page's own origin gets with each request.
    pub identity: Option<Identity>,
    /// The cookies and the storage that the browser starts with.
    pub storage: StorageState,
    /// What the recording must not contain, as far as it is known before a step types it.
    pub secrets: Secrets,
    /// What the recording states about what the page was given.
    pub given: Given,
    /// Source maps for scripts, in place of those that the scripts name.
    pub source_maps: Vec<GivenMap>,
}

/// A source map that the user gave for a script.
#[derive(Debug, Clone)]
pub struct GivenMap {
    /// The script, by its name in the recording (`js/app.js`) or by its address.
    pub file: String,
    /// The text of the map.
    pub text: Vec<u8>,
}

impl GivenMap {
    /// Whether the text is a source map that maps anything.
    pub fn is_valid(&self) -> bool {
        SourceMap::parse(&self.text, str::to_string).is_some()
    }
}

/// What is sent to one origin only.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The origin that gets the headers and the credentials.
    pub origin: Origin,
    /// Headers that every request to the origin has, in place of headers with the same names.
    pub headers: Vec<(String, String)>,
    /// The name and the password for HTTP authentication.
    pub credentials: Option<(String, String)>,
}

impl Identity {
    /// Creates the identity for the origin of `url`, and removes the name and the password, if
    /// there are any, from `url`.
    pub fn new(url: &mut Url, headers: Vec<(String, String)>) -> Identity {
        let decode = |text: &str| String::from_utf8_lossy(&percent_decoded(text)).into_owned();
        let (name, password) = (decode(url.username()), url.password().map(decode));
        let is_given = !name.is_empty() || password.is_some();
        let credentials = is_given.then(|| (name, password.unwrap_or_default()));
        // Both fail only for addresses without a host, which have no credentials.
        let _ = url.set_username("").and_then(|()| url.set_password(None));
        Identity { origin: url.origin(), headers, credentials }
    }

    /// Whether there is anything to send.
    pub(crate) fn is_sent(&self) -> bool {
        !self.headers.is_empty() || self.credentials.is_some()
    }
}

#[cfg(test)]
mod tests {
    use rewrite::contract;

    use super::*;

    #[test]
    fn credentials_are_taken_out_of_an_address() {
        let mut url = Url::parse("http://Ada%20L:p%3Aw@host:81/x").expect("an address");
        let identity = Identity::new(&mut url, Vec::new());
        assert_eq!(identity.credentials, Some(("Ada L".into(), "p:w".into())));
        assert_eq!(url.as_str(), "http://host:81/x");
        assert_eq!(identity.origin, url.origin());
        assert_eq!(Identity::new(&mut url, Vec::new()).credentials, None);
    }

    #[test]
    fn the_page_knows_how_inputs_are_ordered() {
        for input in [Input::Ordered, Input::Explored] {
            assert!(contract().inputs.contains_key(input.word()), "{input:?}");
        }
    }
}
