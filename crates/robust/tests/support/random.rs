//! Random small programs, as text, so that the front end is exercised too.

use std::fmt::Write;

/// `SplitMix64`: small, seedable, the same everywhere.
pub struct Rng(u64);

impl Rng {
    /// A generator whose sequence depends on `seed` only.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// How large a random program is.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Global variables.
    pub variables: usize,
    /// Procedures, the first of which handle the events.
    pub procedures: usize,
    /// Event instances.
    pub instances: usize,
    /// Statements a procedure has at most at its outer level.
    pub statements: usize,
    /// Whether the driver orders instances.
    pub ordered: bool,
}

/// A random program. Procedures post and call only later ones, so every run ends.
pub fn program(rng: &mut Rng, shape: Shape) -> String {
    let mut out = String::new();
    for variable in 0..shape.variables {
        let init = rng.one_in(4);
        writeln!(out, "var x{variable} := {init};").unwrap();
    }
    let handlers = 1 + rng.below(shape.instances.min(shape.procedures));
    for procedure in 0..shape.procedures {
        writeln!(out, "procedure p{procedure}(a) {{\nvar y, z;").unwrap();
        let count = 1 + rng.below(shape.statements);
        let mut generator = Generator { rng, shape, procedure, handlers, out: &mut out, posts: 0 };
        generator.block(count, 2);
        out.push_str("}\n");
    }
    out.push_str("driver {\n");
    let instances = 1 + rng.below(shape.instances);
    for instance in 0..instances {
        write!(out, "e{instance}: p{}({})", rng.below(handlers), rng.one_in(2)).unwrap();
        if shape.ordered && instance > 0 && rng.one_in(2) {
            let milestone = if rng.one_in(2) { "start" } else { "end" };
            write!(out, " after e{}.{milestone}", rng.below(instance)).unwrap();
        }
        out.push_str(";\n");
    }
    out.push_str("}\n");
    out
}

struct Generator<'a> {
    rng: &'a mut Rng,
    shape: Shape,
    procedure: usize,
    handlers: usize,
    out: &'a mut String,
    posts: usize,
}

impl Generator<'_> {
    fn block(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn local(&mut self) -> &'static str {
        ["a", "y", "z"][self.rng.below(3)]
    }

    fn statement(&mut self, depth: usize) {
        let variable = self.rng.below(self.shape.variables);
        let local = self.local();
        match self.rng.below(20) {
            0..=4 => writeln!(self.out, "{local} := x{variable};").unwrap(),
            5..=7 => writeln!(self.out, "x{variable} := {};", self.rng.one_in(2)).unwrap(),
            8 | 9 => writeln!(self.out, "x{variable} := !{local};").unwrap(),
            10..=14 => self.post(),
            15 => self.call(),
            16 if depth > 0 => {
                writeln!(self.out, "if {local} {{").unwrap();
                self.block(1, depth - 1);
                self.out.push_str("} else {\n");
                self.block(1, depth - 1);
                self.out.push_str("}\n");
            }
            17 => writeln!(self.out, "assume {local};").unwrap(),
            18 if self.rng.one_in(2) => writeln!(self.out, "havoc {local};").unwrap(),
            19 if self.rng.one_in(3) => {
                writeln!(self.out, "if {local} {{ return; }}").unwrap();
            }
            _ => writeln!(self.out, "{local} := x{variable};").unwrap(),
        }
    }

    /// A procedure after this one that handles no event.
    fn later(&mut self) -> Option<usize> {
        let first = (self.procedure + 1).max(self.handlers);
        (first < self.shape.procedures)
            .then(|| first + self.rng.below(self.shape.procedures - first))
    }

    fn post(&mut self) {
        let Some(target) = self.later() else { return };
        if self.posts == 3 {
            return;
        }
        self.posts += 1;
        let on = if self.rng.one_in(2) { "main" } else { "any" };
        let local = self.local();
        writeln!(self.out, "async[{on}] p{target}({local});").unwrap();
    }

    fn call(&mut self) {
        let Some(target) = self.later() else { return };
        let local = self.local();
        writeln!(self.out, "call p{target}({local});").unwrap();
    }
}
