//! What a hint is.

use races::{Race, RaceId};
use trace::OpId;

use crate::evidence::RacyLocation;

/// A guess at what goes wrong in the other order. It changes no label and hides nothing.
pub struct Hint {
    /// The name used in reports.
    pub name: &'static str,
    /// The definition, in a line.
    pub definition: &'static str,
    /// Its documentation, which is also its test.
    pub page: &'static str,
    /// The races of a location it speaks about, each with what it says.
    pub(crate) find: fn(&RacyLocation<'_>) -> Vec<(RaceId, String)>,
}

impl Hint {
    /// What it guesses, in a line: the beginning of its page.
    pub fn summary(&self) -> &'static str {
        summary(self.page)
    }
}

/// The line under the title of a page.
pub(crate) fn summary(page: &'static str) -> &'static str {
    page.split("\n\n").nth(1).unwrap_or_default()
}

/// Which access of the race `op` is, as reports call it.
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
    /// What it says about this race, in a sentence that speaks of its first and second access.
    pub message: String,
}
