//! Compares each format with files that people reviewed. `INTERLOPER_BLESS=1` rewrites the files;
//! read the difference before you commit it.

use std::io::Cursor;

use codec::native::{self, Index, Options};
use report::Report;

use crate::{json_of, report_of, report_of_file, root, sarif_of, text_of, varied};

fn check(name: &str, report: &Report) {
    let outputs = [
        ("txt", text_of(report)),
        ("json", json_of(report) + "\n"),
        ("sarif", sarif_of(report) + "\n"),
        ("xml", report::junit::render(report)),
        ("github", report::github::render(report)),
        ("md", report::markdown::render(report, 10)),
        ("html", report::html::render(report, None)),
    ];
    let folder = root().join("crates/report/tests/formats/golden");
    for (extension, output) in outputs {
        let path = folder.join(format!("{name}.{extension}"));
        if std::env::var_os("INTERLOPER_BLESS").is_some() {
            std::fs::write(&path, &output).expect("the folder is there");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        let hint = "INTERLOPER_BLESS=1 rewrites it";
        assert!(output == expected, "{} differs; {hint}; now:\n{output}", path.display());
    }
}

#[test]
fn a_real_race_looks_as_reviewed() {
    let trace = root().join("corpus/eventracer-android/image-rows.trace");
    check("image-rows", &report_of_file(&trace));
}

#[test]
fn something_of_everything_looks_as_reviewed() {
    check("varied", &varied());
}

/// Inputs: a recording whose end is missing, one that is damaged, and one that is no trace.
#[test]
fn incomplete_inputs_look_as_reviewed() {
    let trace = std::fs::read(root().join("corpus/eventracer-android/image-rows.trace")).unwrap();
    let whole = codec::read(&trace[..]).expect("well-formed").1.trace;
    let mut bytes = Vec::new();
    let options = Options { block_bytes: 60, ..Options::default() };
    native::write(&whole, &mut bytes, options).expect("memory");
    check("tail-missing", &report_of(&bytes[..bytes.len() - 5]));
    let index = Index::locate(&mut Cursor::new(&bytes)).expect("memory").expect("a closed file");
    let last = index.blocks.last().expect("it has blocks");
    bytes[last.offset as usize + 5] ^= 1;
    check("damaged", &report_of(&bytes));
    let error = codec::read(&[0; 64][..]).err().expect("zeros are no trace");
    check("unreadable", &Report::unreadable(&error, &order::ANDROID));
}

#[test]
fn nothing_looks_as_reviewed() {
    check("nothing", &report_of_file(&root().join("corpus/asyncclock/fig1.trace")));
}
