//! Tests of the search: programs that it must find, however they are started, and text that only
//! looks like a start.

use std::path::Path;

use crate::{Program, Start, complaint, explained, javascript, listed, python, root, rust, shell};

const LIST: &str = "cat coreutils all\nz3 z3 test\n";

/// The programs found in a source, as text: names, `own`, or `?` for an unclear program.
fn shown(starts: Vec<Start>) -> Vec<String> {
    let show = |start: Start| match start.program {
        Program::Named(name) => name,
        Program::Own => "own".to_owned(),
        Program::Unclear(_) => "?".to_owned(),
    };
    starts.into_iter().map(show).collect()
}

fn in_rust(text: &str) -> Vec<String> {
    shown(explained(text, rust::starts(text, &root()).expect("Rust")))
}

fn in_javascript(text: &str) -> Vec<String> {
    let text =
        format!("import {{ spawn, execSync as run, fork }} from 'node:child_process';\n{text}");
    let starts = javascript::starts(&text, Path::new("a.mjs"), &root()).expect("JavaScript");
    shown(explained(&text, starts))
}

fn in_shell(text: &str) -> Vec<String> {
    let script = shell::parse(text);
    let mut functions = shell::Functions::default();
    functions.add(&script);
    shown(explained(text, shell::starts(&script, &functions, &root())))
}

