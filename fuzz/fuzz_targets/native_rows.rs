#![no_main]
//! The rows behind the checksums: blocks are wrapped so that every one is decoded.

use codec::native;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let file = fuzz::file_of_blocks(data);
    let Ok(loaded) = native::read(&file[..]) else { return };
    let mut batches = native::Batches::new(&file[..]).expect("memory");
    let mut operations = 0;
    for batch in &mut batches {
        operations += batch.expect("memory does not fail").operations();
    }
    assert_eq!(operations, batches.operations());
    assert!(loaded.trace.len() as u64 <= operations);
});
