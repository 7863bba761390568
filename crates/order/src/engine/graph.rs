//! The graph engine: happens-before by vector clocks over chains, exactly.
//!
//! It computes what [`crate::Oracle`] computes, for the same rules, without the full relation. Models
//! that order operations are closed by [`operations`], and models that order whole events by
//! [`events`]. Both keep their clocks in [`clock`].

mod clock;
mod events;
mod operations;

pub(crate) use clock::{ChainSet, Clock, Clocks};
pub(crate) use events::{Delay, EventClocks, EventMechanism};
pub(crate) use operations::{Dispatchers, Mechanism, Operations, Overtaken, Plan, Threads};

/// Draws numbers below `n`, always the same: for the tests of what the sweeps are made of.
#[cfg(test)]
fn draws() -> impl FnMut(u64) -> u32 {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    move |n| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n) as u32
    }
}
