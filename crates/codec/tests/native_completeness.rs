//! The completeness of a native file follows its definition, for every cut, every flipped byte, and
//! every block that is damaged, missing or repeated.

use std::io::Cursor;
use std::ops::Range;

use codec::completeness::NO_OPERATION;
use codec::native::{self, Compression, Options};
use codec::{Completeness, Extent, Loaded};
use testkit::generate::{Profile, sample};
use trace::Trace;

fn file(trace: &Trace, compression: Compression, block_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    native::write(trace, &mut bytes, Options { compression, block_bytes }).expect("memory");
    bytes
}

fn files() -> impl Iterator<Item = Vec<u8>> {
    let shapes =
        [(Compression::None, 150), (Compression::Zstd(3), 400), (Compression::Zstd(3), 1 << 20)];
    (40..).zip(shapes).map(|(seed, (compression, block_bytes))| {
        file(&sample(seed, Profile::Realistic, 250), compression, block_bytes)
    })
}

/// The blocks of a sound file, by docs/format.md: a header of 36 bytes with the payload's length in
/// bytes 8 to 12.
fn blocks(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at + 8..at + 12].try_into().expect("four bytes");
        let end = at + 36 + u32::from_le_bytes(len) as usize;
        blocks.push(at..end);
        at = end;
    }
    blocks
}

/// Reads on this thread, and one file in seven on others too, which must agree.
fn load(bytes: &[u8]) -> Option<Loaded> {
    let inline = native::read(bytes).ok()?;
    if bytes.iter().fold(bytes.len(), |sum, &byte| sum + byte as usize).is_multiple_of(7) {
        let parallel = native::read_parallel(Cursor::new(bytes.to_vec()), 2);
        let parallel = parallel.expect("what one reads, the other does");
        assert_eq!(parallel.completeness, inline.completeness);
        assert_eq!(parallel.trace.len(), inline.trace.len());
    }
    assert_eq!(inline.completeness.loss().is_none(), inline.completeness == Completeness::whole());
    let loss = inline.completeness.loss();
    if let Some(loss) = loss.filter(|loss| loss.code != &NO_OPERATION) {
        assert!(inline.diagnostics.contains(loss), "{loss:?}");
    }
    Some(inline)
}

/// Checks the completeness of a file that is not whole.
fn expect(bytes: &[u8], otherwise: Extent, what: &str) {
    let loaded = load(bytes).expect(what);
    let expected = if loaded.trace.is_empty() { Extent::Nothing } else { otherwise };
    let found = &loaded.completeness;
    assert_eq!(found.extent(), expected, "{what}: {:?}", found.loss());
}

#[test]
fn a_whole_file_is_whole() {
    for bytes in files() {
        assert_eq!(load(&bytes).expect("sound").completeness, Completeness::whole());
    }
    let empty = file(&Trace::default(), Compression::None, 100);
    assert_eq!(load(&empty).expect("sound").completeness.extent(), Extent::Nothing);
    assert_eq!(load(&[]).expect("the start of a file").completeness.extent(), Extent::Nothing);
}

#[test]
fn a_cut_anywhere_misses_the_tail() {
    for bytes in files() {
        for cut in 0..bytes.len() {
            expect(&bytes[..cut], Extent::TailMissing, &format!("cut at {cut}"));
        }
    }
}

#[test]
fn a_flipped_byte_is_damage_unless_it_is_in_the_last_block() {
    for bytes in files() {
        let last = blocks(&bytes).pop().expect("an end block");
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                if at < 4 {
                    assert!(native::read(&damaged[..]).is_err(), "no magic");
                    continue;
                }
                let is_last = last.contains(&at);
                let extent = if is_last { Extent::TailMissing } else { Extent::Damaged };
                expect(&damaged, extent, &format!("byte {at}"));
            }
        }
    }
}

#[test]
fn a_block_that_is_zeroed_lost_repeated_or_moved_is_damage() {
    for bytes in files() {
        let blocks = blocks(&bytes);
        let last = blocks.len() - 1;
        for (i, block) in blocks.iter().enumerate() {
            let extent = if i == last { Extent::TailMissing } else { Extent::Damaged };
            let mut zeroed = bytes.clone();
            zeroed[block.clone()].fill(0);
            if i > 0 {
                expect(&zeroed, extent, &format!("block {i} zeroed"));
            }
            let without = [&bytes[..block.start], &bytes[block.end..]].concat();
            expect(&without, extent, &format!("block {i} lost"));
            let repeated = [&bytes[..block.end], &bytes[block.start..]].concat();
            expect(&repeated, Extent::Damaged, &format!("block {i} repeated"));
            if i > 0 {
                let before = blocks[i - 1].clone();
                let (b, a) = (&bytes[block.clone()], &bytes[before.clone()]);
                let moved = [&bytes[..before.start], b, a, &bytes[block.end..]].concat();
                expect(&moved, Extent::Damaged, &format!("block {i} moved"));
            }
        }
    }
}

#[test]
fn bytes_after_the_end_are_damage_and_zeros_after_a_cut_are_not() {
    for bytes in files() {
        let end = blocks(&bytes).pop().expect("an end block").start;
        for tail in [&b"x"[..], &[0; 4096], &bytes] {
            let more = [&bytes[..], tail].concat();
            expect(&more, Extent::Damaged, "bytes after the end");
        }
        let zeros = [&bytes[..end], &vec![0; 70_000]].concat();
        expect(&zeros, Extent::TailMissing, "zeros after the last block");
        let resumed = [&zeros[..], &bytes[..]].concat();
        expect(&resumed, Extent::Damaged, "blocks after the zeros");
    }
}
