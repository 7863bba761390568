//! The type of a hint.

use races::{Race, RaceId};
use trace::OpId;

use crate::evidence::RacyLocation;

/// A guess at what goes wrong if the accesses run in the other order. A hint changes no label and
/// hides no race.
pub struct Hint {
    /// The name of the hint in reports.
    pub name: &'static str,
    /// The definition, in one line.
    pub definition: &'static str,
    /// How such bugs are usually fixed, in a sentence.
    pub fix: &'static str,
    /// The documentation of the hint, whose examples are also its test.
    pub page: &'static str,
    /// Returns the races of a location to which the hint applies, each with a message.
    pub(crate) find: fn(&RacyLocation<'_>) -> Vec<(RaceId, String)>,
}

impl Hint {
    /// Returns the guess in one line: the beginning of the hint's page.
    pub fn summary(&self) -> &'static str {
        summary(self.page)
    }
}

/// Returns the line under the title of a page.
pub(crate) fn summary(page: &'static str) -> &'static str {
    page.split("\n\n").nth(1).unwrap_or_default()
}

/// Returns the word that reports use for the access `op` of the race.
pub(crate) fn place(race: &Race, op: OpId) -> &'static str {
    if op == race.first { "first" } else { "second" }
}

impl std::fmt::Debug for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A hint that applies to a race.
#[derive(Clone, Debug)]
pub struct Given {
    /// The hint.
    pub hint: &'static Hint,
    /// The guess about this race, in a sentence: what goes wrong, if possible what a user would see.
    pub message: String,
}
