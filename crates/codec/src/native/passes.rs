//! Several passes over one file, which must all see the same file.
//!
//! The file may be rewritten or cut between two passes. What the passes found would then not fit together.
//! So the first pass keeps the headers of the blocks that it saw, 36 bytes each, and every later pass
//! compares its own with them. A header has the checksum of its payload, which is checked when the payload
//! is read. A pass that sees another header than the first one, or fewer of them, fails; so does one that
//! sees more of them although the first one came to the end of the input. The caller keeps later passes
//! from reading what was appended meanwhile.

use std::io::{self, Read, Seek};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trace::NameTables;

use super::block::{BlockReader, Stop};
use super::layout::HEADER_LEN;
use super::load;
use super::reader::Batches;
use crate::{Loaded, ReadError};

/// What the first pass over a file saw.
#[derive(Default)]
struct Seen {
    headers: Vec<[u8; HEADER_LEN]>,
    /// Whether it came to the end of the input. It stops earlier at damage.
    to_the_end: bool,
}

fn locked(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compares the headers of one pass with those of the first.
pub(super) struct Comparing {
    seen: Arc<Mutex<Seen>>,
    /// Whether this is the first pass.
    is_first: bool,
    /// The number of headers so far.
    passed: usize,
}

impl Comparing {
    /// Notes the next header, or that there are no more of them. Fails if the first pass saw another one.
    pub(super) fn note(&mut self, header: Option<&[u8; HEADER_LEN]>) -> io::Result<()> {
        let mut seen = locked(&self.seen);
        match (header, seen.headers.get(self.passed)) {
            (Some(header), _) if self.is_first => seen.headers.push(*header),
            (None, _) if self.is_first => seen.to_the_end = true,
            (header, first) if header == first => {}
            (Some(_), None) if !seen.to_the_end => {}
            _ => return Err(io::Error::other("the file was changed while it was read")),
        }
        self.passed += 1;
        Ok(())
    }
}

/// Returns to how many bytes the blocks of a file expand, as their headers say. It reads no payloads, and stops
/// at damage.
pub fn expanded(source: impl Read + Seek) -> io::Result<u64> {
    let mut total = 0_u64;
    for block in BlockReader::new(source).without_payloads().seeking() {
        match block {
            Ok(block) => total += u64::from(block.header.raw_len),
            Err(Stop::Io(error)) => return Err(error),
            Err(Stop::Damage(_) | Stop::Foreign(_)) => break,
        }
    }
    Ok(total)
}

/// The passes over one file.
#[derive(Default)]
pub struct Passes {
    seen: Arc<Mutex<Seen>>,
}

impl Passes {
    fn blocks<R: Read>(&self, source: R, is_first: bool) -> BlockReader<R> {
        let seen = Arc::clone(&self.seen);
        BlockReader::new(source).comparing(Comparing { seen, is_first, passed: 0 })
    }

    /// Makes the first pass: reads the skeleton ([`super::read_skeleton`]).
    pub fn skeleton(&self, source: impl Read + Seek) -> Result<Loaded, ReadError> {
        *locked(&self.seen) = Seen::default();
        load::skeleton_below(self.blocks(source, true), u64::MAX)
    }

    /// Reads the skeleton again, below an operation ([`super::read_skeleton_below`]).
    pub fn skeleton_below(&self, source: impl Read + Seek, end: u64) -> Result<Loaded, ReadError> {
        load::skeleton_below(self.blocks(source, false), end)
    }

    /// Reads accesses on several threads ([`Batches::parallel_distinct`]).
    pub fn distinct(
        &self,
        source: impl Read + Send + 'static,
        workers: usize,
    ) -> io::Result<Batches<'static>> {
        Batches::parallel_distinct_of(self.blocks(source, false), workers)
    }

    /// Reads a file without the accesses of locations that are not `wanted`. It keeps an access whose
    /// time goes backwards, because the whole trace would report it. It decodes on `workers` threads
    /// besides the caller's. `names` are those of the skeleton. Returns none if a thread makes an access
    /// after its exit, because the whole trace would report each such operation.
    pub fn excerpt(
        &self,
        source: impl Read + Send + 'static,
        workers: usize,
        wanted: &Arc<[bool]>,
        names: &NameTables,
    ) -> Result<Option<Loaded>, ReadError> {
        load::excerpt(self.blocks(source, false), workers, wanted, names)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use testkit::generate::{Profile, sample};

    use super::*;
    use crate::native::{Options, write};

    fn file(seed: u64) -> Vec<u8> {
        let trace = sample(seed, Profile::Realistic, 400);
        let mut bytes = Vec::new();
        write(&trace, &mut bytes, Options { block_bytes: 200, ..Options::default() })
            .expect("memory");
        bytes
    }

    #[test]
    fn a_pass_over_another_file_fails() {
        let (one, other) = (file(1), file(2));
        let again = |bytes: &[u8]| {
            let passes = Passes::default();
            passes.skeleton(Cursor::new(&one)).expect("a native file");
            let mut batches = passes.distinct(Cursor::new(bytes.to_vec()), 2).expect("memory");
            batches.by_ref().find_map(Result::err).map(|error| error.to_string())
        };
        assert_eq!(again(&one), None);
        for (what, bytes) in [("another", &other[..]), ("nothing", &[])] {
            let error = again(bytes).unwrap_or_default();
            assert!(error.contains("changed while it was read"), "{what}: {error}");
        }
        // The reader stops at the end block, and at damage.
        assert_eq!(again(&[&one[..], &other[..]].concat()), None);
        assert_eq!(again(&one[..one.len() - 60]), None);
    }

    #[test]
    fn a_file_of_equal_operations_expands_far_beyond_its_length() {
        let bytes = file(3);
        assert!(expanded(Cursor::new(&bytes)).expect("memory") > 1000);
        assert_eq!(expanded(Cursor::new(b"other")).expect("memory"), 0);
    }
}