#[test]
fn rust_starts() {
    for (text, expected) in [
        (r#"fn f() { Command::new("frob").spawn(); }"#, "frob"),
        (
            r#"fn f() { assert!(std::process::Command::new("/usr/bin/frob").status().is_ok()); }"#,
            "frob",
        ),
        (r#"const NAME: &str = "frob"; fn f() { Command::new(NAME).spawn(); }"#, "frob"),
        (r#"fn f() { Command::new("sh").args(["-c", "cat x | frob"]).spawn(); }"#, "sh cat frob"),
        (
            "const S: &str = \"exec \\\"$0\\\"\"; fn f() { let mut c = Command::new(\"/bin/sh\"); c.args([\"-c\", S]); }",
            "sh ?",
        ),
        (r"fn f(p: &str) { Command::new(p).spawn(); }", "?"),
        (r"use std::process::Command as Start;", "?"),
        (r"use std::process::*;", "?"),
        (r"use std::{fs, process::{self, *}};", "?"),
        (r"fn f() { names().map(Command::new); }", "?"),
        ("/// ```\n/// Command::new(\"frob\");\n/// ```\nfn f() {}", "?"),
        ("fn f(p: &str) {\n // starts: frob, own\n Command::new(p).spawn(); }", "frob own"),
        (r#"fn f() { Command::new(env!("CARGO_BIN_EXE_interloper")); }"#, "own"),
        (r"fn f() { Command::new(std::env::current_exe().unwrap()); }", "own"),
        // Near misses.
        (r#"fn f() { clap::Command::new("frob"); } // Command::new("frob")"#, ""),
        (r#"fn f() { let s = "Command::new(\"frob\")"; Command::from_arg_matches(s); }"#, ""),
    ] {
        assert_eq!(in_rust(text).join(" "), expected, "{text}");
    }
}

#[test]
fn javascript_starts() {
    for (text, expected) in [
        ("spawn('frob', ['-x'])", "frob"),
        ("const f = async () => { if (x) await g(spawn(`frob`)); }", "frob"),
        ("run('cd x && frob | cat')", "frob cat"),
        ("fork('x.mjs')", "node"),
        ("spawn(process.execPath)", "node"),
        ("spawn(program)", "?"),
        ("// starts: own\nspawn(program)", "own"),
        ("const start = promisify(spawn)", "?"),
        ("import * as children from 'child_process'; children.execFileSync('frob')", "frob"),
        ("import children from 'child_process'; const { exec } = children;", "?"),
        ("const { exec } = require('child_process')", "?"),
        ("const { exec } = await import('node:child_process')", "?"),
        ("chromium.launch({ executablePath: process.env.X ?? '/usr/bin/frob' })", "frob"),
        ("chromium.launch({ executablePath: found })", "?"),
        // Near misses.
        ("/frob/.exec('frob'); page.spawn('frob'); // spawn('frob')", ""),
        ("const s = \"spawn('frob')\"", ""),
    ] {
        assert_eq!(in_javascript(text).join(" "), expected, "{text}");
    }
}

#[test]
fn shell_starts() {
    for (text, expected) in [
        ("frob -x <in >out 2>&1 &", "frob"),
        ("A=1 B=\"$(cat y)\" frob", "cat frob"),
        ("cd x || { echo no; frob; }", "frob"),
        ("if frob; then cat; elif [ -x y ]; then :; else cat; fi", "frob cat cat"),
        ("while ! frob; do\n  cat # frob\ndone", "frob cat"),
        ("for x in $(frob) \"a b\"; do cat \"$x\"; done", "frob cat"),
        ("for ((i = 0; i < $(frob); i++)); do cat; done", "frob cat"),
        ("case \"$1\" in\n  \"\" | --a) frob ;;\n  (*) cat ;;\nesac\nfrob", "frob cat frob"),
        ("f() {\n  frob\n}\nf x", "frob"),
        ("function f { frob; }; f", "frob"),
        ("x=frob\n$x -v", "frob"),
        ("local x=frob list=(cat \"$(cat)\")\n$x -v", "cat frob"),
        ("f_a() { frob; }\n\"f_$kind\" x", "frob"),
        ("\"$x\" -v", "?"),
        ("$x -v # starts: frob", "frob"),
        ("command -v frob >/dev/null; exec frob", "frob"),
        ("nice -n 10 env A=1 frob | xargs -n 1 cat", "nice env frob xargs cat"),
        ("quietly() {\n  local log\n  \"$@\" >log || cat log\n}\nquietly frob -x", "cat frob"),
        ("part() { shift 2; (set -e; \"$@\") | cat; }\npart name one frob", "cat frob"),
        ("trap 'frob x' EXIT", "frob"),
        ("eval \"frob\"", "?"),
        ("bash -c 'cat | frob'", "bash cat frob"),
        ("find . -name x -exec frob {} +", "find frob"),
        ("diff <(frob) <(cat)", "frob cat diff"),
        ("echo \"a $(frob \"$(cat)\") b\" `frob`", "cat frob frob"),
        ("x=$((1 + $(frob)))", "frob"),
        ("coproc SHOP { exec frob; }", "frob"),
        ("{ time frob; } 2>x", "frob"),
        ("[[ $(frob) =~ (a|b) && -n \"$x\" ]] && cat", "frob cat"),
        ("list=(a b\n  \"$(frob)\")\nread -r x < <(cat)", "frob cat"),
        ("cat <<END\n frob $(frob)\nEND\ncat", "cat frob cat"),
        ("cat <<'END'\n $(frob)\nEND\nfrob", "cat frob"),
        (
            "python3 - \"$x\" <<'PY'\nimport subprocess\nsubprocess.run(['frob'])\nPY",
            "python3 frob",
        ),
        (
            "script/setup.sh; target/debug/x; \"$(dirname \"$0\")/../script/setup.sh\"",
            "own own dirname own",
        ),
        ("script/absent", "?"),
        // Near misses.
        ("echo frob; printf '%s' \"frob\"; # frob\nx='frob'", ""),
        ("read -r x <<<\"frob\"\necho $frob ${frob:-frob}", ""),
    ] {
        let mut found = in_shell(text);
        // Substitutions come before the command that they belong to, or after it: not the point
        // here.
        let mut expected: Vec<&str> = expected.split_whitespace().collect();
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn no_text_stops_the_parser() {
    let pieces = [
        "frob", "$(", ")", "((", "`", "\"", "'", "<<E", "\n", "case ", " in ", "=(", "${", "}",
        "{", "&", ";;", "[[ ",
    ];
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..20_000 {
        let text: String =
            (0..random.usize(1..12)).map(|_| random.choice(pieces).unwrap()).collect();
        shell::parse(&text);
    }
}

#[test]
fn python_starts() {
    for (text, expected) in [
        ("subprocess.run(['frob', x], stdout=subprocess.PIPE)", "frob"),
        ("run = subprocess.Popen(\n    [\"/bin/frob\"])", "frob"),
        ("os.system('frob')", "frob"),
        ("subprocess.check_output([program])", "?"),
        ("subprocess.run([program])  # starts: own", "own"),
        ("from subprocess import run", "?"),
        ("# subprocess.run(['frob'])\nx = subprocess.DEVNULL", ""),
    ] {
        assert_eq!(shown(explained(text, python::starts(text))).join(" "), expected, "{text}");
    }
}

#[test]
fn a_program_that_is_not_listed_is_a_complaint() {
    let listed = listed(LIST);
    let say = |name: &str, purposes: &[&str]| {
        let purposes: Vec<String> = purposes.iter().map(|&purpose| purpose.to_owned()).collect();
        complaint(&Start { line: 1, program: Program::named(name) }, &purposes, &listed)
    };
    assert!(say("frob", &["test"]).is_some_and(|text| text.contains("`frob`")));
    assert!(say("z3", &["demo", "all"]).is_some_and(|text| text.contains("only for test")));
    assert!(say("z3", &["all"]).is_some());
    assert_eq!(say("z3", &["test"]), None);
    // The person who calls a benchmark must have the program.
    assert_eq!(say("z3", &[]), None);
    assert_eq!(say("cat", &["demo", "all"]), None);
    let unclear = Start { line: 1, program: Program::unclear("x") };
    assert!(complaint(&unclear, &[], &listed).is_some());
}
