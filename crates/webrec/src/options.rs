//! The options of a recording.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use record::Counts;

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
    /// Ends the recording when it becomes true.
    pub stop: Arc<AtomicBool>,
    /// Called several times a second with the progress of the recording.
    pub progress: Progress,
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
}

#[cfg(test)]
mod tests {
    use rewrite::contract;

    use super::*;

    #[test]
    fn the_page_knows_how_inputs_are_ordered() {
        for input in [Input::Ordered, Input::Explored] {
            assert!(contract().inputs.contains_key(input.word()), "{input:?}");
        }
    }
}
