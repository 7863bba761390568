#![no_main]
//! STD: no bytes make the reader, the scanner, the writer or FastTrack panic; the reader and the
//! scanner agree; what was read is written and read again.

use codec::rapid::{self, Scanner, StreamError};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    rapid::detect(data);
    let mut scanner = Scanner::default();
    let scanned = rapid::scan_all(&mut &data[..], &mut scanner, |_| {});
    match (rapid::read(data), scanned) {
        (Ok(loaded), Ok(_)) => {
            assert_eq!(loaded.trace.len() as u64, scanner.operations());
            races::fasttrack::detect(&loaded.trace);
            let mut written = Vec::new();
            rapid::write(&loaded.trace, &mut written).expect("STD holds what came from it");
            let Ok(again) = rapid::read(&written) else { panic!("own output") };
            assert_eq!(again.trace.len(), loaded.trace.len());
            assert_eq!(again.completeness.loss().is_none(), !again.trace.is_empty());
            assert_eq!(scanner.finish().1, loaded.completeness);
        }
        (Err(error), Err(StreamError::Log(same))) => assert_eq!(error.at, same.at),
        (_, scanned) => panic!("the reader and the scanner disagree: {scanned:?}"),
    }
});
