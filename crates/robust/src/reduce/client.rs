//! The most general client (Section 7): runs the instances in any order, each at most once.

use super::build::{any_number_of_times, assume, call, one_of, set_bool};
use super::{Instrumented, Options};
use crate::core::{Expr, GlobalId, Instance, Mark, Program};
use crate::lang::span::Span;

/// `sequential`, the result of `seq` on an instrumented program, with one procedure `$main` that
/// runs its events, as its only instance.
pub(super) fn client(
    mut sequential: Program,
    instrumented: &Instrumented,
    options: &Options,
) -> Program {
    let names = sequential.instances.iter().map(|instance| format!("$ran${}", instance.name));
    let names: Vec<String> = names.collect();
    let ran: Vec<GlobalId> = names.into_iter().map(|name| sequential.add_flag(name)).collect();
    let mut choices = Vec::new();
    for (id, instance) in sequential.instance_ids().zip(&sequential.instances) {
        if options.only.as_ref().is_some_and(|only| !only.contains(&id)) {
            continue;
        }
        let fresh = Expr::global(ran[id.index()]).negated();
        let args = arguments(&sequential, instance);
        let mut block = vec![assume(fresh), set_bool(ran[id.index()], true)];
        block.extend(instrumented.event_begin.iter().cloned());
        block.push(call(instance.procedure, args).marked(Mark::Instance(id)));
        block.extend(instrumented.event_end.iter().cloned());
        choices.push(block);
    }
    let body = vec![any_number_of_times(one_of(choices))];
    let main = sequential.add_procedure("$main".into(), 0, Vec::new(), Span::default());
    sequential.procedures[main.index()].body = body;
    sequential.instances = vec![Instance {
        name: "run".into(),
        procedure: main,
        args: Vec::new(),
        after: Vec::new(),
        span: Span::default(),
    }];
    sequential
}

fn arguments(program: &Program, instance: &Instance) -> Vec<Expr> {
    let locals = &program.procedure(instance.procedure).locals;
    instance.args.iter().zip(locals).map(|(value, local)| Expr::Const(*value, local.ty)).collect()
}
