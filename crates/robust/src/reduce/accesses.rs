//! The accesses of a program as values its instrumented form can hold.

use std::collections::BTreeMap;

use super::build::some;
use crate::core::{Access, AccessKind, EnumId, Expr, GlobalId, Program, Type};

/// The accesses that can conflict, as values of an enumeration with `none` first.
pub(super) struct Accesses {
    id: EnumId,
    codes: BTreeMap<Access, i64>,
}

impl Accesses {
    pub(super) fn new(source: &Program, out: &mut Program) -> Self {
        let mut accesses: Vec<Access> = source.sites().iter().map(|site| site.access).collect();
        accesses.sort_unstable();
        accesses.dedup();
        let written = |global| accesses.contains(&Access { global, kind: AccessKind::Write });
        let conflicting: Vec<Access> =
            accesses.iter().copied().filter(|access| written(access.global)).collect();
        let name = |access: &Access| {
            let name: String = source.global(access.global).name.clone();
            let name = name.replace(['[', '.'], "$").replace(']', "");
            format!("$no{}${}_{name}", access.global.index(), access.kind.name())
        };
        let values = ["$none".to_owned()].into_iter().chain(conflicting.iter().map(name));
        let id = out.add_enum("$Access", values.collect());
        Self { id, codes: conflicting.into_iter().zip(1..).collect() }
    }

    pub(super) fn ty(&self) -> Type {
        Type::Enum(self.id)
    }

    pub(super) fn none(&self) -> Expr {
        Expr::Const(0, self.ty())
    }

    /// The locations some access of which can conflict.
    pub(super) fn locations(&self) -> impl Iterator<Item = GlobalId> {
        let mut locations: Vec<GlobalId> = self.codes.keys().map(|access| access.global).collect();
        locations.dedup();
        locations.into_iter()
    }

    /// Whether some access conflicts with `access`.
    pub(super) fn is_conflicting(&self, access: Access) -> bool {
        self.codes.contains_key(&access)
    }

    pub(super) fn value(&self, access: Access) -> Expr {
        Expr::Const(self.codes[&access], self.ty())
    }

    /// Whether the access held in `variable` conflicts with `access`.
    pub(super) fn conflict(&self, variable: GlobalId, access: Access) -> Expr {
        let values = self.codes.keys().filter(|other| other.conflicts(access));
        some(values.map(|other| Expr::global(variable).equals(self.value(*other))))
    }

    /// Whether the accesses held in two variables conflict.
    pub(super) fn conflict_of(&self, left: GlobalId, right: GlobalId) -> Expr {
        some(self.codes.keys().map(|access| {
            Expr::global(left).equals(self.value(*access)).and(self.conflict(right, *access))
        }))
    }
}
