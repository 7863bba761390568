//! The order in which races should be read, with reasons.
//!
//! Races that a label hides come last. Otherwise likely harmful races come before others; then
//! uncovered before covered; then races that the program's code makes directly at both accesses
//! before those where the platform accesses on its behalf (EventRacer Android, §7.3.3); then races
//! with a hint before those without; then the order of the trace decides.

use races::Race;

use crate::Verdict;
use crate::evidence::Evidence;

/// A reason for the rank of a race. Reasons are compared one after the other, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// No label hides the race.
    Shown,
    /// A label hides the race.
    Hidden,
    /// A label marks the race as likely harmful.
    LikelyHarmful,
    /// No label marks the race as likely harmful.
    NotCalledHarmful,
    /// No other races cover the race.
    Uncovered,
    /// Other races cover the race.
    Covered,
    /// Both accesses are made directly by the program's code.
    UserUser,
    /// The platform makes one of the accesses.
    UserFramework,
    /// A hint applies.
    Hinted,
    /// No hint applies.
    Unhinted,
}

impl Reason {
    /// The name of the reason in reports; `None` for the reasons that reports omit.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Hidden => Some("hidden"),
            Self::LikelyHarmful => Some("likely-harmful"),
            Self::Uncovered => Some("uncovered"),
            Self::Covered => Some("covered"),
            Self::UserUser => Some("user-user"),
            Self::UserFramework => Some("user-framework"),
            Self::Hinted => Some("hinted"),
            Self::Shown | Self::NotCalledHarmful | Self::Unhinted => None,
        }
    }
}

/// Returns the reasons of a race. Races are sorted by them.
pub(crate) fn reasons(evidence: &Evidence<'_>, race: &Race, verdict: &Verdict) -> [Reason; 5] {
    let either =
        |holds: bool, then: Reason, otherwise: Reason| if holds { then } else { otherwise };
    let harmful = verdict.labels.iter().any(|label| label.is_harmful());
    let user = |op| evidence.code.is_directly_in_user_code(op);
    [
        either(verdict.hidden, Reason::Hidden, Reason::Shown),
        either(harmful, Reason::LikelyHarmful, Reason::NotCalledHarmful),
        either(race.is_covered(), Reason::Covered, Reason::Uncovered),
        either(user(race.first) && user(race.second), Reason::UserUser, Reason::UserFramework),
        either(verdict.hints.is_empty(), Reason::Unhinted, Reason::Hinted),
    ]
}
