//! Finds races: conflicting accesses of different operations that R does not order.
//!
//! For each location, the tool visits reads × writes, then pairs of writes, each by ascending
//! number. It prints a pair only if it is the first of its location in some class, so most pairs
//! add nothing. What a pair adds depends only on its operations and on the class of its first
//! access, and a third pair with the same combination adds nothing (`Ledger::file` states why).
//! Therefore only two accesses of each run that agrees in both are kept, and the cost of a location
//! is the square of its operations, not of its accesses.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::classes::{Attributes, Category, Ledger};
use crate::closure::Relation;
use crate::log::{Names, Symbol};
use crate::memory::{LocationId, Memory, MemoryAccess};

/// A pair that the tool prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The location of the race.
    pub location: LocationId,
    /// The read, or the write of the lower number.
    pub first: MemoryAccess,
    /// The write.
    pub second: MemoryAccess,
    /// The class in which the pair is the first of its location.
    pub category: Category,
    /// For co-enabled events, the triggers.
    pub triggers: Option<(OpId, OpId)>,
}

/// The races of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Races {
    /// The pairs that the tool prints, in its order.
    pub printed: Vec<Race>,
    /// The classes and fields of all races within a thread.
    pub async_fields: BTreeSet<(Symbol, u32)>,
}

/// Returns the races of `memory` under `relation`.
pub fn detect(base: &Base, relation: &Relation, memory: &Memory, names: &Names) -> Races {
    detect_among(base, relation, memory, names, first_two)
}

/// Returns the races among the accesses of each list that `keep` returns.
fn detect_among(
    base: &Base,
    relation: &Relation,
    memory: &Memory,
    names: &Names,
    keep: fn(&[MemoryAccess]) -> Vec<MemoryAccess>,
) -> Races {
    let attributes = Attributes::of_tasks(base);
    let mut races = Races::default();
    for (id, location) in memory.locations() {
        let mut ledger = Ledger::new(base, relation, &attributes, names);
        for_each_pair(&keep(&location.reads), &keep(&location.writes), |first, second| {
            if first.op == second.op || !relation.unordered(first.op, second.op) {
                return;
            }
            if first.thread == second.thread {
                races.async_fields.insert((first.class, location.field));
            }
            if let Some((category, triggers)) = ledger.file(first, second) {
                let (first, second) = (*first, *second);
                races.printed.push(Race { location: id, first, second, category, triggers });
            }
        });
    }
    races
}

fn for_each_pair(
    reads: &[MemoryAccess],
    writes: &[MemoryAccess],
    mut visit: impl FnMut(&MemoryAccess, &MemoryAccess),
) {
    for read in reads {
        for write in writes {
            visit(read, write);
        }
    }
    for (index, first) in writes.iter().enumerate() {
        for second in &writes[index + 1..] {
            visit(first, second);
        }
    }
}

/// Returns the first two accesses of each operation and class.
fn first_two(accesses: &[MemoryAccess]) -> Vec<MemoryAccess> {
    let mut seen: HashMap<(OpId, Symbol), u8> = HashMap::new();
    let mut kept = Vec::new();
    for access in accesses {
        let count = seen.entry((access.op, access.class)).or_default();
        if *count < 2 {
            *count += 1;
            kept.push(*access);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::analyse;
    use crate::log::parse;
    use crate::rules::RuleSet;

    /// The plan of a task: whether it is posted across threads, its delay, whether an event
    /// triggers it, and the accesses of each of its ACCESS operations: whether they write, and
    /// which class they name.
    type TaskPlan = (bool, u8, bool, Vec<Vec<(bool, bool)>>);

    fn log_of(tasks: &[TaskPlan]) -> String {
        let (mut text, mut op, mut rw) = (String::new(), 0, 0);
        let mut line = |text: &mut String, what: String| {
            op += 1;
            writeln!(text, "{op} {what}").unwrap();
        };
        for (message, (is_crossed, delay, is_triggered, sets)) in tasks.iter().enumerate() {
            let poster = if *is_crossed { 10 + message } else { 1 };
            line(&mut text, format!("POST src:{poster} msg:{message} dest:-1 delay:{delay}"));
            line(&mut text, format!("CALL tid:1 msg:{message}"));
            if *is_triggered {
                line(&mut text, "TRIGGER-WINDOW-FOCUS tid:1 windowHash:1".into());
            }
            for set in sets {
                for (is_write, is_other) in set {
                    rw += 1;
                    let kind = if *is_write { "WRITE" } else { "READ" };
                    let class = if *is_other { "LB;" } else { "Landroid/view/View;" };
                    writeln!(text, "rwId:{rw} {kind} tid:1 obj:0x1 class:{class} field:1").unwrap();
                }
                line(&mut text, "ACCESS tid:1 accessId:1".into());
            }
            line(&mut text, format!("RET tid:1 msg:{message}"));
        }
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn two_accesses_of_an_operation_say_as_much_as_all(
            tasks in vec(
                (any::<bool>(), 0..2u8, any::<bool>(), vec(vec(any::<(bool, bool)>(), 0..5), 0..3)),
                1..5,
            ),
        ) {
            let (log, _) = parse(log_of(&tasks).as_bytes()).unwrap();
            let (analysis, _) = analyse(&log, RuleSet::ALL);
            let (base, relation) = (&analysis.base, &analysis.relation);
            let all = detect_among(base, relation, &analysis.memory, &log.names, <[_]>::to_vec);
            prop_assert_eq!(analysis.races, all);
        }
    }
}
