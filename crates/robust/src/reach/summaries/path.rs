//! Reconstructs a run from the derivations of path edges.

use super::super::{Event, Path};
use super::{EdgeId, From, State, Summaries};
use crate::core::flat::Pc;
use crate::core::{Mark, ProcedureId};

impl Summaries<'_> {
    /// The run to an edge of the entry procedure.
    pub(super) fn path_to(&self, edge: EdgeId) -> Path {
        let mut path = Vec::new();
        self.activation(edge, &mut path);
        path
    }

    /// Appends the events of the activation up to `last`, callees included.
    fn activation(&self, last: EdgeId, path: &mut Path) {
        let mut edges = vec![last];
        let mut at = last;
        loop {
            at = match self.edges[at.0 as usize].from {
                From::Entry => break,
                From::Step(previous) | From::Return { call: previous, .. } => previous,
            };
            edges.push(at);
        }
        edges.reverse();
        for pair in edges.windows(2) {
            let (before, after) =
                (&self.edges[pair[0].0 as usize], &self.edges[pair[1].0 as usize]);
            let procedure = self.entries[before.entry.0 as usize].procedure;
            match after.from {
                From::Entry => unreachable!("only the first edge is an entry"),
                From::Step(_) => {
                    self.steps(
                        procedure,
                        (before.pc, &before.state),
                        (after.pc, &after.state),
                        path,
                    );
                }
                From::Return { exit, .. } => {
                    let mark = self.code[procedure.index()].op(before.pc).mark;
                    path.extend(mark.map(|mark| Event::Mark(mark, 0)));
                    self.activation(exit, path);
                    if matches!(mark, Some(Mark::Task | Mark::Instance(_))) {
                        path.push(Event::Leave);
                    }
                }
            }
        }
    }

    /// The marks on one way from one kept operation to another.
    fn steps(&self, procedure: ProcedureId, from: (Pc, &State), to: (Pc, &State), path: &mut Path) {
        let mut work = vec![(from.0, from.1.clone(), Vec::new())];
        let mut first = true;
        while let Some((pc, state, marks)) = work.pop() {
            if !first && self.kept[procedure.index()][pc.index()] {
                if (pc, &state) == to {
                    path.extend(marks);
                    return;
                }
                continue;
            }
            first = false;
            let mark = self.code[procedure.index()].op(pc).mark;
            let Ok(successors) = self.successors(procedure, pc, state) else { continue };
            for (pc, state, chosen) in successors {
                let mut marks = marks.clone();
                marks.extend(mark.map(|mark| Event::Mark(mark, chosen)));
                work.push((pc, state, marks));
            }
        }
        unreachable!("the step was derived")
    }
}
