//! Finds the programs that a shell script starts.

mod parse;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub(crate) use parse::Script;
use parse::{Command, Word};

use crate::{Program, Start, python};

const BUILTINS: [&str; 48] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "break",
    "cd",
    "continue",
    "declare",
    "dirs",
    "echo",
    "enable",
    "exit",
    "export",
    "false",
    "fg",
    "getopts",
    "hash",
    "help",
    "jobs",
    "kill",
    "let",
    "local",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "test",
    "times",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
    "compgen",
    "disown",
];

/// Programs and builtins that start the command in their arguments.
const WRAPPERS: [&str; 16] = [
    "exec", "command", "builtin", "env", "flock", "ionice", "nice", "nohup", "setsid", "stdbuf",
    "strace", "sudo", "time", "timeout", "xargs", "chroot",
];
/// The wrappers that are builtins, not programs.
const BUILTIN_WRAPPERS: [&str; 3] = ["exec", "command", "builtin"];

/// The functions that scripts may call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Functions {
    names: BTreeSet<String>,
    /// The functions that run the command in their arguments, and the number of arguments before
    /// it.
    wrappers: BTreeMap<String, usize>,
}

impl Functions {
    pub(crate) fn add(&mut self, script: &Script) {
        self.names.extend(script.functions.iter().cloned());
        for command in &script.commands {
            let Some(function) = &command.function else { continue };
            if command.words[0].text == "$@" {
                self.wrappers.insert(function.clone(), shifted(script, function));
            }
        }
    }
}

/// The number of arguments that a function shifts.
fn shifted(script: &Script, function: &str) -> usize {
    let inside = script.commands.iter().filter(|c| c.function.as_deref() == Some(function));
    let shifts = inside.filter(|command| command.words[0].text == "shift");
    shifts.map(|shift| shift.words.get(1).map_or(1, |n| n.text.parse().unwrap_or(1))).sum()
}

pub(crate) fn parse(text: &str) -> Script {
    parse::parse(text, 1)
}

/// The purposes for which a script asks for programs: `need PURPOSE`.
pub(crate) fn purposes(script: &Script) -> Vec<String> {
    let needs = script.commands.iter().filter(|command| command.words[0].text == "need");
    needs.filter_map(|command| command.words.get(1)).map(|word| word.text.clone()).collect()
}

/// Returns the programs that a script starts. `root` is the folder that its paths are relative to.
pub(crate) fn starts(script: &Script, functions: &Functions, root: &Path) -> Vec<Start> {
    let scan = Scan { script, functions, root };
    script.commands.iter().flat_map(|command| scan.command(command)).collect()
}

/// Returns the programs that the text given to `sh -c` starts.
pub(crate) fn starts_of_text(text: &str, root: &Path) -> Vec<Program> {
    let script = parse(text);
    let mut functions = Functions::default();
    functions.add(&script);
    starts(&script, &functions, root).into_iter().map(|start| start.program).collect()
}

struct Scan<'a> {
    script: &'a Script,
    functions: &'a Functions,
    root: &'a Path,
}

impl Scan<'_> {
    fn command(&self, command: &Command) -> Vec<Start> {
        let programs = self.programs(&command.words, command.function.is_some(), 0);
        let is_python = programs.iter().any(|program| program.is("python3"));
        let documents = command.documents.iter().filter(|_| is_python);
        let inside = documents.flat_map(|(line, text)| {
            python::starts(text).into_iter().map(move |start| start.below(*line))
        });
        let own = programs.into_iter().map(|program| Start { line: command.line, program });
        own.chain(inside).collect()
    }

    fn programs(&self, words: &[Word], in_function: bool, depth: usize) -> Vec<Program> {
        let [first, rest @ ..] = words else { return Vec::new() };
        if !first.is_literal() {
            return self.expanded(first, in_function, depth);
        }
        let name = first.text.as_str();
        if let Some(skipped) = self.functions.wrappers.get(name) {
            return self.programs(rest.get(*skipped..).unwrap_or_default(), in_function, depth);
        }
        match name {
            _ if self.functions.names.contains(name) => Vec::new(),
            "eval" => vec![Program::unclear("eval")],
            "trap" => rest.first().map_or(Vec::new(), |code| starts_of_text(&code.text, self.root)),
            "command" if rest.first().is_some_and(|word| word.text.starts_with("-v")) => Vec::new(),
            _ if WRAPPERS.contains(&name) => {
                let own = (!BUILTIN_WRAPPERS.contains(&name)).then(|| Program::named(name));
                let inner = self.programs(wrapped(rest), in_function, depth);
                own.into_iter().chain(inner).collect()
            }
            _ if BUILTINS.contains(&name) => Vec::new(),
            "sh" | "bash" | "dash" if rest.first().is_some_and(|word| word.text == "-c") => {
                let code =
                    rest.get(1).map_or(Vec::new(), |code| starts_of_text(&code.text, self.root));
                std::iter::once(Program::named(name)).chain(code).collect()
            }
            "find" => {
                let exec = rest.iter().position(|word| word.text.starts_with("-exec"));
                let inner = exec.map_or(&[][..], |at| &rest[at + 1..]);
                let inner = self.programs(inner, in_function, depth);
                std::iter::once(Program::named(name)).chain(inner).collect()
            }
            _ if name.contains('/') && !name.starts_with('/') => vec![self.path(name)],
            _ => vec![Program::named(name)],
        }
    }

    /// A word with expansions in the place of a command.
    fn expanded(&self, word: &Word, in_function: bool, depth: usize) -> Vec<Program> {
        let variable = word.text.trim_start_matches(['$', '{']).trim_end_matches('}');
        if variable == "@" && in_function {
            return Vec::new();
        }
        if let Some(values) = self.script.assigned.get(variable).filter(|_| depth < 4) {
            let each = |value| self.programs(std::slice::from_ref(value), in_function, depth + 1);
            return values.iter().flat_map(each).collect();
        }
        let prefix = word.text.split('$').next().unwrap_or_default();
        if !prefix.is_empty() && self.functions.names.iter().any(|name| name.starts_with(prefix)) {
            return Vec::new();
        }
        if word.text.starts_with("target/") {
            return vec![Program::Own];
        }
        match word.text[word.after..].strip_prefix('/') {
            Some(path) => vec![self.path(path.trim_start_matches("../"))],
            None => vec![Program::unclear(&word.text)],
        }
    }

    /// A program by a relative path: one of the repository, or one that is built in it.
    fn path(&self, path: &str) -> Program {
        if path.starts_with("target/") || self.root.join(path).is_file() {
            Program::Own
        } else {
            Program::unclear(path)
        }
    }
}

/// The command in the arguments of a wrapper: after its options, their numbers, and assignments.
fn wrapped(words: &[Word]) -> &[Word] {
    let is_own = |word: &Word| {
        let text = &word.text;
        text.starts_with('-')
            || text.contains('=')
            || text.starts_with(|c: char| c.is_ascii_digit())
    };
    &words[words.iter().position(|word| !is_own(word)).unwrap_or(words.len())..]
}
