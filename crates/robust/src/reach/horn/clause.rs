//! The clauses of one operation.

use std::collections::BTreeMap;

use super::{Horn, apply, constant, predicate, sort, summary};
use crate::core::flat::{OpKind, Pc};
use crate::core::{Binary, Expr, LocalId, ProcedureId, Type, Var};

/// The state along a straight line: terms over the variables of the clause, what was assumed, and
/// values chosen freely.
#[derive(Clone)]
struct Line {
    pc: Pc,
    terms: BTreeMap<Var, String>,
    assumed: Vec<String>,
    chosen: Vec<(String, Type)>,
}

/// A variable of the entry state in a clause.
pub(super) fn entry_name(var: Var) -> String {
    match var {
        Var::Global(id) => format!("e{}", id.index()),
        Var::Local(id) => format!("p{}", id.index()),
    }
}

/// A variable of the current state in a clause.
fn state_name(var: Var) -> String {
    match var {
        Var::Global(id) => format!("g{}", id.index()),
        Var::Local(id) => format!("l{}", id.index()),
    }
}

/// `(x Bool) (y Int)`
pub(super) fn binders(variables: &[(String, Type)]) -> String {
    let all = variables.iter().map(|(name, ty)| format!("({name} {})", sort(*ty)));
    all.collect::<Vec<_>>().join(" ")
}

