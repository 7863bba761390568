//! Tests the commands that read a native file in one pass: their output is that of the same command
//! on a pipe or on another format, which is read into memory.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use codec::native::{self, Options};
use testkit::generate::{Profile, sample};
use trace::Trace;

fn interloper(args: &[&str], input: Option<&Path>, directory: &Path) -> Output {
    let input = input.map_or_else(Stdio::null, |path| File::open(path).expect("there").into());
    Command::new(env!("CARGO_BIN_EXE_interloper"))
        .args(args)
        .stdin(input)
        .current_dir(directory)
        .output()
        .expect("the program runs")
}

/// The exit status and what was printed, without the name of the input.
fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let errors = text(&output.stderr).replace("t.ilt", "IN").replace("standard input", "IN");
    (output.status.code(), text(&output.stdout), errors)
}

fn file(trace: &Trace, block_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = Options { block_bytes, ..Options::default() };
    native::write(trace, &mut bytes, options).expect("memory takes all");
    bytes
}

#[test]
fn order_explains_a_file_as_it_explains_a_pipe() {
    let directory = tempfile::tempdir().expect("a place for files");
    let path = directory.path().join("t.ilt");
    let mut answers = 0;
    for seed in 0..12_usize {
        let trace = sample(seed as u64 ^ 0x6f72, Profile::Realistic, 60 + seed * 17);
        let mut bytes = file(&trace, 100 + seed * 40);
        match seed % 4 {
            2 => bytes.truncate(bytes.len() * 3 / 4),
            3 => {
                let place = bytes.len() / 2;
                bytes[place] ^= 1;
            }
            _ => {}
        }
        fs::write(&path, &bytes).expect("writable");
        for pair in 0..4 {
            let op = |k: usize| ((seed * 7919 + pair * 104_729) * k % trace.len()).to_string();
            let (a, b) = (op(3), op(11));
            let format = if pair % 2 == 0 { "text" } else { "json" };
            let rest = [a.as_str(), &b, "--format", format, "--model", "android"];
            let of_file = [&["order", "t.ilt"], &rest[..]].concat();
            let of_pipe = [&["order", "-"], &rest[..]].concat();
            let passed = said(&interloper(&of_file, None, directory.path()));
            let in_memory = said(&interloper(&of_pipe, Some(&path), directory.path()));
            assert_eq!(passed, in_memory, "seed {seed}: {a} and {b}");
            answers += usize::from(!passed.1.is_empty());
        }
    }
    assert!(answers > 20, "{answers} answers");
}

#[test]
fn stats_counts_a_file_as_it_counts_its_text() {
    let directory = tempfile::tempdir().expect("a place for files");
    for seed in 0..6_usize {
        let profile = if seed.is_multiple_of(2) { Profile::Wild } else { Profile::Realistic };
        let trace = sample(seed as u64 ^ 0x7374, profile, 100 + seed * 37);
        let mut text = Vec::new();
        codec::text::write(&trace, &mut text).expect("memory takes all");
        let read = codec::text::read(&text).expect("own text").trace;
        fs::write(directory.path().join("t.trace"), text).expect("writable");
        fs::write(directory.path().join("t.ilt"), file(&read, 200)).expect("writable");
        let native = interloper(&["stats", "t.ilt"], None, directory.path());
        let text = interloper(&["stats", "t.trace"], None, directory.path());
        assert_eq!(said(&native), said(&text), "seed {seed}");
        let piped =
            interloper(&["stats", "-"], Some(&directory.path().join("t.ilt")), directory.path());
        assert_eq!(said(&piped), said(&text), "seed {seed}");
    }
}

#[test]
fn convert_copies_what_can_be_read() {
    let directory = tempfile::tempdir().expect("a place for files");
    let path = directory.path().join("t.ilt");
    let trace = sample(7, Profile::Realistic, 300);
    let whole = file(&trace, 300);
    fs::write(&path, &whole[..whole.len() / 2]).expect("writable");
    let copied = interloper(&["convert", "t.ilt", "copy.ilt"], None, directory.path());
    assert_eq!(copied.status.code(), Some(0), "{:?}", said(&copied));
    assert!(said(&copied).2.contains("the end of the input is missing"), "{:?}", said(&copied));
    let piped = interloper(&["convert", "-", "-", "--to", "native"], Some(&path), directory.path());
    let copy = fs::read(directory.path().join("copy.ilt")).expect("written");
    assert_eq!(piped.stdout, copy);
    for name in ["t.ilt", "copy.ilt"] {
        let text = interloper(&["convert", name, "-", "--to", "text"], None, directory.path());
        fs::write(directory.path().join(format!("{name}.text")), text.stdout).expect("writable");
    }
    let text = |name: &str| fs::read(directory.path().join(name)).expect("written");
    assert_eq!(text("t.ilt.text"), text("copy.ilt.text"));

    fs::write(&path, b"no native file").expect("writable");
    let args = ["convert", "--from", "native", "t.ilt", "copy.ilt"];
    let refused = interloper(&args, None, directory.path());
    assert_eq!(refused.status.code(), Some(2), "{:?}", said(&refused));
    assert_eq!(text("copy.ilt"), copy, "the output of a command that fails stays as it was");
}
