//! In which order races are read, and why.
//!
//! What a label hides comes last. Then: likely harmful first; uncovered before covered; both
//! accesses directly in the program's code before those where the platform accesses on its behalf
//! (EventRacer Android, §7.3.3); with a hint before without; in the order of the trace.

use races::Race;

use crate::Verdict;
use crate::evidence::Evidence;

/// Why a race stands where it does. Reasons are compared one after the other, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// No label hides it.
    Shown,
    /// A label hides it.
    Hidden,
    /// A label says that it is likely harmful.
    LikelyHarmful,
    /// No label says so.
    NotCalledHarmful,
    /// No other races cover it.
    Uncovered,
    /// Others do.
    Covered,
    /// Both accesses are made directly by the program's code.
    UserUser,
    /// One is made by the platform.
    UserFramework,
    /// There is a guess at what goes wrong.
    Hinted,
    /// There is none.
    Unhinted,
}

impl Reason {
    /// The name used in reports; none for what goes without saying.
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

/// The reasons of a race, which are also what it is sorted by.
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
