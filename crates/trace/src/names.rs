//! Interned byte strings with dense ids.

use std::hash::BuildHasher;
use std::marker::PhantomData;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::id::Id;

/// The names of one kind of thing, numbered in the order they were first seen.
///
/// Names are byte strings: a trace may carry any bytes. They are stored in pages, so a million names cost
/// a million offsets, not a million allocations, and no page is copied when another one is added. A clone
/// shares the pages until one of the two adds a name. A reader that cannot keep all names may
/// [forget](Self::forget) some; their ids stay.
#[derive(Clone)]
pub struct Names<I> {
    table: Arc<Table>,
    kind: PhantomData<I>,
}

#[derive(Clone, Default)]
struct Table {
    /// Names in the order of their ids, `PAGE` on each page; none if all names of a page were forgotten.
    pages: Vec<Option<Arc<Page>>>,
    /// How many names there are, those forgotten included.
    len: usize,
    /// The bytes of all names that were added.
    bytes: usize,
    rows: HashTable<Row>,
    hasher: DefaultHashBuilder,
}

/// The number of names of a page: one for each bit of [`Page::kept`].
const PAGE: usize = 64;

/// Some consecutive names.
#[derive(Clone, Default)]
struct Page {
    bytes: Vec<u8>,
    /// `ends[i]` is where the page's name `i` ends in `bytes`; it starts where name `i - 1` ends.
    ends: Vec<usize>,
    /// A bit for each name that was not forgotten.
    kept: u64,
}

impl Page {
    fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    fn add(&mut self, name: &[u8]) {
        self.kept |= 1 << self.ends.len();
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        if self.ends.len() == PAGE {
            self.bytes.shrink_to_fit();
        }
    }

    fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
        self.kept &= (1 << len) - 1;
    }
}

/// A name in the hash table. The row keeps the hash, because growing the table would otherwise
/// hash every name again.
#[derive(Clone, Copy)]
struct Row {
    hash: u32,
    index: u32,
}

impl Row {
    /// Spreads a 32-bit hash over the 64 bits that the table expects: it uses both ends.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Table {
    fn hash(&self, name: &[u8]) -> u32 {
        self.hasher.hash_one(name) as u32
    }

    fn find(&self, hash: u32, name: &[u8]) -> Option<usize> {
        let row = self.rows.find(Row::spread(hash), |row| {
            row.hash == hash && self.get(row.index as usize) == Some(name)
        })?;
        Some(row.index as usize)
    }

    fn add(&mut self, hash: u32, name: &[u8]) {
        let row = Row { hash, index: self.len as u32 };
        if self.len.is_multiple_of(PAGE) {
            self.pages.push(None);
        }
        let page = self.pages.last_mut().expect("there is room");
        Arc::make_mut(page.get_or_insert_default()).add(name);
        self.len += 1;
        self.bytes += name.len();
        self.rows.insert_unique(Row::spread(hash), row, |row| Row::spread(row.hash));
    }

    /// The name of a row, unless it was forgotten.
    fn get(&self, row: usize) -> Option<&[u8]> {
        assert!(row < self.len, "there is no name {row}");
        let page = self.pages[row / PAGE].as_ref()?;
        (page.kept >> (row % PAGE) & 1 == 1).then(|| page.get(row % PAGE))
    }

    /// Takes a name from the hash table. Returns whether it was there.
    fn unlist(&mut self, row: usize) -> bool {
        let Some(name) = self.get(row) else { return false };
        let hash = Row::spread(self.hash(name));
        if let Ok(entry) = self.rows.find_entry(hash, |other| other.index as usize == row) {
            entry.remove();
        }
        true
    }

    fn forget(&mut self, row: usize) {
        let is_last = self.len / PAGE == row / PAGE;
        if !self.unlist(row) {
            return;
        }
        let page = &mut self.pages[row / PAGE];
        if let Some(names) = page {
            let names = Arc::make_mut(names);
            names.kept &= !(1 << (row % PAGE));
            if names.kept == 0 && !is_last {
                *page = None;
            }
        }
    }

    fn truncate(&mut self, len: usize) {
        for row in len..self.len {
            self.unlist(row);
        }
        self.len = len;
        self.pages.truncate(len.div_ceil(PAGE));
        if !len.is_multiple_of(PAGE)
            && let Some(page) = self.pages.last_mut()
        {
            // New names are added at the end of the last page, so it needs the old ones.
            let names = Arc::make_mut(page.get_or_insert_default());
            names.ends.resize(names.ends.len().max(len % PAGE), 0);
            names.truncate(len % PAGE);
        }
    }
}

impl<I: Id> Default for Names<I> {
    fn default() -> Self {
        Self { table: Arc::default(), kind: PhantomData }
    }
}

impl<I: Id> Names<I> {
    /// Returns the id of `name`, and adds the name if it is new.
    pub fn intern(&mut self, name: &[u8]) -> I {
        let hash = self.table.hash(name);
        if let Some(row) = self.table.find(hash, name) {
            return I::new(row);
        }
        let id = I::new(self.len());
        Arc::make_mut(&mut self.table).add(hash, name);
        id
    }

