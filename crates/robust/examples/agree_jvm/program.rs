//! Random programs, each as Java and, if it has no monitors, as `.evp`.

#![allow(clippy::format_push_string, reason = "text is built from short pieces")]

use std::fmt::Write as _;

/// The number of shared variables, and of monitors.
pub(crate) const VARIABLES: usize = 3;
pub(crate) const MONITORS: usize = 2;

#[derive(Clone, Copy)]
pub(crate) enum Value {
    True,
    False,
    Local,
}

pub(crate) enum Stmt {
    Read(usize),
    Write(usize, Value),
    If(Vec<Stmt>, Vec<Stmt>),
    /// Posts a procedure, on a thread of its own or on the main thread.
    Post(bool, usize),
    Synchronized(usize, Vec<Stmt>),
    /// Stops the task for ever unless the local variable is true.
    Assume,
}

pub(crate) struct Program {
    pub(crate) procedures: Vec<Vec<Stmt>>,
    pub(crate) handlers: Vec<Vec<Stmt>>,
    /// The event before, and whether its end is meant.
    pub(crate) after: Vec<Option<(usize, bool)>>,
    pub(crate) has_monitors: bool,
}

struct Generator {
    random: fastrand::Rng,
    procedures: usize,
    monitors: bool,
}

impl Generator {
    /// Statements that post only procedures from the given one on, so that programs end.
    fn block(&mut self, from: usize, depth: u32) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..self.random.usize(1..4) {
            let variable = self.random.usize(0..VARIABLES);
            match self.random.u32(0..10) {
                0..3 => stmts.push(Stmt::Read(variable)),
                3..6 => {
                    let values = [Value::True, Value::False, Value::Local];
                    stmts.push(Stmt::Write(variable, values[self.random.usize(0..3)]));
                }
                6..8 if depth < 2 && self.monitors && self.random.u32(0..3) > 0 => {
                    let monitor = self.random.usize(0..MONITORS);
                    stmts.push(Stmt::Synchronized(monitor, self.block(from, depth + 1)));
                }
                6..8 if depth < 2 => {
                    let yes = self.block(from, depth + 1);
                    stmts.push(Stmt::If(yes, self.block(from, depth + 1)));
                }
                _ if from < self.procedures => {
                    let any = self.random.bool();
                    stmts.push(Stmt::Post(any, self.random.usize(from..self.procedures)));
                }
                _ if self.random.u32(0..4) == 0 => stmts.push(Stmt::Assume),
                _ => {}
            }
        }
        stmts
    }
}

impl Generator {
    /// A handler. With monitors, most only post a task: else monitors would seldom decide.
    fn handler(&mut self) -> Vec<Stmt> {
        if self.monitors && self.random.u32(0..3) > 0 {
            let any = self.random.u32(0..4) > 0;
            vec![Stmt::Post(any, self.random.usize(0..self.procedures))]
        } else {
            self.block(0, 0)
        }
    }

    /// A procedure. With monitors, most hold one all the time, for the same reason.
    fn body(&mut self, from: usize) -> Vec<Stmt> {
        let body = self.block(from, 0);
        if self.monitors && self.random.u32(0..4) > 0 {
            let monitor = self.random.usize(0..MONITORS * MONITORS) / (MONITORS * MONITORS - 1);
            vec![Stmt::Synchronized(monitor, body)]
        } else {
            body
        }
    }
}

/// A program in which a task of the main thread waits for ever for the monitor that the pivot's task holds.
fn waiting() -> Program {
    let holds = vec![Stmt::Read(1), Stmt::Post(false, 1), Stmt::Read(2)];
    let waits = vec![Stmt::Write(2, Value::Local), Stmt::Synchronized(0, vec![Stmt::Read(0)])];
    Program {
        procedures: vec![vec![Stmt::Synchronized(0, holds)], waits],
        handlers: vec![vec![Stmt::Post(true, 0)]],
        after: vec![None],
        has_monitors: true,
    }
}

