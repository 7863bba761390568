//! Variables as bits of a diagram, expressions as diagrams.

use std::collections::BTreeMap;

use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariable, BddVariableSet};

use crate::core::eval::eval;
use crate::core::{Binary, Expr, GlobalId, ProcedureId, Program, Type, Var};

/// Values an expression may have.
const MAX_VALUES: usize = 256;

/// The bits of one variable, least significant first, and its least value.
#[derive(Clone, Debug)]
struct Bits {
    list: Vec<BddVariable>,
    low: i64,
    high: i64,
}

/// The variables of a program as bits.
pub(super) struct Encoding {
    set: BddVariableSet,
    globals: Vec<Bits>,
    /// Per procedure.
    locals: Vec<Vec<Bits>>,
    initial: Vec<i64>,
}

impl Encoding {
    pub(super) fn new(program: &Program) -> Result<Self, String> {
        let mut next = 0;
        let mut take = |ty: Type| -> Result<(Vec<usize>, i64, i64), String> {
            let Some((low, high)) = program.bounds(ty) else {
                return Err("an unbounded integer has no finite domain".into());
            };
            let width = 64 - ((high - low) as u64).leading_zeros() as usize;
            let bits = (next..next + width).collect();
            next += width;
            Ok((bits, low, high))
        };
        let mut globals = vec![None; program.globals.len()];
        for id in order(program) {
            globals[id.index()] = Some(take(program.global(id).ty)?);
        }
        let mut locals = Vec::new();
        for procedure in &program.procedures {
            let of_procedure: Result<Vec<_>, String> =
                procedure.locals.iter().map(|local| take(local.ty)).collect();
            locals.push(of_procedure?);
        }
        let count = u16::try_from(next).map_err(|_| "over 65,535 bits of state".to_owned())?;
        let set = BddVariableSet::new_anonymous(count);
        let variables = set.variables();
        let bits = |(bits, low, high): (Vec<usize>, i64, i64)| Bits {
            list: bits.into_iter().map(|bit| variables[bit]).collect(),
            low,
            high,
        };
        let globals = globals.into_iter().flatten().map(bits).collect();
        let locals = locals.into_iter().map(|list| list.into_iter().map(bits).collect()).collect();
        let initial = program.globals.iter().map(|global| global.init).collect();
        Ok(Self { set, globals, locals, initial })
    }

    fn bits(&self, procedure: ProcedureId, var: Var) -> &Bits {
        match var {
            Var::Global(id) => &self.globals[id.index()],
            Var::Local(id) => &self.locals[procedure.index()][id.index()],
        }
    }

    pub(super) fn nothing(&self) -> Bdd {
        self.set.mk_false()
    }

    /// The one state before the program starts.
    pub(super) fn initial(&self) -> Bdd {
        let mut clause = BddPartialValuation::empty();
        for (bits, value) in self.globals.iter().zip(&self.initial) {
            bits.fix(*value, &mut clause);
        }
        self.set.mk_conjunctive_clause(&clause)
    }

    /// The states in which a flag is set.
    pub(super) fn flag(&self, flag: GlobalId) -> Bdd {
        self.set.mk_var(self.globals[flag.index()].list[0])
    }

    /// The bits of all globals.
    pub(super) fn global_bits(&self) -> Vec<BddVariable> {
        self.globals.iter().flat_map(|bits| bits.list.iter().copied()).collect()
    }

    /// The values of the globals in the one state of `states`.
    pub(super) fn decode(&self, states: &Bdd) -> Vec<i64> {
        let state = states.sat_witness().expect("there is a state");
        let value = |bits: &Bits| {
            let raw = bits.list.iter().rev().fold(0, |raw, bit| raw << 1 | i64::from(state[*bit]));
            raw + bits.low
        };
        self.globals.iter().map(value).collect()
    }

    /// The states of `states` with `var` forgotten.
    pub(super) fn forget(&self, procedure: ProcedureId, var: Var, states: &Bdd) -> Bdd {
        states.exists(&self.bits(procedure, var).list)
    }

    /// The states of `states` with `var` set to `value`.
    pub(super) fn assign(&self, procedure: ProcedureId, var: Var, value: i64, states: &Bdd) -> Bdd {
        let bits = self.bits(procedure, var);
        let mut clause = BddPartialValuation::empty();
        bits.fix(value, &mut clause);
        states.exists(&bits.list).and(&self.set.mk_conjunctive_clause(&clause))
    }

