//! A file that is counted or copied in one pass gives the same as one that is read into memory:
//! worked examples, real logs, random traces, and damaged files of all of them.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use codec::native::{self, ConvertError, Options};
use codec::{Format, Loaded};
use testkit::generate::{Profile, sample};
use testkit::shared_data::shared_data;
use testkit::spelled::spelled;
use trace::{Census, Trace};

/// Returns the file of a trace, in blocks of about so many bytes.
fn file(trace: &Trace, block_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = Options { block_bytes, ..Options::default() };
    native::write(trace, &mut bytes, options).expect("memory takes all");
    bytes
}

/// Compares both passes with reading into memory. Returns the number of operations, if the input is
/// a native file at all.
fn compare(bytes: &[u8], what: &str) -> Option<usize> {
    let source = || Cursor::new(bytes.to_vec());
    let Ok(loaded) = native::read(bytes) else {
        assert!(native::count(source(), 2).is_err(), "{what}");
        let copied = native::convert(source(), 2, Vec::new(), Options::default());
        assert!(matches!(copied, Err(ConvertError::Read(_))), "{what}");
        return None;
    };
    let counted = native::count(source(), 2).expect("a native file");
    assert_eq!(counted.census, Census::of(&loaded.trace), "{what}");
    assert_eq!(counted.diagnostics, loaded.diagnostics, "{what}");
    assert_eq!(counted.completeness, loaded.completeness, "{what}");

    let mut copy = Vec::new();
    let read = native::convert(source(), 2, &mut copy, Options::default());
    assert_eq!(read.expect("a native file"), loaded.completeness, "{what}");
    let copied = native::read(&copy[..]).expect("a sound file");
    assert_eq!(spelled(&copied.trace), spelled(&loaded.trace), "{what}");
    assert_eq!(as_text(&copied), as_text(&loaded), "{what}");
    let names = |loaded: &Loaded| {
        let mut census = Census::of(&loaded.trace);
        census.model = None;
        census
    };
    assert_eq!(names(&copied), names(&loaded), "{what}: names that no operation mentions");
    let mut again = Vec::new();
    let copied_again =
        native::convert(Cursor::new(copy.clone()), 2, &mut again, Options::default());
    assert!(copied_again.is_ok() && again == copy, "{what}: a copy of a copy is the same");
    Some(loaded.trace.len())
}

fn as_text(loaded: &Loaded) -> Vec<u8> {
    let mut text = Vec::new();
    codec::text::write(&loaded.trace, &mut text).expect("memory takes all");
    text
}

/// Compares a file, and the file with damage of several kinds.
fn compare_damaged(bytes: &[u8], seed: usize, what: &str) -> usize {
    let mut operations = compare(bytes, what).expect("a sound file");
    for damage in 0..8 {
        let mut odd = bytes.to_vec();
        let place = (seed * 7919 + damage * 104_729) % odd.len();
        match damage % 4 {
            0 => odd.truncate(place),
            1 => odd.extend_from_slice(&bytes[place..]),
            2 => odd[place] ^= 1 << (seed % 8),
            _ => drop(odd.drain(place / 2..place)),
        }
        operations += compare(&odd, &format!("{what}, damage {damage} at {place}")).unwrap_or(0);
    }
    operations
}

#[test]
fn random_traces() {
    let mut operations = 0;
    for seed in 0..400_usize {
        let profile = if seed.is_multiple_of(3) { Profile::Wild } else { Profile::Realistic };
        let trace = sample(seed as u64 ^ 0x7061_7373, profile, 1 + seed * 13 % 300);
        let bytes = file(&trace, 1 + seed * 7 % 600);
        operations += compare_damaged(&bytes, seed, &format!("seed {seed}"));
    }
    assert!(operations > 200_000, "{operations} operations");
}

fn traces(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(traces(&path));
        } else if path.extension().is_some_and(|extension| extension == "trace") {
            found.push(path);
        }
    }
    found
}

#[test]
fn worked_examples() {
    let corpus = traces(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"));
    assert!(corpus.len() > 20, "{} traces", corpus.len());
    for (seed, path) in corpus.iter().enumerate() {
        let what = path.display().to_string();
        let text = fs::read(path).expect("readable");
        let loaded = codec::text::read(&text).unwrap_or_else(|error| panic!("{what}: {error}"));
        compare_damaged(&file(&loaded.trace, 1 + seed * 37 % 400), seed, &what);
    }
}

#[test]
fn real_logs() {
    for (name, format) in [
        ("droidracer/remindme.abc_log.txt", Format::DroidRacer),
        ("eventracer/01_small_basic.log", Format::EventRacer),
        ("eventracer/04_network_xhr.log", Format::EventRacer),
        ("eventracer/er_86.log", Format::EventRacer),
    ] {
        let Some(path) = shared_data(name) else { return };
        let bytes = fs::read(path).expect("readable");
        let loaded = format.read(&bytes[..]).unwrap_or_else(|error| panic!("{name}: {error}"));
        compare_damaged(&file(&loaded.trace, 1 << 14), name.len(), name);
    }
}

/// A name that stands twice in its table ends the reading, wherever the operations go.
#[test]
fn a_name_that_stands_twice() {
    let mut writer = native::Writer::new(Vec::new(), Options::default()).expect("memory takes all");
    let thread = writer.names().threads.intern(b"t");
    writer.push(thread, trace::Op::Init, trace::Attributes::default()).expect("memory takes all");
    writer.flush().expect("memory takes all");
    for name in [b"x", b"x"] {
        writer.declare_name(native::NameTable::Locations, name).expect("memory takes all");
    }
    writer.push(thread, trace::Op::Exit, trace::Attributes::default()).expect("memory takes all");
    let bytes = writer.finish().expect("memory takes all");
    assert_eq!(compare(&bytes, "a name twice"), Some(1));
}
