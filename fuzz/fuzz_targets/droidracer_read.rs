#![no_main]
//! The importer of DroidRacer's logs: never a panic; what it makes of a log has a spelling.

use codec::{droidracer, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = droidracer::read(data) else { return };
    let mut written = Vec::new();
    text::write(&loaded.trace, &mut written).expect("memory");
    let again = text::read(&written).expect("own output");
    assert_eq!(again.trace.len(), loaded.trace.len());
});
