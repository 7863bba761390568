//! Mutants of the rules by which the Java program leaves out stops, tasks and orders. Each must be
//! noticed by the comparison with brute force: a rule whose mutant is not noticed is untested, or
//! not needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Kind, Source, Written};
use crate::{Explorer, MAX_STATES, brute, compile};

struct Mutant {
    /// What is wrong with it.
    what: &'static str,
    file: &'static str,
    original: &'static str,
    mutated: &'static str,
    /// A program that notices it.
    noticed_by: Source,
}

const MUTANTS: &[Mutant] = &[
    Mutant {
        what: "conflicts ask for no stops",
        file: "Run.java",
        original: "                choices.need(earlier.node());\n                if (earlier",
        mutated: "                if (earlier",
        noticed_by: Source::Random(Kind::Plain, 1),
    },
    Mutant {
        what: "no stops before reads",
        file: "Run.java",
        original: "                choices.need(earlier.node());\n                if (earlier",
        mutated: "                if (earlier.write()) choices.need(earlier.node());\n                if (earlier",
        noticed_by: Source::Random(Kind::Plain, 22),
    },
    Mutant {
        what: "no stops before writes",
        file: "Run.java",
        original: "                choices.need(earlier.node());\n                if (earlier",
        mutated: "                if (!earlier.write()) choices.need(earlier.node());\n                if (earlier",
        noticed_by: Source::Random(Kind::Plain, 1),
    },
    Mutant {
        what: "no stops although tasks are posted",
        file: "Run.java",
        original: "        hasPosts = true;\n",
        mutated: "",
        noticed_by: Source::Random(Kind::Plain, 1),
    },
    Mutant {
        what: "a stop is not asked for because of any descendant",
        file: "Run.java",
        original: "at != null && at.number > access.posts()",
        mutated: "at != null",
        noticed_by: Source::Random(Kind::Plain, 8),
    },
    Mutant {
        what: "the last task posted before an access counts as posted after it",
        file: "Run.java",
        original: "at.number > access.posts()",
        mutated: "at.number >= access.posts()",
        noticed_by: Source::Random(Kind::Plain, 9),
    },
    Mutant {
        what: "conflicts do not leave tasks of the main thread out",
        file: "Run.java",
        original: "                    choices.need(earlier.task().skipNode);\n                }\n            }\n            int from",
        mutated: "                }\n            }\n            int from",
        noticed_by: Source::Written(Written::DispatchedLate),
    },
    Mutant {
        what: "a task that makes a run infeasible is not left out",
        file: "Run.java",
        original: "            choices.need(task.skipNode);\n            throw Signal.INFEASIBLE;",
        mutated: "            throw Signal.INFEASIBLE;",
        noticed_by: Source::Random(Kind::Plain, 9),
    },
    Mutant {
        what: "a task that waits for ever on the main thread is not left out",
        file: "Run.java",
        original: "            if (!task.any) {\n                choices.need(task.skipNode);\n            }\n            stop",
        mutated: "            stop",
        noticed_by: Source::Random(Kind::Plain, 6525),
    },
    Mutant {
        what: "a task that the cut one keeps from being dispatched asks for nothing",
        file: "Run.java",
        original: "                conflicts(task, all.cells[i], all.sites[i].write);\n",
        mutated: "",
        noticed_by: Source::Random(Kind::Plain, 1321),
    },
    Mutant {
        what: "tasks of the main thread are not cut",
        file: "Run.java",
        original: "return task.any || cut == null;",
        mutated: "return task.any;",
        noticed_by: Source::Random(Kind::Plain, 1),
    },
    Mutant {
        what: "two reads make a run infeasible",
        file: "Run.java",
        original: "return cell.touched == 2 || write && cell.touched != 0;",
        mutated: "return cell.touched != 0;",
        noticed_by: Source::Random(Kind::Plain, 6),
    },
    Mutant {
        what: "events keep the order of their declaration",
        file: "Run.java",
        original: "                choices.alsoFirst(orderNode[from], to);\n",
        mutated: "",
        noticed_by: Source::Random(Kind::Plain, 11),
    },
    Mutant {
        what: "a write is as good as a read that was noted before",
        file: "Run.java",
        original: "write ? cell.notedWrites : cell.notedReads",
        mutated: "cell.notedReads",
        noticed_by: Source::Random(Kind::Plain, 68),
    },
    Mutant {
        what: "only conflicts between two events make cycles",
        file: "Run.java",
        original: "edges[i][j] |= edges[k][j];",
        mutated: "edges[i][j] |= false;",
        noticed_by: Source::Random(Kind::Plain, 2819),
    },
    Mutant {
        what: "stops beyond the bound are forgotten",
        file: "Choices.java",
        original: "                    limited = true;\n",
        mutated: "",
        noticed_by: Source::Random(Kind::Plain, 9),
    },
    Mutant {
        what: "only the first suspicious access of a run is judged",
        file: "Explorer.java",
        original: "if (asked && seen.add(",
        mutated: "if (asked && seen.isEmpty() && seen.add(",
        noticed_by: Source::Written(Written::SecondPivot),
    },
    Mutant {
        what: "no stop before an entry into a monitor",
        file: "Run.java",
        original: "                choices.need(node);\n",
        mutated: "",
        noticed_by: Source::Written(Written::WaitsForMonitor),
    },
];

/// Checks every mutant. If `count` is 0, the programs are those that are known to notice one; else
/// also the first `count` random programs of each kind, which are tried in order.
pub(crate) fn check(class_path: &str, folder: &Path, count: u64) {
    let mut sources: Vec<Source> = MUTANTS.iter().map(|mutant| mutant.noticed_by).collect();
    for kind in [Kind::Plain, Kind::Monitors, Kind::Arrays] {
        sources.extend((1..=count).map(|seed| Source::Random(kind, seed)));
    }
    sources.sort_unstable();
    sources.dedup();
    let programs: Vec<_> = sources.iter().map(|s| (s.name(), s.program())).collect();
    compile(class_path, folder, &programs);
    let mut expected = Vec::new();
    for (name, program) in &programs {
        expected.extend(brute::verdicts(program, true, MAX_STATES).map(|answer| (name, answer)));
    }
    let mut explorer = Explorer::start(class_path, folder);
    for (name, answer) in &expected {
        assert_eq!(explorer.explore("reduced", name).0, *answer, "{name}, without a mutant");
    }
    let mut unnoticed = Vec::new();
    for mutant in MUTANTS {
        let mutated = build(mutant, class_path, folder);
        let mut explorer = Explorer::start(&mutated, folder);
        let known = mutant.noticed_by.name();
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
