//! The numbers that stand for names of locations and texts of values
//! (docs/recording-web-runtime.md, "Accesses by number").
//!
//! ```text
//! =7 Array(created%20at%20app.js:3)@1     7 stands for this location, object or value
//! =8 7 .items                             8 stands for the name that 7 stands for, followed by this
//! ```
//!
//! Each realm has numbers of its own. A number above 2³² − 1, a second definition of a number, a name of more
//! than [`NAME`] bytes, and an owner or an access whose number has no definition are [`Flaw`]s, and nothing of them is written. A program
//! defines numbers in ascending order, so most are indices of a vector. Memory grows with the
//! definitions of the realms that are there.

use std::io::Write;

use codec::text::decode_word;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use trace::{LocationId, TextId};

use super::RealmId;

/// The longest name, in bytes. A name that continues another one grows with each step.
const NAME: usize = super::LONGEST;

/// What is wrong with a definition or an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    Malformed,
    Undefined,
    Redefined,
    /// A name is longer than [`NAME`].
    Long,
}

impl Flaw {
    /// The code of the note, and what it says about the line.
    pub(super) fn note(self) -> (&'static str, &'static str) {
        match self {
            Flaw::Malformed => ("unreadable-line", "expected a definition or packed accesses"),
            Flaw::Undefined => ("undefined-number", "nothing has this number"),
            Flaw::Redefined => ("redefined-number", "something already has this number"),
            Flaw::Long => ("long-name", "the name is too long"),
        }
    }
}

/// A definition of a number. The name is a word that is not decoded yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Definition<'l> {
    number: u32,
    owner: Option<u32>,
    name: &'l [u8],
}

impl<'l> Definition<'l> {
    /// Parses what follows the sign of a definition.
    pub(super) fn parse(rest: &'l [u8]) -> Result<Self, Flaw> {
        Self::split(rest).ok_or(Flaw::Malformed)
    }

    fn split(rest: &'l [u8]) -> Option<Self> {
        let (number, rest) = leading(rest)?;
        let name = rest.strip_prefix(b" ")?;
        match name.iter().position(|&byte| byte == b' ') {
            None => Some(Self { number, owner: None, name }),
            Some(space) => {
                let (owner, rest) = leading(&name[..space])?;
                let name = &name[space + 1..];
                rest.is_empty().then_some(Self { number, owner: Some(owner), name })
            }
        }
    }
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
    /// The name of an object, or a name or text that no access has mentioned.
    Name(Box<[u8]>),
    Location(LocationId),
    Value(TextId),
}

/// The numbers of a realm.
#[derive(Default)]
struct Table {
    /// The first number that was defined.
    first: u32,
    /// The meanings of the numbers from the first on.
    row: Vec<Meaning>,
    /// The meanings of numbers that were defined out of turn.
    others: HashMap<u32, Meaning>,
    /// About how many bytes of memory the meanings take.
    bytes: usize,
}

impl Table {
    fn get_mut(&mut self, number: u32) -> Option<&mut Meaning> {
        let at = number.wrapping_sub(self.first) as usize;
        self.row.get_mut(at).or_else(|| self.others.get_mut(&number))
    }

    fn define(&mut self, number: u32, meaning: Meaning) -> Result<(), Flaw> {
        if self.row.is_empty() {
            self.first = number;
        }
        let at = number.wrapping_sub(self.first) as usize;
        if at < self.row.len() {
            return Err(Flaw::Redefined);
        }
        match self.others.entry(number) {
            Entry::Occupied(_) => Err(Flaw::Redefined),
            Entry::Vacant(_) if at == self.row.len() => {
                self.row.push(meaning);
                Ok(())
            }
            Entry::Vacant(free) => {
                free.insert(meaning);
                Ok(())
            }
        }
    }
}

/// The numbers that are defined.
#[derive(Default)]
pub(super) struct Numbers {
    tables: HashMap<RealmId, Table>,
    /// About how many bytes of memory the definitions take.
    bytes: usize,
    scratch: Vec<u8>,
    name: Vec<u8>,
}

impl Numbers {
    /// Gives a name or a text a number.
    pub(super) fn define(&mut self, realm: RealmId, it: Definition<'_>) -> Result<(), Flaw> {
        let table = self.tables.entry(realm).or_default();
        self.name.clear();
        if let Some(owner) = it.owner {
            let Some(Meaning::Name(name)) = table.get_mut(owner) else {
                return Err(Flaw::Undefined);
            };
            self.name.extend_from_slice(name);
        }
        let name = decode_word(it.name, &mut self.scratch).ok_or(Flaw::Malformed)?;
        self.name.extend_from_slice(name);
        if self.name.len() > NAME {
            return Err(Flaw::Long);
        }
        table.define(it.number, Meaning::Name(self.name.as_slice().into()))?;
        let bytes = self.name.len() + super::BESIDE;
        table.bytes += bytes;
        self.bytes += bytes;
        Ok(())
    }

    /// About how many bytes of memory the definitions take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Drops the numbers of a realm.
    pub(super) fn forget(&mut self, realm: RealmId) {
        self.bytes -= self.tables.remove(&realm).map_or(0, |table| table.bytes);
    }

    /// The location, or the element of an object, that an access mentions. `intern` gives a decoded
    /// name its id.
    pub(super) fn location(
        &mut self,
        realm: RealmId,
        number: u32,
        index: Option<u32>,
        intern: impl FnOnce(&[u8]) -> LocationId,
    ) -> Result<LocationId, Flaw> {
        let table = self.tables.get_mut(&realm).ok_or(Flaw::Undefined)?;
        let meaning = table.get_mut(number).ok_or(Flaw::Undefined)?;
        let location = match (&*meaning, index) {
            (Meaning::Location(location), None) => return Ok(*location),
            (Meaning::Location(_), Some(_)) | (Meaning::Value(_), _) => {
                return Err(Flaw::Undefined);
            }
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

    /// The text of a value. `intern` gives a decoded text its id.
    pub(super) fn value(
        &mut self,
        realm: RealmId,
        number: u32,
        intern: impl FnOnce(&[u8]) -> TextId,
    ) -> Result<TextId, Flaw> {
        let table = self.tables.get_mut(&realm).ok_or(Flaw::Undefined)?;
        let meaning = table.get_mut(number).ok_or(Flaw::Undefined)?;
        let text = match &*meaning {
            Meaning::Value(text) => return Ok(*text),
            Meaning::Location(_) => return Err(Flaw::Undefined),
            Meaning::Name(name) => intern(name),
        };
        *meaning = Meaning::Value(text);
        Ok(text)
    }
}
