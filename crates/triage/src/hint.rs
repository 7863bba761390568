//! What a hint is.

use races::RaceId;

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
    /// What it says about this race, in a sentence that names operations by number.
    pub message: String,
}
