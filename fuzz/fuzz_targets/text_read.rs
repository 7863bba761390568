#![no_main]
//! The notation's reader: never a panic; what it writes, it reads again.

use codec::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = text::read(data) else { return };
    let mut written = Vec::new();
    text::write(&loaded.trace, &mut written).expect("memory");
    let again = text::read(&written).expect("own output");
    assert_eq!(again.trace.len(), loaded.trace.len());
});
