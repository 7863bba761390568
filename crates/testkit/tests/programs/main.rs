//! Every program that code of this repository starts is listed in `script/programs`, and is
//! installed for the purpose it is started for.
//!
//! The sources of all languages are searched: Rust by tokens, JavaScript by its syntax, shell
//! scripts by their grammar, Python by lines, and the scripts of `package.json` as shell scripts. A
//! program that is not named by a literal is *unclear*, and fails the test, unless a comment
//! `starts: NAME` on the same line or the one before says which it is; `own` stands for what is
//! built here.

mod examples;
mod javascript;
mod python;
mod rust;
mod shell;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A program that is started.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Program {
    /// A program with a name, by the last part of its path.
    Named(String),
    /// A program that is built here, or a file of the repository.
    Own,
    /// A program that cannot be determined, by the expression that names it.
    Unclear(String),
}

impl Program {
    fn named(path: &str) -> Self {
        Program::Named(path.rsplit('/').next().unwrap_or(path).to_owned())
    }

    fn unclear(expression: &str) -> Self {
        Program::Unclear(expression.to_owned())
    }

    fn is(&self, name: &str) -> bool {
        matches!(self, Program::Named(own) if own == name)
    }
}

/// A program that is started on a line, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Start {
    line: usize,
    program: Program,
}

impl Start {
    /// Moves the start down by `lines`, for a text that begins so many lines further down.
    fn below(self, lines: usize) -> Self {
        Self { line: self.line + lines, ..self }
    }
}

/// A program of `script/programs`: for which purposes it is installed.
type Listed = BTreeMap<String, Vec<String>>;

/// The listed programs that no code here starts by name, with the programs that start them.
const INDIRECT: [(&str, &str); 2] = [("cc", "cargo, to link"), ("xz", "tar -J")];

/// The folders without code of this repository that runs on this machine.
const LEFT_OUT: [&str; 7] =
    [".git", ".github", "artifacts", "corpus", "dist", "node_modules", "target"];

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("the repository")
}

fn listed(text: &str) -> Listed {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let rows = lines.map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let command = words.next().expect("a line has words");
        assert!(words.next().is_some(), "{command} has no package");
        let purposes: Vec<String> = words.collect();
        assert!(!purposes.is_empty(), "{command} is needed for nothing");
        (command, purposes)
    });
    let rows: Vec<_> = rows.collect();
    assert!(rows.is_sorted(), "script/programs is not sorted by command");
    let mut listed = Listed::new();
    for (command, purposes) in rows {
        // Modules and versions of a program are listed on their own.
        let program = command.split(':').next().unwrap_or_default();
        listed.entry(program.to_owned()).or_default().extend(purposes);
    }
    listed
}

/// The files below a folder that may hold code.
fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let kind = entry.file_type().expect("a file has a type");
        if kind.is_dir() && !LEFT_OUT.iter().any(|left_out| name == *left_out) {
            files(&entry.path(), into);
        } else if kind.is_file() {
            into.push(entry.path());
        }
    }
}

/// Replaces unclear programs by those that a comment names.
fn explained(text: &str, starts: Vec<Start>) -> Vec<Start> {
    let lines: Vec<&str> = text.lines().collect();
    let comment = |line: usize| {
        let near = [line.checked_sub(1), line.checked_sub(2)].into_iter().flatten();
        let mut near = near.filter_map(|at| lines.get(at)?.split_once("starts: "));
        near.next().map(|(_, names)| names.trim().to_owned())
    };
    let explain = |start: Start| match (&start.program, comment(start.line)) {
        (Program::Unclear(_), Some(names)) => names
            .split(", ")
            .map(|name| if name == "own" { Program::Own } else { Program::named(name) })
            .map(|program| Start { program, ..start })
            .collect(),
        _ => vec![start],
    };
    starts.into_iter().flat_map(explain).collect()
}

