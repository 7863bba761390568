//! Compares fast engines with slow definitions, on random programs. The long runs are in
//! `examples/agree.rs`.

use std::collections::BTreeSet;

use robust::core::{InstanceId, Program, print};
use robust::explore::{Exploration, explore};
use robust::reach::{Reach, summaries, symbolic};
use robust::reduce::{self, reduce};
use robust::semantics::moves::{enabled, successors};
use robust::semantics::multi::Machine;
use robust::semantics::single;
use robust::{Criterion, Engine, Options, Verdict, check, lang};
use testkit::evp::{endless_program, random_program};

use crate::comparison::{Tally, compare, compare_program};

fn elaborated(text: &str) -> Program {
    lang::elaborate(&lang::parse(text).unwrap()).unwrap()
}

/// Both criteria end to end, and both reductions, on programs whose tasks may never end.
#[test]
fn verdicts_agree_with_brute_force_and_witnesses_replay() {
    let mut tally = Tally::default();
    for seed in 1_000_000..1_001_200 {
        if let Err(disagreement) = compare(seed, Engine::Summaries, &mut tally) {
            panic!("seed {seed}: {disagreement}");
        }
    }
    assert!(tally.decided() > 1_800 && tally.violated() > 150, "{tally}");
}

/// Programs that a reduction proves if it starts only from states that ended events leave.
#[test]
fn unfinished_events_are_not_forgotten() {
    let programs = [random_program(92, true), endless_program(908, 3), endless_program(6752, 3)];
    for text in programs {
        let mut tally = Tally::default();
        if let Err(disagreement) = compare_program(&text, Engine::Summaries, &mut tally) {
            panic!("{disagreement}");
        }
        assert!(tally.violated() > 0, "{tally}\n{text}");
    }
}

#[cfg(feature = "z3")]
#[test]
fn horn_clauses_agree_with_brute_force() {
    let mut tally = Tally::default();
    for seed in 8_000_000..8_000_006 {
        if let Err(disagreement) = compare(seed, Engine::Chc, &mut tally) {
            panic!("seed {seed}: {disagreement}");
        }
    }
    assert!(tally.decided() > 2, "{tally}");
}

#[test]
fn the_drivers_order_is_respected() {
    let (mut violated, mut proved) = (0, 0);
    for seed in 3_000_000..3_000_250 {
        let text = random_program(seed, true);
        let program = elaborated(&text);
        let criteria = vec![Criterion::Serializability];
        let options = Options { criteria, states: 30_000, ..Options::default() };
        let report = check("random.evp", &text, &options).unwrap();
        let verdict = report.verdict(Criterion::Serializability).unwrap();
        match (explore(&program, Criterion::Serializability, 30_000), verdict) {
            (Exploration::Holds { .. }, Verdict::Proved { .. }) => proved += 1,
            (Exploration::Violated(_), Verdict::Violated(_)) => violated += 1,
            (Exploration::Unknown(_), _) | (_, Verdict::Unknown { .. }) => {}
            (expected, found) => panic!("seed {seed}: {expected:?} but {found:?}\n{text}"),
        }
    }
    assert!(violated > 5 && proved > 50);
}

#[test]
fn diagrams_agree_with_explicit_summaries() {
    let mut violated = 0;
    for seed in 4_000_000..4_000_080 {
        let program = elaborated(&random_program(seed, true));
        for criterion in [Criterion::Determinism, Criterion::Serializability] {
            let sequential =
                reduce(&program, criterion, &reduce::Options::default()).unwrap().sliced();
            let explicit = summaries::reach(&sequential, summaries::Limits::edges(2_000_000));
            let limits = symbolic::Limits { nodes: 1_000_000_000, edges: 2_000_000 };
            let by_sets = symbolic::reach(&sequential, limits);
            match (&explicit, &by_sets) {
                (Reach::Unreachable { .. }, Reach::Unreachable { .. }) => {}
                (Reach::Reachable(_), Reach::Reachable(_)) => violated += 1,
                other => panic!("seed {seed}, {criterion:?}: {other:?}"),
            }
        }
    }
    assert!(violated > 8);
}

