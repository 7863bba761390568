//! A pass over a trace answers as the closed order does, on random traces of every model.

use order::{Graph, HappensBefore, MODELS, Node, Timeline, View};
use testkit::generate::{Profile, page, sample};
use trace::{OpId, Trace};

fn random_trace(seed: u64) -> Trace {
    let length = 20 + (seed as usize * 13) % 150;
    match seed % 3 {
        0 => page(seed, length),
        1 => sample(seed, Profile::Wild, length),
        _ => sample(seed, Profile::Realistic, length),
    }
}

/// How many pairs of accesses are ordered and unordered, if the order is made of tasks.
fn compare(trace: &Trace, graph: &Graph<'_>, what: &str) -> Option<[usize; 2]> {
    let mut cursor = graph.cursor()?;
    let view = cursor.view();
    let mut earlier: Vec<(OpId, Option<Node>)> = Vec::new();
    let mut counts = [0, 0];
    for op in trace.ops() {
        if trace.op(op).access().is_none() {
            cursor.pass(op);
            continue;
        }
        let moment = cursor.moment(trace.thread_of(op), trace.event_of(op));
        let node = moment.map(|moment| {
            assert!(view.is_final(&moment), "{what}");
            Node { op, task: view.task(&moment), position: view.position(&moment) }
        });
        for &(before, earlier) in &earlier {
            let covers = moment.zip(earlier).is_some_and(|(now, node)| view.covers(&now, node));
            assert_eq!(covers, graph.before(before, op), "{what}: {before:?} and {op:?}");
            counts[usize::from(covers)] += 1;
        }
        earlier.push((op, node));
    }
    cursor.finish();
    assert!(cursor.settled().is_empty() && cursor.approximations() == 0, "{what}");
    Some(counts)
}

#[test]
fn a_pass_answers_as_the_graph_does() {
    for model in MODELS {
        let (mut passes, mut counts) = (0, [0, 0]);
        for seed in 0..200 {
            let trace = random_trace(seed);
            let graph = Graph::new(&trace, &model.default_rules());
            let what = format!("seed {seed}, model {}", model.name);
            if let Some([unordered, ordered]) = compare(&trace, &graph, &what) {
                passes += 1;
                counts = [counts[0] + unordered, counts[1] + ordered];
            }
        }
        let has_tasks = model.closure != order::Closure::DroidRacer;
        let enough = passes > 50 && counts.iter().all(|&count| count > 1000);
        assert_eq!(enough, has_tasks, "{}: {passes} passes, {counts:?}", model.name);
    }
}
