//! Tests the file format: round trips, damaged files, and the diagnostics for them.

mod random_log;

use eventracer::connectivity::{BitVectors, ChainDecomposition};
use eventracer::log::OpKind;
use eventracer::{ActionLog, Analysis, LogBuilder, LoggedArcs, looks_like, prepare, read, write};
use proptest::prelude::*;
use trace::Place;

/// Runs everything that the crate does with a log, which must not panic.
fn analyse(log: ActionLog) {
    let prepared = prepare(log.clone(), LoggedArcs::All);
    drop(Analysis::new(&prepared, &ChainDecomposition::new(&prepared.graph)));
    let prepared = prepare(log, LoggedArcs::Needed);
    drop(Analysis::new(&prepared, &BitVectors::new(&prepared.graph)));
}

fn integers(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// An empty string section.
const NO_STRINGS: [i32; 2] = [0, 3];

/// A file with the given ACTIONS section, one cell `x`, and no other string.
fn file(actions: &[i32]) -> Vec<u8> {
    let vars = [&integers(&[2]), &b"x\0"[..], &integers(&[5])].concat();
    let rest = [&NO_STRINGS[..], actions, &NO_STRINGS, &NO_STRINGS].concat();
    [vars, integers(&rest)].concat()
}

fn codes(bytes: &[u8]) -> Vec<&'static str> {
    let (_, diagnostics) = read(bytes).expect("a whole log");
    diagnostics.iter().map(|diagnostic| diagnostic.code.name).collect()
}

proptest! {
    #[test]
    fn logs_survive_the_round_trip(log in random_log::log(20, 1)) {
        let bytes = write(&log);
        let (again, diagnostics) = read(&bytes).expect("our own file");
        prop_assert_eq!(&again, &log);
        prop_assert_eq!(write(&again), bytes);
        prop_assert!(diagnostics.iter().all(|d| d.code.name == "eventracer-backward-arc"));
    }

    #[test]
    fn a_cut_log_gives_a_log_or_an_offset(log in random_log::log(8, 1), cut in any::<prop::sample::Index>()) {
        let bytes = write(&log);
        let cut = cut.index(bytes.len());
        match read(&bytes[..cut]) {
            Ok((log, diagnostics)) => {
                prop_assert!(!log.complete && !diagnostics.is_empty());
                analyse(log);
            }
            Err(error) => prop_assert!(error.offset <= cut as u64),
        }
    }

    #[test]
    fn damage_never_panics(
        log in random_log::log(8, 1),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = write(&log);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok((log, _)) = read(&bytes) {
            analyse(log);
        }
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok((log, _)) = read(&bytes) {
            analyse(log);
        }
    }
}

#[test]
fn a_huge_op_number_costs_nothing() {
    let (log, diagnostics) = read(&file(&[1, 1, 0, i32::MAX, -1, 5, 0, 0])).expect("a whole log");
    assert!(diagnostics.is_empty());
    assert_eq!(log.op_count(), 3);
    assert_eq!(log.node_count(), 1 << 31);
    let prepared = prepare(log, LoggedArcs::All);
    assert_eq!(prepared.counters.dropped, 1 << 31);
}

#[test]
fn sparse_numbers_are_compacted_in_order() {
    let mut log = LogBuilder::new();
    log.op(7_000_000, OpKind::Timer).write("x").op(5, OpKind::Network).read("x");
    log.arc(5, 9_000_000, None);
    let log = log.build();
    let numbers: Vec<u32> = log.op_ids().map(|op| log.number(op)).collect();
    assert_eq!(numbers, [5, 7_000_000, 9_000_000]);
    assert_eq!(log.op(7_000_000).map(|op| log.kind(op)), Some(OpKind::Timer));
    assert_eq!(log.op(6), None);
}

