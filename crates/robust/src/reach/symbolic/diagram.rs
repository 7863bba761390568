//! Reduced ordered binary decision diagrams (Bryant 1986) in one shared store.
//!
//! Equal sets are the same node, so sets are compared by number, and an operation stops where its
//! operands are equal: a statement that accesses only variables near the top leaves the nodes below
//! unchanged. Results are cached in a table that overwrites on collision. Nodes are never freed.
//! When their number exceeds the limit, the store is full ([`Diagrams::is_full`]), and its later
//! results are meaningless. Recursion is as deep as the number of variables.

use hashbrown::HashTable;

/// A set of valuations; meaningful only to the store that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set(u32);

impl Set {
    /// No valuation.
    pub(super) const NONE: Self = Self(0);
    /// Every valuation.
    pub(super) const ALL: Self = Self(1);

    pub(super) fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

/// A variable, by its place in the order.
pub(super) type Level = u32;

#[derive(Clone, Copy, PartialEq, Eq)]
struct Node {
    level: Level,
    low: Set,
    high: Set,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    And,
    Or,
    Minus,
    Forget,
    Assign,
}

/// The cached result of an operation on two operands.
#[derive(Clone, Copy)]
struct Remembered {
    operation: Operation,
    left: Set,
    right: Set,
    result: Set,
}

/// The number of entries of the table of results: initially, and at most.
const RESULTS: std::ops::Range<usize> = 1 << 14..1 << 22;

/// A store of diagrams.
pub(super) struct Diagrams {
    nodes: Vec<Node>,
    known: HashTable<u32>,
    results: Vec<Option<Remembered>>,
    limit: usize,
}

fn mix(a: u32, b: u32, c: u32) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let word = u64::from(a) << 32 | u64::from(b);
    let mixed = (word ^ u64::from(c).wrapping_mul(ODD)).wrapping_mul(ODD);
    (mixed ^ mixed >> 29).wrapping_mul(ODD).rotate_left(31)
}

fn hash(node: &Node) -> u64 {
    mix(node.low.0, node.high.0, node.level)
}

/// The result of an operation, if the operands alone determine it.
fn trivial(operation: Operation, left: Set, right: Set) -> Option<Set> {
    let choices = match operation {
        Operation::And => [
            (left == right || right == Set::ALL, left),
            (left == Set::ALL, right),
            (left.is_empty() || right.is_empty(), Set::NONE),
        ],
        Operation::Or => [
            (left == right || right.is_empty(), left),
            (left.is_empty(), right),
            (left == Set::ALL || right == Set::ALL, Set::ALL),
        ],
        Operation::Minus => [
            (right.is_empty(), left),
            (left == right || left.is_empty(), Set::NONE),
            (right == Set::ALL, Set::NONE),
        ],
        Operation::Forget => {
            [(right == Set::ALL, left), (left.is_empty(), Set::NONE), (left == Set::ALL, Set::ALL)]
        }
        Operation::Assign => {
            [(right == Set::ALL, left), (left.is_empty(), Set::NONE), (left == Set::ALL, right)]
        }
    };
    choices.into_iter().find(|(holds, _)| *holds).map(|(_, result)| result)
}

impl Diagrams {
    /// An empty store for at most `limit` nodes.
    pub(super) fn new(limit: usize) -> Self {
        let end = |set| Node { level: Level::MAX, low: set, high: set };
        Self {
            nodes: vec![end(Set::NONE), end(Set::ALL)],
            known: HashTable::new(),
            results: vec![None; RESULTS.start],
            limit: limit.min(u32::MAX as usize),
        }
    }

