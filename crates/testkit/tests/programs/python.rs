//! Finds the programs that a Python script starts, line by line: every use of `subprocess` and of
//! the functions of `os` that start a program. A first argument that is a literal, or a list whose
//! first element is a literal, is a name; any other argument is unclear.

use crate::{Program, Start};

const CALLS: [&str; 7] = [
    "subprocess.",
    "os.system(",
    "os.popen(",
    "os.exec",
    "os.spawn",
    "os.posix_spawn",
    "pty.spawn(",
];
/// Members of `subprocess` that start nothing.
const HARMLESS: [&str; 7] = [
    "PIPE",
    "DEVNULL",
    "STDOUT",
    "TimeoutExpired",
    "CalledProcessError",
    "CompletedProcess",
    "SubprocessError",
];

pub(crate) fn starts(text: &str) -> Vec<Start> {
    let mut starts = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or_default();
        if code.contains("from subprocess import") || code.contains("from os import") {
            starts.push(Start { line: at + 1, program: Program::unclear(code.trim()) });
        }
        for call in CALLS {
            for (offset, _) in code.match_indices(call) {
                let rest = &code[offset + call.len()..];
                let is_harmless =
                    call == "subprocess." && HARMLESS.iter().any(|name| rest.starts_with(name));
                if !is_harmless {
                    // The arguments may begin on the next line.
                    let following: String =
                        text.lines().skip(at + 1).take(1).map(str::trim).collect();
                    let program = program(&format!("{rest}{following}"));
                    starts.push(Start { line: at + 1, program });
                }
            }
        }
    }
    starts
}

/// The program of a call, from the text after the name of the function.
fn program(rest: &str) -> Program {
    let arguments = rest.split_once('(').map_or(rest, |(_, arguments)| arguments);
    let first = arguments.trim_start().trim_start_matches('[').trim_start();
    for quote in ['"', '\''] {
        if let Some((name, _)) = first.strip_prefix(quote).and_then(|text| text.split_once(quote)) {
            return Program::named(name);
        }
    }
    Program::unclear(first.split([',', ')', ']']).next().unwrap_or_default())
}
