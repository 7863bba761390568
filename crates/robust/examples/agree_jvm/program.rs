//! Random programs, each as Java and, if the language has all that it uses, as `.evp`.

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

impl Value {
    fn name(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Local => "l",
        }
    }
}

pub(crate) enum Stmt {
    Read(usize),
    Write(usize, Value),
    /// Reads all variables in one step: the local variable becomes true if all are false.
    ReadAll,
    /// Writes the variables from the given one on in one step.
    WriteFrom(usize, Value),
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
    pub(crate) kind: Kind,
}

/// What programs have that others do not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Plain,
    Monitors,
    /// The variables are elements of an array, and there are steps that access several of them.
    Arrays,
}

struct Generator {
    random: fastrand::Rng,
    procedures: usize,
    kind: Kind,
}

impl Generator {
    /// Statements that post only procedures from the given one on, so that programs end.
    fn block(&mut self, from: usize, depth: u32) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..self.random.usize(1..4) {
            let variable = self.random.usize(0..VARIABLES);
            let several = self.kind == Kind::Arrays && self.random.u32(0..3) == 0;
            match self.random.u32(0..10) {
                0..3 if several => stmts.push(Stmt::ReadAll),
                0..3 => stmts.push(Stmt::Read(variable)),
                3..6 => {
                    let values = [Value::True, Value::False, Value::Local];
                    let value = values[self.random.usize(0..3)];
                    let write = if several { Stmt::WriteFrom } else { Stmt::Write };
                    stmts.push(write(variable, value));
                }
                6..8 if depth < 2 && self.kind == Kind::Monitors && self.random.u32(0..3) > 0 => {
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
        if self.kind == Kind::Monitors && self.random.u32(0..3) > 0 {
            let any = self.random.u32(0..4) > 0;
            vec![Stmt::Post(any, self.random.usize(0..self.procedures))]
        } else {
            self.block(0, 0)
        }
    }

    /// A procedure. With monitors, most hold one all the time, for the same reason.
    fn body(&mut self, from: usize) -> Vec<Stmt> {
        let body = self.block(from, 0);
        if self.kind == Kind::Monitors && self.random.u32(0..4) > 0 {
            let monitor = self.random.usize(0..MONITORS * MONITORS) / (MONITORS * MONITORS - 1);
            vec![Stmt::Synchronized(monitor, body)]
        } else {
            body
        }
    }
}

/// Where a program comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// A random program, by its kind and its seed.
    Random(Kind, u64),
    Written(Written),
}

/// Programs with what random ones seldom have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Written {
    /// A task of the main thread waits for ever for the monitor that the pivot's task holds.
    WaitsForMonitor,
    /// The task of the pivot never ends, and only gets to the pivot if a task of the main thread that was
    /// posted before it has not been dispatched. So the two are never in the wrong order themselves.
    DispatchedLate,
    /// A run has two accesses that look like pivots. The first is none, because a task that waits for ever
    /// keeps its monitor. Without that stop, the second is not reached.
    SecondPivot,
}

impl Source {
    /// The name of the Java class.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Random(kind, seed) => {
                let letter = match kind {
                    Kind::Plain => 'P',
                    Kind::Monitors => 'M',
                    Kind::Arrays => 'A',
                };
                format!("{letter}{seed}")
            }
            Self::Written(written) => format!("{written:?}"),
        }
    }

    pub(crate) fn program(self) -> Program {
        match self {
            Self::Random(kind, seed) => program(seed, kind),
            Self::Written(written) => written.program(),
        }
    }
}