#[test]
fn slicing_changes_no_answer_and_a_printed_reduction_is_the_same_program() {
    for seed in 5_000_000..5_000_150 {
        let program = elaborated(&random_program(seed, false));
        for criterion in [Criterion::Determinism, Criterion::Serializability] {
            let whole = reduce(&program, criterion, &reduce::Options::default()).unwrap();
            let mut read_back = whole.clone();
            read_back.program = elaborated(&print(&whole.program));
            assert_eq!(print(&whole.program).matches("async").count(), 0);
            let limits = summaries::Limits::edges(3_000_000);
            let answers = [&whole, &whole.sliced(), &read_back].map(|sequential| {
                matches!(summaries::reach(sequential, limits), Reach::Reachable(_))
            });
            assert_eq!(answers, [answers[0]; 3], "seed {seed}, {criterion:?}");
        }
    }
}

/// Runs the instances one after the other in the single-thread semantics.
fn serial(machine: &Machine<'_>, order: &[InstanceId]) -> Option<Vec<i64>> {
    let run = single::run(machine, order, &mut |_| 0, 10_000).unwrap();
    run.map(|(config, _)| config.globals)
}

fn permutations(of: &[InstanceId]) -> Vec<Vec<InstanceId>> {
    let Some((first, rest)) = of.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for shorter in permutations(rest) {
        for at in 0..=shorter.len() {
            let mut longer = shorter.clone();
            longer.insert(at, *first);
            all.push(longer);
        }
    }
    all
}

/// Theorems 1 to 3: a program with both properties reaches no state concurrently that it does not
/// reach serially.
#[test]
fn both_criteria_together_imply_robustness() {
    let mut runs = 0;
    for seed in 6_000_000..6_001_000 {
        let text = random_program(seed, false);
        if text.contains("havoc") {
            continue;
        }
        let program = elaborated(&text);
        let report = check("random.evp", &text, &Options::default()).unwrap();
        if report.status() != robust::Status::Proved {
            continue;
        }
        let machine = Machine::new(&program, false);
        let instances: Vec<InstanceId> = program.instance_ids().collect();
        let serial: BTreeSet<Vec<i64>> =
            permutations(&instances).iter().filter_map(|order| serial(&machine, order)).collect();
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..20 {
            let mut config = machine.initial();
            loop {
                let steps = enabled(&machine, &config);
                if steps.is_empty() {
                    break;
                }
                let step = &steps[rng.usize(..steps.len())];
                config = successors(&machine, &config, step).unwrap().remove(0).1;
            }
            let all_started = instances.iter().all(|instance| config.ended.contains(*instance));
            if config.is_quiescent() && all_started {
                assert!(serial.contains(&config.globals), "seed {seed}\n{text}");
                runs += 1;
            }
        }
    }
    assert!(runs > 1_000);
}

/// Theorem 6: the single-thread semantics and the sequential program end alike.
#[test]
fn seq_keeps_the_single_thread_semantics() {
    let mut compared = 0;
    for seed in 7_000_000..7_001_000 {
        let text = random_program(seed, false);
        if text.contains("havoc") {
            continue;
        }
        let program = elaborated(&text);
        let sequential = reduce::seq(&program).unwrap();
        let order: Vec<InstanceId> = program.instance_ids().collect();
        let before = serial(&Machine::new(&program, false), &order);
        let after = serial(&Machine::new(&sequential, false), &order);
        let locations = program.globals.len();
        let after = after.map(|globals| globals[..locations].to_vec());
        assert_eq!(before, after, "seed {seed}\n{text}");
        compared += usize::from(before.is_some());
    }
    assert!(compared > 300);
}
