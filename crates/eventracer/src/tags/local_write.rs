//! `ONLY_LOCAL_WRITE`: the uncovered races are between plain writes, and after each racing op the
//! next op to use the cell writes it first.
//!
//! Attributes that the user sees are exempt, because their last write is the visible result.

use super::RacyCell;
use crate::ids::OpId;

const VISIBLE_ATTRIBUTES: [&[u8]; 20] = [
    b"innerHTML",
    b"id",
    b"className",
    b"style",
    b"dir",
    b"accesskey",
    b"src",
    b"alt",
    b"ismap",
    b"usemap",
    b"href",
    b"seamless",
    b"srcdoc",
    b"width",
    b"height",
    b"sandbox",
    b"readonly",
    b"disabled",
    b"type",
    b"value",
];

pub(super) fn holds(cell: &RacyCell<'_>) -> bool {
    !is_visible(cell.name())
        && cell.open.iter().all(|race| {
            race.is_write_write() && race.ops().into_iter().all(|op| next_writes(cell, op))
        })
}

/// Returns whether no later op uses the cell, or the next one that does writes it first.
fn next_writes(cell: &RacyCell<'_>, op: OpId) -> bool {
    let next = cell.accesses.partition_point(|access| access.op() <= op);
    cell.accesses.get(next).is_none_or(|access| !access.is_read())
}

fn is_visible(name: &[u8]) -> bool {
    let is_node = memchr::memmem::find(name, b"[0x").is_some_and(|at| &name[..at] == b"DOMNode");
    let attribute = memchr::memmem::find(name, b"].").map(|at| &name[at + 2..]);
    is_node && attribute.is_some_and(|attribute| VISIBLE_ATTRIBUTES.contains(&attribute))
}

#[cfg(test)]
mod tests {
    use super::is_visible;

    #[test]
    fn visible_are_attributes_of_nodes_by_pointer() {
        assert!(is_visible(b"DOMNode[0x7f].style"));
        assert!(!is_visible(b"DOMNode[15].style"));
        assert!(!is_visible(b"DOMNode[0x7f].onclick"));
        assert!(!is_visible(b"Object[0x7f].style"));
    }
}
