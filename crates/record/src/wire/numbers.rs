//! Accesses that name their location by a number, and the definitions of these numbers
//! (docs/recording-web-runtime.md). Most lines are such accesses: a location is accessed in many
//! events, and its name is longer than everything else in the line.
//!
//! ```text
//! =7 Array(created%20at%20app.js:3)@1     location or object 7 has this name
//! r7 undefined 12                         it is read, with this value, at site 12
//! w7.5 %22a%22                            element 5 of it is written
//! ```
//!
//! Each realm has numbers of its own. A line that does not parse, an access of a number that has no
//! definition and a second definition of a number are [`Flaw`]s, and nothing of them is written.
//! Memory grows with the definitions of the realms that are there.

use std::io::Write;

use codec::text::decode_word;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use trace::LocationId;

use super::RealmId;

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    Malformed,
    Undefined,
    Redefined,
}

impl Flaw {
    /// The code of the note, and what it says about the line.
    pub(super) fn note(self) -> (&'static str, &'static str) {
        match self {
            Flaw::Malformed => ("unreadable-line", "expected NUMBER[.INDEX] VALUE [SITE]"),
            Flaw::Undefined => ("undefined-number", "no location has this number"),
            Flaw::Redefined => ("redefined-number", "a location already has this number"),
        }
    }
}

/// A line of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbered<'l> {
    Definition { number: u32, name: &'l [u8] },
    Access(Access<'l>),
}

/// An access. The value is a word that is not decoded yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access<'l> {
    pub(super) write: bool,
    pub(super) number: u32,
    pub(super) index: Option<u32>,
    pub(super) value: &'l [u8],
    pub(super) site: Option<u32>,
}

/// Parses a line of this kind. Returns `None` if it is a line of another kind.
pub(super) fn parse(line: &[u8]) -> Option<Result<Numbered<'_>, Flaw>> {
    let (write, rest) = match line {
        [b'=', rest @ ..] => return Some(definition(rest).ok_or(Flaw::Malformed)),
        [b'r', rest @ ..] => (false, rest),
        [b'w', rest @ ..] => (true, rest),
        _ => return None,
    };
    let is_number = rest.first().is_some_and(u8::is_ascii_digit);
    is_number.then(|| access(write, rest).map(Numbered::Access).ok_or(Flaw::Malformed))
}

fn definition(rest: &[u8]) -> Option<Numbered<'_>> {
    let (number, rest) = leading(rest)?;
    let name = rest.strip_prefix(b" ")?;
    Some(Numbered::Definition { number, name })
}

fn access(write: bool, rest: &[u8]) -> Option<Access<'_>> {
    let (number, rest) = leading(rest)?;
    let (index, rest) = match rest {
        [b'.', rest @ ..] => leading(rest).map(|(index, rest)| (Some(index), rest))?,
        _ => (None, rest),
    };
    let rest = rest.strip_prefix(b" ")?;
    let end = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
    let (value, rest) = rest.split_at(end);
    let site = match rest {
        [] => None,
        [_, rest @ ..] => {
            leading(rest).filter(|(_, rest)| rest.is_empty()).map(|(n, _)| Some(n))?
        }
    };
    Some(Access { write, number, index, value, site })
}

/// The decimal number at the start of `bytes`, and the rest.
fn leading(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0_u32;
    let mut at = 0;
    while let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
        number = number.checked_mul(10)?.checked_add(u32::from(digit - b'0'))?;
        at += 1;
    }
    (at > 0).then(|| (number, &bytes[at..]))
}

/// What a number stands for.
enum Meaning {
    /// The name of an object, or of a location that no access has mentioned.
    Name(Box<[u8]>),
    Location(LocationId),
}

/// The numbers that are defined.
#[derive(Default)]
pub(super) struct Numbers {
    meanings: HashMap<RealmId, HashMap<u32, Meaning>>,
    scratch: Vec<u8>,
}

impl Numbers {
    /// Gives a location or an object a number. The name is a word.
    pub(super) fn define(&mut self, realm: RealmId, number: u32, name: &[u8]) -> Result<(), Flaw> {
        let name = decode_word(name, &mut self.scratch).ok_or(Flaw::Malformed)?;
        match self.meanings.entry(realm).or_default().entry(number) {
            Entry::Occupied(_) => Err(Flaw::Redefined),
            Entry::Vacant(free) => {
                free.insert(Meaning::Name(name.into()));
                Ok(())
            }
        }
    }

    /// Drops the numbers of a realm.
    pub(super) fn forget(&mut self, realm: RealmId) {
        self.meanings.remove(&realm);
    }

    /// The location of an access. `intern` gives a decoded name its id.
    pub(super) fn location(
        &mut self,
        realm: RealmId,
        access: &Access<'_>,
        intern: impl FnOnce(&[u8]) -> LocationId,
    ) -> Result<LocationId, Flaw> {
        let of_realm = self.meanings.get_mut(&realm).ok_or(Flaw::Undefined)?;
        let meaning = of_realm.get_mut(&access.number).ok_or(Flaw::Undefined)?;
        let location = match (&*meaning, access.index) {
            (Meaning::Location(location), None) => return Ok(*location),
            (Meaning::Location(_), Some(_)) => return Err(Flaw::Undefined),
            (Meaning::Name(name), Some(index)) => {
                self.scratch.clear();
                self.scratch.extend_from_slice(name);
                write!(self.scratch, "[{index}]").expect("a vector takes it");
                return Ok(intern(&self.scratch));
            }
            (Meaning::Name(name), None) => intern(name),
        };
        *meaning = Meaning::Location(location);
        Ok(location)
    }
}
