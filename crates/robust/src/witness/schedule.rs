//! Converts a run of the sequential program to an interleaving.

use crate::core::{Access, Mark, Program};
use crate::reach::{Event, Path};
use crate::semantics::Invocation;
use crate::semantics::moves::{Move, Visible, apply, is_enabled};
use crate::semantics::multi::Machine;

/// A visible step of the run.
struct Step {
    next: Move,
    access: Option<Access>,
    done: bool,
}

/// The meaning of a run of the sequential program in the program that it was made from.
#[derive(Default)]
struct Run {
    /// The steps, in the run's order.
    steps: Vec<Step>,
    /// The task of the main thread that is cut.
    cut: Option<Invocation>,
    /// The task that makes the pivot access.
    pivot: Option<Invocation>,
}

/// The interleaving `path` stands for. It may still fail to replay.
pub fn schedule(program: &Program, path: &Path) -> Vec<Move> {
    let mut run = read(program, path);
    let machine = Machine::new(program, true);
    let mut config = machine.initial();
    let mut moves = Vec::new();
    loop {
        let ready: Vec<usize> = (0..run.steps.len())
            .filter(|index| run.is_ready(*index))
            .filter(|index| is_enabled(&machine, &config, &run.steps[*index].next.step))
            .collect();
        let of_cut = |index: &&usize| Some(run.steps[**index].next.step.invocation()) == run.cut;
        let Some(chosen) = ready.iter().find(|index| !of_cut(index)).or(ready.first()) else {
            break;
        };
        let step = &mut run.steps[*chosen];
        step.done = true;
        if apply(&machine, &mut config, &step.next, &mut Vec::new()).is_err() {
            break;
        }
        moves.push(step.next.clone());
    }
    moves.extend(run.pivot.map(|task| Move { step: Visible::Access(task), decisions: Vec::new() }));
    moves
}

impl Run {
    /// Whether all steps that must precede this one are done: those of its task, and conflicting
    /// ones.
    fn is_ready(&self, index: usize) -> bool {
        let step = &self.steps[index];
        let task = step.next.step.invocation();
        !step.done
            && self.steps[..index].iter().all(|earlier| {
                let conflicts = match (earlier.access, step.access) {
                    (Some(a), Some(b)) => a.conflicts(b),
                    _ => false,
                };
                earlier.done || !(conflicts || earlier.next.step.invocation() == task)
            })
    }

    fn push(&mut self, step: Visible, access: Option<Access>) {
        let next = Move { step, decisions: Vec::new() };
        self.steps.push(Step { next, access, done: false });
    }
}

fn read(program: &Program, path: &Path) -> Run {
    let sites = program.sites();
    let mut run = Run::default();
    // The open tasks, each with the number of its posts that ran.
    let mut open: Vec<(Invocation, u16)> = Vec::new();
    for event in path {
        let current = open.last().map(|(task, _)| task.clone());
        match (event, current) {
            (Event::Leave, _) => {
                open.pop();
            }
            (Event::Mark(Mark::Instance(instance), _), _) => {
                open.push((Invocation::root(*instance), 0));
            }
            (Event::Mark(Mark::Task, _), Some(_)) => {
                let (parent, posts) = open.last_mut().expect("a task is open");
                let child = parent.child(*posts);
                *posts += 1;
                open.push((child, 0));
            }
            (Event::Mark(Mark::Dispatched, _), Some(task)) => {
                let step = if task.path.is_empty() {
                    Visible::Start(task.instance)
                } else {
                    Visible::Dispatch(task)
                };
                run.push(step, None);
            }
            (Event::Mark(Mark::Access(site), _), Some(task)) => {
                run.push(Visible::Access(task), Some(sites[site.index()].access));
            }
            (Event::Mark(Mark::Decision, value), Some(task)) => {
                let of_task = |step: &&mut Step| step.next.step.invocation() == task;
                if let Some(step) = run.steps.iter_mut().rev().find(of_task) {
                    step.next.decisions.push(*value);
                }
            }
            (Event::Mark(Mark::Cut, _), task) => run.cut = task,
            (Event::Mark(Mark::Pivot(_), _), task) => run.pivot = task,
            _ => {}
        }
    }
    run
}
