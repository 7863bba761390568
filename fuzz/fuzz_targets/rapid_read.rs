#![no_main]
//! The STD reader: never a panic; what it writes, it reads again.

use codec::rapid;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = rapid::read(data) else { return };
    let mut written = Vec::new();
    rapid::write(&loaded.trace, &mut written).expect("STD holds what came from it");
    let again = rapid::read(&written).expect("own output");
    assert_eq!(again.trace.accesses(), loaded.trace.accesses());
});
