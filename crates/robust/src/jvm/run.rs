//! A run of the Java program, or what it executed on threads.

use std::collections::BTreeMap;

use super::Event;
use super::message::{OpKind, RunMessage};
use crate::core::{Access, AccessKind, GlobalId, InstanceId, SiteId};
use crate::lang::ast::Where;
use crate::lang::span::Span;
use crate::semantics::{Action, Invocation, Label};

/// The longest name that is shown.
const MAX_NAME: usize = 200;

/// A task of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TaskId(pub(super) usize);

/// A monitor of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct MonitorId(u32);

#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) invocation: Invocation,
    pub(super) on: Where,
    /// The operation that posted the task, if it is not a handler.
    pub(super) post: Option<usize>,
    /// The operations of the task, in order.
    pub(super) ops: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Begin,
    Post(TaskId),
    Access(Access, SiteId),
    Acquire(MonitorId),
    Release(MonitorId),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub(super) task: TaskId,
    pub(super) act: Act,
    /// Whether the operation is part of the same step as the operation of the task before it.
    pub(super) also: bool,
}

/// A place in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) method: String,
    pub(super) file: String,
    pub(super) line: u32,
}

impl Site {
    /// `Chat.java:12`, or the file alone if the line is unknown.
    pub(super) fn place(&self) -> String {
        if self.line == 0 { self.file.clone() } else { format!("{}:{}", self.file, self.line) }
    }
}

/// The names of places and locations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) sites: BTreeMap<SiteId, Site>,
    pub(super) locations: BTreeMap<GlobalId, String>,
}

/// The operations of a run in the order in which they happened.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) tasks: Vec<Task>,
    pub(super) ops: Vec<Op>,
    pub(super) names: Names,
}

impl Run {
    /// Reads a run. Returns `None` if it contradicts itself.
    pub(super) fn read(message: RunMessage, events: &[Event]) -> Option<Self> {
        let kinds: BTreeMap<u32, bool> =
            message.sites.iter().map(|site| (site.id, site.write)).collect();
        let mut tasks = Vec::new();
        for task in &message.tasks {
            if task.event >= events.len() {
                return None;
            }
            let instance = InstanceId::new(task.event);
            let invocation = Invocation { instance, path: task.path.clone() };
            let on = if task.main { Where::Main } else { Where::Any };
            tasks.push(Task { invocation, on, post: None, ops: Vec::new() });
        }
        let mut ops = Vec::new();
        for (index, &(task, kind, a, b)) in message.ops.iter().enumerate() {
            tasks.get_mut(task)?.ops.push(index);
            let act = match kind {
                OpKind::Begin => Act::Begin,
                OpKind::End => Act::End,
                OpKind::Acquire => Act::Acquire(MonitorId(a)),
                OpKind::Release => Act::Release(MonitorId(a)),
                OpKind::Access | OpKind::Also => {
                    Act::Access(access(*kinds.get(&a)?, b), SiteId::new(a as usize))
                }
                OpKind::Post => {
                    tasks.get_mut(a as usize)?.post = Some(index);
                    Act::Post(TaskId(a as usize))
                }
            };
            ops.push(Op { task: TaskId(task), act, also: matches!(kind, OpKind::Also) });
        }
        Some(Self { tasks, ops, names: names(message) })
    }

    pub(super) fn task(&self, id: TaskId) -> &Task {
        &self.tasks[id.0]
    }

    /// Whether the task of the run came to its end.
    pub(super) fn is_ended(&self, id: TaskId) -> bool {
        let last = self.task(id).ops.last();
        last.is_some_and(|op| self.ops[*op].act == Act::End)
    }

    pub(super) fn access(&self, op: usize) -> Option<Access> {
        match self.ops[op].act {
            Act::Access(access, _) => Some(access),
            _ => None,
        }
    }

    pub(super) fn instance(&self, op: usize) -> InstanceId {
        self.task(self.ops[op].task).invocation.instance
    }

    /// The label of an operation, if the semantics has one for it.
    pub(super) fn label(&self, op: Op) -> Option<Label> {
        let task = self.task(op.task);
        let action = match op.act {
            Act::Begin if task.invocation.path.is_empty() => Action::Start,
            Act::Begin => Action::Begin,
            Act::End => Action::Return,
            Act::Access(access, site) => Action::Access(access, site),
            Act::Post(child) => {
                let child = self.task(child);
                Action::Invoke(child.on, child.invocation.clone())
            }
            Act::Acquire(_) | Act::Release(_) => return None,
        };
        Some(Label { invocation: task.invocation.clone(), action, span: Span::default() })
    }
}

/// An access of the location with this number.
pub(super) fn access(write: bool, cell: u32) -> Access {
    let kind = if write { AccessKind::Write } else { AccessKind::Read };
    Access { global: GlobalId::new(cell as usize), kind }
}

fn names(message: RunMessage) -> Names {
    let mut sites = BTreeMap::new();
    for site in message.sites {
        let (method, file) = (printable(&site.method), printable(&site.file));
        sites.insert(SiteId::new(site.id as usize), Site { method, file, line: site.line });
    }
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut locations = BTreeMap::new();
    let mut count: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, name) in &message.cells {
        *count.entry(name).or_default() += 1;
    }
    for (cell, name) in &message.cells {
        let number = seen.entry(name).or_default();
        *number += 1;
        // Objects of one class are told apart by a number.
        let suffix = if count[name.as_str()] > 1 { format!("#{number}") } else { String::new() };
        locations.insert(GlobalId::new(*cell as usize), printable(name) + &suffix);
    }
    Names { sites, locations }
}

/// Names from class files as text of bounded length that a terminal shows as it is.
pub(super) fn printable(text: &str) -> String {
    let shown = |c: char| {
        let hidden = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if c.is_control() || hidden { '\u{fffd}' } else { c }
    };
    text.chars().take(MAX_NAME).map(shown).collect()
}
