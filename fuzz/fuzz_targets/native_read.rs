#![no_main]
//! The native reader on arbitrary bytes: never a panic; what it loads, it loads again after writing.

use codec::native;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = native::read(data) else { return };
    let mut written = Vec::new();
    native::write(&loaded.trace, &mut written, native::Options::default()).expect("memory");
    let again = native::read(&written[..]).expect("own output");
    assert_eq!(again.trace.len(), loaded.trace.len());
});
