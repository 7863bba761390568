//! Labels: why a race is likely harmless, or likely harmful.

use races::Race;

/// A reason to read a race later, or sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Both accesses hold a common lock: they cannot overlap, though their order is free.
    LockProtected,
}

impl Label {
    /// Every label.
    pub const ALL: &'static [Self] = &[Self::LockProtected];

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::LockProtected => "lock-protected",
        }
    }

    /// Whether races with this label are left out of what is shown by default.
    pub fn hides(self) -> bool {
        match self {
            Self::LockProtected => true,
        }
    }

    /// The labels of a race.
    pub(crate) fn all_of(race: &Race) -> Vec<Self> {
        race.lock_protected.then_some(Self::LockProtected).into_iter().collect()
    }
}
