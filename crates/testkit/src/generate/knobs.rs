//! The shape of a random trace.

use fastrand::Rng;

/// How much discipline a random trace keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A trace that a platform could have recorded, without anomalies above `info`.
    Realistic,
    /// A trace with arbitrary operations.
    Wild,
}

/// The shape of a random trace.
#[derive(Clone, Debug)]
pub struct Knobs {
    /// The number of operations.
    pub operations: usize,
    /// The number of threads that serve no queue.
    pub workers: usize,
    /// The number of queues that a thread of their own attaches.
    pub loopers: usize,
    /// The number of queues for inter-process messages.
    pub binders: usize,
    /// The number of queues of an executor.
    pub pools: usize,
    /// The number of threads that serve each Binder and each pool.
    pub servers: usize,
    /// The number of processes that the threads belong to.
    pub processes: usize,
    /// The number of memory locations.
    pub locations: usize,
    /// The share of steps that are arbitrary operations, from 0 to 1.
    pub anomalies: f64,
    /// Whether names hold bytes that the notation escapes, and one of each kind is empty.
    pub odd_names: bool,
    /// Whether operations carry timestamps.
    pub timestamps: bool,
}

impl Knobs {
    /// A medium shape: two Loopers, a Binder, a pool, two workers, two processes.
    pub fn new(profile: Profile, operations: usize) -> Self {
        Self {
            operations,
            workers: 2,
            loopers: 2,
            binders: 1,
            pools: 1,
            servers: 2,
            processes: 2,
            locations: 4,
            anomalies: match profile {
                Profile::Realistic => 0.0,
                Profile::Wild => 0.3,
            },
            odd_names: false,
            timestamps: true,
        }
    }

    /// A shape drawn from `seed`, from one lone Looper to crowds, with at least one thread.
    pub fn drawn(seed: u64, profile: Profile, operations: usize) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x6b6e_6f62_7321);
        let loopers = rng.usize(0..=3);
        Self {
            operations,
            workers: rng.usize(usize::from(loopers == 0)..=3),
            loopers,
            binders: rng.usize(0..=2),
            pools: rng.usize(0..=1),
            servers: rng.usize(1..=2),
            processes: rng.usize(1..=3),
            locations: rng.usize(1..=6),
            anomalies: match profile {
                Profile::Realistic => 0.0,
                Profile::Wild => [0.05, 0.2, 0.5, 1.0][rng.usize(0..4)],
            },
            odd_names: profile == Profile::Wild && rng.u8(0..4) == 0,
            timestamps: rng.bool(),
        }
    }
}
