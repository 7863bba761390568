//! A trace of every published profile has the profile's figures.

#![allow(clippy::cast_precision_loss, reason = "counts compared within per cents")]

mod common;

use synth::{Model, Profile};

fn within(what: &str, name: &str, made: u64, wanted: f64, tolerance: f64) {
    let off = (made as f64 - wanted).abs() / wanted;
    assert!(off <= tolerance, "{name}: {made} {what}, wanted {wanted} within {tolerance}");
}

#[test]
fn all_profiles_hit_their_figures_at_a_small_scale() {
    for (name, mut profile) in Profile::catalogue() {
        if profile.model == Model::Event {
            continue;
        }
        // Ten thousand events, but few accesses, because accesses take most of the time.
        let events = profile.looper_events + profile.binder_events;
        let scale = 10_000.0 / events as f64;
        profile.accesses = profile.accesses_at(1.0).min(events * 40);
        let (_, summary, _) = common::bytes(&profile, scale, 1);
        let sync = if profile.sync_operations == 0 { events * 8 } else { profile.sync_operations };
        within("accesses", &name, summary.accesses, profile.accesses as f64 * scale, 0.01);
        within("sync operations", &name, summary.sync_operations, sync as f64 * scale, 0.05);
        let made = summary.looper_events + summary.binder_events;
        within("events", &name, made, 10_000.0, 0.05);
        let [first, second, third] = summary.levels;
        let mix = profile.mix;
        assert!((first - mix.level1).abs() < 0.03, "{name}: {first} at level 1");
        assert!((second - mix.level2).abs() < 0.01, "{name}: {second} at level 2");
        assert!((third - mix.level3).abs() < 0.005, "{name}: {third} at level 3");
    }
}

#[test]
fn the_seed_decides_the_bytes() {
    let profile = common::small();
    let (first, ..) = common::bytes(&profile, 1.0, 7);
    assert_eq!(first, common::bytes(&profile, 1.0, 7).0);
    assert_ne!(first, common::bytes(&profile, 1.0, 8).0);
}
