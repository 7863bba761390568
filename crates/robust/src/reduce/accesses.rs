//! The accesses of a program, as values of its instrumented form.

use std::collections::{BTreeMap, BTreeSet};

use super::build::some;
use crate::Criterion;
use crate::core::{
    Access, EnumId, Expr, GlobalId, ProcedureId, Program, StmtKind, Type, for_each_stmt,
};

/// The accesses that matter. Those that the criterion compares are values of an enumeration, with
/// `none` first.
pub(super) struct Accesses {
    id: EnumId,
    codes: BTreeMap<Access, i64>,
    /// Accesses of locations that are written somewhere.
    conflicting: BTreeSet<Access>,
}

impl Accesses {
    /// The accesses of `source`; the criterion compares those that conflict with one of the same
    /// instance (determinism) or of another (serializability).
    pub(super) fn new(source: &Program, out: &mut Program, criterion: Criterion) -> Self {
        let of_instances: Vec<BTreeSet<Access>> =
            source.instances.iter().map(|i| reachable_accesses(source, i.procedure)).collect();
        let all: BTreeSet<Access> = of_instances.iter().flatten().copied().collect();
        let compared = |access: &Access| {
            of_instances.iter().enumerate().any(|(mine, accesses)| {
                let others = of_instances.iter().enumerate().filter(|(other, _)| match criterion {
                    Criterion::Determinism => *other == mine,
                    Criterion::Serializability => *other != mine,
                });
                let mut others = others.flat_map(|(_, accesses)| accesses);
                accesses.contains(access) && others.any(|other| access.conflicts(*other))
            })
        };
        let codes: Vec<Access> = all.iter().copied().filter(compared).collect();
        let name = |access: &Access| {
            let name = source.global(access.global).name.replace(['[', '.'], "$").replace(']', "");
            format!("$no{}${}_{name}", access.global.index(), access.kind.name())
        };
        let values = ["$none".to_owned()].into_iter().chain(codes.iter().map(name));
        let id = out.add_enum("$Access", values.collect());
        let conflicts = |access: &Access| all.iter().any(|other| access.conflicts(*other));
        let conflicting = all.iter().copied().filter(conflicts).collect();
        Self { id, codes: codes.into_iter().zip(1..).collect(), conflicting }
    }

    pub(super) fn ty(&self) -> Type {
        Type::Enum(self.id)
    }

    pub(super) fn none(&self) -> Expr {
        Expr::Const(0, self.ty())
    }

    /// The locations some access of which can conflict.
    pub(super) fn locations(&self) -> impl Iterator<Item = GlobalId> {
        let mut locations: Vec<GlobalId> =
            self.conflicting.iter().map(|access| access.global).collect();
        locations.dedup();
        locations.into_iter()
    }

    /// Whether some access conflicts with `access`.
    pub(super) fn is_conflicting(&self, access: Access) -> bool {
        self.conflicting.contains(&access)
    }

    /// Whether the criterion compares `access` with others.
    pub(super) fn is_compared(&self, access: Access) -> bool {
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

/// The accesses of `procedure` and of the procedures that it posts or calls, transitively.
fn reachable_accesses(program: &Program, procedure: ProcedureId) -> BTreeSet<Access> {
    let mut accesses = BTreeSet::new();
    let mut known = BTreeSet::from([procedure]);
    let mut work = vec![procedure];
    while let Some(id) = work.pop() {
        for_each_stmt(&program.procedure(id).body, &mut |stmt| {
            accesses.extend(stmt.access());
            if let StmtKind::Async(_, next, _) | StmtKind::Call(next, _) = &stmt.kind
                && known.insert(*next)
            {
                work.push(*next);
            }
        });
    }
    accesses
}
