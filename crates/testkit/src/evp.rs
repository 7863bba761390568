//! Random programs of the robustness language, as text, so that its front end is exercised too.

mod endless;
mod paper_shape;

use std::fmt::Write;

pub use endless::endless_program;
pub use paper_shape::{Sharing, paper_shape};

/// The size of a random program.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The number of global variables.
    pub variables: usize,
    /// The number of procedures. The first of them handle the events.
    pub procedures: usize,
    /// The number of event instances.
    pub instances: usize,
    /// The largest number of statements of a procedure at its outer level.
    pub statements: usize,
    /// Whether the driver orders instances.
    pub ordered: bool,
}

/// The random program of `seed`. Its size is random, too; `ordered` lets the driver order
/// instances.
pub fn random_program(seed: u64, ordered: bool) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let shape = Shape {
        variables: 1 + rng.usize(..3),
        procedures: 2 + rng.usize(..6),
        instances: 1 + rng.usize(..4),
        statements: 2 + rng.usize(..6),
        ordered,
    };
    program(&mut rng, shape)
}

/// A random program. Procedures post and call only later ones, so every run ends.
pub fn program(rng: &mut fastrand::Rng, shape: Shape) -> String {
    let mut out = String::new();
    for variable in 0..shape.variables {
        let init = rng.usize(..4) == 0;
        writeln!(out, "var x{variable} := {init};").expect("writing to a string");
    }
    let handlers = 1 + rng.usize(..shape.instances.min(shape.procedures));
    for procedure in 0..shape.procedures {
        writeln!(out, "procedure p{procedure}(a) {{\nvar y, z;").expect("writing to a string");
        let count = 1 + rng.usize(..shape.statements);
        let mut generator = Generator { rng, shape, procedure, handlers, out: &mut out, posts: 0 };
        generator.block(count, 2);
        out.push_str("}\n");
    }
    out.push_str("driver {\n");
    let instances = 1 + rng.usize(..shape.instances);
    for instance in 0..instances {
        write!(out, "e{instance}: p{}({})", rng.usize(..handlers), rng.bool())
            .expect("writing to a string");
        if shape.ordered && instance > 0 && rng.bool() {
            let milestone = if rng.bool() { "start" } else { "end" };
            write!(out, " after e{}.{milestone}", rng.usize(..instance))
                .expect("writing to a string");
        }
        out.push_str(";\n");
    }
    out.push_str("}\n");
    out
}

struct Generator<'a> {
    rng: &'a mut fastrand::Rng,
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
        ["a", "y", "z"][self.rng.usize(..3)]
    }

    fn statement(&mut self, depth: usize) {
        let variable = self.rng.usize(..self.shape.variables);
        let local = self.local();
        match self.rng.usize(5..25) {
            5..=7 => writeln!(self.out, "x{variable} := {};", self.rng.bool())
                .expect("writing to a string"),
            8 | 9 => writeln!(self.out, "x{variable} := !{local};").expect("writing to a string"),
            10..=14 => self.post(),
            15 => self.call(),
            16 if depth > 0 => {
                writeln!(self.out, "if {local} {{").expect("writing to a string");
                self.block(1, depth - 1);
                self.out.push_str("} else {\n");
                self.block(1, depth - 1);
                self.out.push_str("}\n");
            }
            17 => writeln!(self.out, "assume {local};").expect("writing to a string"),
            18 if self.rng.bool() => {
                writeln!(self.out, "havoc {local};").expect("writing to a string");
            }
            19 if self.rng.usize(..3) == 0 => {
                writeln!(self.out, "if {local} {{ return; }}").expect("writing to a string");
            }
            _ => writeln!(self.out, "{local} := x{variable};").expect("writing to a string"),
        }
    }

    /// A procedure after this one that handles no event.
    fn later(&mut self) -> Option<usize> {
        let first = (self.procedure + 1).max(self.handlers);
        (first < self.shape.procedures)
            .then(|| first + self.rng.usize(..self.shape.procedures - first))
    }

    fn post(&mut self) {
        let Some(target) = self.later() else { return };
        if self.posts == 3 {
            return;
        }
        self.posts += 1;
        let on = if self.rng.bool() { "main" } else { "any" };
        let local = self.local();
        writeln!(self.out, "async[{on}] p{target}({local});").expect("writing to a string");
    }

    fn call(&mut self) {
        let Some(target) = self.later() else { return };
        let local = self.local();
        writeln!(self.out, "call p{target}({local});").expect("writing to a string");
    }
}
