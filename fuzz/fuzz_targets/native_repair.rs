#![no_main]
//! Doctor and repair, on raw bytes and on bytes behind sound checksums.

use std::io::Cursor;

use codec::native;
use libfuzzer_sys::fuzz_target;

fn examine(bytes: &[u8]) {
    let report = native::doctor(Cursor::new(bytes)).expect("memory does not fail");
    let mut out = Vec::new();
    let options = native::Options::default();
    let repaired = native::repair(Cursor::new(bytes), &mut out, options).expect("memory");
    assert_eq!(report.repair, repaired);
    let loaded = native::read(&out[..]).expect("a repair gives a native file");
    assert_eq!(loaded.trace.len() as u64, repaired.operations);
    assert!(repaired.operations >= report.readable, "{report}");
}

fuzz_target!(|data: &[u8]| {
    examine(data);
    examine(&fuzz::file_of_blocks(data));
});