    /// The states in which `var` has a value of its type.
    pub(super) fn in_range(&self, procedure: ProcedureId, var: Var) -> Bdd {
        let bits = self.bits(procedure, var);
        let full = bits.high - bits.low + 1 == 1 << bits.list.len();
        if full {
            return self.set.mk_true();
        }
        (bits.low..=bits.high)
            .map(|value| self.equals(bits, value))
            .fold(self.set.mk_false(), |any, value| any.or(&value))
    }

    fn equals(&self, bits: &Bits, value: i64) -> Bdd {
        if value < bits.low || value > bits.high {
            return self.set.mk_false();
        }
        let mut clause = BddPartialValuation::empty();
        bits.fix(value, &mut clause);
        self.set.mk_conjunctive_clause(&clause)
    }

    /// The states in which a Boolean expression holds.
    pub(super) fn holds(&self, procedure: ProcedureId, expr: &Expr) -> Result<Bdd, String> {
        Ok(match expr {
            Expr::Const(value, _) if *value != 0 => self.set.mk_true(),
            Expr::Const(..) => self.set.mk_false(),
            Expr::Var(var) => self.set.mk_var(self.bits(procedure, *var).list[0]),
            Expr::Not(inner) => self.holds(procedure, inner)?.not(),
            Expr::Binary(Binary::And, left, right) => {
                self.holds(procedure, left)?.and(&self.holds(procedure, right)?)
            }
            Expr::Binary(Binary::Or, left, right) => {
                self.holds(procedure, left)?.or(&self.holds(procedure, right)?)
            }
            other => self.values(procedure, other)?.remove(&1).unwrap_or(self.set.mk_false()),
        })
    }

    /// The values an expression may have, each with the states in which it has it.
    pub(super) fn values(
        &self,
        procedure: ProcedureId,
        expr: &Expr,
    ) -> Result<BTreeMap<i64, Bdd>, String> {
        let mut values: BTreeMap<i64, Bdd> = BTreeMap::new();
        let mut add = |value: Option<i64>, states: Bdd| -> Result<(), String> {
            let value = value.ok_or("an integer left 64 bits")?;
            if !states.is_false() {
                let merged = match values.remove(&value) {
                    Some(known) => known.or(&states),
                    None => states,
                };
                values.insert(value, merged);
            }
            if values.len() > MAX_VALUES {
                return Err(format!("an expression has over {MAX_VALUES} values"));
            }
            Ok(())
        };
        match expr {
            Expr::Const(value, _) => add(Some(*value), self.set.mk_true())?,
            Expr::Var(var) => {
                let bits = self.bits(procedure, *var);
                if bits.high - bits.low >= MAX_VALUES as i64 {
                    return Err(format!("a variable has over {MAX_VALUES} values"));
                }
                for value in bits.low..=bits.high {
                    add(Some(value), self.equals(bits, value))?;
                }
            }
            Expr::Not(inner) | Expr::Negate(inner) => {
                for (value, states) in self.values(procedure, inner)? {
                    let constant = Expr::Const(value, Type::Int);
                    let outer = match expr {
                        Expr::Not(_) => constant.negated(),
                        _ => Expr::Negate(Box::new(constant)),
                    };
                    add(eval(&outer, &|_| 0), states)?;
                }
            }
            Expr::Binary(operator, left, right) => {
                let right = self.values(procedure, right)?;
                for (a, here) in self.values(procedure, left)? {
                    for (b, there) in &right {
                        let constant = |value| Expr::Const(value, Type::Int);
                        let applied = constant(a).binary(*operator, constant(*b));
                        add(eval(&applied, &|_| 0), here.and(there))?;
                    }
                }
            }
        }
        Ok(values)
    }
}

impl Bits {
    fn fix(&self, value: i64, clause: &mut BddPartialValuation) {
        for (index, bit) in self.list.iter().enumerate() {
            clause.set_value(*bit, (value - self.low) >> index & 1 == 1);
        }
    }
}

/// An order that keeps related bits together: what the instrumentation guesses first, then each
/// location beside what is tracked about it. Only speed depends on it.
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
