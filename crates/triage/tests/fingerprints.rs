//! Checks that a race has the same fingerprint in another recording, and that different races have
//! different ones.

use std::collections::BTreeSet;

use order::Oracle;
use races::PairMode;
use testkit::generate::{Profile, sample};
use testkit::renamed::{Renaming, renamed};
use trace::Trace;
use triage::{Fingerprint, Lists, triage};

fn fingerprints(trace: &Trace) -> Vec<Fingerprint> {
    let (model, lists) = (&order::ANDROID, Lists::builtin());
    let order = Oracle::new(trace, &model.default_rules());
    let races = races::detect(trace, &order, model, PairMode::Candidates);
    triage(trace, &order, model, &races, &lists).verdicts.iter().map(|v| v.fingerprint).collect()
}

fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// A recording of `trace` in which every location belongs to an object with an id around `base`,
/// and every function is an inner one of a numbered class.
fn recording(trace: &Trace, base: u32, line: &dyn Fn(u32) -> u32) -> Trace {
    let location = |name: &[u8]| {
        let id = base + u32::from(name.last().copied().unwrap_or_default());
        joined(&[
            b"Object@",
            id.to_string().as_bytes(),
            b"[0x",
            format!("{id:x}").as_bytes(),
            b"].",
            name,
        ])
    };
    let function = |name: &[u8]| joined(&[b"Main$", base.to_string().as_bytes(), b".", name]);
    renamed(trace, &Renaming { location: &location, function: &function, line })
}

#[test]
fn lines_and_object_ids_do_not_matter() {
    let mut compared = 0;
    for seed in 0..200 {
        let trace = sample(seed, Profile::Realistic, 100);
        let first = fingerprints(&recording(&trace, 7, &|line| line));
        let second = fingerprints(&recording(&trace, 4100, &|line| line * 3 + 11));
        assert_eq!(first, second, "seed {seed}");
        compared += first.len();
    }
    assert!(compared > 100, "only {compared} races");
}

/// A race on `location`: a write in function `f`, then an access in function `g`.
fn race(location: &str, f: &str, g: &str, access: &str) -> Fingerprint {
    let text = format!(
        "interloper-trace 1\nt enter {f}\nt write {location}\nu enter {g}\nu {access} {location}\n"
    );
    let trace = codec::text::read(text.as_bytes()).expect("a trace").trace;
    let found = fingerprints(&trace);
    assert_eq!(found.len(), 1);
    found[0]
}

#[test]
fn another_race_has_another_fingerprint() {
    let different = [
        race("list.rows", "f", "g", "read"),
        race("list.size", "f", "g", "read"),
        race("list.rows", "f2", "g", "read"),
        race("list.rows", "f", "g3", "read"),
        race("list.rows", "f", "g", "write"),
        race("rect.x1", "f", "g", "read"),
        race("rect.x2", "f", "g", "read"),
    ];
    assert_eq!(different.iter().collect::<BTreeSet<_>>().len(), different.len());
}

#[test]
fn which_access_came_first_does_not_matter() {
    assert_eq!(race("x", "f", "g", "write"), race("x", "g", "f", "write"));
}
