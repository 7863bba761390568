//! The names of realms, kept until their realms are gone.
//!
//! A recording may go through thousands of documents, and each has names of its own: its events, its
//! callbacks, its locations. Nobody mentions them once the document is gone, so [`Realms::forget`]
//! drops them. The file has every name only once, so a name must not be written again after it was
//! dropped:
//!
//! - An id `rR.…` and a location that ends with `@R` are those of realm R, which sends no lines any
//!   more. The first realm's locations have no number, and one may end like those of a realm that is
//!   gone. Such a location gets the first realm's number.
//! - An id `wN.M…` belongs to a link: a page and its worker share it. It is dropped when all realms
//!   that have mentioned the link are gone. If a realm mentions the link later, its id gets the
//!   number of that realm.
//!
//! All other names are common to all realms, and are kept, like the locations of the first realm.
//!
//! Cost: O(length) for each name. Memory for the names of the realms that are there, and eight
//! bytes for each link that is gone.

use std::hash::BuildHasher;
use std::io::{self, Write};

use codec::native::{NameTable, Named};
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use trace::{LocationId, NameTables};

use super::RealmId;

/// Names, and the rows that they have in the file.
#[derive(Default)]
struct Names {
    tables: NameTables,
    /// The row of each name, by table.
    rows: [Vec<u32>; 12],
    /// About how many bytes of memory the names take.
    bytes: usize,
}

impl Names {
    fn find<I: Named>(&mut self, name: &[u8]) -> Option<u32> {
        let id = I::table(&mut self.tables).find(name)?;
        Some(self.rows[I::TABLE as usize][id.index()])
    }

    /// The row of a name. `declare` gives a new name its row.
    fn row<I: Named>(
        &mut self,
        name: &[u8],
        declare: impl FnOnce() -> io::Result<u32>,
    ) -> io::Result<u32> {
        if let Some(row) = self.find::<I>(name) {
            return Ok(row);
        }
        // If this fails, the name stays unknown.
        let row = declare()?;
        I::table(&mut self.tables).intern(name);
        self.rows[I::TABLE as usize].push(row);
        self.bytes += name.len() + super::BESIDE;
        Ok(row)
    }
}

/// The names that a page and its worker share, and the realms that have mentioned them.
#[derive(Default)]
struct Link {
    names: Names,
    users: HashSet<RealmId>,
}

/// The names of all realms that are there.
#[derive(Default)]
pub(super) struct Realms {
    /// The names of the first realm, and those that are common to all realms.
    common: Names,
    /// The names of the other realms.
    own: HashMap<RealmId, Names>,
    links: HashMap<Vec<u8>, Link>,
    /// The hashes of the links that are gone.
    gone: HashSet<u64>,
    hasher: DefaultHashBuilder,
    last: Option<RealmId>,
    spelled: Vec<u8>,
}

/// Whether the names of a table end with their realm.
pub(super) fn is_owned(table: NameTable) -> bool {
    match table {
        NameTable::Queues
        | NameTable::Events
        | NameTable::Handles
        | NameTable::Locks
        | NameTable::Callbacks
        | NameTable::Environment
        | NameTable::Barriers
        | NameTable::Locations => true,
        // Free texts and names of code mean the same in every realm, and the caller names threads.
        NameTable::Texts | NameTable::Functions | NameTable::Processes | NameTable::Threads => {
            false
        }
    }
}

impl Realms {
    /// The id of a name that `realm` mentions. `declare` writes a new name, as the file spells it, and
    /// returns its row. `name` is decoded, so no escape can hide an id.
    pub(super) fn intern<I: Named>(
        &mut self,
        realm: RealmId,
        name: &[u8],
        declare: impl FnOnce(&[u8]) -> io::Result<u32>,
    ) -> io::Result<I> {
        self.last = self.last.max(Some(realm));
        let row = if I::TABLE == NameTable::Locations {
            self.location(realm, name, declare)
        } else {
            self.id::<I>(realm, name, declare)
        };
        row.map(|row| I::new(row as usize))
    }