/// Returns the programs that a file starts, and the purposes of which one must install them. None
/// if the file has no code. `library` has the functions of the scripts that others source.
fn starts_of(
    path: &Path,
    text: &str,
    library: &shell::Functions,
) -> Option<(Vec<Start>, Vec<String>)> {
    let root = root();
    let shown = path.strip_prefix(&root).unwrap_or(path).to_string_lossy().into_owned();
    let failed = |error: String| -> Vec<Start> { panic!("{shown}: {error}") };
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    let is_script = first.starts_with("#!") && !first.starts_with("#![");
    // Tests and the tested code run in script/test. Benchmarks and examples run where somebody
    // calls them.
    let elsewhere =
        ["/examples/", "/benches/", "tests/bench/"].iter().any(|part| shown.contains(part));
    let tested = if elsewhere {
        Vec::new()
    } else if shown.contains("tests/real-apps/") {
        vec!["real-apps".to_owned()]
    } else {
        vec!["test".to_owned()]
    };
    let (starts, purposes) = match extension {
        "rs" => (rust::starts(text, &root).unwrap_or_else(failed), tested),
        "js" | "mjs" | "cjs" | "ts" | "jsx" | "tsx" => {
            (javascript::starts(text, path, &root).unwrap_or_else(failed), tested)
        }
        "py" => (python::starts(text), tested),
        "json" if path.ends_with("package.json") => (npm_starts(text, &root), tested),
        _ if extension == "sh" || is_script && first.contains("sh") => {
            let script = shell::parse(text);
            let mut functions = library.clone();
            functions.add(&script);
            let mut purposes = shell::purposes(&script);
            // A program that a script does not ask for must be everywhere; a library asks for none.
            if extension != "sh" {
                purposes.push("all".to_owned());
            }
            (shell::starts(&script, &functions, &root), purposes)
        }
        _ if is_script => panic!("{shown}: which language is {first}?"),
        _ => return None,
    };
    let interpreter = first.strip_prefix("#!").filter(|_| is_script).unwrap_or_default();
    let interpreter = interpreter.split_whitespace().map(Program::named);
    let interpreter = interpreter.map(|program| Start { line: 1, program });
    Some((explained(text, starts).into_iter().chain(interpreter).collect(), purposes))
}

/// Returns the programs that the scripts of a `package.json` start, except those of npm packages.
fn npm_starts(text: &str, root: &Path) -> Vec<Start> {
    let package: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let scripts = package["scripts"].as_object().into_iter().flatten();
    let programs = scripts.flat_map(|(_, code)| {
        shell::starts_of_text(code.as_str().expect("a script is a string"), root)
    });
    let installed = npm_programs(root);
    let others = programs.filter(|program| !installed.iter().any(|name| program.is(name)));
    others.map(|program| Start { line: 1, program }).collect()
}

/// The programs that `npm ci` installs.
fn npm_programs(root: &Path) -> BTreeSet<String> {
    let lock = fs::read_to_string(root.join("package-lock.json")).expect("a lock file");
    let lock: serde_json::Value = serde_json::from_str(&lock).expect("JSON");
    let packages = lock["packages"].as_object().expect("packages");
    let programs = packages.values().filter_map(|package| package["bin"].as_object());
    programs.flat_map(|programs| programs.keys().cloned()).collect()
}

/// Returns the complaint about a start, if there is one.
fn complaint(start: &Start, purposes: &[String], listed: &Listed) -> Option<String> {
    match &start.program {
        Program::Own => None,
        Program::Unclear(expression) => Some(format!(
            "which program `{expression}` starts is not clear: name it by a literal, or say it in a \
             comment `starts: NAME` (`starts: own` for what is built here)"
        )),
        Program::Named(name) => match listed.get(name) {
            None => Some(format!("`{name}` is started, and is not listed in script/programs")),
            Some(known) => {
                // Without a purpose, the person who runs the code must have the program.
                let is_brought = purposes.is_empty()
                    || known.iter().any(|one| one == "all" || purposes.contains(one));
                (!is_brought).then(|| {
                    format!(
                        "`{name}` is started, and script/programs brings it only for {}",
                        known.join(", ")
                    )
                })
            }
        },
    }
}

#[test]
fn every_program_that_is_started_is_listed() {
    let root = root();
    let listed = listed(&fs::read_to_string(root.join("script/programs")).expect("the list"));
    let mut paths = Vec::new();
    files(&root, &mut paths);
    // These files contain the examples of this test.
    paths.retain(|path| !path.starts_with(root.join("crates/testkit/tests/programs")));
    let texts: Vec<(PathBuf, String)> = paths
        .into_iter()
        .filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?)))
        .collect();
    let mut library = shell::Functions::default();
    for (_, text) in texts.iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "sh")) {
        library.add(&shell::parse(text));
    }
    let (mut found, mut complaints, mut searched) = (BTreeSet::new(), Vec::new(), 0);
    for (path, text) in &texts {
        let Some((starts, purposes)) = starts_of(path, text, &library) else { continue };
        searched += 1;
        for start in starts {
            if let Some(complaint) = complaint(&start, &purposes, &listed) {
                let shown = path.strip_prefix(&root).unwrap_or(path).display();
                complaints.push(format!("{shown}:{}: {complaint}", start.line));
            }
            if let Program::Named(name) = start.program {
                found.insert(name);
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    assert!(searched > 300, "only {searched} files were searched");
    for program in listed.keys() {
        let is_indirect = INDIRECT.iter().any(|(name, _)| name == program);
        assert!(
            is_indirect || found.contains(program),
            "script/programs lists {program}, which nothing starts"
        );
    }
}