#[test]
fn lengths_beyond_the_file_are_refused_where_they_stand() {
    let error = |bytes: &[u8]| read(bytes).expect_err("not a whole log");
    assert_eq!(error(&[]).offset, 0);
    let long = error(&integers(&[i32::MAX, 0]));
    assert_eq!(long.offset, 0);
    assert_eq!(long.message, "the length of section VARS is 2147483647, but 4 bytes remain");
    assert_eq!(error(&integers(&[-1, 0])).offset, 0);
    // VARS takes 10 bytes and SCOPES 8.
    let ops = error(&file(&[i32::MAX, 0]));
    assert_eq!((ops.offset, ops.message.starts_with("the number of ops is")), (18, true));
    let commands = error(&file(&[1, 0, 0, 0, 1_000_000]));
    assert!(commands.message.starts_with("the number of commands of an op is 1000000"));
    assert_eq!(commands.offset, 34);
}

#[test]
fn missing_and_truncated_tables_have_different_codes() {
    let whole = file(&[0, 0]);
    let without_values = &whole[..whole.len() - 8];
    assert_eq!(codes(&whole), [""; 0]);
    assert_eq!(codes(without_values), ["eventracer-missing-table"]);
    assert_eq!(codes(&whole[..whole.len() - 2]), ["eventracer-truncated-table"]);
    assert_eq!(codes(&[&whole[..], b"!"].concat()), ["eventracer-trailing-bytes"]);
}

#[test]
fn odd_records_are_reported_and_worked_around() {
    assert_eq!(codes(&file(&[2, 0, 0, 0, 0, 0, 1, 0])), ["eventracer-duplicate-op"]);
    assert_eq!(codes(&file(&[1, 0, -4, 0, 0])), ["eventracer-negative-op"]);
    assert_eq!(codes(&file(&[0, 1, 0, -4, 0])), ["eventracer-negative-arc"]);
    assert_eq!(codes(&file(&[0, 1, 4, 3, 0])), ["eventracer-backward-arc"]);
    assert_eq!(codes(&file(&[1, 0, 0, 9, 0])), ["eventracer-unknown-op-type"]);
    assert_eq!(codes(&file(&[1, 0, 0, 0, 1, 77, 0])), ["eventracer-unknown-command"]);
    assert_eq!(codes(&file(&[1, 0, 0, 0, 1, 2, 2])), ["eventracer-bad-cell"]);
    assert_eq!(codes(&file(&[1, 0, 0, 0, 1, 3, -1])), ["eventracer-bad-cell"]);
    assert_eq!(codes(&file(&[1, 0, 0, 0, 1, 2, 1])), ["eventracer-inner-string"]);
    assert_eq!(codes(&file(&[1, 0, 0, 0, 1, 0, 0])), ["eventracer-bad-string"]);
}

#[test]
fn a_repeated_oddity_is_reported_once_with_its_count() {
    let (log, diagnostics) = read(&file(&[1, 0, 0, 0, 3, 2, 9, 2, 0, 3, -7])).expect("a whole log");
    assert_eq!(log.commands(log.op(0).expect("recorded")).len(), 3);
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].message, "command 0 of op 0 is 2 with argument 9 (the first of 2)");
    assert_eq!(diagnostics[0].at, Place::Offset(38));
}

#[test]
fn the_later_record_of_an_op_wins() {
    let bytes = file(&[2, 0, 0, 1, 1, 2, 0, 0, 2, 1, 3, 0]);
    let (log, _) = read(&bytes).expect("a whole log");
    let op = log.op(0).expect("recorded");
    assert_eq!(log.kind(op), OpKind::UserInterface);
    assert!(log.commands(op)[0].cell().is_some() && log.commands(op).len() == 1);
}

/// The lengths in a file of zeros add up, but the file is no log.
#[test]
fn zeros_do_not_look_like_a_log() {
    for len in (0..200).chain([4096, 70_000]) {
        assert!(!looks_like(&vec![0; len]), "{len} zeros");
    }
    assert!(looks_like(&file(&[1, 0, 1, 0, 0])), "one op without commands");
    assert!(!looks_like(&file(&[0, 0])), "no op");
}