    /// The number of nodes made so far.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the number of nodes exceeds the limit.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() >= self.limit
    }

    fn node(&self, set: Set) -> Node {
        self.nodes[set.0 as usize]
    }

    /// The valuations of `low` in which the variable is false and those of `high` in which it is
    /// true; both depend on later variables only.
    fn make(&mut self, level: Level, low: Set, high: Set) -> Set {
        if low == high || self.is_full() {
            return low;
        }
        let node = Node { level, low, high };
        let nodes = &self.nodes;
        let hashed = hash(&node);
        if let Some(&known) = self.known.find(hashed, |&id| nodes[id as usize] == node) {
            return Set(known);
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.known.insert_unique(hashed, id, |&id| hash(&nodes[id as usize]));
        if self.nodes.len() > self.results.len() && self.results.len() < RESULTS.end {
            self.results = vec![None; 2 * self.results.len()];
        }
        Set(id)
    }

    /// The valuations in which the variable has the value.
    pub(super) fn literal(&mut self, level: Level, value: bool) -> Set {
        if value {
            self.make(level, Set::NONE, Set::ALL)
        } else {
            self.make(level, Set::ALL, Set::NONE)
        }
    }

    pub(super) fn and(&mut self, left: Set, right: Set) -> Set {
        self.apply(Operation::And, left, right)
    }

    pub(super) fn or(&mut self, left: Set, right: Set) -> Set {
        self.apply(Operation::Or, left, right)
    }

    /// The valuations of `left` that are not in `right`.
    pub(super) fn minus(&mut self, left: Set, right: Set) -> Set {
        self.apply(Operation::Minus, left, right)
    }

    /// The valuations of `set` with the variables of the clause `variables` set to anything.
    pub(super) fn forget(&mut self, set: Set, variables: Set) -> Set {
        self.apply(Operation::Forget, set, variables)
    }

    /// The valuations of `set` with variables set to the values of the clause `values`.
    pub(super) fn assign(&mut self, set: Set, values: Set) -> Set {
        self.apply(Operation::Assign, set, values)
    }

    fn apply(&mut self, operation: Operation, left: Set, right: Set) -> Set {
        use Operation::{And, Assign, Forget, Minus, Or};
        if let Some(result) = trivial(operation, left, right) {
            return result;
        }
        let symmetric = matches!(operation, And | Or);
        let (left, right) =
            if symmetric && left.0 > right.0 { (right, left) } else { (left, right) };
        let hashed = mix(left.0, right.0, operation as u32) as usize;
        if let Some(known) = &self.results[hashed & (self.results.len() - 1)]
            && (known.operation, known.left, known.right) == (operation, left, right)
        {
            return known.result;
        }
        let result = match operation {
            And | Or | Minus => self.apply_below(operation, left, right),
            Forget | Assign => self.apply_clause(operation, left, right),
        };
        // The recursion may have enlarged the table.
        let slot = hashed & (self.results.len() - 1);
        self.results[slot] = Some(Remembered { operation, left, right, result });
        result
    }

    fn apply_below(&mut self, operation: Operation, left: Set, right: Set) -> Set {
        let (l, r) = (self.node(left), self.node(right));
        let level = l.level.min(r.level);
        let (left_low, left_high) = if l.level == level { (l.low, l.high) } else { (left, left) };
        let (right_low, right_high) =
            if r.level == level { (r.low, r.high) } else { (right, right) };
        let low = self.apply(operation, left_low, right_low);
        let high = self.apply(operation, left_high, right_high);
        self.make(level, low, high)
    }

    /// [`Operation::Forget`] and [`Operation::Assign`]: the right operand is a clause.
    fn apply_clause(&mut self, operation: Operation, set: Set, clause: Set) -> Set {
        let (s, c) = (self.node(set), self.node(clause));
        if s.level < c.level {
            let low = self.apply(operation, s.low, clause);
            let high = self.apply(operation, s.high, clause);
            return self.make(s.level, low, high);
        }
        let is_true = c.low.is_empty();
        let rest = if is_true { c.high } else { c.low };
        let either = if s.level == c.level { self.or(s.low, s.high) } else { set };
        let below = self.apply(operation, either, rest);
        match (operation, is_true) {
            (Operation::Forget, _) => below,
            (_, true) => self.make(c.level, Set::NONE, below),
            (_, false) => self.make(c.level, below, Set::NONE),
        }
    }

    /// A valuation of `set`, which is not empty: the variables that are true.
    pub(super) fn pick(&self, set: Set) -> Vec<Level> {
        let (mut at, mut found) = (set, Vec::new());
        while at != Set::ALL {
            let node = self.node(at);
            if node.low.is_empty() {
                found.push(node.level);
                at = node.high;
            } else {
                at = node.low;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VARIABLES: Level = 5;

    /// A random set as a diagram and as a table of all valuations.
    fn random(store: &mut Diagrams, rng: &mut fastrand::Rng) -> (Set, u32) {
        let table = rng.u32(..) & rng.u32(..);
        let mut set = Set::NONE;
        for valuation in (0..32).filter(|valuation| table >> valuation & 1 == 1) {
            let clause = clause(store, (0..VARIABLES).map(|v| (v, valuation >> v & 1 == 1)));
            set = store.or(set, clause);
        }
        (set, table)
    }

    fn clause(store: &mut Diagrams, literals: impl Iterator<Item = (Level, bool)>) -> Set {
        let mut clause = Set::ALL;
        for (level, value) in literals {
            let literal = store.literal(level, value);
            clause = store.and(clause, literal);
        }
        clause
    }

    fn table_of(store: &Diagrams, set: Set) -> u32 {
        let holds = |valuation: u32| {
            let mut at = set;
            while at != Set::ALL && at != Set::NONE {
                let node = store.node(at);
                at = if valuation >> node.level & 1 == 1 { node.high } else { node.low };
            }
            at == Set::ALL
        };
        (0..32).filter(|&valuation| holds(valuation)).fold(0, |table, v| table | 1 << v)
    }

    #[test]
    fn operations_are_those_on_tables() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut store = Diagrams::new(1 << 20);
        for _ in 0..2_000 {
            let ((a, ta), (b, tb)) = (random(&mut store, &mut rng), random(&mut store, &mut rng));
            let results = [
                (store.and(a, b), ta & tb),
                (store.or(a, b), ta | tb),
                (store.minus(a, b), ta & !tb),
            ];
            for (found, expected) in results {
                assert_eq!(table_of(&store, found), expected);
            }
            assert_eq!(a == b, ta == tb, "one set, one node");
            let (chosen, values) = (rng.u32(..), rng.u32(..));
            let literals: Vec<(Level, bool)> = (0..VARIABLES)
                .filter(|v| chosen >> v & 1 == 1)
                .map(|v| (v, values >> v & 1 == 1))
                .collect();
            let fixed = clause(&mut store, literals.iter().copied());
            let of_literals =
                |v: u32| literals.iter().all(|&(l, value)| (v >> l & 1 == 1) == value);
            let mask = literals.iter().fold(0, |mask, (level, _)| mask | 1 << level);
            let forgotten = (0..32u32)
                .filter(|v| (0..32).any(|w| ta >> w & 1 == 1 && w & !mask == v & !mask))
                .fold(0, |table, v| table | 1 << v);
            let assigned = (0..32).filter(|&v| of_literals(v)).fold(0, |table, v| table | 1 << v);
            let found = (store.forget(a, fixed), store.assign(a, fixed));
            assert_eq!(table_of(&store, found.0), forgotten);
            assert_eq!(table_of(&store, found.1), forgotten & assigned);
            if ta != 0 {
                let valuation = store.pick(a).iter().fold(0, |v, level| v | 1 << level);
                assert_eq!(ta >> valuation & 1, 1);
            }
        }
    }

    #[test]
    fn a_full_store_says_so() {
        let mut store = Diagrams::new(100);
        let mut rng = fastrand::Rng::with_seed(1);
        while !store.is_full() {
            random(&mut store, &mut rng);
        }
        assert_eq!(store.len(), 100);
    }
}
