//! `COOKIE_OR_CLASSNAME`: operations on cookies and class names mostly add or remove a part, so
//! their order does not matter.

use memchr::memmem;

use super::RacyCell;

pub(super) fn holds(cell: &RacyCell<'_>) -> bool {
    let name = cell.name();
    memmem::find(name, b".cookie").is_some() || memmem::find(name, b".className").is_some()
}
