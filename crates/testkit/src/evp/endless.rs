//! Random programs with data, and with all constructs that keep a task from ending.
//!
//! Tasks may block (`assume`), spin, loop over accesses, recurse, leave a range or an array, and
//! the driver orders instances by `start` and `end`. Domains have two or three values and loops
//! post nothing, so that brute force decides most programs.

use std::fmt::Write;

/// The type of a shared variable.
#[derive(Clone, Copy)]
enum Kind {
    Bool,
    /// `0..2`
    Range,
    /// `[bool; 2]`
    Array,
}

/// The random program of `seed`. `size` bounds the statements of a procedure, and the numbers of
/// variables, procedures and instances grow with it.
pub fn endless_program(seed: u64, size: usize) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let kinds = (0..=rng.usize(..size.min(3))).map(|_| kind(&mut rng)).collect();
    let procedures = 2 + rng.usize(..size);
    let instances = 1 + rng.usize(..size.min(3));
    let handlers = 1 + rng.usize(..instances.min(procedures - 1));
    let mut writer = Writer {
        rng,
        size,
        kinds,
        procedures,
        handlers,
        procedure: 0,
        posts: 0,
        out: String::new(),
    };
    writer.variables();
    for procedure in 0..procedures {
        writer.procedure(procedure);
    }
    writer.driver(instances);
    writer.out
}

fn kind(rng: &mut fastrand::Rng) -> Kind {
    match rng.usize(..6) {
        0 => Kind::Range,
        1 => Kind::Array,
        _ => Kind::Bool,
    }
}

struct Writer {
    rng: fastrand::Rng,
    size: usize,
    kinds: Vec<Kind>,
    procedures: usize,
    /// The first procedures handle the events.
    handlers: usize,
    /// The procedure that is being written, and its posts.
    procedure: usize,
    posts: usize,
    out: String,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn variables(&mut self) {
        for variable in 0..self.kinds.len() {
            let text = match self.kinds[variable] {
                Kind::Bool => format!("var x{variable} := {};", self.rng.usize(..4) == 0),
                Kind::Range => format!("var x{variable}: 0..2 := {};", self.rng.usize(..3)),
                Kind::Array => format!("var x{variable}: [bool; 2];"),
            };
            self.line(&text);
        }
    }

    fn procedure(&mut self, procedure: usize) {
        (self.procedure, self.posts) = (procedure, 0);
        self.line(&format!("procedure p{procedure}(a) {{\nvar y, z;\nvar n: 0..2;"));
        for _ in 0..=self.rng.usize(..self.size) {
            self.statement(2);
        }
        if self.rng.usize(..3) == 0 {
            self.endless();
        }
        self.line("}");
    }

    fn driver(&mut self, instances: usize) {
        self.line("driver {");
        for instance in 0..instances {
            let (handler, argument) = (self.rng.usize(..self.handlers), self.rng.bool());
            let mut text = format!("e{instance}: p{handler}({argument})");
            if instance > 0 && self.rng.usize(..5) < 2 {
                let milestone = if self.rng.bool() { "start" } else { "end" };
                let other = self.rng.usize(..instance);
                write!(text, " after e{other}.{milestone}").expect("writing to a string");
            }
            text.push(';');
            self.line(&text);
        }
        self.line("}");
    }

