//! Every interleaving of a random program, by an interpreter of its own. It shares no code with the
//! reductions, and it knows monitors.
//!
//! A task runs on its own up to its next access or its next entry into a monitor: posting, leaving a
//! monitor and ending enable others and disable nothing, so nothing is lost if they happen at once.
//! For the same reason a task with a thread of its own begins when it is posted. The choices that
//! remain are which task of the main thread begins, and which task accesses or enters next.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use crate::program::{MONITORS, Program, Stmt, VARIABLES, Value};

#[derive(Clone, Copy)]
enum Instr {
    Read(usize),
    Write(usize, Value),
    ReadAll,
    WriteFrom(usize, Value),
    /// Continues elsewhere if the local variable is false.
    Unless(usize),
    Jump(usize),
    Post(bool, usize),
    Enter(usize),
    Leave(usize),
    Assume,
    End,
}

/// The code of each procedure, and after them of each handler.
struct Code {
    bodies: Vec<Vec<Instr>>,
    procedures: usize,
}

impl Code {
    fn new(program: &Program, monitors: bool) -> Self {
        let bodies = program.procedures.iter().chain(&program.handlers);
        let bodies = bodies.map(|stmts| {
            let mut out = Vec::new();
            compile(stmts, monitors, &mut out);
            out.push(Instr::End);
            out
        });
        Self { bodies: bodies.collect(), procedures: program.procedures.len() }
    }
}

fn compile(stmts: &[Stmt], monitors: bool, out: &mut Vec<Instr>) {
    for stmt in stmts {
        match stmt {
            Stmt::Read(x) => out.push(Instr::Read(*x)),
            Stmt::Write(x, value) => out.push(Instr::Write(*x, *value)),
            Stmt::ReadAll => out.push(Instr::ReadAll),
            Stmt::WriteFrom(x, value) => out.push(Instr::WriteFrom(*x, *value)),
            Stmt::Post(any, to) => out.push(Instr::Post(*any, *to)),
            Stmt::If(yes, no) => {
                let test = out.len();
                out.push(Instr::End);
                compile(yes, monitors, out);
                let skip = out.len();
                out.push(Instr::End);
                out[test] = Instr::Unless(out.len());
                compile(no, monitors, out);
                out[skip] = Instr::Jump(out.len());
            }
            Stmt::Assume => out.push(Instr::Assume),
            Stmt::Synchronized(_, body) if !monitors => compile(body, monitors, out),
            Stmt::Synchronized(monitor, body) => {
                out.push(Instr::Enter(*monitor));
                compile(body, monitors, out);
                out.push(Instr::Leave(*monitor));
            }
        }
    }
}

/// The event of a task, and the numbers of the posts on the way to it. The order is depth first.
type Name = (usize, Vec<u8>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    Posted,
    Running,
    Ended,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Task {
    any: bool,
    phase: Phase,
    body: usize,
    at: usize,
    local: bool,
    posts: u8,
    /// Whether the task read, and wrote, each variable.
    accessed: [[bool; 2]; VARIABLES],
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    variables: [bool; VARIABLES],
    tasks: BTreeMap<Name, Task>,
    /// Who is inside each monitor, and how often the task entered.
    monitors: [Option<(Name, u8)>; MONITORS],
    main_is_busy: bool,
    /// Which event has an access before a conflicting one of which other event.
    edges: Vec<Vec<bool>>,
}

/// What brute force says about both criteria: `YY`, `YN` or `N-`, or `None` if there are too many states.
/// Without `monitors`, every task may enter everywhere.
pub(crate) fn verdicts(
    program: &Program,
    monitors: bool,
    max_states: usize,
) -> Option<&'static str> {
    let code = Code::new(program, monitors);
    let events = program.handlers.len();
    let first = State {
        variables: [false; VARIABLES],
        tasks: BTreeMap::new(),
        monitors: std::array::from_fn(|_| None),
        main_is_busy: false,
        edges: vec![vec![false; events]; events],
    };
    let mut seen = HashSet::new();
    let mut open = vec![first];
    let mut has_cycle = false;
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if seen.len() > max_states {
            return None;
        }
        for (event, after) in program.after.iter().enumerate() {
            if !state.main_is_busy && state.may_start(event, *after) {
                let mut next = state.clone();
                let body = code.procedures + event;
                let name = (event, Vec::new());
                next.add(&code, &name, Task::new(false, body));
                next.begin(&code, &name);
                open.push(next);
            }
        }
        for name in state.tasks.keys() {
            match state.step(&code, name) {
                Step::None => {}
                Step::To(next) => open.push(next),
                Step::Inversion => return Some("N-"),
                Step::Cycle => has_cycle = true,
            }
        }
    }
    Some(if has_cycle { "YN" } else { "YY" })
}

enum Step {
    /// The task cannot move.
    None,
    To(State),
    /// The access comes against the depth-first order of the tasks of its event.
    Inversion,
    /// The access closes a cycle of events.
    Cycle,
}

impl Task {
    fn new(any: bool, body: usize) -> Self {
        let accessed = [[false; 2]; VARIABLES];
        Self { any, phase: Phase::Posted, body, at: 0, local: false, posts: 0, accessed }
    }

