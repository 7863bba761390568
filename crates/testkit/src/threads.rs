//! Random runs of threads and locks, the same for the same seed: as traces, and as RAPID's STD logs
//! of any length.
//!
//! `T0` starts the other threads and may wait for them. A *disciplined* access cannot race: it
//! accesses a location of the thread's own, or one that a held lock guards, or it reads a location
//! that is never written. Other accesses use any location. A *wild* step is any operation, so that
//! locks overlap or are released without being held, and threads are forked late or joined early.

use std::io::{self, Write};

use fastrand::Rng;
use trace::{
    Attributes, FunctionId, HandleId, LocationId, LockId, Op, ThreadId, Trace, TraceBuilder,
};

/// The shape of a run.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The number of operations.
    pub operations: usize,
    /// The number of threads, at least one.
    pub threads: u32,
    /// The number of locks, at least one.
    pub locks: u32,
    /// The number of locations, at least one.
    pub locations: u32,
    /// The number of handles of notifications, which STD cannot express.
    pub handles: u32,
    /// The approximate share of operations that synchronise, from 0 to 1.
    pub synchronising: f64,
    /// The share of accesses that are disciplined.
    pub disciplined: f64,
    /// The share of steps that are wild.
    pub wild: f64,
}

impl Shape {
    /// A small shape drawn from `seed`.
    pub fn drawn(seed: u64, operations: usize) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x7468_7265_6164);
        Self {
            operations,
            threads: rng.u32(1..=6),
            locks: rng.u32(1..=3),
            locations: rng.u32(1..=24),
            handles: rng.u32(0..=2),
            synchronising: [0.05, 0.2, 0.4, 0.6][rng.usize(0..4)],
            disciplined: [0.0, 0.5, 0.9, 1.0][rng.usize(0..4)],
            wild: [0.0, 0.0, 0.1, 0.5][rng.usize(0..4)],
        }
    }

    /// The shape of a long log: mostly disciplined accesses and a tenth of synchronisation.
    pub fn long(operations: usize, threads: u32, locations: u32) -> Self {
        Self {
            operations,
            threads,
            locks: 100,
            locations,
            handles: 0,
            synchronising: 0.1,
            disciplined: 0.9999,
            wild: 0.0,
        }
    }
}

/// The run of `seed` as a trace; threads are called `T0`, locations `V0`, locks `L0`, ….
pub fn generate(seed: u64, shape: &Shape) -> Trace {
    let mut builder = TraceBuilder::new();
    let names = builder.names();
    let spell = |letter: char, i: u32| format!("{letter}{i}").into_bytes();
    for i in 0..shape.threads {
        names.threads.intern(&spell('T', i));
    }
    for i in 0..shape.locations {
        names.locations.intern(&spell('V', i));
    }
    for i in 0..shape.locks {
        names.locks.intern(&spell('L', i));
    }
    for i in 0..shape.handles {
        names.handles.intern(&spell('H', i));
    }
    names.functions.intern(b"B0");
    for (thread, op) in Run::new(seed, shape).take(shape.operations) {
        builder.push(thread, op, Attributes::default());
    }
    builder.finish().0
}

/// The run of `seed` as an STD log.
pub fn write_std(seed: u64, shape: &Shape, out: &mut dyn Write) -> io::Result<()> {
    for (i, (ThreadId(thread), op)) in Run::new(seed, shape).take(shape.operations).enumerate() {
        let (word, letter, target) = match op {
            Op::Read(x) => ("r", "V", x.0),
            Op::Write(x) => ("w", "V", x.0),
            Op::Lock(x) => ("acq", "L", x.0),
            Op::Unlock(x) => ("rel", "L", x.0),
            Op::Fork(x) => ("fork", "T", x.0),
            Op::Join(x) => ("join", "T", x.0),
            Op::Enter(x) => ("begin", "B", x.0),
            Op::Leave => ("end", "B", 0),
            _ => unreachable!("a run without handles has no {op:?}"),
        };
        writeln!(out, "T{thread}|{word}({letter}{target})|{}", i % 977)?;
    }
    Ok(())
}

/// A run: an endless iterator of operations.
struct Run<'a> {
    shape: &'a Shape,
    rng: Rng,
    /// The number of started threads. Threads `0..started` run.
    started: u32,
    held: Vec<Vec<u32>>,
    blocks: Vec<u32>,
    holder: Vec<Option<u32>>,
}

