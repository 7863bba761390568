//! What the criteria need to know of the past, kept small so that states merge.

use crate::Criterion;
use crate::core::{AccessKind, Program};
use crate::semantics::{Action, Invocation, Label};

/// The past of an interleaving, as far as the criterion depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum History {
    Determinism {
        /// Per location, the <dfs-greatest invocation of the current event that read it, and that
        /// wrote it. A conflicting pair is inverted iff it is inverted against the greatest.
        greatest: Vec<[Option<Invocation>; 2]>,
    },
    Serializability {
        /// Per location, the instances that read it, and that wrote it, as bits.
        touched: Vec<[u64; 2]>,
        /// The conflict-event graph, transitively closed: the successors of each instance.
        edges: Vec<u64>,
    },
}

impl History {
    pub(super) fn new(program: &Program, criterion: Criterion) -> Self {
        let locations = program.globals.len();
        match criterion {
            Criterion::Determinism => Self::Determinism { greatest: vec![[None, None]; locations] },
            Criterion::Serializability => Self::Serializability {
                touched: vec![[0, 0]; locations],
                edges: vec![0; program.instances.len()],
            },
        }
    }

    /// Adds a label; whether it violates the criterion.
    pub(super) fn record(&mut self, label: &Label) -> bool {
        match (self, &label.action) {
            (Self::Determinism { greatest }, Action::Start) => {
                greatest.fill([None, None]);
                false
            }
            (Self::Determinism { greatest }, Action::Access(access, _)) => {
                let [reader, writer] = &mut greatest[access.global.index()];
                let me = Some(&label.invocation);
                let inverted = writer.as_ref() > me
                    || (access.kind == AccessKind::Write && reader.as_ref() > me);
                let slot = if access.kind == AccessKind::Write { writer } else { reader };
                if slot.as_ref() < me {
                    *slot = me.cloned();
                }
                inverted
            }
            (Self::Serializability { touched, edges }, Action::Access(access, _)) => {
                let me = label.invocation.instance.index();
                let [readers, writers] = &mut touched[access.global.index()];
                let before = *writers | if access.kind == AccessKind::Write { *readers } else { 0 };
                let slot = if access.kind == AccessKind::Write { writers } else { readers };
                *slot |= 1 << me;
                let before = before & !(1 << me);
                let reaching = 1 << me | edges[me];
                let mut cycle = false;
                for (other, successors) in edges.iter_mut().enumerate() {
                    let is_before = before >> other & 1 == 1 || *successors & before != 0;
                    if is_before {
                        *successors |= reaching;
                        cycle |= *successors >> other & 1 == 1;
                    }
                }
                cycle
            }
            _ => false,
        }
    }
}