    fn local(&mut self) -> &'static str {
        ["a", "y", "z"][self.rng.usize(..3)]
    }

    fn statement(&mut self, depth: usize) {
        match self.rng.usize(..40) {
            0..=9 => self.write(),
            19..=27 => self.post(),
            28 | 29 => self.call(),
            30 | 31 if depth > 0 => self.branch(depth),
            32 => self.siblings(),
            33 => self.endless(),
            34 | 35 => self.repetition(),
            36 => {
                let target = ["a", "y", "z", "n"][self.rng.usize(..4)];
                self.line(&format!("havoc {target};"));
            }
            37 => {
                let condition = self.local();
                self.line(&format!("if {condition} {{ return; }}"));
            }
            38 => self.recursion(),
            39 => {
                let value = self.rng.usize(..3);
                self.line(["n := n + 1;", "n := n - 1;", "y := n == 1;"][value]);
            }
            _ => self.read(),
        }
    }

    /// Writes a branch, often on a value that was just read, so that the task depends on earlier
    /// tasks.
    fn branch(&mut self, depth: usize) {
        if self.rng.usize(..3) > 0 {
            self.read();
        }
        let condition = self.local();
        self.line(&format!("if {condition} {{"));
        for _ in 0..=self.rng.usize(..2) {
            self.statement(depth - 1);
        }
        if self.rng.bool() {
            self.line("} else {");
            self.statement(depth - 1);
        }
        self.line("}");
    }

    /// Writes two tasks that may conflict, posted if a variable has some value.
    fn siblings(&mut self) {
        let Some(target) = self.later().filter(|_| self.posts < 2) else { return self.read() };
        self.posts += 2;
        self.read();
        let (condition, argument) = (self.local(), self.local());
        let on = if self.rng.usize(..3) == 0 { "main" } else { "any" };
        self.line(&format!("if {condition} {{"));
        self.line(&format!("async[any] p{target}({argument});"));
        self.line(&format!("async[{on}] p{target}({argument});"));
        self.line("}");
    }

    fn element(&mut self, variable: usize) -> String {
        let index = ["0", "1", "n"][self.rng.usize(..3)];
        format!("x{variable}[{index}]")
    }

    fn write(&mut self) {
        let variable = self.rng.usize(..self.kinds.len());
        let local = self.local();
        let value = match self.rng.usize(..3) {
            0 => local.to_owned(),
            1 => format!("!{local}"),
            _ => self.rng.bool().to_string(),
        };
        let text = match self.kinds[variable] {
            Kind::Bool => format!("x{variable} := {value};"),
            Kind::Range => {
                let number = ["0", "1", "n", "n + 1"][self.rng.usize(..4)];
                format!("x{variable} := {number};")
            }
            Kind::Array => format!("{} := {value};", self.element(variable)),
        };
        self.line(&text);
    }

    fn read(&mut self) {
        let variable = self.rng.usize(..self.kinds.len());
        let local = self.local();
        let text = match self.kinds[variable] {
            Kind::Bool => format!("{local} := x{variable};"),
            Kind::Range if self.rng.bool() => format!("n := x{variable};"),
            Kind::Range => format!("{local} := x{variable} > 0;"),
            Kind::Array => format!("{local} := {};", self.element(variable)),
        };
        self.line(&text);
    }

    /// Writes a statement that some or all tasks never leave.
    fn endless(&mut self) {
        let condition = self.local();
        let text = match self.rng.usize(..8) {
            0 | 1 => "assume false;".to_owned(),
            2 => "while true { }".to_owned(),
            3 => "while * { }".to_owned(),
            4 => format!("while {condition} {{ havoc z; }}"),
            5 => format!("assume {condition};"),
            6 => format!("if {condition} {{ while true {{ havoc y; }} }}"),
            _ => format!("while {condition} {{ }}"),
        };
        self.line(&text);
    }

    /// Writes a loop around accesses.
    fn repetition(&mut self) {
        let condition = match self.rng.usize(..4) {
            0 => "*".to_owned(),
            1 => "n < 2".to_owned(),
            _ => self.local().to_owned(),
        };
        let times = 2 + self.rng.usize(..2);
        let head = match self.rng.usize(..3) {
            0 => format!("repeat {times} {{"),
            _ => format!("while {condition} {{"),
        };
        self.line(&head);
        if self.rng.bool() {
            self.read();
        } else {
            self.write();
        }
        if condition == "n < 2" {
            self.line("n := n + 1;");
        }
        self.line("}");
    }

    /// A procedure after this one that handles no event.
    fn later(&mut self) -> Option<usize> {
        let first = (self.procedure + 1).max(self.handlers);
        (first < self.procedures).then(|| first + self.rng.usize(..self.procedures - first))
    }

    fn post(&mut self) {
        let Some(target) = self.later() else { return self.read() };
        if self.posts == 3 {
            return self.write();
        }
        self.posts += 1;
        let on = if self.rng.bool() { "main" } else { "any" };
        let local = self.local();
        self.line(&format!("async[{on}] p{target}({local});"));
    }

    fn call(&mut self) {
        let Some(target) = self.later() else { return self.read() };
        let local = self.local();
        self.line(&format!("call p{target}({local});"));
    }

    /// Writes a call of the procedure itself. Only the last procedure posts nothing, itself or
    /// through others, and a recursive procedure must not post.
    fn recursion(&mut self) {
        if self.procedure + 1 < self.procedures {
            return self.call();
        }
        let argument = if self.rng.usize(..4) == 0 { "a" } else { "false" };
        self.line(&format!("if a {{ call p{}({argument}); }}", self.procedure));
    }
}
