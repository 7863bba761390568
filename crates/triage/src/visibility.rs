//! How much of a location a person sees.

use trace::{LocationId, LocationKind, Trace};

/// How much of a location a person sees. The order is from the least visible to the most visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Only code sees the location: a variable, a property, a timer, a list of handlers.
    Internal,
    /// The location outlives the page: a cookie, a key of a storage.
    Kept,
    /// The location is a part of what the page shows: content, a form's value, the title, the focus.
    Shown,
}

/// The ends of names of locations that a page shows, but whose kind states only that they have a value
/// from the start.
const SHOWN: [&[u8]; 4] = [b".checked", b".selected", b"document.title", b"document.activeElement"];

/// Returns how much of a location a person sees. A lookup of an element by its id only finds what the
/// page shows, the head of a document holds scripts and styles, and the attributes `aria-…` and `role` are not
/// drawn, so these count as internal.
pub fn visibility(trace: &Trace, location: LocationId) -> Visibility {
    let name = trace.names().locations.get(location);
    let plain = unnumbered(name);
    match trace.location_kind(location) {
        Some(LocationKind::Dom)
            if !is_lookup(trace, location)
                && !name.starts_with(b"head")
                && !is_described(plain) =>
        {
            Visibility::Shown
        }
        Some(LocationKind::Cookie | LocationKind::Storage) => Visibility::Kept,
        Some(LocationKind::Other(_)) if SHOWN.iter().any(|end| plain.ends_with(end)) => {
            Visibility::Shown
        }
        _ => Visibility::Internal,
    }
}

/// Returns whether a location is an attribute that describes an element to programs that read a page aloud.
fn is_described(plain: &[u8]) -> bool {
    let end = plain.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    end.starts_with(b"aria-") || end == b"role"
}

/// Returns a name without the number of its document, which follows after `@`.
pub(crate) fn unnumbered(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|&byte| byte == b'@').unwrap_or(name.len());
    let number = name.get(end + 1..).unwrap_or_default();
    let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
    if is_number { &name[..end] } else { name }
}

/// The ends of names of what a user enters in a form.
const FORM_VALUES: [&[u8]; 3] = [b".checked", b".selected", b".value"];

/// Returns whether a location is what a user enters in a form.
pub(crate) fn is_form_value(trace: &Trace, location: LocationId) -> bool {
    let name = unnumbered(trace.names().locations.get(location));
    trace.location_kind(location).is_some() && FORM_VALUES.iter().any(|end| name.ends_with(end))
}

/// Returns whether a location is what a lookup of an element by its id finds.
pub(crate) fn is_lookup(trace: &Trace, location: LocationId) -> bool {
    let name = trace.names().locations.get(location);
    name.windows(LOOKUP.len()).any(|window| window == LOOKUP)
}

const LOOKUP: &[u8] = b"getElementById(";
