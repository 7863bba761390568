//! Memory accesses, and the relation of conflict.

use super::{Expr, GlobalId, Var};

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// `rd(x)`
    Read,
    /// `wr(x)`
    Write,
}

impl AccessKind {
    /// The lower-case name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// A memory access: the paper's `rd(x)` and `wr(x)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// The location.
    pub global: GlobalId,
    /// Whether the location is read or written.
    pub kind: AccessKind,
}

impl Access {
    /// The conflict relation ≺: same location, at least one write.
    pub fn conflicts(self, other: Self) -> bool {
        self.global == other.global
            && (self.kind == AccessKind::Write || other.kind == AccessKind::Write)
    }
}

/// The global access of an assignment of a lowered program.
pub(crate) fn assign_access(target: Var, value: &Expr) -> Option<Access> {
    match (target, value) {
        (Var::Global(global), _) => Some(Access { global, kind: AccessKind::Write }),
        (Var::Local(_), Expr::Var(Var::Global(global))) => {
            Some(Access { global: *global, kind: AccessKind::Read })
        }
        _ => None,
    }
}
