//! Interned byte strings with dense ids.

use std::hash::BuildHasher;
use std::marker::PhantomData;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::id::Id;

/// The names of one kind of thing, numbered in the order they were first seen.
///
/// Names are byte strings: a trace may carry any bytes. All names are stored in one buffer, so a
/// million names cost a million offsets, not a million allocations. A clone shares them until one of the
/// two adds a name.
#[derive(Clone)]
pub struct Names<I> {
    table: Arc<Table>,
    kind: PhantomData<I>,
}

#[derive(Clone, Default)]
struct Table {
    bytes: Vec<u8>,
    /// `ends[i]` is where name `i` ends in `bytes`; it starts where name `i - 1` ends.
    ends: Vec<usize>,
    rows: HashTable<Row>,
    hasher: DefaultHashBuilder,
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
            row.hash == hash && self.get(row.index as usize) == name
        })?;
        Some(row.index as usize)
    }

    fn add(&mut self, hash: u32, name: &[u8]) {
        let row = Row { hash, index: self.ends.len() as u32 };
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        self.rows.insert_unique(Row::spread(hash), row, |row| Row::spread(row.hash));
    }

    fn get(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[start..self.ends[row]]
    }

    fn truncate(&mut self, len: usize) {
        for row in len..self.ends.len() {
            let hash = Row::spread(self.hash(self.get(row)));
            if let Ok(entry) = self.rows.find_entry(hash, |other| other.index as usize == row) {
                entry.remove();
            }
        }
        self.ends.truncate(len);
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
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

    /// The name of `id`.
    pub fn get(&self, id: I) -> &[u8] {
        self.table.get(id.index())
    }

    /// How many names there are; their ids are `0..len`.
    pub fn len(&self) -> usize {
        self.table.ends.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.table.ends.is_empty()
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
