//! Variables as bits of a diagram, expressions as diagrams.

use std::collections::BTreeMap;

use super::diagram::{Diagrams, Level, Set};
use crate::core::eval::eval;
use crate::core::{Binary, Expr, GlobalId, ProcedureId, Program, Type, Var};

/// The largest number of values of an expression.
const MAX_VALUES: usize = 256;

/// The largest number of bits of a state. Operations recurse once for each bit.
const MAX_BITS: u32 = 4096;

/// The bits of one variable, least significant first, and its least value.
#[derive(Clone, Copy, Debug)]
struct Bits {
    first: Level,
    width: u32,
    low: i64,
    high: i64,
}

/// The variables of a program as bits, and the sets over them.
pub(super) struct Encoding {
    pub(super) sets: Diagrams,
    globals: Vec<Bits>,
    /// The bits of the locals of each procedure.
    locals: Vec<Vec<Bits>>,
    initial: Vec<i64>,
}

impl Encoding {
    /// An encoding whose sets take at most `limit` nodes.
    pub(super) fn new(program: &Program, limit: usize) -> Result<Self, String> {
        let mut next = 0;
        let mut take = |ty: Type| -> Result<Bits, String> {
            let Some((low, high)) = program.bounds(ty) else {
                return Err("an unbounded integer has no finite domain".into());
            };
            let width = 64 - ((high - low) as u64).leading_zeros();
            let first = next;
            next += width;
            if next > MAX_BITS {
                return Err(format!("over {MAX_BITS} bits of state"));
            }
            Ok(Bits { first, width, low, high })
        };
        // Locals come first: they are soon forgotten, and near the top that changes few nodes.
        let mut locals = Vec::new();
        for procedure in &program.procedures {
            let of_procedure: Result<Vec<_>, String> =
                procedure.locals.iter().map(|local| take(local.ty)).collect();
            locals.push(of_procedure?);
        }
        let mut globals = vec![None; program.globals.len()];
        for id in order(program) {
            globals[id.index()] = Some(take(program.global(id).ty)?);
        }
        let globals = globals.into_iter().flatten().collect();
        let initial = program.globals.iter().map(|global| global.init).collect();
        Ok(Self { sets: Diagrams::new(limit), globals, locals, initial })
    }

    fn bits(&self, procedure: ProcedureId, var: Var) -> Bits {
        match var {
            Var::Global(id) => self.globals[id.index()],
            Var::Local(id) => self.locals[procedure.index()][id.index()],
        }
    }

    /// The states in which variables have these values.
    fn clause(&mut self, values: &[(Bits, i64)]) -> Set {
        let mut clause = Set::ALL;
        for (bits, value) in values {
            for index in 0..bits.width {
                let is_set = (value - bits.low) >> index & 1 == 1;
                let literal = self.sets.literal(bits.first + index, is_set);
                clause = self.sets.and(clause, literal);
            }
        }
        clause
    }

    /// The one state before the program starts.
    pub(super) fn initial(&mut self) -> Set {
        let values: Vec<(Bits, i64)> =
            self.globals.iter().copied().zip(self.initial.iter().copied()).collect();
        self.clause(&values)
    }

    /// The states in which a flag is set.
    pub(super) fn flag(&mut self, flag: GlobalId) -> Set {
        self.sets.literal(self.globals[flag.index()].first, true)
    }

    /// The bits of all globals.
    pub(super) fn global_bits(&self) -> Vec<Level> {
        self.globals.iter().flat_map(|bits| bits.first..bits.first + bits.width).collect()
    }

    /// The values of the globals in the one state of `states`.
    pub(super) fn decode(&self, states: Set) -> Vec<i64> {
        let state = self.sets.pick(states);
        let value = |bits: &Bits| {
            let levels = (bits.first..bits.first + bits.width).rev();
            let raw = levels.fold(0, |raw, level| raw << 1 | i64::from(state.contains(&level)));
            raw + bits.low
        };
        self.globals.iter().map(value).collect()
    }

    /// The states of `states` with `vars` forgotten.
    pub(super) fn forget(
        &mut self,
        procedure: ProcedureId,
        vars: impl Iterator<Item = Var>,
        states: Set,
    ) -> Set {
        let fixed: Vec<(Bits, i64)> =
            vars.map(|var| self.bits(procedure, var)).map(|bits| (bits, bits.low)).collect();
        let clause = self.clause(&fixed);
        self.sets.forget(states, clause)
    }

    /// The states of `states` with `vars` set to their values.
    pub(super) fn assign(
        &mut self,
        procedure: ProcedureId,
        vars: &[(Var, i64)],
        states: Set,
    ) -> Set {
        let values: Vec<(Bits, i64)> =
            vars.iter().map(|&(var, value)| (self.bits(procedure, var), value)).collect();
        // A value outside the type stops the run.
        if values.iter().any(|(bits, value)| *value < bits.low || *value > bits.high) {
            return Set::NONE;
        }
        let clause = self.clause(&values);
        self.sets.assign(states, clause)
    }

