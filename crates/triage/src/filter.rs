//! The type of a filter.

use races::RaceId;

use crate::evidence::RacyLocation;
use crate::hint::summary;
use crate::label::Label;

/// A filter, which assigns one label.
///
/// A filter holds its label, its source, its definition, its page (which is both documentation and
/// test), and the code that decides.
pub struct Filter {
    /// The label that the filter assigns.
    pub label: Label,
    /// The paper and section that define the filter.
    pub reference: &'static str,
    /// The definition, in one line.
    pub definition: &'static str,
    /// The documentation of the filter, whose examples are also its test.
    pub page: &'static str,
    /// Whether the filter judges locations or single races.
    pub scope: Scope,
    /// Whether the accesses of the races alone decide, so that engine `stream` can apply the filter,
    /// which does not keep the other accesses of a location. They do not decide a likely-harmful label,
    /// because labels that depend on other accesses prevent it.
    pub one_pass: bool,
    /// Returns the races of a location that get the label.
    pub(crate) select: fn(&RacyLocation<'_>) -> Vec<RaceId>,
}

/// Whether a filter judges locations or single races, and so which likely-harmful labels it
/// prevents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The filter judges the location as likely harmless: no race of the location gets a
    /// likely-harmful label.
    Location,
    /// The filter judges single races as likely harmless: those with its label get no
    /// likely-harmful label.
    Race,
    /// The filter labels single races, and prevents no likely-harmful label.
    Aside,
}

impl Filter {
    /// Returns the meaning of the label, in one line: the beginning of the filter's page.
    pub fn summary(&self) -> &'static str {
        summary(self.page)
    }
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.label.name())
    }
}