impl Horn<'_> {
    fn variables(&self, id: ProcedureId) -> Vec<(String, Type)> {
        let entry = self.entry_vars(id).into_iter().map(|v| (entry_name(v), self.ty(id, v)));
        let state = self.state_vars(id).into_iter().map(|v| (state_name(v), self.ty(id, v)));
        entry.chain(state).collect()
    }

    fn at(&self, id: ProcedureId, pc: Pc, terms: &BTreeMap<Var, String>) -> String {
        let entry = self.entry_vars(id).into_iter().map(entry_name);
        let state = self.state_vars(id).into_iter().map(|var| terms[&var].clone());
        apply(&predicate(id, pc), &entry.chain(state).collect::<Vec<_>>())
    }

    fn here(&self, id: ProcedureId) -> BTreeMap<Var, String> {
        self.state_vars(id).into_iter().map(|var| (var, state_name(var))).collect()
    }

    pub(super) fn return_clause(&self, id: ProcedureId, pc: Pc) -> String {
        let body = self.at(id, pc, &self.here(id));
        let entry = self.entry_vars(id).into_iter().map(entry_name);
        let exit = self.globals.iter().map(|global| state_name(Var::Global(*global)));
        let head = apply(&summary(id), &entry.chain(exit).collect::<Vec<_>>());
        clause(&self.variables(id), &[body], &head)
    }

    pub(super) fn call_clauses(
        &self,
        id: ProcedureId,
        pc: Pc,
        callee: ProcedureId,
        args: &[Expr],
    ) -> Vec<String> {
        let terms = self.here(id);
        let body = self.at(id, pc, &terms);
        let globals: Vec<String> =
            self.globals.iter().map(|global| state_name(Var::Global(*global))).collect();
        let args: Vec<String> = args.iter().map(|arg| term(arg, &terms)).collect();
        let entered: Vec<String> = globals.iter().chain(&args).cloned().collect();
        let code = &self.code[callee.index()];
        let defaults = self
            .locals(callee)
            .skip(code.params)
            .map(|local: LocalId| constant(code.frame[local.index()], code.types[local.index()]));
        let state: Vec<String> = entered.iter().cloned().chain(defaults).collect();
        let start = [entered.clone(), state].concat();
        let enter = clause(
            &self.variables(id),
            std::slice::from_ref(&body),
            &apply(&predicate(callee, Pc::START), &start),
        );
        let mut variables = self.variables(id);
        let mut after = terms;
        let mut exit = entered;
        for global in &self.globals {
            let name = format!("x{}", global.index());
            variables.push((name.clone(), self.program.global(*global).ty));
            exit.push(name.clone());
            after.insert(Var::Global(*global), name);
        }
        let returned = apply(&summary(callee), &exit);
        let head = self.at(id, pc.next(), &after);
        vec![enter, clause(&variables, &[body, returned], &head)]
    }

    /// One clause for each straight line from `pc` to the next kept operation.
    pub(super) fn step_clauses(&self, id: ProcedureId, pc: Pc) -> Vec<String> {
        let body = self.at(id, pc, &self.here(id));
        let start = Line { pc, terms: self.here(id), assumed: Vec::new(), chosen: Vec::new() };
        let mut work = vec![start];
        let mut clauses = Vec::new();
        let mut first = true;
        while let Some(line) = work.pop() {
            if !first && self.kept[id.index()][line.pc.index()] {
                let variables = [self.variables(id), line.chosen].concat();
                let body = [vec![body.clone()], line.assumed].concat();
                clauses.push(clause(&variables, &body, &self.at(id, line.pc, &line.terms)));
                continue;
            }
            first = false;
            self.advance(id, line, &mut work);
        }
        clauses
    }

    fn advance(&self, id: ProcedureId, mut line: Line, work: &mut Vec<Line>) {
        let op = self.code[id.index()].op(line.pc);
        line.pc = line.pc.next();
        match &op.kind {
            OpKind::Assign(target, value) => {
                let value = term(value, &line.terms);
                line.terms.insert(*target, value);
            }
            OpKind::Havoc(target) => {
                let name = format!("c{}", line.chosen.len());
                let ty = self.ty(id, *target);
                if ty != Type::Bool
                    && let Some((low, high)) = self.program.bounds(ty)
                {
                    let (low, high) = (constant(low, ty), constant(high, ty));
                    line.assumed.push(format!("(<= {low} {name} {high})"));
                }
                line.chosen.push((name.clone(), ty));
                line.terms.insert(*target, name);
            }
            OpKind::Assume(condition) => line.assumed.push(term(condition, &line.terms)),
            OpKind::Jump(to) => line.pc = *to,
            OpKind::Unless(condition, to) => {
                let condition = term(condition, &line.terms);
                let mut otherwise = line.clone();
                otherwise.pc = *to;
                otherwise.assumed.push(format!("(not {condition})"));
                work.push(otherwise);
                line.assumed.push(condition);
            }
            OpKind::Choose(to) => {
                let mut otherwise = line.clone();
                otherwise.pc = *to;
                work.push(otherwise);
            }
            OpKind::Call(..) | OpKind::Return | OpKind::Async(..) => {
                unreachable!("calls and returns are kept, and a sequential program posts nothing")
            }
        }
        work.push(line);
    }
}

fn clause(variables: &[(String, Type)], body: &[String], head: &str) -> String {
    let body = match body {
        [one] => one.clone(),
        all => format!("(and {})", all.join(" ")),
    };
    if variables.is_empty() {
        return format!("(assert (=> {body} {head}))\n");
    }
    format!("(assert (forall ({}) (=> {body} {head})))\n", binders(variables))
}

fn term(expr: &Expr, terms: &BTreeMap<Var, String>) -> String {
    match expr {
        Expr::Const(value, ty) => constant(*value, *ty),
        Expr::Var(var) => terms[var].clone(),
        Expr::Not(inner) => format!("(not {})", term(inner, terms)),
        Expr::Negate(inner) => format!("(- {})", term(inner, terms)),
        Expr::Binary(operator, left, right) => {
            let (left, right) = (term(left, terms), term(right, terms));
            let symbol = match operator {
                Binary::Or => "or",
                Binary::And => "and",
                Binary::Eq => "=",
                Binary::Ne => "distinct",
                Binary::Lt => "<",
                Binary::Le => "<=",
                Binary::Gt => ">",
                Binary::Ge => ">=",
                Binary::Add => "+",
                Binary::Sub => "-",
                Binary::Mul => "*",
            };
            format!("({symbol} {left} {right})")
        }
    }
}