    /// The states in which `var` has a value of its type.
    pub(super) fn in_range(&mut self, procedure: ProcedureId, var: Var) -> Set {
        let bits = self.bits(procedure, var);
        if bits.high - bits.low + 1 == 1 << bits.width {
            return Set::ALL;
        }
        let mut any = Set::NONE;
        for value in bits.low..=bits.high {
            let equal = self.clause(&[(bits, value)]);
            any = self.sets.or(any, equal);
        }
        any
    }

    /// The states in which a Boolean expression holds.
    pub(super) fn holds(&mut self, procedure: ProcedureId, expr: &Expr) -> Result<Set, String> {
        Ok(match expr {
            Expr::Const(value, _) if *value != 0 => Set::ALL,
            Expr::Const(..) => Set::NONE,
            Expr::Var(var) => self.sets.literal(self.bits(procedure, *var).first, true),
            Expr::Not(inner) => {
                let inner = self.holds(procedure, inner)?;
                self.sets.minus(Set::ALL, inner)
            }
            Expr::Binary(Binary::And, left, right) => {
                let (left, right) = (self.holds(procedure, left)?, self.holds(procedure, right)?);
                self.sets.and(left, right)
            }
            Expr::Binary(Binary::Or, left, right) => {
                let (left, right) = (self.holds(procedure, left)?, self.holds(procedure, right)?);
                self.sets.or(left, right)
            }
            other => self.values(procedure, other)?.remove(&1).unwrap_or(Set::NONE),
        })
    }

    /// The values an expression may have, each with the states in which it has it.
    pub(super) fn values(
        &mut self,
        procedure: ProcedureId,
        expr: &Expr,
    ) -> Result<BTreeMap<i64, Set>, String> {
        let mut values = BTreeMap::new();
        let constant = |value| Expr::Const(value, Type::Int);
        match expr {
            Expr::Const(value, _) => self.add(&mut values, Some(*value), Set::ALL)?,
            Expr::Var(var) => {
                let bits = self.bits(procedure, *var);
                if bits.high - bits.low >= MAX_VALUES as i64 {
                    return Err(format!("a variable has over {MAX_VALUES} values"));
                }
                for value in bits.low..=bits.high {
                    let equal = self.clause(&[(bits, value)]);
                    self.add(&mut values, Some(value), equal)?;
                }
            }
            Expr::Not(inner) | Expr::Negate(inner) => {
                for (value, states) in self.values(procedure, inner)? {
                    let outer = match expr {
                        Expr::Not(_) => constant(value).negated(),
                        _ => Expr::Negate(Box::new(constant(value))),
                    };
                    self.add(&mut values, eval(&outer, &|_| 0), states)?;
                }
            }
            Expr::Binary(operator, left, right) => {
                let right = self.values(procedure, right)?;
                for (a, here) in self.values(procedure, left)? {
                    for (b, there) in &right {
                        let applied = constant(a).binary(*operator, constant(*b));
                        let both = self.sets.and(here, *there);
                        self.add(&mut values, eval(&applied, &|_| 0), both)?;
                    }
                }
            }
        }
        Ok(values)
    }

    fn add(
        &mut self,
        values: &mut BTreeMap<i64, Set>,
        value: Option<i64>,
        states: Set,
    ) -> Result<(), String> {
        let value = value.ok_or("an integer left 64 bits")?;
        if !states.is_empty() {
            let known = values.entry(value).or_insert(Set::NONE);
            *known = self.sets.or(*known, states);
        }
        if values.len() > MAX_VALUES {
            return Err(format!("an expression has over {MAX_VALUES} values"));
        }
        Ok(())
    }
}

/// Returns an order that keeps related bits together: first the guesses of the instrumentation,
/// then each location beside the variables that track it. Only speed depends on the order.
fn order(program: &Program) -> Vec<GlobalId> {
    let ids = || (0..program.globals.len()).map(GlobalId::new);
    let name = |id: GlobalId| program.global(id).name.as_str();
    let mut ordered: Vec<GlobalId> = Vec::new();
    let tracked = |id: &GlobalId| name(*id).starts_with("$touched$");
    ordered.extend(ids().filter(|id| name(*id).starts_with('$') && !tracked(id)));
    for id in ids().filter(|id| !name(*id).starts_with('$')) {
        ordered.push(id);
        let of = format!("$touched${}", name(id));
        ordered.extend(ids().filter(|other| name(*other) == of));
    }
    ordered
}
