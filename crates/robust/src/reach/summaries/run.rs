//! Runs an activation from one kept operation to the next.

use super::{Halt, State, Summaries};
use crate::core::eval::eval;
use crate::core::flat::{OpKind, Pc};
use crate::core::{Expr, ProcedureId, Var};

/// The largest number of values of a `havoc` that are enumerated.
const MAX_CHOICES: i64 = 1 << 16;

impl Summaries<'_> {
    pub(super) fn slot(&self, var: Var) -> usize {
        match var {
            Var::Global(id) => id.index(),
            Var::Local(id) => self.globals + id.index(),
        }
    }

    pub(super) fn value(
        &self,
        procedure: ProcedureId,
        expr: &Expr,
        state: &State,
    ) -> Result<i64, Halt> {
        let layout = &self.layouts[procedure.index()];
        eval(expr, &|var| layout.get(state, self.slot(var)))
            .ok_or_else(|| Halt::Unknown("an integer left 64 bits".into()))
    }

    /// The kept operations an activation reaches next from `pc`, with the states there.
    pub(super) fn run_on(
        &self,
        procedure: ProcedureId,
        pc: Pc,
        state: State,
    ) -> Result<Vec<(Pc, State)>, Halt> {
        let mut found = Vec::new();
        let mut work = vec![(pc, state)];
        let mut first = true;
        while let Some((pc, state)) = work.pop() {
            if !first && self.kept[procedure.index()][pc.index()] {
                found.push((pc, state));
                continue;
            }
            first = false;
            for (pc, state, _) in self.successors(procedure, pc, state)? {
                work.push((pc, state));
            }
        }
        Ok(found)
    }

    /// One operation that is neither call nor return: where it leads, and the value chosen.
    pub(super) fn successors(
        &self,
        procedure: ProcedureId,
        pc: Pc,
        mut state: State,
    ) -> Result<Vec<(Pc, State, i64)>, Halt> {
        let layout = &self.layouts[procedure.index()];
        let next = pc.next();
        Ok(match &self.code[procedure.index()].op(pc).kind {
            OpKind::Assign(target, value) => {
                let value = self.value(procedure, value, &state)?;
                layout.set(&mut state, self.slot(*target), value);
                vec![(next, state, 0)]
            }
            OpKind::Havoc(target) => {
                let (low, high) = self.choices(procedure, *target)?;
                (low..=high)
                    .map(|value| {
                        let mut state = state.clone();
                        layout.set(&mut state, self.slot(*target), value);
                        (next, state, value)
                    })
                    .collect()
            }
            OpKind::Assume(condition) => {
                let holds = self.value(procedure, condition, &state)? != 0;
                if holds { vec![(next, state, 0)] } else { Vec::new() }
            }
            OpKind::Jump(to) => vec![(*to, state, 0)],
            OpKind::Unless(condition, to) => {
                let holds = self.value(procedure, condition, &state)? != 0;
                vec![(if holds { next } else { *to }, state, 0)]
            }
            OpKind::Choose(to) => vec![(next, state.clone(), 1), (*to, state, 0)],
            OpKind::Call(..) | OpKind::Return | OpKind::Async(..) => {
                unreachable!("calls and returns are kept, and a sequential program posts nothing")
            }
        })
    }

    fn choices(&self, procedure: ProcedureId, target: Var) -> Result<(i64, i64), Halt> {
        let ty = match target {
            Var::Global(id) => self.program.global(id).ty,
            Var::Local(id) => self.code[procedure.index()].types[id.index()],
        };
        match (self.program.bounds(ty), self.limits.around_zero) {
            (Some((low, high)), _) if high - low <= MAX_CHOICES => Ok((low, high)),
            (None, Some(far)) => Ok((-far, far)),
            _ => Err(Halt::Unknown("`havoc` of an unbounded integer cannot be enumerated".into())),
        }
    }
}