/// The program of a seed. Random ones seldom have what [`waiting`] has, so that is seed 0.
pub(crate) fn program(seed: u64, monitors: bool) -> Program {
    if seed == 0 && monitors {
        return waiting();
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let (procedures, events) = (random.usize(1..4), random.usize(1..4));
    let mut generator = Generator { random, procedures, monitors };
    let bodies = (0..procedures).map(|number| generator.body(number + 1)).collect();
    let handlers = (0..events).map(|_| generator.handler()).collect();
    let random = &mut generator.random;
    let after = (0..events).map(|event| {
        let ordered = event > 0 && random.u32(0..3) == 0;
        ordered.then(|| (random.usize(0..event), random.bool()))
    });
    let after = after.collect();
    Program { procedures: bodies, handlers, after, has_monitors: monitors }
}

fn print(stmts: &[Stmt], java: bool, out: &mut String) {
    let assign = if java { "=" } else { ":=" };
    for stmt in stmts {
        match stmt {
            Stmt::Read(x) => writeln!(out, "l {assign} v{x};"),
            Stmt::Write(x, value) => {
                let value = match value {
                    Value::True => "true",
                    Value::False => "false",
                    Value::Local => "l",
                };
                writeln!(out, "v{x} {assign} {value};")
            }
            Stmt::Post(any, to) => {
                let on = if *any { "any" } else { "main" };
                if java {
                    writeln!(out, "Tasks.{on}(() -> p{to}());")
                } else {
                    writeln!(out, "async[{on}] p{to}();")
                }
            }
            Stmt::If(yes, no) => {
                out.push_str(if java { "if (l) {\n" } else { "if l {\n" });
                print(yes, java, out);
                out.push_str("} else {\n");
                print(no, java, out);
                writeln!(out, "}}")
            }
            Stmt::Assume if java => writeln!(out, "driver.assume(l);"),
            Stmt::Assume => writeln!(out, "assume l;"),
            Stmt::Synchronized(monitor, body) => {
                *out += &format!("synchronized (M{monitor}) {{\n");
                print(body, java, out);
                writeln!(out, "}}")
            }
        }
        .expect("writing to a string");
    }
}

impl Program {
    /// The program in the language, which has no monitors.
    pub(crate) fn evp(&self) -> Option<String> {
        if self.has_monitors {
            return None;
        }
        let mut out = "var v0, v1, v2;\n".to_owned();
        for (letter, all) in [('p', &self.procedures), ('h', &self.handlers)] {
            for (number, stmts) in all.iter().enumerate() {
                out += &format!("procedure {letter}{number}() {{\nvar l;\n");
                print(stmts, false, &mut out);
                out.push_str("}\n");
            }
        }
        out.push_str("driver {\n");
        for (event, after) in self.after.iter().enumerate() {
            let after = after.map_or(String::new(), |(other, end)| {
                format!(" after e{other}.{}", if end { "end" } else { "start" })
            });
            out += &format!("e{event}: h{event}{after};\n");
        }
        Some(out + "}\n")
    }

    /// The program as a driver class.
    pub(crate) fn java(&self, name: &str) -> String {
        let mut out = format!(
            "import interloper.robust.*;\npublic class {name} {{\n\
             static Driver driver;\nstatic boolean v0, v1, v2;\n"
        );
        if self.has_monitors {
            out.push_str("static final Object M0 = new Object(), M1 = new Object();\n");
        }
        for (letter, all) in [('p', &self.procedures), ('h', &self.handlers)] {
            for (number, stmts) in all.iter().enumerate() {
                out += &format!("static void {letter}{number}() {{\nboolean l = false;\n");
                print(stmts, true, &mut out);
                out.push_str("}\n");
            }
        }
        out.push_str("public static void main(Driver d) {\ndriver = d;\n");
        for (event, after) in self.after.iter().enumerate() {
            let after = after.map_or(String::new(), |(other, end)| {
                format!(".after{}(e{other})", if end { "End" } else { "Start" })
            });
            out += &format!("var e{event} = d.event(\"e{event}\", () -> h{event}()){after};\n");
        }
        out + "}\n}\n"
    }
}
