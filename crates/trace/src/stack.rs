//! Call stacks as a tree: equal stacks share one id, and a parent precedes its children.

use hashbrown::HashMap;

use crate::id::{FunctionId, Id, SourceId, StackId};
use crate::op::Provenance;

/// One frame of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The stack of the frames below this one. None for the outermost frame.
    pub parent: Option<StackId>,
    /// The function entered.
    pub function: FunctionId,
    /// The source position where the function was entered.
    pub source: Option<SourceId>,
    /// Whose code the function belongs to.
    pub provenance: Option<Provenance>,
}

/// All the stacks of a trace.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    frames: Vec<Frame>,
    ids: HashMap<Frame, StackId>,
}

impl Stacks {
    /// Returns the id of the stack with `frame` on top, and adds the stack if it is new.
    pub fn intern(&mut self, frame: Frame) -> StackId {
        debug_assert!(frame.parent.is_none_or(|p| p.index() < self.frames.len()));
        *self.ids.entry(frame).or_insert_with(|| {
            let id = StackId::new(self.frames.len());
            self.frames.push(frame);
            id
        })
    }

    /// How many stacks there are; their ids are `0..len`.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there are no stacks.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The top frame of a stack.
    pub fn frame(&self, stack: StackId) -> Frame {
        self.frames[stack.index()]
    }

    /// The frames of a stack, innermost first.
    pub fn frames(&self, stack: Option<StackId>) -> impl Iterator<Item = Frame> + '_ {
        std::iter::successors(stack.map(|s| self.frame(s)), |f| f.parent.map(|p| self.frame(p)))
    }
}