    fn location(
        &mut self,
        realm: RealmId,
        name: &[u8],
        declare: impl FnOnce(&[u8]) -> io::Result<u32>,
    ) -> io::Result<u32> {
        if realm != RealmId::FIRST {
            let spelled = numbered(&mut self.spelled, name, realm);
            let common = &mut self.common;
            let declare =
                || common.find::<LocationId>(spelled).map_or_else(|| declare(spelled), Ok);
            return self.own.entry(realm).or_default().row::<LocationId>(spelled, declare);
        }
        let mut spelled = name;
        if self.common.find::<LocationId>(name).is_none()
            && let Some(other) = number(name)
            && Some(other) <= self.last
        {
            match self.own.get_mut(&other).map(|names| names.find::<LocationId>(name)) {
                Some(Some(row)) => return Ok(row),
                Some(None) => {}
                None => spelled = numbered(&mut self.spelled, name, realm),
            }
        }
        self.common.row::<LocationId>(spelled, || declare(spelled))
    }

    fn id<I: Named>(
        &mut self,
        realm: RealmId,
        name: &[u8],
        declare: impl FnOnce(&[u8]) -> io::Result<u32>,
    ) -> io::Result<u32> {
        if let Some(rest) = after_realm(name) {
            let spelled = &mut self.spelled;
            spelled.clear();
            write!(spelled, "r{realm}.").expect("a vector takes it");
            spelled.extend_from_slice(rest);
            let names = match realm {
                RealmId::FIRST => &mut self.common,
                _ => self.own.entry(realm).or_default(),
            };
            return names.row::<I>(spelled, || declare(spelled));
        }
        let Some(link) = link(name) else {
            return self.common.row::<I>(name, || declare(name));
        };
        if self.gone.contains(&self.hasher.hash_one(link)) {
            let spelled = numbered(&mut self.spelled, name, realm);
            return self.common.row::<I>(spelled, || declare(spelled));
        }
        let link = self.links.entry_ref(link).or_default();
        link.users.insert(realm);
        link.names.row::<I>(name, || declare(name))
    }

    /// Drops the names of a realm that sends no more lines. Returns the rows of its locations, and about how
    /// many bytes of memory its names took.
    pub(super) fn forget(&mut self, realm: RealmId) -> (Vec<u32>, usize) {
        let mut bytes = 0;
        let Self { links, gone, hasher, .. } = self;
        links.retain(|name, link| {
            let is_last = link.users.remove(&realm) && link.users.is_empty();
            if is_last {
                bytes += link.names.bytes;
                gone.insert(hasher.hash_one(&name[..]));
            }
            !is_last
        });
        let mut names = self.own.remove(&realm).unwrap_or_default();
        (std::mem::take(&mut names.rows[NameTable::Locations as usize]), bytes + names.bytes)
    }
}

/// Writes `name@realm` to `out`.
fn numbered<'o>(out: &'o mut Vec<u8>, name: &[u8], realm: RealmId) -> &'o [u8] {
    out.clear();
    out.extend_from_slice(name);
    write!(out, "@{realm}").expect("a vector takes it");
    out
}

/// The realm whose number a name ends with, as in `name@2`. The first realm has no number.
fn number(name: &[u8]) -> Option<RealmId> {
    let at = name.iter().rposition(|&byte| byte == b'@')?;
    let digits = std::str::from_utf8(&name[at + 1..]).ok()?;
    // A number with a sign or a leading zero is not how the file spells a realm.
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_plain).map(RealmId).filter(|&realm| realm > RealmId::FIRST)
}

/// Returns the rest of an id that starts with `rR.`, after that prefix.
fn after_realm(id: &[u8]) -> Option<&[u8]> {
    let rest = after_digits(id.strip_prefix(b"r")?)?;
    rest.strip_prefix(b".")
}

