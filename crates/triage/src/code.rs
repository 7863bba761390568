//! Decides whose code an access runs in, and which listed functions are on its stack.
//!
//! A frame belongs to the owner that the trace states. If the trace states none, the frame belongs
//! to the platform if the list of packages contains its function, else to the program.

use trace::{Frame, Id, OpId, Provenance, Trace};

use crate::lists::{Commuting, Lists};
use crate::name::plain;

/// The list entries that apply to each function of a trace.
pub(crate) struct Code<'a> {
    trace: &'a Trace,
    functions: Vec<Listed>,
}

/// The list entries that apply to one function.
#[derive(Clone, Default)]
struct Listed {
    framework: bool,
    destroys: bool,
    /// The entries of the list of commuting operations whose first pattern (`commutes`) or second
    /// pattern (`commutes_as_other`) matches the function.
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

    /// Returns the frames under which an operation runs, innermost first.
    pub(crate) fn frames(&self, op: OpId) -> impl Iterator<Item = Frame> {
        self.trace.stacks().frames(self.trace.stack_of(op))
    }

    pub(crate) fn is_framework(&self, frame: &Frame) -> bool {
        match frame.provenance {
            Some(provenance) => provenance == Provenance::Framework,
            None => self.functions[frame.function.index()].framework,
        }
    }

    /// Returns whether an operation runs in the program's own code, not in a function that this
    /// code called.
    pub(crate) fn is_directly_in_user_code(&self, op: OpId) -> bool {
        self.frames(op).next().is_none_or(|frame| !self.is_framework(&frame))
    }

    /// Returns whether a function that ends an object's life is on the stack.
    pub(crate) fn destroys(&self, op: OpId) -> bool {
        self.frames(op).any(|frame| self.functions[frame.function.index()].destroys)
    }

    /// Returns the entries of the list of commuting operations whose first pattern matches an
    /// access, and those whose second pattern does.
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
