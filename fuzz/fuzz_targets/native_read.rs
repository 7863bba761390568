#![no_main]
//! The native reader on arbitrary bytes: never a panic; what it loads, it loads again after writing; the
//! skeleton alone is what the whole has of it.

use std::io::Cursor;

use codec::native;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = native::read(data) else { return };
    let mut written = Vec::new();
    native::write(&loaded.trace, &mut written, native::Options::default()).expect("memory");
    let again = native::read(&written[..]).expect("own output");
    assert_eq!(again.trace.len(), loaded.trace.len());
    assert_eq!(again.completeness.loss().is_none(), !again.trace.is_empty());
    let end = loaded.trace.len() as u64;
    let skeleton = native::read_skeleton_below(Cursor::new(data), end).expect("the same file").trace;
    let mut whole = loaded.trace.ops();
    for op in skeleton.ops() {
        let same = whole.find(|&other| loaded.trace.number(other) == skeleton.number(op));
        let same = same.expect("the whole has what the skeleton has");
        assert_eq!(loaded.trace.op(same), skeleton.op(op));
        assert_eq!(loaded.trace.thread_of(same), skeleton.thread_of(op));
    }
});
