//! Small traces for the tests.

#![allow(dead_code, reason = "each test uses some of it")]

use synth::{Answers, Planted, Profile, Summary};
use trace::Trace;

/// A profile of some thousand operations at scale 1.
pub(crate) fn small() -> Profile {
    Profile {
        sync_operations: 1500,
        accesses: 1800,
        looper_threads: 3,
        binder_threads: 3,
        other_threads: 18,
        looper_events: 220,
        binder_events: 20,
        locations: 300,
        planted: Planted { races: 13, ad_hoc: 4, near_misses: 17, distant: 3 },
        ..Profile::default()
    }
}

/// A page of some thousand operations at scale 1.
pub(crate) fn page() -> Profile {
    Profile {
        model: synth::Model::Event,
        event_actions: 400,
        edges: 450,
        chains: 20,
        accesses: 4000,
        locations: 300,
        planted: Planted { races: 5, ad_hoc: 2, near_misses: 5, distant: 0 },
        ..Profile::default()
    }
}

pub(crate) fn bytes(profile: &Profile, scale: f64, seed: u64) -> (Vec<u8>, Summary, Answers) {
    let mut bytes = Vec::new();
    let (summary, answers) =
        synth::generate("test", profile, (scale, seed), &mut bytes, &mut |_, _| {})
            .expect("memory takes everything");
    (bytes, summary, answers)
}

/// Generates a trace, which must load without diagnostics.
pub(crate) fn trace(profile: &Profile, scale: f64, seed: u64) -> (Trace, Summary, Answers) {
    let (bytes, summary, answers) = bytes(profile, scale, seed);
    let loaded = codec::native::read(bytes.as_slice()).expect("a sound file");
    assert_eq!(loaded.diagnostics, [], "seed {seed}");
    (loaded.trace, summary, answers)
}
