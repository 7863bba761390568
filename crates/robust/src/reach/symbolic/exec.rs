//! Executing statements on sets of states.

use biodivine_lib_bdd::Bdd;
use hashbrown::HashMap;

use super::encode::Encoding;
use crate::core::{Cond, Expr, LocalId, ProcedureId, Program, Stmt, StmtKind, Type, Var};

/// Execution stopped, for this reason.
pub(super) struct Exhausted(pub(super) String);

impl From<String> for Exhausted {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

/// The states after a block.
pub(super) struct Flow {
    /// Those that reached its end.
    pub(super) next: Bdd,
    /// Those that left the procedure.
    pub(super) returned: Bdd,
}

pub(super) struct Executor<'a> {
    program: &'a Program,
    pub(super) encoding: &'a Encoding,
    /// The procedure being executed.
    current: ProcedureId,
    /// Conditions by the address of their expression in `program`.
    conditions: HashMap<*const Expr, Bdd>,
    limit: usize,
    spent: usize,
}

impl<'a> Executor<'a> {
    pub(super) fn new(program: &'a Program, encoding: &'a Encoding, limit: usize) -> Self {
        let current = program.instances[0].procedure;
        Self { program, encoding, current, conditions: HashMap::new(), limit, spent: 0 }
    }

    /// Nodes of all diagrams computed so far.
    pub(super) fn spent(&self) -> usize {
        self.spent
    }

    fn spend(&mut self, states: &Bdd) -> Result<(), Exhausted> {
        self.spent += states.size();
        if self.spent > self.limit {
            return Err(Exhausted(format!("over {} diagram nodes were computed", self.limit)));
        }
        Ok(())
    }

    pub(super) fn block(&mut self, block: &'a [Stmt], states: Bdd) -> Result<Flow, Exhausted> {
        let mut flow = Flow { next: states, returned: self.encoding.nothing() };
        for stmt in block {
            if flow.next.is_false() {
                break;
            }
            self.spend(&flow.next)?;
            let after = self.stmt(stmt, flow.next)?;
            flow.next = after.next;
            if !after.returned.is_false() {
                flow.returned = flow.returned.or(&after.returned);
            }
        }
        Ok(flow)
    }

    fn stmt(&mut self, stmt: &'a Stmt, states: Bdd) -> Result<Flow, Exhausted> {
        let nothing = self.encoding.nothing();
        let next = match &stmt.kind {
            StmtKind::Assign(target, value) => self.assign(*target, value, &states)?,
            StmtKind::Havoc(target) => {
                let forgotten = self.encoding.forget(self.current, *target, &states);
                forgotten.and(&self.encoding.in_range(self.current, *target))
            }
            StmtKind::Assume(condition) => states.and(&self.condition(condition)?),
            StmtKind::Call(callee, args) => self.call(*callee, args, states)?,
            StmtKind::Return => return Ok(Flow { next: nothing, returned: states }),
            StmtKind::If(condition, then, otherwise) => {
                let (yes, no) = self.split(condition, &states)?;
                let yes = self.block(then, yes)?;
                let no = self.block(otherwise, no)?;
                let returned = yes.returned.or(&no.returned);
                return Ok(Flow { next: yes.next.or(&no.next), returned });
            }
            StmtKind::While(condition, body) => return self.repeat(condition, body, states),
            StmtKind::Async(..) => unreachable!("a sequential program posts nothing"),
        };
        Ok(Flow { next, returned: nothing })
    }

    fn split(&mut self, condition: &'a Cond, states: &Bdd) -> Result<(Bdd, Bdd), Exhausted> {
        Ok(match condition {
            Cond::Any => (states.clone(), states.clone()),
            Cond::Expr(expr) => {
                let condition = self.condition(expr)?;
                (states.and(&condition), states.and_not(&condition))
            }
        })
    }

    fn repeat(
        &mut self,
        condition: &'a Cond,
        body: &'a [Stmt],
        states: Bdd,
    ) -> Result<Flow, Exhausted> {
        let (mut seen, mut frontier) = (states.clone(), states);
        let mut flow = Flow { next: self.encoding.nothing(), returned: self.encoding.nothing() };
        while !frontier.is_false() {
            let (inside, outside) = self.split(condition, &frontier)?;
            flow.next = flow.next.or(&outside);
            let after = self.block(body, inside)?;
            flow.returned = flow.returned.or(&after.returned);
            frontier = after.next.and_not(&seen);
            seen = seen.or(&frontier);
        }
        Ok(flow)
    }

    fn condition(&mut self, expr: &'a Expr) -> Result<Bdd, Exhausted> {
        let key = std::ptr::from_ref(expr);
        if let Some(known) = self.conditions.get(&key) {
            return Ok(known.clone());
        }
        let condition = self.encoding.holds(self.current, expr)?;
        self.conditions.insert(key, condition.clone());
        Ok(condition)
    }

    fn assign(&mut self, target: Var, value: &'a Expr, states: &Bdd) -> Result<Bdd, Exhausted> {
        if let Expr::Const(value, _) = value {
            return Ok(self.encoding.assign(self.current, target, *value, states));
        }
        if self.is_boolean(target) {
            let condition = self.condition(value)?;
            let (yes, no) = (states.and(&condition), states.and_not(&condition));
            let yes = self.encoding.assign(self.current, target, 1, &yes);
            return Ok(yes.or(&self.encoding.assign(self.current, target, 0, &no)));
        }
        let mut next = self.encoding.nothing();
        for (value, condition) in self.encoding.values(self.current, value)? {
            let here = states.and(&condition);
            if !here.is_false() {
                next = next.or(&self.encoding.assign(self.current, target, value, &here));
            }
        }
        Ok(next)
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
        mut states: Bdd,
    ) -> Result<Bdd, Exhausted> {
        let procedure = self.program.procedure(callee);
        let outer = self.current;
        for (index, arg) in args.iter().enumerate() {
            let param = Var::Local(LocalId::new(index));
            let mut next = self.encoding.nothing();
            for (value, condition) in self.encoding.values(outer, arg)? {
                let here = states.and(&condition);
                next = next.or(&self.encoding.assign(callee, param, value, &here));
            }
            states = next;
        }
        self.current = callee;
        for (index, local) in procedure.locals.iter().enumerate().skip(procedure.params) {
            let local_var = Var::Local(LocalId::new(index));
            states = self.encoding.assign(callee, local_var, local.ty.default_value(), &states);
        }
        let flow = self.block(&procedure.body, states)?;
        let mut after = flow.next.or(&flow.returned);
        for index in 0..procedure.locals.len() {
            after = self.encoding.forget(callee, Var::Local(LocalId::new(index)), &after);
        }
        self.current = outer;
        Ok(after)
    }
}
