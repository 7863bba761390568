//! Executing statements on sets of states.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::diagram::Set;
use super::encode::Encoding;
use crate::core::{Cond, Expr, LocalId, ProcedureId, Program, Stmt, StmtKind, Type, Var};

/// States that execution stopped, for this reason.
pub(super) struct Exhausted(pub(super) String);

impl From<String> for Exhausted {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

/// The states after a block.
pub(super) struct Flow {
    /// The states that reached the end of the block.
    pub(super) next: Set,
    /// The states that left the procedure.
    pub(super) returned: Set,
}

pub(super) struct Executor<'a> {
    program: &'a Program,
    pub(super) encoding: Encoding,
    /// The procedure being executed.
    current: ProcedureId,
    /// Conditions by the address of their expression in `program`.
    conditions: HashMap<*const Expr, Set>,
}

impl<'a> Executor<'a> {
    pub(super) fn new(program: &'a Program, encoding: Encoding) -> Self {
        let current = program.instances[0].procedure;
        Self { program, encoding, current, conditions: HashMap::new() }
    }

    pub(super) fn block(&mut self, block: &'a [Stmt], states: Set) -> Result<Flow, Exhausted> {
        let mut flow = Flow { next: states, returned: Set::NONE };
        for stmt in block {
            if flow.next.is_empty() {
                break;
            }
            let after = self.stmt(stmt, flow.next)?;
            flow.next = after.next;
            flow.returned = self.encoding.sets.or(flow.returned, after.returned);
        }
        if self.encoding.sets.is_full() {
            let reason = format!("over {} diagram nodes", self.encoding.sets.len());
            return Err(Exhausted(reason));
        }
        Ok(flow)
    }

    fn stmt(&mut self, stmt: &'a Stmt, states: Set) -> Result<Flow, Exhausted> {
        let next = match &stmt.kind {
            StmtKind::Assign(target, value) => self.assign(*target, value, states)?,
            StmtKind::Havoc(target) => {
                let vars = std::iter::once(*target);
                let forgotten = self.encoding.forget(self.current, vars, states);
                let in_range = self.encoding.in_range(self.current, *target);
                self.encoding.sets.and(forgotten, in_range)
            }
            StmtKind::Assume(condition) => {
                let condition = self.condition(condition)?;
                self.encoding.sets.and(states, condition)
            }
            StmtKind::Call(callee, args) => self.call(*callee, args, states)?,
            StmtKind::Return => return Ok(Flow { next: Set::NONE, returned: states }),
            StmtKind::If(condition, then, otherwise) => {
                let (yes, no) = self.split(condition, states)?;
                let yes = self.block(then, yes)?;
                let no = self.block(otherwise, no)?;
                let sets = &mut self.encoding.sets;
                return Ok(Flow {
                    next: sets.or(yes.next, no.next),
                    returned: sets.or(yes.returned, no.returned),
                });
            }
            StmtKind::While(condition, body) => return self.repeat(condition, body, states),
            StmtKind::Async(..) => unreachable!("a sequential program posts nothing"),
        };
        Ok(Flow { next, returned: Set::NONE })
    }

    fn split(&mut self, condition: &'a Cond, states: Set) -> Result<(Set, Set), Exhausted> {
        Ok(match condition {
            Cond::Any => (states, states),
            Cond::Expr(expr) => {
                let condition = self.condition(expr)?;
                let sets = &mut self.encoding.sets;
                (sets.and(states, condition), sets.minus(states, condition))
            }
        })
    }

    fn repeat(
        &mut self,
        condition: &'a Cond,
        body: &'a [Stmt],
        states: Set,
    ) -> Result<Flow, Exhausted> {
        let (mut seen, mut frontier) = (states, states);
        let mut flow = Flow { next: Set::NONE, returned: Set::NONE };
        while !frontier.is_empty() {
            let (inside, outside) = self.split(condition, frontier)?;
            let after = self.block(body, inside)?;
            let sets = &mut self.encoding.sets;
            flow.next = sets.or(flow.next, outside);
            flow.returned = sets.or(flow.returned, after.returned);
            frontier = sets.minus(after.next, seen);
            seen = sets.or(seen, frontier);
        }
        Ok(flow)
    }

    fn condition(&mut self, expr: &'a Expr) -> Result<Set, Exhausted> {
        let key = std::ptr::from_ref(expr);
        if let Some(known) = self.conditions.get(&key) {
            return Ok(*known);
        }
        let condition = self.encoding.holds(self.current, expr)?;
        self.conditions.insert(key, condition);
        Ok(condition)
    }

    fn assign(&mut self, target: Var, value: &'a Expr, states: Set) -> Result<Set, Exhausted> {
        if let Expr::Const(value, _) = value {
            return Ok(self.encoding.assign(self.current, &[(target, *value)], states));
        }
        if self.is_boolean(target) {
            let condition = self.condition(value)?;
            let sets = &mut self.encoding.sets;
            let (yes, no) = (sets.and(states, condition), sets.minus(states, condition));
            let yes = self.encoding.assign(self.current, &[(target, 1)], yes);
            let no = self.encoding.assign(self.current, &[(target, 0)], no);
            return Ok(self.encoding.sets.or(yes, no));
        }
        let values = self.encoding.values(self.current, value)?;
        Ok(self.assign_any(self.current, target, values, states))
    }

    /// The states with `target`, a variable of `procedure`, set to the one of `values` that each
    /// has.
    fn assign_any(
        &mut self,
        procedure: ProcedureId,
        target: Var,
        values: BTreeMap<i64, Set>,
        states: Set,
    ) -> Set {
        let mut next = Set::NONE;
        for (value, condition) in values {
            let here = self.encoding.sets.and(states, condition);
            let assigned = self.encoding.assign(procedure, &[(target, value)], here);
            next = self.encoding.sets.or(next, assigned);
        }
        next
    }

    fn is_boolean(&self, var: Var) -> bool {
        let ty = match var {
            Var::Global(id) => self.program.global(id).ty,
            Var::Local(id) => self.program.procedure(self.current).locals[id.index()].ty,
        };
        ty == Type::Bool
    }

    /// Runs `callee` on `states`; afterwards its variables are forgotten.
    fn call(
        &mut self,
        callee: ProcedureId,
        args: &'a [Expr],
        mut states: Set,
    ) -> Result<Set, Exhausted> {
        let procedure = self.program.procedure(callee);
        let outer = self.current;
        let var = |index| Var::Local(LocalId::new(index));
        for (index, arg) in args.iter().enumerate() {
            let values = self.encoding.values(outer, arg)?;
            states = self.assign_any(callee, var(index), values, states);
        }
        self.current = callee;
        let locals = procedure.locals.iter().enumerate().skip(procedure.params);
        let defaults: Vec<(Var, i64)> =
            locals.map(|(index, local)| (var(index), local.ty.default_value())).collect();
        states = self.encoding.assign(callee, &defaults, states);
        let flow = self.block(&procedure.body, states)?;
        let after = self.encoding.sets.or(flow.next, flow.returned);
        self.current = outer;
        let all = (0..procedure.locals.len()).map(var);
        Ok(self.encoding.forget(callee, all, after))
    }
}
