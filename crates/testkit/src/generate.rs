//! Random traces over every operation kind, the same for the same seed.
//!
//! A small simulation runs threads, Loopers, Binder and pool threads one operation at a time.
//! [`Profile::Realistic`] keeps the discipline of the platform: a message is dispatched after its
//! enqueue, by a thread that serves its queue, one at a time, in the order the queue gives it, and
//! the builder finds nothing worse than `info` in the result. [`Profile::Wild`] replaces a share
//! of the steps by an arbitrary operation with arbitrary arguments, so that every declared anomaly
//! occurs.
//!
//! The weights favour the premises of the rules: bursts of posts to one queue by one sender,
//! front posts over pending messages, barriers with messages around them, removals after the
//! dispatch, blocking calls. `premises` in the tests below counts them.

mod attachments;
mod attributes;
mod habits;
mod idioms;
mod knobs;
mod menu;
mod naming;
mod page;
mod sane;
mod wild;
mod world;

#[cfg(test)]
mod tests;

pub use attachments::attachments;
pub use habits::habits;
pub use idioms::idioms;
pub use knobs::{Knobs, Profile};
pub use page::page;

use trace::Trace;

use world::World;

/// The trace of `seed` under `knobs`: exactly `knobs.operations` operations.
pub fn generate(seed: u64, knobs: &Knobs) -> Trace {
    let mut world = World::new(seed, knobs);
    while world.len() < knobs.operations {
        world.step();
    }
    world.finish().0
}

/// The trace of `seed`, its shape (threads, queues, processes, share of anomalies) drawn from the
/// seed too.
pub fn sample(seed: u64, profile: Profile, operations: usize) -> Trace {
    generate(seed, &Knobs::drawn(seed, profile, operations))
}
