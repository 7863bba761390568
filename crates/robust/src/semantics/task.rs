//! One task: the stack of its procedure activations, and one step of it.

use super::Overflow;
use crate::core::eval::eval;
use crate::core::flat::{Code, OpKind, Pc};
use crate::core::{Access, Mark, ProcedureId, SiteId, Var, assign_access};
use crate::lang::ast::Where;
use crate::lang::span::Span;

/// An activation of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    procedure: ProcedureId,
    pc: Pc,
    locals: Vec<i64>,
}

/// The local state ℓ of a task: its activations, innermost last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    frames: Vec<Frame>,
    /// The number of tasks that the task has posted.
    pub(super) posts: u16,
}

/// The next step of a task, as far as other tasks can observe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A step that only the task itself sees.
    Quiet,
    /// A step that takes the value of a free decision.
    Decide(Var),
    /// No step, because an `assume` does not hold.
    Blocked,
    /// A global access.
    Access(Access, SiteId),
}

/// The effect of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// No effect that other tasks see.
    Quiet,
    /// An access.
    Access(Access, SiteId, Span),
    /// A post.
    Post(Where, Task, Span),
    /// The task returned.
    Finished,
}

impl Task {
    /// `procedure` about to run with `args`.
    pub fn new(code: &[Code], procedure: ProcedureId, args: &[i64]) -> Self {
        Self { frames: vec![Frame::new(code, procedure, args)], posts: 0 }
    }

    fn top(&self) -> &Frame {
        self.frames.last().expect("a task that is not finished has an activation")
    }

    /// The type of a variable a [`Next::Decide`] named, if it is a local.
    pub fn local_type(&self, code: &[Code], local: crate::core::LocalId) -> crate::core::Type {
        code[self.top().procedure.index()].types[local.index()]
    }

    /// Returns the next step.
    pub fn next(&self, code: &[Code]) -> Result<Next, Overflow> {
        let frame = self.top();
        let op = code[frame.procedure.index()].op(frame.pc);
        Ok(match &op.kind {
            OpKind::Assign(target, value) => match (assign_access(*target, value), op.mark) {
                (Some(access), Some(Mark::Access(site))) => Next::Access(access, site),
                _ => Next::Quiet,
            },
            OpKind::Havoc(var) => Next::Decide(*var),
            OpKind::Choose(_) => Next::Decide(Var::Local(crate::core::LocalId::new(0))),
            // Conditions of a lowered program read locals only, so a blocked task stays blocked.
            OpKind::Assume(condition) if frame.value(condition, &[])? == 0 => Next::Blocked,
            _ => Next::Quiet,
        })
    }

    /// Whether the next step takes a Boolean for a branch on `*`.
    pub fn chooses_branch(&self, code: &[Code]) -> bool {
        let frame = self.top();
        matches!(code[frame.procedure.index()].op(frame.pc).kind, OpKind::Choose(_))
    }

    /// Takes the next step, which must not be [`Next::Blocked`]. `decision` is the value for a
    /// [`Next::Decide`].
    pub fn step(
        &mut self,
        code: &[Code],
        globals: &mut [i64],
        decision: i64,
    ) -> Result<Effect, Overflow> {
        let frame = self.frames.last_mut().expect("a finished task takes no step");
        let op = code[frame.procedure.index()].op(frame.pc);
        frame.pc = frame.pc.next();
        match &op.kind {
            OpKind::Assign(target, value) => {
                let result = frame.value(value, globals)?;
                frame.set(*target, result, globals);
                if let (Some(access), Some(Mark::Access(site))) =
                    (assign_access(*target, value), op.mark)
                {
                    return Ok(Effect::Access(access, site, op.span));
                }
            }
            OpKind::Havoc(target) => frame.set(*target, decision, globals),
            OpKind::Assume(_) => {}
            OpKind::Async(on, procedure, args) => {
                let args = frame.values(args, globals)?;
                return Ok(Effect::Post(*on, Self::new(code, *procedure, &args), op.span));
            }
            OpKind::Call(procedure, args) => {
                let args = frame.values(args, globals)?;
                self.frames.push(Frame::new(code, *procedure, &args));
            }
            OpKind::Return => {
                self.frames.pop();
                if self.frames.is_empty() {
                    return Ok(Effect::Finished);
                }
            }
            OpKind::Jump(to) => frame.pc = *to,
            OpKind::Unless(condition, to) => {
                if frame.value(condition, globals)? == 0 {
                    frame.pc = *to;
                }
            }
            OpKind::Choose(to) => {
                if decision == 0 {
                    frame.pc = *to;
                }
            }
        }
        Ok(Effect::Quiet)
    }

    /// The number of values of the task's locals.
    pub(super) fn values(&self) -> usize {
        self.frames.iter().map(|frame| frame.locals.len()).sum()
    }

    /// The nesting depth of the task's calls.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }
}

/// Recognises a task that runs for ever. It watches the states of one task between steps that
/// neither access a global nor take a decision, so each state determines the next.
///
/// A loop repeats a state; the state kept for comparison is renewed after 1, 2, 4, … steps
/// (Brent), which finds a repetition without keeping every state. Recursion repeats the entry of
/// an activation while the earlier one is still open.
#[derive(Default)]
pub(super) struct Endless {
    kept: Option<Task>,
    steps: usize,
    /// The open activations that were seen at their entry, each with its depth. A post clears them,
    /// because posting forever is not silent.
    entries: Vec<(usize, Frame)>,
    posts: u16,
}

impl Endless {
    /// Adds the next state of the task. Returns whether the task runs forever from here.
    pub(super) fn repeats(&mut self, task: &Task) -> bool {
        if self.kept.as_ref() == Some(task) {
            return true;
        }
        self.steps += 1;
        if self.steps.is_power_of_two() {
            self.kept = Some(task.clone());
        }
        if task.posts != self.posts {
            self.entries.clear();
            self.posts = task.posts;
        }
        let depth = task.depth();
        self.entries.retain(|(open, _)| *open <= depth);
        let entered = task.top();
        if entered.pc != Pc::START {
            return false;
        }
        // Activations at this depth were left, or a loop leads back to the first operation.
        self.entries.retain(|(open, _)| *open < depth);
        let again = self.entries.iter().any(|(_, frame)| frame == entered);
        self.entries.push((depth, entered.clone()));
        again
    }
}

impl Frame {
    fn new(code: &[Code], procedure: ProcedureId, args: &[i64]) -> Self {
        let mut locals = code[procedure.index()].frame.clone();
        locals[..args.len()].copy_from_slice(args);
        Self { procedure, pc: Pc::START, locals }
    }

    fn value(&self, expr: &crate::core::Expr, globals: &[i64]) -> Result<i64, Overflow> {
        let read = |var| match var {
            Var::Global(id) => globals[id.index()],
            Var::Local(id) => self.locals[id.index()],
        };
        eval(expr, &read).ok_or(Overflow)
    }

    fn values(&self, exprs: &[crate::core::Expr], globals: &[i64]) -> Result<Vec<i64>, Overflow> {
        exprs.iter().map(|expr| self.value(expr, globals)).collect()
    }

    fn set(&mut self, target: Var, value: i64, globals: &mut [i64]) {
        match target {
            Var::Global(id) => globals[id.index()] = value,
            Var::Local(id) => self.locals[id.index()] = value,
        }
    }
}
