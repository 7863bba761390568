//! The memory locations and accesses of a log.
//!
//! Locations are in the order in which the tool visits them: by address and field, then the static
//! fields by class and field. Databases are not reported. Accesses that no ACCESS closed have no
//! operation in the graph and are left out.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::log::{AbcLog, Access, ObjectId, Symbol, Target};
use crate::memory::{Location, Memory, MemoryAccess, Owner};

/// The sort key of locations.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Instance(ObjectId, u32),
    Static(&'a [u8], u32),
}

/// Returns the memory of `log`, whose operations are those of `base`.
pub fn memory(log: &AbcLog, base: &Base) -> Memory {
    let sources = base.ops().iter().map(|op| op.source);
    let by_source: HashMap<u64, OpId> = sources.zip((0..).map(OpId)).collect();
    let mut locations: BTreeMap<Key<'_>, Location> = BTreeMap::new();
    for access in &log.accesses {
        let Some(set) = access.set else { continue };
        let Some(&op) = by_source.get(&set.operation) else { continue };
        let Some((key, owner, class, field)) = locate(log, access) else { continue };
        let location = locations.entry(key).or_insert_with(|| Location {
            owner,
            field,
            reads: Vec::new(),
            writes: Vec::new(),
        });
        let list = if access.is_write { &mut location.writes } else { &mut location.reads };
        let (id, thread, is_write) = (access.id, access.thread, access.is_write);
        list.push(MemoryAccess { id, set: set.id, op, thread, is_write, class });
    }
    Memory::new(locations.into_values().collect())
}

fn locate<'a>(log: &'a AbcLog, access: &Access) -> Option<(Key<'a>, Owner, Symbol, u32)> {
    Some(match access.target {
        Target::Instance { object, class, field } => {
            (Key::Instance(object, field), Owner::Object(object), class, field)
        }
        Target::Static { class, field } => {
            (Key::Static(log.names.text(class), field), Owner::Class(class), class, field)
        }
        Target::Database(_) => return None,
    })
}
