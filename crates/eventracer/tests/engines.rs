//! Compares the crate with the slow, literal reference on random logs.

mod random_log;
mod reference;

use eventracer::compat::RaceState;
use eventracer::connectivity::{ChainDecomposition, Connectivity};
use eventracer::graph::Graph;
use eventracer::ids::OpId;
use eventracer::{ActionLog, Analysis, LoggedArcs, prepare};
use proptest::prelude::*;
use reference::Reference;

fn successors(graph: &Graph) -> Vec<Vec<usize>> {
    let ops = (0..graph.len()).map(OpId::new);
    ops.map(|op| graph.successors(op).map(OpId::index).collect()).collect()
}

fn predecessors(graph: &Graph, op: usize) -> Vec<usize> {
    graph.predecessors(OpId::new(op)).map(OpId::index).collect()
}

/// Preparation, chains, races and coverage of one log, in both variants of stage 0.
fn compare(log: &ActionLog) -> Result<(), TestCaseError> {
    for arcs in [LoggedArcs::All, LoggedArcs::Needed] {
        let prepared = prepare(log.clone(), arcs);
        let expected = Reference::new(log, arcs == LoggedArcs::Needed);
        let counters = prepared.counters;
        let unmentioned = log.node_count() - log.op_count();
        prop_assert_eq!(
            [
                counters.dropped - unmentioned,
                counters.independent,
                counters.script_arcs,
                counters.target_arcs,
                counters.timed,
                counters.timer_arcs,
            ],
            expected.counters
        );
        prop_assert_eq!(successors(&prepared.graph), expected.graph.next.clone());
        for op in (0..log.op_count()).filter(|op| !expected.deleted.contains(op)) {
            prop_assert_eq!(predecessors(&prepared.graph, op), &expected.graph.previous[op][..]);
        }
        let names: Vec<String> = prepared
            .log
            .vars
            .iter()
            .map(|(_, name)| String::from_utf8_lossy(name).into_owned())
            .collect();
        prop_assert_eq!(&names, &expected.names);

        let order = ChainDecomposition::new(&prepared.graph);
        prop_assert_eq!(order.chain_count(), expected.chains);
        compare_races(&Analysis::new(&prepared, &order), &expected)?;
    }
    Ok(())
}

fn compare_races(
    analysis: &Analysis<'_, ChainDecomposition>,
    expected: &Reference,
) -> Result<(), TestCaseError> {
    let log = &analysis.prepared.log;
    let ours: Vec<reference::Race> = analysis
        .detection
        .races
        .iter()
        .map(|race| {
            let name = log.var_name(analysis.table.var(race.cell));
            let [first, second] = [race.first, race.second];
            let name = String::from_utf8_lossy(name).into_owned();
            (name, first.op().index(), first.command(), second.op().index(), second.command())
        })
        .collect();
    let races = expected.races();
    prop_assert_eq!(&ours, &races);

    let single = expected.single(&races);
    let tops: Vec<usize> = (0..races.len()).filter(|&race| single[race].is_none()).collect();
    for (i, state) in analysis.coverage.states.iter().enumerate() {
        let (_, op1, _, op2, command2) = races[i];
        let theirs = match single[i] {
            Some(by) => (Some(by), None),
            None => (None, expected.path(&races, &tops, (op1, op2, command2))),
        };
        let ours = match state {
            RaceState::Uncovered => (None, None),
            RaceState::Covered(by) => (Some(by.index()), None),
            RaceState::MultiCovered(path) => {
                (None, Some(path.iter().map(|race| race.index()).collect()))
            }
        };
        prop_assert_eq!(ours, theirs);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn small_logs_agree_with_the_reference(log in random_log::log(12, 1)) {
        compare(&log)?;
    }

    #[test]
    fn sparse_logs_agree_with_the_reference(log in random_log::log(12, 100_000)) {
        prop_assert!(log.op_count() <= 12 && log.node_count() % 100_000 == 1);
        compare(&log)?;
    }

    #[test]
    fn paths_exist_where_they_are_found(log in random_log::log(14, 1)) {
        let prepared = prepare(log, LoggedArcs::All);
        let order = ChainDecomposition::new(&prepared.graph);
        let mut analysis = Analysis::new(&prepared, &order);
        for from in prepared.graph.live_ops() {
            for to in prepared.graph.live_ops() {
                for command in [0, 2, 9] {
                    let found = analysis.paths.find(from, to, command).is_some();
                    prop_assert_eq!(analysis.paths.exists(from, to, command), found);
                }
            }
        }
    }

    #[test]
    fn orders_are_reachability_over_forward_arcs(log in random_log::log(24, 1)) {
        let graph = prepare(log, LoggedArcs::All).graph;
        let mut backward = false;
        let mut below = vec![vec![false; graph.len()]; graph.len()];
        for op in graph.live_ops() {
            below[op.index()][op.index()] = true;
            for before in graph.predecessors(op) {
                backward |= before > op;
                if before < op {
                    let (earlier, rest) = below.split_at_mut(op.index());
                    for (below, &also) in rest[0].iter_mut().zip(&earlier[before.index()]) {
                        *below |= also;
                    }
                }
            }
        }
        for connectivity in Connectivity::ALL {
            let order = connectivity.order(&graph);
            for a in graph.live_ops() {
                for b in graph.live_ops() {
                    let (ours, reachable) = (order.le(a, b), below[b.index()][a.index()]);
                    let literal = connectivity == Connectivity::ChainDecomposition && backward;
                    // With backward arcs the original may claim order, never miss it.
                    prop_assert!(ours == reachable || (literal && ours), "{connectivity:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn larger_logs_agree_with_the_reference(log in random_log::log(90, 1)) {
        compare(&log)?;
    }
}
