//! Writing a trace in the text notation and reading it gives an equal trace, for random traces of
//! both profiles, with odd names and without.

use codec::text::{read, write};
use testkit::generate::{Knobs, Profile, generate, sample};
use testkit::spelled::spelled;
use trace::Trace;

fn written(trace: &Trace) -> Vec<u8> {
    let mut text = Vec::new();
    write(trace, &mut text).expect("writing to memory cannot fail");
    text
}

fn assert_round_trip(trace: &Trace, what: &str) {
    let text = written(trace);
    let shown = || String::from_utf8_lossy(&text);
    let loaded = read(&text).unwrap_or_else(|e| panic!("{what}: {e}\n{}", shown()));
    let (before, after) = (spelled(trace), spelled(&loaded.trace));
    let differs = before.iter().zip(&after).find(|(b, a)| b != a);
    assert!(differs.is_none(), "{what}: {differs:#?}\n{}", shown());
    assert_eq!(before.len(), after.len(), "{what}");
    assert!(written(&loaded.trace) == text, "{what}: the canonical form is not stable");
    let of_text = loaded.diagnostics.iter().find(|d| codec::anomaly::CODES.contains(&d.code));
    assert!(of_text.is_none(), "{what}: {of_text:?}");
}

#[test]
fn random_traces_survive() {
    for profile in [Profile::Realistic, Profile::Wild] {
        for seed in 0..2000 {
            let trace = sample(seed, profile, 1 + seed as usize % 120);
            assert_round_trip(&trace, &format!("{profile:?} {seed}"));
        }
    }
}

#[test]
fn odd_names_survive() {
    for seed in 0..500 {
        let knobs = Knobs { odd_names: true, ..Knobs::drawn(seed, Profile::Wild, 120) };
        assert_round_trip(&generate(seed, &knobs), &format!("odd {seed}"));
    }
}

#[test]
fn long_traces_survive() {
    assert_round_trip(&sample(1, Profile::Realistic, 20_000), "long");
    assert_round_trip(&sample(2, Profile::Wild, 20_000), "long and wild");
}
