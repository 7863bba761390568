//! Generates realistic traces of any length, with races whose answers are known.
//!
//! The generator simulates a small device: loopers with Android's message queue, binder threads, an
//! executor, and workers that start and end. A [`Profile`] gives the amounts; the seed decides the
//! rest. A *strand* is a sequence of code that happens-before orders totally. Every access goes to
//! a location that its strand owns, or to one whose accesses a lock, a hand-over or a callback
//! orders. So only planted conflicts race, and [`Answers`] lists them.
//!
//! The same profile, scale and seed give the same bytes. Operations are written to the native
//! format as they are generated; memory does not depend on the length of the trace.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "shares and means of counts, none of which is negative or comes near 2^52"
)]

mod access;
mod answers;
mod draw;
mod emit;
mod message;
mod plan;
mod plant;
mod post;
mod profile;
mod queue;
mod schedule;
mod setup;
mod shared;
mod step;
mod strand;
mod web;
mod worker;
mod world;

use std::io::{self, Write};

pub use answers::{Answer, Answers, Verdict};
pub use profile::{Mix, Model, Planted, Profile, ProfileError};

use world::World;

/// The figures of a generated trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The number of all operations.
    pub operations: u64,
    /// The number of operations that are no accesses.
    pub sync_operations: u64,
    /// Reads and writes.
    pub accesses: u64,
    /// Events of loopers and executors.
    pub looper_events: u64,
    /// Events of binder threads.
    pub binder_events: u64,
    /// Threads.
    pub threads: u64,
    /// Locations.
    pub locations: u64,
    /// The shares of the looper events at FIFO levels 1, 2 and 3.
    pub levels: [f64; 3],
    /// The number of chains of events. Each event of a chain is ordered before the next.
    pub chains: u64,
}

/// Generates a trace and writes it to `sink`. It calls `progress` with the number of operations
/// written and the approximate total.
pub fn generate<W: Write>(
    name: &str,
    profile: &Profile,
    (scale, seed): (f64, u64),
    sink: W,
    progress: &mut dyn FnMut(u64, u64),
) -> io::Result<(Summary, Answers)> {
    if profile.model == Model::Event {
        return web::generate(name, profile, (scale, seed), sink, progress);
    }
    let mut world = World::new(profile, scale, seed, sink)?;
    world.run(progress)?;
    debug_assert!(world.is_complete(), "everything planned was made");
    let World { out, threads, tally, director, .. } = world;
    let events = (tally.looper_events + tally.pool_events).max(1) as f64;
    let summary = Summary {
        operations: out.written.operations(),
        sync_operations: out.written.sync,
        accesses: out.written.accesses,
        looper_events: tally.looper_events + tally.pool_events,
        binder_events: tally.binder_events,
        threads: threads.len() as u64,
        locations: out.locations,
        levels: tally.levels.map(|count| count as f64 / events),
        chains: tally.chains,
    };
    out.finish()?;
    let answers = Answers {
        schema: "interloper-answers/1",
        profile: name.to_owned(),
        scale,
        seed,
        model: profile.model.name(),
        operations: summary.operations,
        answers: director.answers(),
    };
    Ok((summary, answers))
}
