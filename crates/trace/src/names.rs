//! Interned byte strings with dense ids.

use std::hash::BuildHasher;
use std::marker::PhantomData;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::id::Id;

/// The names of one kind of thing, numbered in the order they were first seen.
///
/// Names are byte strings: a trace may carry any bytes. All of them live in one buffer, so a
/// million names cost a million ends, not a million allocations.
#[derive(Clone)]
pub struct Names<I> {
    bytes: Vec<u8>,
    /// `ends[i]` is where name `i` ends in `bytes`; it starts where name `i - 1` ends.
    ends: Vec<usize>,
    rows: HashTable<u32>,
    hasher: DefaultHashBuilder,
    kind: PhantomData<I>,
}

impl<I: Id> Default for Names<I> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            rows: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            kind: PhantomData,
        }
    }
}

impl<I: Id> Names<I> {
    /// The id of `name`, new if it was not seen before.
    pub fn intern(&mut self, name: &[u8]) -> I {
        let hash = self.hasher.hash_one(name);
        if let Some(&row) = self.rows.find(hash, |&row| slice(&self.bytes, &self.ends, row) == name)
        {
            return I::new(row as usize);
        }
        let id = I::new(self.ends.len());
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.rows.insert_unique(hash, id.index() as u32, |&row| {
            hasher.hash_one(slice(bytes, ends, row))
        });
        id
    }

    /// The id of `name`, if it was interned.
    pub fn find(&self, name: &[u8]) -> Option<I> {
        let hash = self.hasher.hash_one(name);
        let row = self.rows.find(hash, |&row| slice(&self.bytes, &self.ends, row) == name)?;
        Some(I::new(*row as usize))
    }

    /// The name of `id`.
    pub fn get(&self, id: I) -> &[u8] {
        slice(&self.bytes, &self.ends, id.index() as u32)
    }

    /// How many names there are; their ids are `0..len`.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All ids, ascending.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = I> + use<I> {
        (0..self.len()).map(I::new)
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], row: u32) -> &'a [u8] {
    let row = row as usize;
    let start = if row == 0 { 0 } else { ends[row - 1] };
    &bytes[start..ends[row]]
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
    fn the_empty_name_is_a_name() {
        let mut names = Names::<TextId>::default();
        let empty = names.intern(b"");
        assert_eq!(names.intern(b""), empty);
        assert_eq!(names.get(empty), b"");
    }
}