/// The name of the link that an id belongs to: `wN.M` of `wN.M.in/0`.
fn link(id: &[u8]) -> Option<&[u8]> {
    let rest = after_digits(id.strip_prefix(b"w")?)?;
    let rest = after_digits(rest.strip_prefix(b".")?)?;
    Some(&id[..id.len() - rest.len()])
}

/// What follows the digits at the start, of which there must be some.
fn after_digits(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
    (end > 0).then(|| &bytes[end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::EventId;

    const FIRST: RealmId = RealmId::FIRST;
    const SECOND: RealmId = RealmId(2);
    const THIRD: RealmId = RealmId(3);

    /// A file's tables of events and locations, which must not have a name twice.
    #[derive(Default)]
    struct File {
        realms: Realms,
        names: [Vec<String>; 2],
    }

    impl File {
        fn row<I: Named>(&mut self, table: usize, realm: RealmId, name: &str) -> String {
            let names = &mut self.names[table];
            let declare = |name: &[u8]| {
                let name = String::from_utf8(name.to_vec()).expect("it is text");
                assert!(!names.contains(&name), "{name} stands twice");
                names.push(name);
                Ok(names.len() as u32 - 1)
            };
            let id: I = self.realms.intern(realm, name.as_bytes(), declare).expect("memory");
            self.names[table][id.index()].clone()
        }

        fn location(&mut self, realm: RealmId, name: &str) -> String {
            self.row::<LocationId>(0, realm, name)
        }

        fn event(&mut self, realm: RealmId, name: &str) -> String {
            self.row::<EventId>(1, realm, name)
        }
    }

    #[test]
    fn a_realm_that_is_gone_takes_its_names_along() {
        let mut file = File::default();
        for realm in [FIRST, SECOND] {
            for _ in 0..2 {
                file.location(realm, "Window.a");
                file.event(realm, "r1.7");
                file.event(realm, "network");
            }
        }
        assert_eq!(file.names, [vec!["Window.a", "Window.a@2"], vec!["r1.7", "network", "r2.7"]]);
        assert_eq!(file.realms.forget(SECOND).0, [1]);
        assert!(file.realms.own.is_empty());
        file.realms.forget(FIRST);
        file.location(FIRST, "Window.a");
        file.event(FIRST, "network");
        assert_eq!(file.names[0].len() + file.names[1].len(), 5);
    }

    #[test]
    fn a_location_that_looks_like_one_of_another_realm_is_that_one_or_gets_a_number() {
        let mut file = File::default();
        assert_eq!(file.location(FIRST, "Timer@1"), "Timer@1");
        assert_eq!(file.location(FIRST, "x@2"), "x@2");
        assert_eq!(file.location(SECOND, "x"), "x@2");
        assert_eq!(file.location(SECOND, "y"), "y@2");
        assert_eq!(file.location(FIRST, "y@2"), "y@2");
        assert_eq!(file.location(FIRST, "Timer@2"), "Timer@2");
        file.realms.forget(SECOND);
        assert_eq!(file.location(FIRST, "y@2"), "y@2@1");
        assert_eq!(file.location(FIRST, "y@02"), "y@02");
        assert_eq!(file.location(FIRST, "y@9"), "y@9");
        assert_eq!(file.location(FIRST, "x@2"), "x@2");
    }

    #[test]
    fn a_link_stays_until_both_sides_are_gone() {
        let mut file = File::default();
        assert_eq!(file.event(SECOND, "w5.1.in/0"), "w5.1.in/0");
        assert_eq!(file.event(THIRD, "w5.1.in/0"), "w5.1.in/0");
        file.realms.forget(SECOND);
        assert_eq!(file.event(THIRD, "w5.1.in/0"), "w5.1.in/0");
        assert_eq!(file.event(THIRD, "w5.12.in/0"), "w5.12.in/0");
        file.realms.forget(THIRD);
        assert!(file.realms.links.is_empty());
        assert_eq!(file.event(RealmId(4), "w5.1.in/0"), "w5.1.in/0@4");
        assert_eq!(file.event(RealmId(4), "w5.2.in/0"), "w5.2.in/0");
    }
}
