//! Makes realistic traces of any length, with races whose answers are known.
//!
//! A small device is simulated: loopers with Android's message queue, binder threads, an executor,
//! workers that come and go. A [`Profile`] says how much of everything there shall be; the seed
//! decides the rest. Every access goes to what its *strand* owns, a sequence of code that
//! happens-before orders totally, or to something kept in order by a lock, a hand-over or a
//! callback; so nothing races but what is planted, and [`Answers`] lists that.
//!
//! The same profile, scale and seed give the same bytes. Operations stream into the native format;
//! memory holds what is alive, whatever the length.

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

/// What was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Operations of all sorts.
    pub operations: u64,
    /// Operations that are no accesses.
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
    /// Shares of the looper events at FIFO level 1, 2, 3.
    pub levels: [f64; 3],
    /// Chains of events, each ordered before the next.
    pub chains: u64,
}

/// Makes a trace and writes it to `sink`; `progress` is told operations done and, about, in all.
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
