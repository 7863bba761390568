//! A trace survives as a Parquet table, and `DuckDB` reads it.

use std::process::Command;

use bytes::Bytes;
use codec::{parquet, text};
use testkit::generate::{Knobs, Profile, generate};
use testkit::spelled::spelled;
use trace::Trace;

fn table(trace: &Trace) -> Vec<u8> {
    let mut bytes = Vec::new();
    parquet::write(trace, &mut bytes).expect("memory takes all");
    bytes
}

/// The content of a trace that the table keeps: all but the kinds of locations without accesses.
fn held(trace: &Trace) -> Vec<String> {
    let accessed: Vec<String> = trace
        .ops()
        .filter_map(|op| trace.op(op).access())
        .map(|(at, _)| format!("<{}>", trace::Escaped(trace.names().locations.get(at))))
        .collect();
    spelled(trace)
        .into_iter()
        .filter(|line| {
            !line.starts_with("location ") || accessed.iter().any(|name| line.contains(name))
        })
        .collect()
}

#[test]
fn random_traces_survive() {
    for seed in 0..150 {
        let profile = if seed % 2 == 0 { Profile::Realistic } else { Profile::Wild };
        let knobs = Knobs { odd_names: seed % 3 == 0, ..Knobs::drawn(seed, profile, 150) };
        let trace = generate(seed, &knobs);
        let back = parquet::read(Bytes::from(table(&trace))).expect("own output").trace;
        assert_eq!(held(&back), held(&trace), "seed {seed}");
    }
}

#[test]
fn several_row_groups_are_read() {
    let mut notation = b"interloper-trace 1\nmodel event\n".to_vec();
    for i in 0..200_000 {
        notation.extend_from_slice(format!("t read x{}\n", i % 100).as_bytes());
    }
    let trace = text::read(&notation).expect("a trace").trace;
    let back = parquet::read(Bytes::from(table(&trace))).expect("own output").trace;
    assert_eq!(back.len(), 200_000);
    assert_eq!(back.model(), Some(&b"event"[..]));
}

#[test]
fn other_tables_are_an_error() {
    assert!(parquet::read(Bytes::from_static(b"PAR1 nonsense PAR1")).is_err());
    assert!(parquet::read(Bytes::new()).is_err());
}

/// The crate that decodes tables panics on some of these, which must not reach the caller.
#[test]
fn damaged_tables_are_errors_or_traces() {
    let whole = table(&generate(5, &Knobs::drawn(5, Profile::Realistic, 120)));
    let mut random = fastrand::Rng::with_seed(5);
    let (mut errors, mut traces) = (0, 0);
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..bytes.len());
            match random.u8(..4) {
                0 => bytes[at] = random.u8(..),
                1 => bytes[at] ^= 1 << random.u8(..8),
                2 => drop(bytes.drain(at..(at + random.usize(1..40)).min(bytes.len()))),
                _ => bytes.insert(at, random.u8(..)),
            }
            if bytes.is_empty() {
                break;
            }
        }
        match parquet::read(Bytes::from(bytes)) {
            Ok(_) => traces += 1,
            Err(_) => errors += 1,
        }
    }
    assert!(errors > 500 && traces > 0, "{errors} errors, {traces} traces");
}

#[test]
fn duckdb_reads_it() {
    let script = "import duckdb, sys; print(duckdb.sql(f\"select kind, object, count(*) from \
                  '{sys.argv[1]}' where thread = 't' group by all order by all\").fetchall())";
    let Some(python) = std::env::var_os("INTERLOPER_PYTHON") else {
        testkit::skip::skip("INTERLOPER_PYTHON names no Python with duckdb (see script/test)");
        return;
    };
    let notation = b"interloper-trace 1\nt read x\nt write x\nt read x\nu read x\n";
    let trace = text::read(notation).expect("a trace").trace;
    let directory = tempfile::tempdir().expect("a place for a file");
    let file = directory.path().join("t.parquet");
    std::fs::write(&file, table(&trace)).expect("writable");
    // starts: python3
    let output = Command::new(python).args(["-c", script]).arg(&file).output().expect("runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(shown.trim(), "[('read', 'x', 2), ('write', 'x', 1)]");
}
