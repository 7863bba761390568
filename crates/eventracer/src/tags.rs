//! The original's tags: reasons to consider a cell's races harmless.
//!
//! Each tag has a file with a predicate over one racy cell. Tags are computed for every cell with
//! races, covered or not, so some hold vacuously for cells whose races are all covered.

mod commuting;
mod event_attach;
mod lazy_init;
mod local_write;
mod same_value;
mod unload;

use std::fmt;

use crate::access::{Access, AccessTable, CellId};
use crate::detect::Race;
use crate::ids::{OpId, VarId};
use crate::log::ActionLog;

/// A reason to consider a cell's races harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// Every write stores the same value.
    WriteSameValue,
    /// Every op that reads the cell writes it first.
    OnlyLocalWrite,
    /// A handler is attached after its event may have fired.
    LateEventAttach,
    /// An event fired while no handler was attached.
    NoEventAttached,
    /// The only write initialises the cell after finding it empty.
    MaybeLazyInit,
    /// Every uncovered race involves the unloading of the page.
    RaceWithUnload,
    /// The cell is a cookie or a class name, whose operations commute.
    CookieOrClassname,
}

impl Tag {
    /// Every tag, in the original's order.
    pub const ALL: [Self; 7] = [
        Self::WriteSameValue,
        Self::OnlyLocalWrite,
        Self::LateEventAttach,
        Self::NoEventAttached,
        Self::MaybeLazyInit,
        Self::RaceWithUnload,
        Self::CookieOrClassname,
    ];

    /// The original's name of the tag.
    pub fn name(self) -> &'static str {
        match self {
            Self::WriteSameValue => "WRITE_SAME_VALUE",
            Self::OnlyLocalWrite => "ONLY_LOCAL_WRITE",
            Self::LateEventAttach => "LATE_EVENT_ATTACH",
            Self::NoEventAttached => "NO_EVENT_ATTACHED",
            Self::MaybeLazyInit => "MAYBE_LAZY_INIT",
            Self::RaceWithUnload => "RACE_WITH_UNLOAD",
            Self::CookieOrClassname => "COOKIE_OR_CLASSNAME",
        }
    }

    fn holds(self, cell: &RacyCell<'_>) -> bool {
        match self {
            Self::WriteSameValue => same_value::holds(cell),
            Self::OnlyLocalWrite => local_write::holds(cell),
            Self::LateEventAttach => event_attach::attached_late(cell),
            Self::NoEventAttached => event_attach::never_attached(cell),
            Self::MaybeLazyInit => lazy_init::holds(cell),
            Self::RaceWithUnload => unload::holds(cell),
            Self::CookieOrClassname => commuting::holds(cell),
        }
    }
}

/// A set of tags.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Tags(u8);

impl Tags {
    /// The tags of a cell.
    pub fn of(cell: &RacyCell<'_>) -> Self {
        let held = Tag::ALL.iter().filter(|tag| tag.holds(cell));
        Self(held.fold(0, |bits, &tag| bits | 1 << tag as u8))
    }

    /// Whether the set holds `tag`.
    pub fn contains(self, tag: Tag) -> bool {
        self.0 >> tag as u8 & 1 == 1
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The tags, in the original's order.
    pub fn iter(self) -> impl Iterator<Item = Tag> {
        Tag::ALL.into_iter().filter(move |&tag| self.contains(tag))
    }
}

impl fmt::Debug for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A cell with races, as the input of the tags' predicates.
pub struct RacyCell<'a> {
    pub(crate) log: &'a ActionLog,
    pub(crate) var: VarId,
    pub(crate) accesses: &'a [Access],
    /// All races of the cell.
    pub(crate) all: Vec<&'a Race>,
    /// The uncovered races of the cell.
    pub(crate) open: Vec<&'a Race>,
}

impl<'a> RacyCell<'a> {
    /// Returns the cell with its races and the uncovered ones among them.
    pub fn new(
        log: &'a ActionLog,
        table: &'a AccessTable,
        cell: CellId,
        all: Vec<&'a Race>,
        open: Vec<&'a Race>,
    ) -> Self {
        Self { log, var: table.var(cell), accesses: table.of_cell(cell), all, open }
    }

    pub(crate) fn name(&self) -> &'a [u8] {
        self.log.var_name(self.var)
    }

    pub(crate) fn reads(&self) -> impl Iterator<Item = Access> {
        self.accesses.iter().copied().filter(|access| access.is_read())
    }

    pub(crate) fn writes(&self) -> impl Iterator<Item = Access> {
        self.accesses.iter().copied().filter(|access| !access.is_read())
    }

    /// Whether an op unloads the page.
    fn is_unload(&self, op: OpId) -> bool {
        // The original compares ten characters only, so `fire:unloaX` counts too.
        self.log
            .first_scope(op, usize::MAX)
            .is_some_and(|scope| scope.starts_with(b"fire:unloa") || scope == b"delete_document")
    }

    fn involves_unload(&self, race: &Race) -> bool {
        race.ops().into_iter().any(|op| self.is_unload(op))
    }
}