impl Written {
    fn program(self) -> Program {
        let (handler, procedures) = match self {
            Self::WaitsForMonitor => {
                let holds = vec![Stmt::Read(1), Stmt::Post(false, 1), Stmt::Read(2)];
                let waits =
                    vec![Stmt::Write(2, Value::Local), Stmt::Synchronized(0, vec![Stmt::Read(0)])];
                (vec![Stmt::Post(true, 0)], vec![vec![Stmt::Synchronized(0, holds)], waits])
            }
            Self::DispatchedLate => {
                let early = vec![Stmt::Write(0, Value::True)];
                let pivot = vec![Stmt::Write(1, Value::True), Stmt::Assume];
                let late = vec![Stmt::Read(0), Stmt::If(Vec::new(), pivot)];
                let root = vec![Stmt::Read(1)];
                let posts = vec![Stmt::Post(false, 0), Stmt::Post(false, 1), Stmt::Post(true, 2)];
                (posts, vec![early, late, root])
            }
            Self::SecondPivot => {
                let first = vec![Stmt::Synchronized(0, vec![Stmt::Write(0, Value::True)])];
                let second = vec![Stmt::Write(1, Value::True)];
                let keeps = vec![Stmt::Synchronized(0, vec![Stmt::Post(true, 3), Stmt::Assume])];
                let root = vec![Stmt::Read(0), Stmt::If(Vec::new(), vec![Stmt::Read(1)])];
                let posts = (0..3).map(|task| Stmt::Post(true, task)).collect();
                (posts, vec![first, second, keeps, root])
            }
        };
        let kind = if self == Self::DispatchedLate { Kind::Plain } else { Kind::Monitors };
        Program { procedures, handlers: vec![handler], after: vec![None], kind }
    }
}

/// The random program of a seed.
fn program(seed: u64, kind: Kind) -> Program {
    let mut random = fastrand::Rng::with_seed(seed);
    let (procedures, events) = (random.usize(1..4), random.usize(1..4));
    let mut generator = Generator { random, procedures, kind };
    let bodies = (0..procedures).map(|number| generator.body(number + 1)).collect();
    let handlers = (0..events).map(|_| generator.handler()).collect();
    let random = &mut generator.random;
    let after = (0..events).map(|event| {
        let ordered = event > 0 && random.u32(0..3) == 0;
        ordered.then(|| (random.usize(0..event), random.bool()))
    });
    let after = after.collect();
    Program { procedures: bodies, handlers, after, kind }
}

fn print(stmts: &[Stmt], kind: Kind, java: bool, out: &mut String) {
    let variable =
        |x: usize| if kind == Kind::Arrays { format!("v[{x}]") } else { format!("v{x}") };
    let assign = if java { "=" } else { ":=" };
    for stmt in stmts {
        match stmt {
            Stmt::Read(x) => writeln!(out, "l {assign} {};", variable(*x)),
            Stmt::Write(x, value) => writeln!(out, "{} {assign} {};", variable(*x), value.name()),
            Stmt::ReadAll => {
                writeln!(out, "l = java.util.Arrays.equals(v, new boolean[{VARIABLES}]);")
            }
            Stmt::WriteFrom(x, value) => {
                let from = format!("new boolean[] {{{0}, {0}, {0}}}", value.name());
                writeln!(out, "System.arraycopy({from}, 0, v, {x}, {});", VARIABLES - x)
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
                print(yes, kind, java, out);
                out.push_str("} else {\n");
                print(no, kind, java, out);
                writeln!(out, "}}")
            }
            Stmt::Assume if java => writeln!(out, "driver.assume(l);"),
            Stmt::Assume => writeln!(out, "assume l;"),
            Stmt::Synchronized(monitor, body) => {
                *out += &format!("synchronized (M{monitor}) {{\n");
                print(body, kind, java, out);
                writeln!(out, "}}")
            }
        }
        .expect("writing to a string");
    }
}

impl Program {
    /// The program in the language, which has no monitors, and in which a step accesses one variable.
    pub(crate) fn evp(&self) -> Option<String> {
        if self.kind != Kind::Plain {
            return None;
        }
        let mut out = "var v0, v1, v2;\n".to_owned();
        for (letter, all) in [('p', &self.procedures), ('h', &self.handlers)] {
            for (number, stmts) in all.iter().enumerate() {
                out += &format!("procedure {letter}{number}() {{\nvar l;\n");
                print(stmts, self.kind, false, &mut out);
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
             static Driver driver;\n"
        );
        out += match self.kind {
            Kind::Arrays => "static final boolean[] v = new boolean[3];\n",
            _ => "static boolean v0, v1, v2;\n",
        };
        if self.kind == Kind::Monitors {
            out.push_str("static final Object M0 = new Object(), M1 = new Object();\n");
        }
        for (letter, all) in [('p', &self.procedures), ('h', &self.handlers)] {
            for (number, stmts) in all.iter().enumerate() {
                out += &format!("static void {letter}{number}() {{\nboolean l = false;\n");
                print(stmts, self.kind, true, &mut out);
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
