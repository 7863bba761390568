//! Compares the criteria on recorded traces with their definitions.

use std::fmt::Write;

use robust::core::Program;
use robust::explore::{Exploration, explore};
use robust::recorded::{
    Forest, cycles, inversions, is_feasible, predicted_cycles, predicted_inversions,
};
use robust::semantics::Label;
use robust::semantics::definitions::{conflict_cycle, dfs_inversion};
use robust::semantics::moves::{enabled, successors};
use robust::semantics::multi::Machine;
use robust::semantics::single;
use robust::witness::recording;
use robust::{Criterion, Options, check, lang};
use testkit::evp::random_program;

fn elaborated(text: &str) -> Program {
    lang::elaborate(&lang::parse(text).unwrap()).unwrap()
}

/// A random interleaving, until no move is enabled.
fn random_run(machine: &Machine<'_>, rng: &mut fastrand::Rng) -> Vec<Label> {
    let mut config = machine.initial();
    let mut trace = Vec::new();
    loop {
        let steps = enabled(machine, &config);
        if steps.is_empty() {
            return trace;
        }
        let step = &steps[rng.usize(..steps.len())];
        let (_, after, labels) = successors(machine, &config, step).unwrap().remove(0);
        trace.extend(labels);
        config = after;
    }
}

#[test]
fn observed_violations_are_those_of_the_definitions() {
    let (mut cyclic, mut inverted) = (0, 0);
    for seed in 8_000_000..8_003_000 {
        let program = elaborated(&random_program(seed, false));
        let machine = Machine::new(&program, false);
        let labels = random_run(&machine, &mut fastrand::Rng::with_seed(seed));
        let trace = recording(&program, &labels, "random.evp", "");
        let forest = Forest::new(&trace);
        let (cycles, inversions) = (cycles(&trace, &forest), inversions(&trace, &forest));
        assert_eq!(cycles.is_empty(), conflict_cycle(&labels).is_none(), "seed {seed}");
        assert_eq!(inversions.is_empty(), dfs_inversion(&labels).is_none(), "seed {seed}");
        for cycle in &cycles {
            for (index, edge) in cycle.iter().enumerate() {
                let next = cycle[(index + 1) % cycle.len()];
                let event = |op| forest.task(forest.task_of(op).unwrap()).root;
                assert_eq!(event(edge.second), event(next.first));
                assert!(edge.first < edge.second);
            }
        }
        cyclic += usize::from(!cycles.is_empty());
        inverted += usize::from(!inversions.is_empty());
    }
    assert!(cyclic > 30 && inverted > 100, "{cyclic} {inverted}");
}

/// Without branches every run makes the same accesses, so one trace decides determinism.
#[test]
fn predicted_inversions_are_exact_on_straight_line_programs() {
    let (mut compared, mut violated) = (0, 0);
    for seed in 9_000_000..9_006_000 {
        let text = random_program(seed, false);
        if ["if", "assume", "havoc", "return"].iter().any(|word| text.contains(word)) {
            continue;
        }
        let mut program = elaborated(&text);
        program.instances.truncate(1);
        let expected = match explore(&program, Criterion::Determinism, 30_000) {
            Exploration::Holds { .. } => false,
            Exploration::Violated(_) => true,
            Exploration::Unknown(_) => continue,
        };
        let machine = Machine::new(&program, false);
        let labels = random_run(&machine, &mut fastrand::Rng::with_seed(seed));
        let trace = recording(&program, &labels, "random.evp", "");
        let forest = Forest::new(&trace);
        let predicted = predicted_inversions(&trace, &forest);
        for prediction in &predicted {
            assert!(is_feasible(&forest, &prediction.order), "seed {seed}");
            assert_eq!(prediction.order.last(), Some(&prediction.conflicts[0].second));
        }
        let found = !predicted.is_empty() || !inversions(&trace, &forest).is_empty();
        assert_eq!(found, expected, "seed {seed}\n{text}");
        compared += 1;
        violated += usize::from(expected);
    }
    assert!(compared > 300 && violated > 50, "{compared} {violated}");
}

/// Three events of one or two tasks that access four variables, each task a few.
fn three_events(rng: &mut fastrand::Rng) -> String {
    let mut text = String::from("var x0, x1, x2, x3;\n");
    for event in 0..3 {
        let mut body = || -> String {
            let access = |rng: &mut fastrand::Rng| match (rng.bool(), rng.u8(..4)) {
                (true, x) => format!("y := x{x}; "),
                (false, x) => format!("x{x} := true; "),
            };
            (0..rng.u8(1..3)).map(|_| access(rng)).collect()
        };
        let (handler, task) = (body(), body());
        let on = ["any", "main"][usize::from(rng.u8(..4) == 0)];
        let post = if rng.u8(..4) > 0 { format!("async[{on}] q{event}();") } else { String::new() };
        let _ = writeln!(text, "procedure p{event}() {{ var y; {handler}{post} }}");
        let _ = writeln!(text, "procedure q{event}() {{ var y; {task} }}");
    }
    text + "driver { a: p0; b: p1; c: p2; }\n"
}

