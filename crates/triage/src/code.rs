//! Whose code an access runs in, and which listed functions are on its stack.
//!
//! A frame belongs to whom the trace says; without a word, to the platform if the list of packages
//! has it, else to the program.

use trace::{Frame, Id, OpId, Provenance, Trace};

use crate::lists::{Commuting, Lists};
use crate::name::plain;

/// What the lists say about every function of a trace.
pub(crate) struct Code<'a> {
    trace: &'a Trace,
    functions: Vec<Listed>,
}

/// What the lists say about one function.
#[derive(Clone, Default)]
struct Listed {
    framework: bool,
    destroys: bool,
    /// The entries of the list of commuting operations whose first, or second, pattern it matches.
    commutes: Vec<usize>,
    commutes_as_other: Vec<usize>,
}

impl Listed {
    fn new(lists: &Lists, name: &[u8]) -> Self {
        let name = plain(name);
        let entries = |matches: &dyn Fn(&Commuting) -> bool| {
            (0..lists.commutes.len()).filter(|&i| matches(&lists.commutes[i])).collect()
        };
        Self {
            framework: lists.framework.iter().any(|p| p.matches_all(&name)),
            destroys: lists.destroys.iter().any(|p| p.matches(&name)),
            commutes: entries(&|entry| entry.function.matches(&name)),
            commutes_as_other: entries(&|entry| {
                entry.other.as_ref().is_some_and(|other| other.matches(&name))
            }),
        }
    }
}

impl<'a> Code<'a> {
    pub(crate) fn new(trace: &'a Trace, lists: &Lists) -> Self {
        let names = &trace.names().functions;
        let functions = names.ids().map(|id| Listed::new(lists, names.get(id))).collect();
        Self { trace, functions }
    }

    /// The frames an operation runs under, innermost first.
    pub(crate) fn frames(&self, op: OpId) -> impl Iterator<Item = Frame> {
        self.trace.stacks().frames(self.trace.stack_of(op))
    }

    pub(crate) fn is_framework(&self, frame: &Frame) -> bool {
        match frame.provenance {
            Some(provenance) => provenance == Provenance::Framework,
            None => self.functions[frame.function.index()].framework,
        }
    }

    /// Whether an operation runs in code of the program itself, not in what that called.
    pub(crate) fn is_directly_in_user_code(&self, op: OpId) -> bool {
        self.frames(op).next().is_none_or(|frame| !self.is_framework(&frame))
    }

    /// Whether a function that ends an object's life is on the stack.
    pub(crate) fn destroys(&self, op: OpId) -> bool {
        self.frames(op).any(|frame| self.functions[frame.function.index()].destroys)
    }

    /// The entries of the list of commuting operations that match an access by their first
    /// pattern, and by their second.
    pub(crate) fn commuting_entries(&self, op: OpId) -> [Vec<usize>; 2] {
        let mut entries = [Vec::new(), Vec::new()];
        for frame in self.frames(op) {
            let listed = &self.functions[frame.function.index()];
            entries[0].extend(&listed.commutes);
            entries[1].extend(&listed.commutes_as_other);
        }
        entries
    }
}
