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