    fn value(&self, value: Value) -> bool {
        match value {
            Value::True => true,
            Value::False => false,
            Value::Local => self.local,
        }
    }
}

impl State {
    fn may_start(&self, event: usize, after: Option<(usize, bool)>) -> bool {
        let started = |event: usize| self.tasks.contains_key(&(event, Vec::new()));
        let ended = |event: usize| {
            started(event)
                && self
                    .tasks
                    .iter()
                    .all(|(name, task)| name.0 != event || task.phase == Phase::Ended)
        };
        !started(event) && after.is_none_or(|(e, end)| if end { ended(e) } else { started(e) })
    }

    fn add(&mut self, code: &Code, name: &Name, task: Task) {
        let any = task.any;
        self.tasks.insert(name.clone(), task);
        if any {
            self.begin(code, name);
        }
    }

    fn begin(&mut self, code: &Code, name: &Name) {
        let task = self.tasks.get_mut(name).expect("a task");
        task.phase = Phase::Running;
        self.main_is_busy |= !task.any;
        self.advance(code, name);
    }

    /// Runs a task up to its next access or entry.
    fn advance(&mut self, code: &Code, name: &Name) {
        loop {
            let task = self.tasks.get_mut(name).expect("a task");
            let instr = code.bodies[task.body][task.at];
            match instr {
                Instr::Read(_)
                | Instr::Write(..)
                | Instr::ReadAll
                | Instr::WriteFrom(..)
                | Instr::Enter(_) => return,
                Instr::Assume if !task.local => return,
                Instr::Assume => task.at += 1,
                Instr::Unless(to) => task.at = if task.local { task.at + 1 } else { to },
                Instr::Jump(to) => task.at = to,
                Instr::Post(any, to) => {
                    task.at += 1;
                    task.posts += 1;
                    let mut child = name.clone();
                    child.1.push(task.posts);
                    self.add(code, &child, Task::new(any, to));
                }
                Instr::Leave(monitor) => {
                    task.at += 1;
                    let held = self.monitors[monitor].take();
                    let (holder, entries) = held.expect("the task is inside");
                    if entries > 1 {
                        self.monitors[monitor] = Some((holder, entries - 1));
                    }
                }
                Instr::End => {
                    task.phase = Phase::Ended;
                    self.main_is_busy &= task.any;
                    return;
                }
            }
        }
    }

    /// The next step of a task.
    fn step(&self, code: &Code, name: &Name) -> Step {
        let task = &self.tasks[name];
        let mut next = self.clone();
        match task.phase {
            Phase::Running => {}
            Phase::Posted if !self.main_is_busy => {
                next.begin(code, name);
                return Step::To(next);
            }
            Phase::Posted | Phase::Ended => return Step::None,
        }
        match code.bodies[task.body][task.at] {
            Instr::Enter(monitor) => {
                let entries = match &self.monitors[monitor] {
                    None => 1,
                    Some((holder, entries)) if holder == name => entries + 1,
                    Some(_) => return Step::None,
                };
                next.monitors[monitor] = Some((name.clone(), entries));
            }
            Instr::Read(variable) => {
                if let Some(violation) = next.access(name, variable..variable + 1, false) {
                    return violation;
                }
                let value = next.variables[variable];
                next.tasks.get_mut(name).expect("a task").local = value;
            }
            Instr::ReadAll => {
                if let Some(violation) = next.access(name, 0..VARIABLES, false) {
                    return violation;
                }
                let none = next.variables == [false; VARIABLES];
                next.tasks.get_mut(name).expect("a task").local = none;
            }
            Instr::Write(variable, value) => {
                if let Some(violation) = next.access(name, variable..variable + 1, true) {
                    return violation;
                }
                next.variables[variable] = task.value(value);
            }
            Instr::WriteFrom(first, value) => {
                if let Some(violation) = next.access(name, first..VARIABLES, true) {
                    return violation;
                }
                next.variables[first..].fill(task.value(value));
            }
            // An assumption that does not hold.
            _ => return Step::None,
        }
        next.tasks.get_mut(name).expect("a task").at += 1;
        next.advance(code, name);
        Step::To(next)
    }

    /// Notes a step that accesses variables. Returns the criterion that one of the accesses violates.
    fn access(&mut self, name: &Name, variables: Range<usize>, write: bool) -> Option<Step> {
        let mut cycle = false;
        for (other, task) in &self.tasks {
            let conflicts =
                |[has_read, has_written]: &[bool; 2]| *has_written || write && *has_read;
            if other == name || !task.accessed[variables.clone()].iter().any(conflicts) {
                continue;
            }
            if other.0 == name.0 {
                if other > name {
                    return Some(Step::Inversion);
                }
            } else {
                self.edges[other.0][name.0] = true;
                cycle |= reaches(&self.edges, name.0, other.0);
            }
        }
        for accessed in &mut self.tasks.get_mut(name).expect("a task").accessed[variables] {
            accessed[usize::from(write)] = true;
        }
        cycle.then_some(Step::Cycle)
    }
}

fn reaches(edges: &[Vec<bool>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; edges.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            open.extend((0..edges.len()).filter(|next| edges[at][*next]));
        }
    }
    false
}
