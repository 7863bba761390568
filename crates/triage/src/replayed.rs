//! The labels that replays give. No filter decides them, because they are not in the trace.

use crate::hint::summary;
use crate::label::Label;

/// A label that replays give, with its page.
#[derive(Clone, Copy, Debug)]
pub struct Replayed {
    /// The label.
    pub label: Label,
    /// The documentation of the label.
    pub page: &'static str,
}

/// The labels that replays give, in the order of the labels.
pub static REPLAYED: &[Replayed] = &[
    Replayed {
        label: Label::ReplayedHarmless,
        page: include_str!("../../../docs/labels/replayed-harmless.md"),
    },
    Replayed {
        label: Label::ReplayedOrdered,
        page: include_str!("../../../docs/labels/replayed-ordered.md"),
    },
];

impl Replayed {
    /// Returns the meaning of the label, in one line: the beginning of its page.
    pub fn summary(&self) -> &'static str {
        summary(self.page)
    }
}
