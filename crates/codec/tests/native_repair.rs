//! The doctor reports damage. A repair keeps the sound blocks, and never keeps operations whose
//! order may be lost.

use std::io::Cursor;

use codec::native::{self, Compression, Options, Report, doctor, repair};
use testkit::generate::{Profile, sample};
use testkit::spelled::spelled;
use trace::{Op, OpId, Trace};

fn file(seed: u64, compression: Compression, block_bytes: usize) -> (Trace, Vec<u8>) {
    let trace = sample(seed, Profile::Realistic, 300);
    let mut bytes = Vec::new();
    native::write(&trace, &mut bytes, Options { compression, block_bytes }).expect("memory");
    (trace, bytes)
}

fn repaired(bytes: &[u8]) -> (native::Repaired, Trace) {
    let mut out = Vec::new();
    let report = repair(Cursor::new(bytes), &mut out, Options::default()).expect("memory");
    let loaded = native::read(&out[..]).expect("a repair gives a native file");
    let odd = loaded.diagnostics.iter().find(|d| native::anomaly::CODES.contains(&d.code));
    assert_eq!(odd, None, "a repaired file is sound");
    assert_eq!(report.operations, loaded.trace.len() as u64);
    (report, loaded.trace)
}

fn examined(bytes: &[u8]) -> Report {
    doctor(Cursor::new(bytes)).expect("memory does not fail")
}

fn skeleton(trace: &Trace) -> Vec<String> {
    let orders =
        |op: &OpId| !matches!(trace.op(*op), Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave);
    trace
        .ops()
        .filter(orders)
        .map(|op| format!("{:?} {:?}", trace.thread_of(op), trace.op(op)))
        .collect()
}

#[test]
fn a_healthy_file_stays_as_it_is() {
    let (trace, bytes) = file(1, Compression::Zstd(3), 500);
    let report = examined(&bytes);
    assert!(report.is_healthy(), "{report}");
    assert_eq!(report.bytes, bytes.len() as u64);
    assert_eq!(report.index_agrees, Some(true));
    assert_eq!(report.readable, trace.len() as u64);
    let counted: u64 = report.blocks.iter().map(|count| count.operations).sum();
    assert_eq!(counted, trace.len() as u64);
    let (what, same) = repaired(&bytes);
    assert_eq!(what, report.repair);
    assert_eq!(what.lost_between + what.placeholders, 0);
    assert_eq!(what.stopped, None);
    assert_eq!(spelled(&same), spelled(&trace));
}

#[test]
fn after_any_flipped_byte_a_repair_keeps_at_least_what_loads_and_never_loses_order() {
    let (trace, bytes) = file(2, Compression::None, 300);
    let whole = skeleton(&trace);
    let mut saved_more = 0;
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        let report = examined(&damaged);
        assert!(!report.is_healthy(), "byte {at}");
        assert!(!report.damaged.is_empty(), "byte {at}: {report}");
        let (what, kept) = repaired(&damaged);
        assert_eq!(what, report.repair);
        assert!(what.operations >= report.readable, "byte {at}: {report}");
        saved_more += u64::from(what.operations > report.readable);
        if what.placeholders == 0 {
            let order = skeleton(&kept);
            assert_eq!(order, whole[..order.len()], "byte {at}: {report}");
        }
    }
    assert!(saved_more > 100, "damage to data and tables blocks is bridged: {saved_more}");
}

#[test]
fn a_lost_data_block_costs_its_accesses_only() {
    let (trace, bytes) = file(3, Compression::None, 300);
    let index = native::Index::locate(&mut Cursor::new(&bytes)).expect("memory").expect("closed");
    let block = index
        .blocks
        .iter()
        .filter(|block| block.kind == native::BlockType::Data)
        .nth(1)
        .expect("several data blocks");
    for damage in [0, 40] {
        let mut damaged = bytes.clone();
        damaged[block.offset as usize + damage] ^= 1;
        let (what, kept) = repaired(&damaged);
        assert_eq!(what.stopped, None);
        assert_eq!(kept.len() as u64 + what.lost_between, trace.len() as u64);
        assert_eq!(skeleton(&kept), skeleton(&trace));
        let last = kept.ops().next_back().expect("not empty");
        assert_eq!(kept.attributes(last).source_id, Some(trace.len() as u64 - 1));
    }
}

#[test]
fn a_cut_file_is_closed_and_the_report_says_what_is_missing() {
    let (_, bytes) = file(4, Compression::None, 300);
    let report = examined(&bytes[..bytes.len() / 2]);
    assert!(!report.closed);
    assert_eq!(report.index_agrees, None);
    let text = report.to_string();
    assert!(text.contains("cut-block") && text.contains("the file ends after"), "{text}");
    let json = serde_json::to_value(&report).expect("plain data");
    assert_eq!(json["readable"], report.readable);
}

#[test]
fn rubbish_is_examined_too() {
    for bytes in [&b""[..], b"hello", &[0x93; 5000], &b"\x93ILT\x93ILT\x93ILT".repeat(9000)] {
        let report = examined(bytes);
        assert_eq!(report.bytes, bytes.len() as u64);
        assert_eq!(report.readable, 0);
        assert_eq!(report.repair.operations, 0);
    }
}
