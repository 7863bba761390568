//! The part of the past that the criteria need. It is kept small so that states merge.

use crate::Criterion;
use crate::core::{Access, AccessKind, InstanceId, Program};
use crate::semantics::{Action, Invocation, Label};

/// The effect of an access on a criterion, given the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// The criterion still holds.
    Fine,
    /// The access violates the criterion.
    Violation,
    /// The criterion says nothing about interleavings that continue from here.
    Outside,
}

/// The past of an interleaving, as far as the criterion depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct History {
    /// For determinism, the accesses of invocations, besides the conflicts of events.
    invocations: Option<Invocations>,
    events: Events,
}

impl History {
    /// The history of an interleaving in which nothing has happened.
    pub(crate) fn new(program: &Program, criterion: Criterion) -> Self {
        let invocations = match criterion {
            Criterion::Determinism => Some(Invocations::new(program)),
            Criterion::Serializability => None,
        };
        Self { invocations, events: Events::new(program) }
    }

    /// Adds the labels of one move. Returns the first judgement that is not [`Judgement::Fine`].
    pub(crate) fn record(&mut self, labels: &[Label]) -> Judgement {
        let mut judgements = labels.iter().map(|label| self.record_label(label));
        judgements.find(|judged| *judged != Judgement::Fine).unwrap_or(Judgement::Fine)
    }

    fn record_label(&mut self, label: &Label) -> Judgement {
        let instance = label.invocation.instance;
        match (&label.action, &mut self.invocations) {
            (Action::Access(access, _), invocations) => {
                let of_determinism = invocations.is_some();
                if let Some(invocations) = invocations
                    && invocations.inverts(&label.invocation, *access)
                {
                    return Judgement::Violation;
                }
                match self.events.closes_cycle(instance, *access) {
                    false => Judgement::Fine,
                    true if of_determinism => Judgement::Outside,
                    true => Judgement::Violation,
                }
            }
            (Action::End, Some(invocations)) => {
                invocations.forget(instance);
                Judgement::Fine
            }
            _ => Judgement::Fine,
        }
    }
}

/// Per instance and location, the <dfs-greatest invocation of the instance that read it, and that
/// wrote it. A conflicting pair is inverted iff it is inverted against the greatest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Invocations {
    greatest: Vec<[Option<Invocation>; 2]>,
    locations: usize,
}

impl Invocations {
    fn new(program: &Program) -> Self {
        let locations = program.globals.len();
        let greatest = vec![[None, None]; locations * program.instances.len()];
        Self { greatest, locations }
    }

    /// Adds an access. Returns whether it occurs against <dfs.
    fn inverts(&mut self, invocation: &Invocation, access: Access) -> bool {
        let index = invocation.instance.index() * self.locations + access.global.index();
        let [reader, writer] = &mut self.greatest[index];
        let me = Some(invocation);
        let inverted =
            writer.as_ref() > me || (access.kind == AccessKind::Write && reader.as_ref() > me);
        let slot = if access.kind == AccessKind::Write { writer } else { reader };
        if slot.as_ref() < me {
            *slot = me.cloned();
        }
        inverted
    }

    /// Removes the data of an event that ended, because it has no further access.
    fn forget(&mut self, instance: InstanceId) {
        let first = instance.index() * self.locations;
        self.greatest[first..first + self.locations].fill([None, None]);
    }
}

/// The conflict-event graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Events {
    /// Per location, the instances that read it, and that wrote it, as bits.
    touched: Vec<[u64; 2]>,
    /// The graph, transitively closed: the successors of each instance.
    edges: Vec<u64>,
}

impl Events {
    fn new(program: &Program) -> Self {
        Self {
            touched: vec![[0, 0]; program.globals.len()],
            edges: vec![0; program.instances.len()],
        }
    }

    /// Adds an access. Returns whether the graph then has a cycle.
    fn closes_cycle(&mut self, instance: InstanceId, access: Access) -> bool {
        let me = instance.index();
        let [readers, writers] = &mut self.touched[access.global.index()];
        let before = *writers | if access.kind == AccessKind::Write { *readers } else { 0 };
        let slot = if access.kind == AccessKind::Write { writers } else { readers };
        *slot |= 1 << me;
        let before = before & !(1 << me);
        let reaching = 1 << me | self.edges[me];
        let mut cycle = false;
        for (other, successors) in self.edges.iter_mut().enumerate() {
            let is_before = before >> other & 1 == 1 || *successors & before != 0;
            if is_before {
                *successors |= reaching;
                cycle |= *successors >> other & 1 == 1;
            }
        }
        cycle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::definitions::{conflict_cycle, dfs_inversion};
    use crate::semantics::moves::{enabled, successors};
    use crate::semantics::multi::Machine;
    use testkit::evp::{endless_program, random_program};

    /// The judgement by definition of a trace whose last label is new.
    fn defined(criterion: Criterion, trace: &[Label]) -> Judgement {
        let cyclic = conflict_cycle(trace).is_some();
        match criterion {
            Criterion::Determinism if dfs_inversion(trace).is_some() => Judgement::Violation,
            Criterion::Determinism if cyclic => Judgement::Outside,
            Criterion::Serializability if cyclic => Judgement::Violation,
            _ => Judgement::Fine,
        }
    }

    #[test]
    fn judgements_are_those_of_the_definitions() {
        let mut judged = [0; 3];
        for seed in 0..600 {
            let text =
                if seed % 2 == 0 { random_program(seed, true) } else { endless_program(seed, 3) };
            let program = crate::lang::read(&text).expect("a random program is right");
            let machine = Machine::new(&program, true);
            for criterion in [Criterion::Determinism, Criterion::Serializability] {
                let mut rng = fastrand::Rng::with_seed(seed);
                let mut config = machine.initial();
                let (mut history, mut trace) = (History::new(&program, criterion), Vec::new());
                for _ in 0..60 {
                    let Some(step) = rng.choice(enabled(&machine, &config)) else { break };
                    let after = successors(&machine, &config, &step).expect("small programs");
                    let (_, next, labels) = rng.choice(after).expect("a step leads somewhere");
                    trace.extend(labels.iter().cloned());
                    let judgement = history.record(&labels);
                    assert_eq!(judgement, defined(criterion, &trace), "seed {seed}\n{text}");
                    judged[judgement as usize] += 1;
                    if judgement != Judgement::Fine {
                        break;
                    }
                    config = next;
                }
            }
        }
        assert!(judged.iter().all(|count| *count > 20), "{judged:?}");
    }
}
