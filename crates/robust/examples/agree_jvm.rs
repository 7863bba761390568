//! Compares `robust --jvm` with the language on random programs: each is written as `.evp` and as
//! Java, and the Java program also explores every stop and order. Run by `script/agree-jvm`.
//!
//! Usage: `agree_jvm JAR FOLDER SEED COUNT`

#![allow(clippy::format_push_string, reason = "text is built from short pieces")]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use robust::jvm::{Reply, Session};
use robust::{Criterion, Options, Status};

const CRITERIA: [Criterion; 2] = [Criterion::Determinism, Criterion::Serializability];

enum Stmt {
    Read(usize),
    Write(usize, &'static str),
    If(Vec<Stmt>, Vec<Stmt>),
    Post(bool, usize),
}

struct Program {
    procedures: Vec<Vec<Stmt>>,
    handlers: Vec<Vec<Stmt>>,
    /// The event before, and whether its end is meant.
    after: Vec<Option<(usize, bool)>>,
}

fn block(random: &mut fastrand::Rng, from: usize, procedures: usize, depth: u32) -> Vec<Stmt> {
    let mut stmts = Vec::new();
    for _ in 0..random.usize(1..4) {
        let variable = random.usize(0..3);
        match random.u32(0..10) {
            0..3 => stmts.push(Stmt::Read(variable)),
            3..6 => stmts.push(Stmt::Write(variable, ["true", "false", "l"][random.usize(0..3)])),
            6..8 if depth < 2 => {
                let yes = block(random, from, procedures, depth + 1);
                stmts.push(Stmt::If(yes, block(random, from, procedures, depth + 1)));
            }
            _ if from < procedures => {
                stmts.push(Stmt::Post(random.bool(), random.usize(from..procedures)));
            }
            _ => {}
        }
    }
    stmts
}

fn program(seed: u64) -> Program {
    let mut random = fastrand::Rng::with_seed(seed);
    let (procedures, events) = (random.usize(1..4), random.usize(1..4));
    Program {
        procedures: (0..procedures).map(|p| block(&mut random, p + 1, procedures, 0)).collect(),
        handlers: (0..events).map(|_| block(&mut random, 0, procedures, 0)).collect(),
        after: (0..events)
            .map(|event| {
                let ordered = event > 0 && random.u32(0..3) == 0;
                ordered.then(|| (random.usize(0..event), random.bool()))
            })
            .collect(),
    }
}

fn print(stmts: &[Stmt], java: bool, out: &mut String) {
    let assign = if java { "=" } else { ":=" };
    for stmt in stmts {
        match stmt {
            Stmt::Read(x) => writeln!(out, "l {assign} v{x};"),
            Stmt::Write(x, value) => writeln!(out, "v{x} {assign} {value};"),
            Stmt::Post(any, to) => {
                let on = if *any { "any" } else { "main" };
                if java {
                    writeln!(out, "Tasks.{on}(() -> p{to}());")
                } else {
                    writeln!(out, "async[{on}] p{to}();")
                }
            }
            Stmt::If(yes, no) => {
                out.push_str(if java { "if (l) {\n" } else { "if l {\n" });
                print(yes, java, out);
                out.push_str("} else {\n");
                print(no, java, out);
                writeln!(out, "}}")
            }
        }
        .expect("writing to a string");
    }
}

fn evp(program: &Program) -> String {
    let mut out = "var v0, v1, v2;\n".to_owned();
    let named = |letter, all: &Vec<Vec<Stmt>>, out: &mut String| {
        for (number, stmts) in all.iter().enumerate() {
            *out += &format!("procedure {letter}{number}() {{\nvar l;\n");
            print(stmts, false, out);
            out.push_str("}\n");
        }
    };
    named('p', &program.procedures, &mut out);
    named('h', &program.handlers, &mut out);
    out.push_str("driver {\n");
    for (event, after) in program.after.iter().enumerate() {
        let after = after.map_or(String::new(), |(other, end)| {
            format!(" after e{other}.{}", if end { "end" } else { "start" })
        });
        out += &format!("e{event}: h{event}{after};\n");
    }
    out + "}\n"
}

fn java(program: &Program, name: &str) -> String {
    let mut out = format!(
        "import interloper.robust.*;\npublic class {name} {{\nstatic boolean v0, v1, v2;\n"
    );
    for (letter, all) in [('p', &program.procedures), ('h', &program.handlers)] {
        for (number, stmts) in all.iter().enumerate() {
            out += &format!("static void {letter}{number}() {{\nboolean l = false;\n");
            print(stmts, true, &mut out);
            out.push_str("}\n");
        }
    }
    out.push_str("public static void main(Driver d) {\n");
    for (event, after) in program.after.iter().enumerate() {
        let after = after.map_or(String::new(), |(other, end)| {
            format!(".after{}(e{other})", if end { "End" } else { "Start" })
        });
        out += &format!("var e{event} = d.event(\"e{event}\", () -> h{event}()){after};\n");
    }
    out + "}\n}\n"
}

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
    input: ChildStdin,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Explorer {
    /// The verdicts and the number of runs.
    fn explore(&mut self, mode: &str, name: &str) -> (String, u64) {
        writeln!(self.input, "{mode} {name}").expect("the Java program listens");
        let mut session = Session::default();
        for line in &mut self.lines {
            match session.line(&line.expect("UTF-8")).expect("a message") {
                Reply::Send(text) => writeln!(self.input, "{text}").expect("it listens"),
                Reply::Done => {
                    let report = session.report(name, &CRITERIA);
                    assert!(report.status() != Status::Unknown, "{}", report.text());
                    return (short(&report.json()), report.statistics.runs);
                }
                Reply::Failed(message) => panic!("{name}: {message}"),
                Reply::Listen | Reply::Progress(_) => {}
            }
        }
        panic!("the Java program ended at {name}")
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (jar, folder) = (&args[1], Path::new(&args[2]));
    let (seed, count): (u64, u64) = (args[3].parse().unwrap(), args[4].parse().unwrap());
    let names: Vec<String> = (seed..seed + count).map(|seed| format!("P{seed}")).collect();
    let mut sources = Vec::new();
    for (seed, name) in (seed..).zip(&names) {
        let path = folder.join(format!("{name}.java"));
        fs::write(&path, java(&program(seed), name)).expect("the folder can be written");
        sources.push(path);
    }
    let compiled = Command::new("javac")
        .args(["-nowarn", "-cp", jar, "-d"])
        .arg(folder)
        .args(sources)
        .status();
    assert!(compiled.expect("javac runs").success());
    let mut child = Command::new("java")
        .args(["-XX:+UseSerialGC", "-jar", jar])
        .arg(folder)
        .args(["-", "86400", "both"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("java runs");
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut explorer = Explorer { input: child.stdin.take().unwrap(), lines };
    let mut tally = std::collections::BTreeMap::new();
    let (mut reduced_runs, mut all_runs, mut different) = (0, 0, 0);
    for (seed, name) in (seed..).zip(&names) {
        let source = evp(&program(seed));
        let report = robust::check(name, &source, &Options::default()).expect("a program");
        let expected = short(&report.json());
        let (reduced, runs) = explorer.explore("reduced", name);
        let (all, more) = explorer.explore("everything", name);
        reduced_runs += runs;
        all_runs += more;
        *tally.entry(expected.clone()).or_insert(0) += 1;
        if reduced != expected || all != expected {
            different += 1;
            println!("seed {seed}: .evp {expected}, reduced {reduced}, everything {all}\n{source}");
        }
    }
    drop(explorer);
    let _ = child.wait();
    println!(
        "{count} programs {tally:?}: {different} differ; {reduced_runs} runs, everything {all_runs}"
    );
    assert_eq!(different, 0);
}