impl<'a> Run<'a> {
    fn new(seed: u64, shape: &'a Shape) -> Self {
        Self {
            shape,
            rng: Rng::with_seed(seed),
            started: 1,
            held: vec![Vec::new(); shape.threads as usize],
            blocks: vec![0; shape.threads as usize],
            holder: vec![None; shape.locks as usize],
        }
    }

    fn chance(&mut self, share: f64) -> bool {
        self.rng.f64() < share
    }

    fn synchronisation(&mut self, thread: u32) -> Op {
        let held = &mut self.held[thread as usize];
        match self.rng.u32(0..100) {
            0..40 if let Some(&lock) = held.last() => {
                held.pop();
                if !held.contains(&lock) {
                    self.holder[lock as usize] = None;
                }
                Op::Unlock(LockId(lock))
            }
            40..44 if self.shape.handles > 0 => {
                Op::Notify(HandleId(self.rng.u32(0..self.shape.handles)))
            }
            44..48 if self.shape.handles > 0 => {
                Op::Wait(HandleId(self.rng.u32(0..self.shape.handles)))
            }
            48..50 if self.blocks[thread as usize] == 0 => {
                self.blocks[thread as usize] = 1;
                Op::Enter(FunctionId(0))
            }
            50..52 if self.blocks[thread as usize] > 0 => {
                self.blocks[thread as usize] = 0;
                Op::Leave
            }
            52 if thread == 0 && self.started > 1 && self.shape.wild > 0.0 => {
                Op::Join(ThreadId(self.rng.u32(1..self.started)))
            }
            _ => {
                let lock = self.rng.u32(0..self.shape.locks);
                match self.holder[lock as usize] {
                    Some(holder) if holder != thread => self.access(thread),
                    _ if held_deep(&self.held[thread as usize]) => self.access(thread),
                    _ => {
                        self.holder[lock as usize] = Some(thread);
                        self.held[thread as usize].push(lock);
                        Op::Lock(LockId(lock))
                    }
                }
            }
        }
    }

    /// Draws an access. There are four kinds of locations: guarded by a lock, a thread's own, never
    /// written, and unrestricted.
    fn access(&mut self, thread: u32) -> Op {
        let writes = self.rng.u32(0..4) == 0;
        let quarter = self.shape.locations / 4;
        if quarter > self.shape.threads.max(self.shape.locks) && self.chance(self.shape.disciplined)
        {
            let of = |rng: &mut Rng, rest: u32, modulus: u32, kind: u32| {
                4 * (rest + modulus * rng.u32(0..quarter / modulus)) + kind
            };
            let guard = self.held[thread as usize].last().copied();
            return match (guard, self.rng.u32(0..4)) {
                (Some(lock), 0..3) => access(of(&mut self.rng, lock, self.shape.locks, 0), writes),
                (None, 0..3) => access(of(&mut self.rng, thread, self.shape.threads, 1), writes),
                _ => access(4 * self.rng.u32(0..quarter) + 2, false),
            };
        }
        access(self.rng.u32(0..self.shape.locations), writes)
    }

    fn wild(&mut self) -> Op {
        let shape = self.shape;
        let (thread, lock) = (self.rng.u32(0..shape.threads), self.rng.u32(0..shape.locks));
        match self.rng.u32(0..6) {
            0 => Op::Fork(ThreadId(thread)),
            1 => Op::Join(ThreadId(thread)),
            2 | 3 => Op::Lock(LockId(lock)),
            _ => Op::Unlock(LockId(lock)),
        }
    }
}

fn held_deep(held: &[u32]) -> bool {
    held.len() >= 3
}

fn access(location: u32, writes: bool) -> Op {
    if writes { Op::Write(LocationId(location)) } else { Op::Read(LocationId(location)) }
}

impl Iterator for Run<'_> {
    type Item = (ThreadId, Op);

    fn next(&mut self) -> Option<Self::Item> {
        let wild = self.chance(self.shape.wild);
        let thread = self.rng.u32(0..if wild { self.shape.threads } else { self.started });
        let op = if wild {
            self.wild()
        } else if thread == 0 && self.started < self.shape.threads && self.rng.bool() {
            self.started += 1;
            Op::Fork(ThreadId(self.started - 1))
        } else if self.chance(self.shape.synchronising) {
            self.synchronisation(thread)
        } else {
            self.access(thread)
        };
        Some((ThreadId(thread), op))
    }
}
