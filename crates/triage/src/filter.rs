//! What a filter is.

use races::RaceId;

use crate::evidence::RacyLocation;
use crate::hint::summary;
use crate::label::Label;

/// One filter: it gives one label.
///
/// Everything about a filter stands together: its label, where it comes from, its definition, its
/// page (documentation and test at once), and the code that decides.
pub struct Filter {
    /// The label it gives.
    pub label: Label,
    /// The paper and section it comes from.
    pub reference: &'static str,
    /// The definition, in a line.
    pub definition: &'static str,
    /// Its documentation, which is also its test.
    pub page: &'static str,
    /// What it speaks about.
    pub scope: Scope,
    /// The races of a location that carry the label.
    pub(crate) select: fn(&RacyLocation<'_>) -> Vec<RaceId>,
}

/// What a filter speaks about, and so how far it keeps likely-harmful labels away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The location is likely harmless: none of its races is called likely harmful.
    Location,
    /// Single races are likely harmless: those it labels are not called likely harmful.
    Race,
    /// Single races, without a word against harm.
    Aside,
}

impl Filter {
    /// What its label says, in a line: the beginning of its page.
    pub fn summary(&self) -> &'static str {
        summary(self.page)
    }
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.label.name())
    }
}
