//! A recorder without a browser: `examples/lines.rs` writes the operations that the text notation
//! describes.

#[allow(dead_code, reason = "its `main` is not run")]
#[path = "../examples/lines.rs"]
mod lines;

/// Two events of which one posts the other, with names that need escapes.
const PROGRAM: &str = "main attach r1.timers\n\
    main begin r1.1 type=script name=app.js\n\
    main write total%20sum value=%22a%22 src=app.js:3:7\n\
    main enqueue r1.2 r1.timers delay=5\n\
    main end r1.1\n\
    worker read total%20sum\n\
    main begin r1.2 type=timer\n\
    main read total%20sum\n\
    main end r1.2\n";

/// Runs the example on lines of the notation, and returns the native file.
fn recorded(text: &str, model: &str) -> (Vec<u8>, record::Counts, Vec<record::Note>) {
    let input = text.lines().map(|line| line.replacen(' ', "\t", 1) + "\n").collect::<String>();
    let mut file = Vec::new();
    let (counts, notes) = lines::record(input.as_bytes(), &mut file, model).expect("memory");
    (file, counts, notes)
}

fn printed(loaded: &codec::Loaded) -> String {
    let mut text = Vec::new();
    codec::text::write(&loaded.trace, &mut text).expect("memory");
    String::from_utf8(text).expect("the notation is ASCII")
}

#[test]
fn lines_become_the_file_that_the_notation_describes() {
    for model in ["web", "threads"] {
        let (file, counts, notes) = recorded(PROGRAM, model);
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!((counts.events, counts.accesses, counts.operations), (2, 3, 9));
        let read = codec::native::read(&file[..]).expect("a native file");
        assert_eq!(read.completeness.loss(), None);
        let whole = format!("interloper-trace 1\nmodel {model}\n{PROGRAM}");
        let expected = codec::text::read(whole.as_bytes()).expect("the notation");
        assert_eq!(printed(&read), printed(&expected));
        assert_eq!(format!("{:?}", read.diagnostics), format!("{:?}", expected.diagnostics));
    }
}

#[test]
fn lines_that_make_no_sense_are_noted_and_the_file_loads() {
    let (file, counts, notes) = recorded(&format!("nothing\n{PROGRAM}main jump x\n"), "web");
    assert_eq!(counts.operations, 9);
    let codes: Vec<_> = notes.iter().map(|note| note.code.as_str()).collect();
    assert_eq!(codes, ["no-thread", "unreadable-line"]);
    assert_eq!(codec::native::read(&file[..]).expect("a native file").trace.len(), 9);
}
