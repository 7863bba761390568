//! Labels: why a race is likely harmless, or likely harmful.

use races::Race;

/// A reason to read a race later, or sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// The racing writes write one value.
    SameValue,
    /// Every read follows a write of its own event.
    OnlyLocalReads,
    /// An event may come before its handler is attached.
    LateHandler,
    /// The first to find nothing initialises.
    LazyInit,
    /// The operations commute.
    Commuting,
    /// Every race is with the unloading of the page.
    Unload,
    /// Both accesses hold a common lock: they cannot overlap, though their order is free.
    LockProtected,
    /// The read may come before every write.
    Uninitialised,
    /// A response handler races.
    Readystate,
}

impl Label {
    /// Every label.
    pub const ALL: &'static [Self] = &[
        Self::SameValue,
        Self::OnlyLocalReads,
        Self::LateHandler,
        Self::LazyInit,
        Self::Commuting,
        Self::Unload,
        Self::LockProtected,
        Self::Uninitialised,
        Self::Readystate,
    ];

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameValue => "same-value",
            Self::OnlyLocalReads => "only-local-reads",
            Self::LateHandler => "late-handler",
            Self::LazyInit => "lazy-init",
            Self::Commuting => "commuting",
            Self::Unload => "unload",
            Self::LockProtected => "lock-protected",
            Self::Uninitialised => "uninitialised",
            Self::Readystate => "readystate",
        }
    }

    /// Whether races with this label are left out of what is shown by default.
    pub fn hides(self) -> bool {
        self == Self::LockProtected
    }

    /// The labels of a race.
    pub(crate) fn all_of(race: &Race) -> Vec<Self> {
        race.lock_protected.then_some(Self::LockProtected).into_iter().collect()
    }
}
