//! The two transition systems of the paper as executable code.
//!
//! [`multi`] is Fig. 5, [`single`] is Fig. 6. Both run tasks by [`task`], which interprets one
//! operation at a time and returns its effect. Invocations are named by their place in the call
//! tree ([`Invocation`]), which is unique and does not depend on the interleaving, so that two
//! interleavings that reach the same configuration reach equal values.

pub mod definitions;
pub mod moves;
pub mod multi;
pub mod single;
pub mod task;

use crate::core::{Access, InstanceId, Program, SiteId};
use crate::lang::ast::Where;
use crate::lang::span::Span;

/// An invocation: its event instance, and the way down the call tree, each step being the number
/// of the post among those of its parent. The derived order within an instance is <dfs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Invocation {
    /// The event that the invocation belongs to.
    pub instance: InstanceId,
    /// The path from the event's own invocation, which has the empty path.
    pub path: Vec<u16>,
}

impl Invocation {
    /// The event handler itself.
    pub fn root(instance: InstanceId) -> Self {
        Self { instance, path: Vec::new() }
    }

    /// The invocation of this one's `number`-th post, from 0.
    #[must_use]
    pub fn child(&self, number: u16) -> Self {
        let mut path = self.path.clone();
        path.push(number);
        Self { instance: self.instance, path }
    }

    /// The invocation that posted this one.
    pub fn parent(&self) -> Option<Self> {
        let (_, path) = self.path.split_last()?;
        Some(Self { instance: self.instance, path: path.to_vec() })
    }

    /// The name of the invocation: `send`, `send.1`, `send.1.2` and so on. Posts count from 1.
    pub fn display(&self, program: &Program) -> String {
        let mut name = program.instances[self.instance.index()].name.clone();
        for number in &self.path {
            name += &format!(".{}", number + 1);
        }
        name
    }
}

/// A label λ = ⟨i, j, a⟩ of a trace; the event is the invocation's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The invocation that acts.
    pub invocation: Invocation,
    /// The action.
    pub action: Action,
    /// The source range of the action.
    pub span: Span,
}

/// An action of the paper's set A.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `start(j)`
    Start,
    /// `end(j)`
    End,
    /// `invoke(i)`, with where the task is to run.
    Invoke(Where, Invocation),
    /// `begin(i)`
    Begin,
    /// `return(i)`
    Return,
    /// `rd(x)` or `wr(x)`
    Access(Access, SiteId),
}

/// States that a value does not fit 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;
