//! Labels: the reasons why a race is likely harmless or likely harmful.

/// A reason to read a race later or sooner. The order of the variants is the order in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// The racing writes write one value.
    SameValue,
    /// Every read follows a write of its own event.
    OnlyLocalReads,
    /// An event may come before its handler is attached.
    LateHandler,
    /// A script directly after an element gives it its handler or value.
    Immediate,
    /// The first event to find the location empty initialises it.
    LazyInit,
    /// The value is only tested.
    TestedOnly,
    /// Every event leaves the location as it found it.
    Restored,
    /// The writes leave the value that was there before.
    Unchanged,
    /// A timer or a request is cancelled, or runs first.
    Cancelled,
    /// The input can only come after its control has become usable.
    Enabled,
    /// An animation frame moves or resizes an element.
    Layout,
    /// Code asks which element has the focus.
    FocusRead,
    /// Only an event within one frame's time can turn the race around.
    Brief,
    /// A later access repeats the race's in either order.
    Settled,
    /// Nothing shows that a person would notice.
    Unseen,
    /// The operations commute.
    Commuting,
    /// Every race is with the unloading of the page.
    Unload,
    /// No code of the program is involved.
    FrameworkOnly,
    /// Both accesses are in code of libraries.
    Library,
    /// The object went back to the framework's pool in between.
    ObjectReuse,
    /// Both accesses hold a common lock: they cannot overlap, but can run in either order.
    LockProtected,
    /// Both accesses hold locks, but none in common.
    InsideAtomicRegion,
    /// The read may come before every write.
    Uninitialised,
    /// A response handler races.
    Readystate,
    /// A replay turned the race around, and nothing differed.
    ReplayedHarmless,
    /// No replay could turn the race around.
    ReplayedOrdered,
}

impl Label {
    /// Every label.
    pub const ALL: &'static [Self] = &[
        Self::SameValue,
        Self::OnlyLocalReads,
        Self::LateHandler,
        Self::Immediate,
        Self::LazyInit,
        Self::TestedOnly,
        Self::Restored,
        Self::Unchanged,
        Self::Cancelled,
        Self::Enabled,
        Self::Layout,
        Self::FocusRead,
        Self::Brief,
        Self::Settled,
        Self::Unseen,
        Self::Commuting,
        Self::Unload,
        Self::FrameworkOnly,
        Self::Library,
        Self::ObjectReuse,
        Self::LockProtected,
        Self::InsideAtomicRegion,
        Self::Uninitialised,
        Self::Readystate,
        Self::ReplayedHarmless,
        Self::ReplayedOrdered,
    ];

    /// The name of the label in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameValue => "same-value",
            Self::OnlyLocalReads => "only-local-reads",
            Self::LateHandler => "late-handler",
            Self::Immediate => "immediate",
            Self::LazyInit => "lazy-init",
            Self::TestedOnly => "tested-only",
            Self::Restored => "restored",
            Self::Unchanged => "unchanged",
            Self::Cancelled => "cancelled",
            Self::Enabled => "enabled",
            Self::Layout => "layout",
            Self::FocusRead => "focus-read",
            Self::Brief => "brief",
            Self::Settled => "settled",
            Self::Unseen => "unseen",
            Self::Commuting => "commuting",
            Self::Unload => "unload",
            Self::FrameworkOnly => "framework-only",
            Self::Library => "library",
            Self::ObjectReuse => "object-reuse",
            Self::LockProtected => "lock-protected",
            Self::InsideAtomicRegion => "inside-atomic-region",
            Self::Uninitialised => "uninitialised",
            Self::Readystate => "readystate",
            Self::ReplayedHarmless => "replayed-harmless",
            Self::ReplayedOrdered => "replayed-ordered",
        }
    }

    /// Returns the label called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|label| label.name() == name)
    }

    /// Returns whether races with this label are hidden by default.
    pub fn hides(self) -> bool {
        !matches!(self, Self::InsideAtomicRegion) && !self.is_harmful()
    }

    /// Returns whether races with this label cover no others in model `web`, because they mean nothing
    /// in themselves.
    pub fn withdraws_covering(self) -> bool {
        matches!(
            self,
            Self::SameValue
                | Self::OnlyLocalReads
                | Self::Unchanged
                | Self::Layout
                | Self::FocusRead
                | Self::Commuting
                | Self::FrameworkOnly
                | Self::Library
        )
    }

    /// Returns whether races with this label cover no others in model `web`, unless they may be ad hoc
    /// synchronisation.
    pub fn withdraws_unless_meant(self) -> bool {
        matches!(self, Self::Brief | Self::Settled | Self::Unseen)
    }

    /// Returns whether races with this label may be ad hoc synchronisation.
    fn synchronises(self) -> bool {
        matches!(self, Self::TestedOnly | Self::LazyInit | Self::Cancelled | Self::Enabled)
    }

    /// Returns whether a race with these labels covers no others in model `web`.
    pub fn withdraw_covering(labels: &[Self]) -> bool {
        let any = |is: fn(Self) -> bool| labels.iter().any(|&label| is(label));
        any(Self::withdraws_covering)
            || any(Self::withdraws_unless_meant) && !any(Self::synchronises)
    }

    /// Returns whether the label marks a race as likely harmful.
    pub fn is_harmful(self) -> bool {
        matches!(self, Self::Uninitialised | Self::Readystate)
    }
}
