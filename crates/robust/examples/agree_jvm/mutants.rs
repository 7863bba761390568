//! Mutants of the rules by which the Java program leaves out stops, tasks and orders. Each must be
//! noticed by the comparison with brute force: a rule whose mutant is not noticed is untested, or
//! not needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::program;
use crate::{Explorer, MAX_STATES, brute, compile};

struct Mutant {
    /// What is wrong with it.
    what: &'static str,
    file: &'static str,
    original: &'static str,
    mutated: &'static str,
    /// A program that notices it: whether it has monitors, and its seed.
    noticed_by: (bool, u64),
}

const MUTANTS: &[Mutant] = &[
    Mutant {
        what: "conflicts ask for no stops",
        file: "Run.java",
        original: "                choices.need(earlier.node());\n                if (earlier",
        mutated: "                if (earlier",
        noticed_by: (false, 1),
    },
    Mutant {
        what: "no stops before reads",
        file: "Run.java",
        original: "                choices.need(earlier.node());\n                if (earlier",
        mutated: "                if (earlier.write()) choices.need(earlier.node());\n                if (earlier",
        noticed_by: (false, 22),
    },
    Mutant {
        what: "no stops before writes",
        file: "Run.java",
        original: "                choices.need(earlier.node());\n                if (earlier",
        mutated: "                if (!earlier.write()) choices.need(earlier.node());\n                if (earlier",
        noticed_by: (false, 1),
    },
    Mutant {
        what: "no stops although tasks are posted",
        file: "Run.java",
        original: "        hasPosts = true;\n",
        mutated: "",
        noticed_by: (false, 1),
    },
    Mutant {
        what: "a stop is not asked for because of any descendant",
        file: "Run.java",
        original: "at != null && at.number > access.posts()",
        mutated: "at != null",
        noticed_by: (false, 8),
    },
    Mutant {
        what: "the last task posted before an access counts as posted after it",
        file: "Run.java",
        original: "at.number > access.posts()",
        mutated: "at.number >= access.posts()",
        noticed_by: (false, 9),
    },
    Mutant {
        what: "a task that makes a run infeasible is not left out",
        file: "Run.java",
        original: "            if (conflict) {\n                choices.need(task.skipNode);",
        mutated: "            if (conflict) {",
        noticed_by: (false, 9),
    },
    Mutant {
        what: "a task that waits for ever on the main thread is not left out",
        file: "Run.java",
        original: "            if (!task.any) {\n                choices.need(task.skipNode);\n            }\n            stop",
        mutated: "            stop",
        noticed_by: (false, 6525),
    },
    Mutant {
        what: "a task that the cut one keeps from being dispatched asks for nothing",
        file: "Run.java",
        original: "            conflicts(task, cell, site.write);\n            task.began = false;",
        mutated: "            task.began = false;",
        noticed_by: (false, 1321),
    },
    Mutant {
        what: "tasks of the main thread are not cut",
        file: "Run.java",
        original: "return task.any || cut == null;",
        mutated: "return task.any;",
        noticed_by: (false, 1),
    },
    Mutant {
        what: "two reads make a run infeasible",
        file: "Run.java",
        original: "return cell.touched == 2 || write && cell.touched != 0;",
        mutated: "return cell.touched != 0;",
        noticed_by: (false, 6),
    },
    Mutant {
        what: "events keep the order of their declaration",
        file: "Run.java",
        original: "                choices.alsoFirst(orderNode[from], to);\n",
        mutated: "",
        noticed_by: (false, 11),
    },
    Mutant {
        what: "a write is as good as a read that was noted before",
        file: "Run.java",
        original: "write ? cell.notedWrites : cell.notedReads",
        mutated: "cell.notedReads",
        noticed_by: (false, 68),
    },
    Mutant {
        what: "only conflicts between two events make cycles",
        file: "Run.java",
        original: "edges[i][j] |= edges[k][j];",
        mutated: "edges[i][j] |= false;",
        noticed_by: (false, 2819),
    },
    Mutant {
        what: "stops beyond the bound are forgotten",
        file: "Choices.java",
        original: "                    limited = true;\n",
        mutated: "",
        noticed_by: (false, 9),
    },
    Mutant {
        what: "no stop before an entry into a monitor",
        file: "Run.java",
        original: "                choices.need(node);\n",
        mutated: "",
        noticed_by: (true, 0),
    },
];

/// Checks every mutant. If `count` is 0, the programs are those that are known to notice one; else
/// the first `count` programs of each kind are tried in order.
pub(crate) fn check(class_path: &str, folder: &Path, count: u64) {
    let mut seeds: Vec<(bool, u64)> = MUTANTS.iter().map(|mutant| mutant.noticed_by).collect();
    if count > 0 {
        seeds = [false, true].into_iter().flat_map(|m| (1..=count).map(move |s| (m, s))).collect();
    }
    seeds.sort_unstable();
    seeds.dedup();
    let programs: Vec<_> = seeds.iter().map(|(m, s)| (name(*m, *s), program(*s, *m))).collect();
    compile(class_path, folder, &programs);
    let mut expected = Vec::new();
    for (name, program) in &programs {
        expected.extend(brute::verdicts(program, true, MAX_STATES).map(|answer| (name, answer)));
    }
    let mut unnoticed = Vec::new();
    for mutant in MUTANTS {
        let mutated = build(mutant, class_path, folder);
        let mut explorer = Explorer::start(&mutated, folder);
        let known = name(mutant.noticed_by.0, mutant.noticed_by.1);
        let notices = |(name, answer): &&(&String, &str)| {
            (count > 0 || **name == known) && explorer.explore("reduced", name).0 != *answer
        };
        if let Some((name, _)) = expected.iter().find(notices) {
            println!("noticed by {name}: {}", mutant.what);
        } else {
            unnoticed.push(mutant.what);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

fn name(monitors: bool, seed: u64) -> String {
    format!("{}{seed}", if monitors { "M" } else { "P" })
}

/// Compiles the mutated class. Returns the class path with it.
fn build(mutant: &Mutant, class_path: &str, folder: &Path) -> String {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../robust/jvm/src/main/java/interloper/robust/engine");
    let source = fs::read_to_string(engine.join(mutant.file)).expect("the engine's source");
    assert_eq!(source.matches(mutant.original).count(), 1, "{}: the source changed", mutant.what);
    let out: PathBuf = folder.join("mutant");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir(&out).expect("the folder can be written");
    let path = out.join(mutant.file);
    fs::write(&path, source.replace(mutant.original, mutant.mutated)).expect("it can be written");
    let mut javac = Command::new("javac");
    javac.args(["-J-Xmx1g", "-nowarn", "-cp", class_path, "-d"]).arg(&out).arg(&path);
    assert!(javac.status().expect("javac runs").success(), "{}", mutant.what);
    format!("{}:{class_path}", out.display())
}
