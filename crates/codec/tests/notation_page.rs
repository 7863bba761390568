//! Checks the page that documents the notation: its examples are valid, and its error messages
//! exact.

use codec::Completeness;
use codec::text::read;

/// The fenced blocks of the page: the text after the opening fence, and the text inside.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    page.split("\n```")
        .skip(1)
        .step_by(2)
        .map(|block| block.split_once('\n').expect("a fence ends its line"))
        .collect()
}

#[test]
fn examples_read_and_errors_are_as_shown() {
    let page = include_str!("../../../docs/notation.md");
    let blocks = blocks(page);
    let mut read_well = 0;
    let mut failed = 0;
    for (i, &(kind, text)) in blocks.iter().enumerate() {
        let text = format!("{text}\n");
        match kind {
            "trace" => {
                let loaded = read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
                let odd =
                    loaded.diagnostics.iter().find(|d| codec::anomaly::CODES.contains(&d.code));
                assert_eq!(odd, None, "{text}");
                assert_eq!(loaded.completeness, Completeness::whole(), "{text}");
                read_well += 1;
            }
            "trace fails" => {
                let error = read(text.as_bytes()).err().expect("it fails").to_string();
                assert_eq!(error, blocks[i + 1].1, "{text}");
                failed += 1;
            }
            "text" => {}
            _ => panic!("a block of kind {kind}"),
        }
    }
    assert_eq!((read_well, failed), (7, 2));
}
