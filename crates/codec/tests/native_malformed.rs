//! Files whose checksums hold but whose contents contradict the format, one contradiction each.

use codec::native::{self, anomaly};
use trace::Code;

const TABLES: u8 = 1;
const SYNC: u8 = 2;
const DATA: u8 = 3;
const END: u8 = 4;
/// The fourteen counts at the start of a file's first tables block.
const FIRST: &[u8] = &[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// Threads `a` and `b`, location `x`, function `f`.
const NAMES: &[u8] = b"\x00\x01a\x00\x01b\x09\x01x\x0a\x01f";

fn block(kind: u8, first: u64, span: u32, payload: &[u8]) -> Vec<u8> {
    let mut header = vec![0x93, b'I', b'L', b'T', 1, kind, 0, 0];
    let len = (payload.len() as u32).to_le_bytes();
    header.extend([len, len].concat());
    header.extend(first.to_le_bytes());
    header.extend(span.to_le_bytes());
    header.extend(crc32c::crc32c(payload).to_le_bytes());
    header.extend(crc32c::crc32c(&header).to_le_bytes());
    [&header[..], payload].concat()
}

fn tables(entries: &[u8]) -> Vec<u8> {
    block(TABLES, 0, 0, &[FIRST, entries].concat())
}

fn end(operations: u8) -> Vec<u8> {
    let mut payload = vec![operations, 0];
    payload.extend([46_u32.to_le_bytes(), *b"TLI\x93"].concat());
    block(END, u64::from(operations), 0, &payload)
}

/// Loads the blocks. Returns the number of operations and the first diagnostic.
fn loaded(blocks: &[Vec<u8>]) -> (usize, Option<(&'static Code, String)>) {
    let loaded = native::read(&blocks.concat()[..]).expect("a native file");
    let first = loaded.diagnostics.into_iter().next();
    (loaded.trace.len(), first.map(|d| (d.code, d.message)))
}

fn assert_says(blocks: &[Vec<u8>], operations: usize, code: &'static Code, words: &str) {
    let (len, said) = loaded(blocks);
    let (found, message) = said.expect("something is said");
    assert_eq!((len, found), (operations, code), "{message}");
    assert!(message.contains(words), "{message}");
}

#[test]
fn the_files_below_are_sound_but_for_one_thing() {
    let read = block(DATA, 0, 1, &[0]);
    assert_eq!(loaded(&[tables(NAMES), read, end(1)]), (1, None));
}

#[test]
fn a_name_stands_twice() {
    let twice = tables(b"\x00\x01a\x00\x01a");
    assert_says(&[twice, end(0)], 0, &anomaly::MALFORMED_BLOCK, "the name a stands twice");
}

#[test]
fn a_row_names_what_no_table_holds() {
    let words = "names what no table holds";
    for (kind, row) in [
        (DATA, &[2 << 3][..]),
        (DATA, &[5, 7, 0, 0]),
        (DATA, &[1 << 3 | 5, 0]),
        (DATA, &[2]),
        (DATA, &[4, 2, 0]),
        (SYNC, &[6, 0, 0, 0, 0]),
        (SYNC, &[0, 0, 0, 9]),
    ] {
        let blocks = [tables(NAMES), block(kind, 0, 1, row), end(1)];
        assert_says(&blocks, 0, &anomaly::MALFORMED_BLOCK, words);
    }
}

#[test]
fn rows_are_no_rows() {
    for (kind, row, words) in [
        (DATA, &[6][..], "unknown kind"),
        (DATA, &[9 << 3 | 5], "unknown code"),
        (DATA, &[4, 16], "unknown attribute"),
        (DATA, &[0x80], "past the end"),
        (DATA, &[0xff; 9], "longer than five bytes"),
        (DATA, &[0, 0], "outside its window"),
        (DATA, &[5, 0, 3, 0], "outside its window"),
        (SYNC, &[99, 0, 0, 0], "unknown tag"),
        (SYNC, &[0, 0x80, 0, 0], "unknown attribute"),
        (SYNC, &[0, 0, 1, 0], "outside its window"),
        (SYNC, &[0, 0], "past the end"),
    ] {
        let blocks = [tables(NAMES), block(kind, 0, 1, row), end(1)];
        assert_says(&blocks, 0, &anomaly::MALFORMED_BLOCK, words);
    }
}

#[test]
fn tables_do_not_fit() {
    for (entries, words) in [
        (&b"\x0c"[..], "unknown tag"),
        (b"\x00\x09a", "past the end"),
        (b"\x10\x00\x01\x00", "refers to one that is not there"),
        (b"\x11\x01\x00\x00\x00", "refers to one that is not there"),
        (b"\x13\x00\x00", "refers to one that is not there"),
        (b"\x09\x01x\x14\x00\x08", "unknown kind"),
    ] {
        assert_says(&[tables(entries), end(0)], 0, &anomaly::MALFORMED_BLOCK, words);
    }
    let twice = [tables(NAMES), tables(NAMES), end(0)];
    assert_says(&twice, 0, &anomaly::MALFORMED_BLOCK, "does not continue the one before");
}

#[test]
fn windows_do_not_fit() {
    let read = |first| block(DATA, first, 1, &[0]);
    let skipped = [tables(NAMES), read(0), read(2), end(3)];
    assert_says(&skipped, 1, &anomaly::MALFORMED_BLOCK, "do not continue");
    let again = [tables(NAMES), read(0), read(0), end(1)];
    assert_says(&again, 1, &anomaly::MALFORMED_BLOCK, "do not continue");
    let init = block(SYNC, 0, 2, &[0, 0, 0, 0]);
    let unfinished = [tables(NAMES), init.clone(), block(SYNC, 1, 1, &[1, 0, 0, 0]), end(2)];
    assert_says(&unfinished, 1, &anomaly::MALFORMED_BLOCK, "unfinished window");
    let overlap = [tables(NAMES), init, block(DATA, 0, 2, &[0]), end(2)];
    assert_says(&overlap, 1, &anomaly::MALFORMED_BLOCK, "each of its operations once");
}

#[test]
fn the_end_counts_more_than_there_is() {
    let blocks = [tables(NAMES), block(DATA, 0, 1, &[0]), end(5)];
    assert_says(&blocks, 1, &anomaly::LOST_OPERATIONS, "counts 5 operations, 1 were read");
}

#[test]
fn a_stack_does_not_continue_its_threads() {
    let frames = [NAMES, b"\x11\x00\x00\x00\x00\x11\x01\x00\x00\x00"].concat();
    let enter_inner = block(DATA, 0, 1, &[1 << 3 | 5, 1]);
    let blocks = [tables(&frames), enter_inner, end(1)];
    assert_says(&blocks, 1, &anomaly::STACK_MISMATCH, "the first of 1");
    let enter_both = block(DATA, 0, 2, &[1 << 3 | 5, 0, 1 << 3 | 5, 1]);
    assert_eq!(loaded(&[tables(&frames), enter_both, end(2)]), (2, None));
}
