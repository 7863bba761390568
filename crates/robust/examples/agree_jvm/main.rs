//! Compares `robust --jvm` with slower definitions on random programs: each is written as Java, and the
//! Java program explores it with its reductions and without them. Plain programs are also written as
//! `.evp`. Brute force over all interleavings decides about all. Run by `script/agree-jvm`.
//!
//! Usage: `agree_jvm JAR FOLDER plain|monitors|arrays SEED COUNT`, or `agree_jvm JAR FOLDER mutants COUNT` for
//! the [`mutants`] of the reductions.

mod brute;
mod mutants;
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use program::{Kind, Program, Source};
use robust::jvm::{Reply, Session};
use robust::{Criterion, Options};

const CRITERIA: [Criterion; 2] = [Criterion::Determinism, Criterion::Serializability];

/// The main class of the Java program.
const MAIN: &str = "interloper.robust.engine.Main";

/// The number of states after which brute force gives up.
const MAX_STATES: usize = 50_000;

/// `YY`, `YN`, `N-` or `?` for a verdict on both criteria.
fn short(json: &serde_json::Value) -> String {
    let verdict = |at: usize| match json["criteria"][at]["verdict"].as_str() {
        Some("proved" | "holds") => 'Y',
        Some("violated") => 'N',
        Some("unchecked") => '-',
        _ => '?',
    };
    [verdict(0), verdict(1)].iter().collect()
}

struct Explorer {
    child: Child,
    input: ChildStdin,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

/// The Java program also ends if a comparison panics.
impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Explorer {
    fn start(class_path: &str, classes: &Path) -> Self {
        let mut child = Command::new("java")
            .args(["-XX:+UseSerialGC", "-Xmx1g", "-cp", class_path, MAIN])
            .arg(classes)
            .args(["-", "86400", "both"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java runs");
        let input = child.stdin.take().expect("a pipe");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self { child, input, lines }
    }

    /// The verdicts and the number of runs.
    fn explore(&mut self, mode: &str, name: &str) -> (String, u64) {
        writeln!(self.input, "{mode} {name}").expect("the Java program listens");
        let mut session = Session::default();
        for line in &mut self.lines {
            match session.line(&line.expect("UTF-8")).expect("a message") {
                Reply::Send(text) => writeln!(self.input, "{text}").expect("it listens"),
                Reply::Done => {
                    let report = session.report(name, &CRITERIA);
                    return (short(&report.json()), report.statistics.runs);
                }
                Reply::Failed(message) => panic!("{name}: {message}"),
                Reply::Listen | Reply::Progress(_) => {}
            }
        }
        panic!("the Java program ended at {name}")
    }
}

/// Writes the programs to the folder, and compiles them.
fn compile(jar: &str, folder: &Path, programs: &[(String, Program)]) {
    let mut sources = Vec::new();
    for (name, program) in programs {
        let path = folder.join(format!("{name}.java"));
        fs::write(&path, program.java(name)).expect("the folder can be written");
        sources.push(path);
    }
    let mut command = Command::new("javac");
    command.args(["-J-Xmx1g", "-nowarn", "-cp", jar, "-d"]).arg(folder).args(sources);
    assert!(command.status().expect("javac runs").success());
}

/// What each way of deciding says about a program, and the runs of the two explorations.
fn decide(
    explorer: &mut Explorer,
    name: &str,
    program: &Program,
) -> (Vec<(&'static str, String)>, [u64; 2]) {
    let mut answers = Vec::new();
    if let Some(source) = program.evp() {
        let report = robust::check(name, &source, &Options::default()).expect("a program");
        answers.push((".evp", short(&report.json())));
    }
    if let Some(brute) = brute::verdicts(program, true, MAX_STATES) {
        answers.push(("brute force", brute.to_owned()));
    }
    let (reduced, runs) = explorer.explore("reduced", name);
    answers.push(("reduced", reduced));
    let (everything, more) = explorer.explore("everything", name);
    answers.push(("everything", everything));
    (answers, [runs, more])
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let [_, jar, folder, kind, count] = &args[..]
        && kind == "mutants"
    {
        return mutants::check(jar, Path::new(folder), count.parse().unwrap());
    }
    let [_, jar, folder, kind, seed, count] = &args[..] else {
        panic!(
            "usage: agree_jvm JAR FOLDER plain|monitors|arrays SEED COUNT, or JAR FOLDER mutants COUNT"
        )
    };
    let folder = Path::new(folder);
    let name = kind;
    let kind = match name.as_str() {
        "plain" => Kind::Plain,
        "monitors" => Kind::Monitors,
        "arrays" => Kind::Arrays,
        _ => panic!("there are no programs of kind {name}"),
    };
    let (seed, count): (u64, u64) = (seed.parse().unwrap(), count.parse().unwrap());
    let sources = (seed..seed + count).map(|seed| Source::Random(kind, seed));
    let programs: Vec<_> = sources.map(|source| (source.name(), source.program())).collect();
    compile(jar, folder, &programs);
    let mut explorer = Explorer::start(jar, folder);
    let mut tally: BTreeMap<String, u64> = BTreeMap::new();
    let (mut runs, mut different, mut large, mut decisive) = ([0, 0], 0, 0, 0);
    for (name, program) in &programs {
        let (answers, took) = decide(&mut explorer, name, program);
        runs = [runs[0] + took[0], runs[1] + took[1]];
        large += u64::from(!answers.iter().any(|(who, _)| *who == "brute force"));
        let without = brute::verdicts(program, false, MAX_STATES);
        decisive += u64::from(without.is_some_and(|verdicts| verdicts != answers[0].1));
        *tally.entry(answers[0].1.clone()).or_default() += 1;
        if answers.iter().any(|(_, answer)| *answer != answers[0].1) {
            different += 1;
            println!("{name}: {answers:?}\n{}", program.java(name));
        }
    }
    println!(
        "{count} programs, {name}: {tally:?}, {different} differ; {large} too large for brute force; \
         monitors decide {decisive}; {} runs, everything {}",
        runs[0], runs[1]
    );
    assert_eq!(different, 0);
}