    /// Returns the id of `name`, if it was interned.
    pub fn find(&self, name: &[u8]) -> Option<I> {
        self.table.find(self.table.hash(name), name).map(I::new)
    }

    /// Forgets all but the first `len` names.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            Arc::make_mut(&mut self.table).truncate(len);
        }
    }

    /// Forgets a name, but not its id. A later name that equals it gets an id of its own.
    pub fn forget(&mut self, id: I) {
        Arc::make_mut(&mut self.table).forget(id.index());
    }

    /// The name of `id`; an empty one if it was forgotten.
    pub fn get(&self, id: I) -> &[u8] {
        self.table.get(id.index()).unwrap_or_default()
    }

    /// How many names there are, those forgotten included; their ids are `0..len`.
    pub fn len(&self) -> usize {
        self.table.len
    }

    /// About how many bytes of memory the names take, those forgotten included.
    pub fn bytes(&self) -> usize {
        self.table.bytes + self.len() * (size_of::<usize>() + 2 * size_of::<Row>())
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.table.len == 0
    }

    /// All ids, ascending.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = I> + use<I> {
        (0..self.len()).map(I::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::TextId;

    #[test]
    fn equal_names_share_an_id_and_ids_are_dense() {
        let mut names = Names::<TextId>::default();
        let spelled: Vec<String> = (0..2000).map(|i| format!("n{}", i % 1000)).collect();
        let ids: Vec<TextId> = spelled.iter().map(|n| names.intern(n.as_bytes())).collect();
        assert_eq!(names.len(), 1000);
        assert_eq!(ids[7], ids[1007]);
        for (name, &id) in spelled.iter().zip(&ids) {
            assert_eq!(names.get(id), name.as_bytes());
            assert_eq!(names.find(name.as_bytes()), Some(id));
        }
        assert_eq!(names.find(b"absent"), None);
    }

    #[test]
    fn a_truncated_name_is_new_again() {
        let mut names = Names::<TextId>::default();
        for i in 0..100 {
            names.intern(format!("n{i}").as_bytes());
        }
        names.truncate(200);
        assert_eq!(names.len(), 100);
        names.truncate(40);
        assert_eq!(names.len(), 40);
        assert_eq!(names.find(b"n39"), Some(TextId::new(39)));
        assert_eq!(names.find(b"n40"), None);
        assert_eq!(names.intern(b"n99"), TextId::new(40));
        assert_eq!(names.get(TextId::new(40)), b"n99");
        names.truncate(0);
        assert!(names.is_empty());
        assert_eq!(names.intern(b"n7"), TextId::new(0));
    }

    /// Names against a vector, over random additions, removals and truncations.
    #[test]
    fn names_are_forgotten_but_not_their_ids() {
        let mut state = 7_u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut names = Names::<TextId>::default();
        let mut known: Vec<Option<String>> = Vec::new();
        for _ in 0..20_000 {
            match draw(1000) {
                0 => {
                    known.truncate(known.len().saturating_sub(draw(150)));
                    names.truncate(known.len());
                }
                1..500 if !known.is_empty() => {
                    let row = draw(known.len());
                    names.forget(TextId::new(row));
                    known[row] = None;
                }
                _ => {
                    let name = format!("n{}", draw(400));
                    let row = known.iter().position(|known| known.as_ref() == Some(&name));
                    assert_eq!(names.find(name.as_bytes()), row.map(TextId::new));
                    let row = row.unwrap_or_else(|| {
                        known.push(Some(name.clone()));
                        known.len() - 1
                    });
                    assert_eq!(names.intern(name.as_bytes()), TextId::new(row));
                }
            }
            assert_eq!(names.len(), known.len());
        }
        for (row, name) in known.iter().enumerate() {
            let name = name.as_deref().unwrap_or_default();
            assert_eq!(names.get(TextId::new(row)), name.as_bytes());
        }
        assert!(known.len() > 3 * PAGE && names.table.pages.iter().any(Option::is_none));
    }

    #[test]
    fn a_clone_keeps_its_names() {
        let mut names = Names::<TextId>::default();
        names.intern(b"a");
        let clone = names.clone();
        assert!(Arc::ptr_eq(&names.table, &clone.table), "nothing is copied yet");
        names.intern(b"a");
        assert!(Arc::ptr_eq(&names.table, &clone.table), "the name is not new");
        names.intern(b"b");
        names.truncate(2);
        assert_eq!((names.len(), clone.len()), (2, 1));
        assert_eq!(clone.find(b"b"), None);
    }

    #[test]
    fn the_empty_name_is_a_name() {
        let mut names = Names::<TextId>::default();
        let empty = names.intern(b"");
        assert_eq!(names.intern(b""), empty);
        assert_eq!(names.get(empty), b"");
    }
}
