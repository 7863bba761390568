//! A file that is cut anywhere loads as a prefix and reports the loss. No flipped byte goes
//! unnoticed.

use std::io::Cursor;

use codec::native::{self, Batches, Compression, Options};
use testkit::generate::{Profile, sample};
use testkit::spelled::spelled;
use trace::Trace;

fn files() -> impl Iterator<Item = (Trace, Vec<u8>)> {
    [(Compression::None, 150), (Compression::Zstd(3), 400), (Compression::Zstd(3), 1 << 20)]
        .into_iter()
        .enumerate()
        .map(|(seed, (compression, block_bytes))| {
            let trace = sample(seed as u64 + 7, Profile::Realistic, 300);
            let options = Options { compression, block_bytes };
            let mut bytes = Vec::new();
            native::write(&trace, &mut bytes, options).expect("memory takes all");
            (trace, bytes)
        })
}

/// Returns only the operations, without data that depends on later operations.
fn operations(trace: &Trace) -> Vec<(trace::ThreadId, trace::Op, trace::Attributes)> {
    trace.ops().map(|op| (trace.thread_of(op), trace.op(op), trace.attributes(op))).collect()
}

#[test]
fn a_cut_anywhere_loads_a_prefix_and_says_what_was_lost() {
    for (trace, bytes) in files() {
        let whole = operations(&trace);
        let mut loaded_before = 0;
        for cut in 0..bytes.len() {
            let loaded = native::read(&bytes[..cut]).expect("a prefix is still a native file");
            let prefix = operations(&loaded.trace);
            assert_eq!(prefix, whole[..prefix.len()], "cut at {cut}");
            assert!(prefix.len() >= loaded_before, "cut at {cut} loads less than an earlier cut");
            loaded_before = prefix.len();
            let warning = loaded.diagnostics.first().expect("a cut is reported");
            assert!(
                [&native::anomaly::UNCLOSED_FILE, &native::anomaly::CUT_BLOCK]
                    .contains(&warning.code),
                "cut at {cut}: {warning:?}"
            );
            let said = format!("operations 0..{} were read", prefix.len());
            assert!(warning.message.contains(&said), "cut at {cut}: {}", warning.message);
        }
        assert_eq!(loaded_before, trace.len(), "all but the end block is enough to load all");
    }
}

#[test]
fn no_flipped_byte_goes_unnoticed() {
    for (trace, bytes) in files() {
        let whole = operations(&trace);
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let Ok(loaded) = native::read(&damaged[..]) else {
                    assert!(at < 4, "only a file without magic cannot be read, byte {at}");
                    continue;
                };
                let prefix = operations(&loaded.trace);
                assert_eq!(prefix, whole[..prefix.len()], "byte {at}");
                let first = loaded.diagnostics.first().expect("damage is reported");
                assert!(native::anomaly::CODES.contains(&first.code), "byte {at}: {first:?}");
            }
        }
    }
}

#[test]
fn a_skeleton_read_notices_a_cut_in_what_it_passes_over() {
    for (_, bytes) in files() {
        for cut in 0..bytes.len() {
            for mut batches in [
                Batches::skeleton(&bytes[..cut]).expect("memory is there"),
                Batches::seeking_skeleton(Cursor::new(&bytes[..cut])).expect("memory is there"),
            ] {
                batches.by_ref().for_each(|batch| drop(batch.expect("still a native file")));
                assert!(!batches.is_closed());
                assert!(!batches.diagnostics().is_empty());
            }
        }
    }
}

#[test]
fn a_foreign_file_is_an_error_that_says_what_was_expected() {
    let Err(error) = native::read(&b"interloper-trace 1\n"[..]) else {
        panic!("a text is not a native file");
    };
    assert_eq!(
        error.to_string(),
        "byte 0: the input starts with inte; expected %93ILT, as every .ilt file does"
    );
}

#[test]
fn an_unknown_block_is_skipped_unless_it_forbids_it() {
    let (trace, bytes) = files().next().expect("there is one");
    for (flags, closed) in [(0, true), (1, false)] {
        let mut foreign = vec![0x93, b'I', b'L', b'T', 1, 99, 7, flags];
        foreign.extend_from_slice(&3_u32.to_le_bytes());
        foreign.extend_from_slice(&[0; 16]);
        foreign.extend_from_slice(&crc32c::crc32c(b"???").to_le_bytes());
        let crc = crc32c::crc32c(&foreign);
        foreign.extend_from_slice(&crc.to_le_bytes());
        foreign.extend_from_slice(b"???");
        let file = [&foreign[..], &bytes[..]].concat();
        let loaded = native::read(&file[..]).expect("a native file");
        let expected =
            if closed { &native::anomaly::SKIPPED_BLOCK } else { &native::anomaly::NEWER_BLOCK };
        assert_eq!(loaded.diagnostics[0].code, expected);
        assert_eq!(spelled(&loaded.trace) == spelled(&trace), closed);
    }
}

#[test]
fn a_small_file_cannot_claim_much_memory() {
    let mut header = vec![0x93, b'I', b'L', b'T', 1, 3, 1, 0];
    header.extend_from_slice(&u32::MAX.to_le_bytes());
    header.extend_from_slice(&u32::MAX.to_le_bytes());
    header.extend_from_slice(&[0; 8]);
    header.extend_from_slice(&u32::MAX.to_le_bytes());
    header.extend_from_slice(&[0; 4]);
    let crc = crc32c::crc32c(&header);
    header.extend_from_slice(&crc.to_le_bytes());
    header.extend_from_slice(&[0; 4]);
    assert_eq!(header.len(), 40);
    let loaded = native::read(&header[..]).expect("starts as a native file");
    assert_eq!(loaded.diagnostics[0].code, &native::anomaly::MALFORMED_BLOCK);
}