/// Returns whether brute force finds a violation of serializability, if it decides, and the
/// predictions from one recorded run. Without branches every run makes the same accesses, so one
/// trace suffices.
fn compare_cycles(text: &str, seed: u64) -> Option<(bool, Vec<usize>)> {
    let program = elaborated(text);
    let expected = match explore(&program, Criterion::Serializability, 30_000) {
        Exploration::Holds { .. } => false,
        Exploration::Violated(_) => true,
        Exploration::Unknown(_) => return None,
    };
    let machine = Machine::new(&program, false);
    let labels = random_run(&machine, &mut fastrand::Rng::with_seed(seed));
    let trace = recording(&program, &labels, "random.evp", "");
    let forest = Forest::new(&trace);
    let predicted = predicted_cycles(&trace, &forest);
    for prediction in &predicted {
        assert!(is_feasible(&forest, &prediction.order), "seed {seed}");
        let at = |op| prediction.order.iter().position(|other| *other == op);
        let event = |op| forest.task(forest.task_of(op).unwrap()).root;
        let conflicts = &prediction.conflicts;
        for (edge, next) in conflicts.iter().zip(conflicts.iter().cycle().skip(1)) {
            assert!(at(edge.first).unwrap() < at(edge.second).unwrap(), "seed {seed}");
            assert_eq!(event(edge.second), event(next.first), "seed {seed}");
        }
    }
    Some((expected, predicted.iter().map(|prediction| prediction.conflicts.len()).collect()))
}

#[test]
fn predicted_cycles_are_exact_on_straight_line_programs() {
    let (mut compared, mut violated, mut long) = (0, 0, 0);
    for seed in 10_000_000..10_004_000 {
        let text = match seed % 4 {
            0 => three_events(&mut fastrand::Rng::with_seed(seed)),
            _ => random_program(seed, false),
        };
        if ["if", "assume", "havoc", "return"].iter().any(|word| text.contains(word)) {
            continue;
        }
        let Some((expected, lengths)) = compare_cycles(&text, seed) else { continue };
        assert_eq!(!lengths.is_empty(), expected, "seed {seed}\n{text}");
        compared += 1;
        violated += usize::from(expected);
        long += usize::from(lengths.iter().any(|length| *length > 2));
    }
    println!("{compared} compared, {violated} violated, {long} with a cycle of three events");
    assert!(compared > 1000 && violated > 200 && long > 5, "{compared} {violated} {long}");
}

/// The true bugs of Section 8.2: a recording of a run in which nothing went wrong shows them.
#[test]
fn true_bugs_are_predicted_from_serial_recordings() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/robustness");
    let bugs = [
        "irccloud-send-doubleclick",
        "aarddict-create-lookup",
        "bookworm-search-back",
        "vlille-load-remove",
    ];
    for bug in bugs {
        let text = std::fs::read_to_string(folder.join(format!("{bug}.evp"))).unwrap();
        let program = elaborated(&text);
        let machine = Machine::new(&program, true);
        let order: Vec<_> = program.instance_ids().collect();
        let (_, labels) = single::run(&machine, &order, &mut |_| 0, 10_000).unwrap().unwrap();
        let trace = recording(&program, &labels, bug, &text);
        let forest = Forest::new(&trace);
        assert!(cycles(&trace, &forest).is_empty(), "{bug}");
        assert!(!predicted_cycles(&trace, &forest).is_empty(), "{bug}");
    }
}

/// The witness of a violation, recorded, shows the violation.
#[test]
fn a_recorded_witness_shows_the_violation() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/robustness");
    let (mut cyclic, mut inverted) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        if text.contains("engine chc") {
            continue;
        }
        let report = check("witness.evp", &text, &Options::default()).unwrap();
        if let Some(trace) = report.recording(Criterion::Serializability) {
            assert!(!cycles(&trace, &Forest::new(&trace)).is_empty());
            cyclic += 1;
        }
        if let Some(trace) = report.recording(Criterion::Determinism) {
            assert!(!inversions(&trace, &Forest::new(&trace)).is_empty());
            inverted += 1;
        }
    }
    assert!(cyclic >= 8 && inverted >= 3, "{cyclic} {inverted}");
}
