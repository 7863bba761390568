//! Checks that the fast closure, the slow closure and the explainer agree on random bases.
//!
//! The bases are more irregular than any log: edges in every direction, cycles, tasks without post
//! or end, posts inside the task that they post.

use droidracer::base::{Base, Channel, OpId, Operation, Role, Task, TaskId, ThreadId};
use droidracer::closure::{Explainer, close, close_slowly};
use droidracer::rules::{Rule, RuleSet};
use proptest::collection::vec;
use proptest::prelude::*;

const THREADS: u32 = 2;

#[derive(Clone, Debug)]
struct Plan {
    /// For each task: its thread, its delay, whether it is posted and whether it ends.
    tasks: Vec<(u32, u64, bool, bool)>,
    /// The position of each post: in a task, or outside on a thread.
    posts: Vec<prop::sample::Index>,
    /// The positions of the other operations.
    others: Vec<prop::sample::Index>,
    edges: Vec<(prop::sample::Index, prop::sample::Index)>,
    deliveries: Vec<(prop::sample::Index, prop::sample::Index, bool)>,
    /// Whether the call of a task precedes its operations, as in a log.
    begins: bool,
    without: Option<prop::sample::Index>,
}

const SWITCHED: [Rule; 4] = [Rule::Trans, Rule::Fifo, Rule::NoPre, Rule::BroadcastOrder];

fn plans() -> impl Strategy<Value = Plan> {
    let index = any::<prop::sample::Index>;
    let task = (0..THREADS, 0..3u64, prop::bool::weighted(0.9), prop::bool::weighted(0.9));
    (
        vec(task, 0..6),
        vec(index(), 6),
        vec(index(), 1..10),
        vec((index(), index()), 0..40),
        vec((index(), index(), any::<bool>()), 0..4),
        any::<bool>(),
        prop::option::weighted(0.2, index()),
    )
        .prop_map(|(tasks, posts, others, edges, deliveries, begins, without)| Plan {
            tasks,
            posts,
            others,
            edges,
            deliveries,
            begins,
            without,
        })
}

fn build(plan: &Plan) -> Base {
    let mut ops = Vec::new();
    let mut push = |role, thread, task| {
        let id = OpId(ops.len() as u32);
        let thread = Some(ThreadId(thread));
        ops.push(Operation { source: u64::from(id.0), thread, task, role });
        id
    };
    let place = |index: &prop::sample::Index| {
        let outside = (0..THREADS).map(|thread| (thread, None));
        let inside = plan.tasks.iter().enumerate();
        let inside = inside.map(|(id, task)| (task.0, Some(TaskId(id as u32))));
        let places: Vec<_> = outside.chain(inside).collect();
        *index.get(&places)
    };
    let mut tasks = Vec::new();
    for (index, (&(thread, delay, has_post, has_ret), at)) in
        plan.tasks.iter().zip(&plan.posts).enumerate()
    {
        let id = TaskId(index as u32);
        let (poster, within) = place(at);
        let post = has_post.then(|| push(Role::Post(id), poster, within));
        let call = push(Role::Call(id), thread, Some(id));
        let ret = has_ret.then(|| push(Role::Ret(id), thread, Some(id)));
        let is_queued = delay != 2;
        tasks.push(Task { thread: ThreadId(thread), post, call, ret, delay, is_queued });
    }
    for at in &plan.others {
        let (thread, task) = place(at);
        push(Role::Other, thread, task);
    }
    let count = ops.len();
    let op = |index: &prop::sample::Index| OpId(index.index(count) as u32);
    let switched = plan.without.map(|index| *index.get(&SWITCHED));
    let rules = switched.map_or(RuleSet::ALL, |rule| RuleSet::ALL.without(rule));
    let mut base = Base::new(rules, ops, tasks);
    for id in 0..base.tasks().len() as u32 {
        let task = *base.task(TaskId(id));
        if let Some(post) = task.post {
            base.edge(post, task.call, Rule::Post);
        }
    }
    for id in (0..count as u32).map(OpId).filter(|_| plan.begins) {
        if let Some(task) = base.op(id).task {
            base.edge(base.task(task).call, id, Rule::ProgramOrder);
        }
    }
    for (from, to) in &plan.edges {
        base.edge(op(from), op(to), Rule::ProgramOrder);
    }
    for (cause, receive, is_sticky) in &plan.deliveries {
        let channel = if *is_sticky { Channel::Sticky } else { Channel::Sent };
        base.deliver(op(cause), op(receive), channel);
    }
    base
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn the_fast_closure_is_the_slow_one(plan in plans()) {
        let base = build(&plan);
        prop_assert_eq!(close(&base), close_slowly(&base));
    }

    #[test]
    fn exactly_the_pairs_of_the_relation_are_explained(plan in plans()) {
        let base = build(&plan);
        let relation = close_slowly(&base);
        let explainer = Explainer::new(&base);
        let ids = || (0..base.len() as u32).map(OpId);
        for (a, b) in ids().flat_map(|a| ids().map(move |b| (a, b))) {
            let why = explainer.why(a, b);
            prop_assert_eq!(why.is_some(), relation.before(a, b));
            let Some(steps) = why else { continue };
            prop_assert_eq!((steps[0].from, steps[steps.len() - 1].to), (a, b));
            prop_assert!(steps.windows(2).all(|two| two[0].to == two[1].from));
            for step in steps {
                match step.because {
                    None => prop_assert_eq!(base.edge_rule(step.from, step.to), Some(step.rule)),
                    Some((x, y)) => prop_assert!(relation.before(x, y)),
                }
            }
        }
    }
}
