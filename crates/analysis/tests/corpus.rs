//! Checks that the worked examples of the papers, in `corpus/`, give the verdicts that the papers
//! state.
//!
//! Every `NAME.trace` has a file `NAME.expect`, in the language of [`expectation`], and the sources
//! to which its `src=` positions refer.

mod expectation;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use codec::Loaded;
use expectation::{Expectation, Failure};
use trace::Id;

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// All files below `folder`, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn traces() -> Vec<PathBuf> {
    let is_trace = |path: &PathBuf| path.extension().is_some_and(|e| e == "trace");
    files(&corpus()).into_iter().filter(is_trace).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn load(path: &Path) -> Loaded {
    let loaded = codec::text::read(read(path).as_bytes());
    loaded.unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns the path relative to the corpus.
fn name(path: &Path) -> String {
    path.strip_prefix(corpus()).expect("a path below the corpus").display().to_string()
}

fn failures(path: &Path) -> Result<Vec<Failure>, Failure> {
    let loaded = load(path);
    let expectation = Expectation::parse(&read(&path.with_extension("expect")))?;
    let models = expectation.models(&loaded.trace)?;
    Ok(models.iter().flat_map(|model| expectation.failures(&loaded, model, None)).collect())
}

#[test]
fn every_worked_example_gives_the_paper_s_verdict() {
    let mut wrong = Vec::new();
    for path in traces() {
        let failures = failures(&path).unwrap_or_else(|failure| vec![failure]);
        let expect = read(&path.with_extension("expect"));
        for Failure { line, message } in failures {
            let quoted = line.and_then(|line| expect.lines().nth(line)).unwrap_or("");
            let line = line.map_or_else(String::new, |line| (line + 1).to_string());
            wrong.push(format!("{}:{line}: {quoted} {message}", name(&path)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_source_position_exists() {
    for path in traces() {
        let trace = load(&path).trace;
        for op in trace.ops() {
            let Some(source) = trace.attributes(op).source.map(|s| trace.source(s)) else {
                continue;
            };
            let file = std::str::from_utf8(trace.text(source.file)).expect("a path in UTF-8");
            let text = read(&path.with_file_name(file));
            let line = text.lines().nth(source.line as usize - 1);
            let (name, op) = (name(&path), op.index());
            assert!(line.is_some_and(|l| !l.trim().is_empty()), "{name}: operation {op}: {file}");
        }
    }
}

#[test]
fn every_file_belongs_to_a_listed_example() {
    let index = read(&corpus().join("README.md"));
    let traces: BTreeSet<PathBuf> = traces().into_iter().map(|t| t.with_extension("")).collect();
    assert!(traces.len() >= 20, "only {} examples", traces.len());
    for trace in &traces {
        let link = format!("({}.trace)", name(trace));
        assert!(index.contains(&link), "corpus/README.md does not list {link}");
    }
    for file in files(&corpus()) {
        // An expectation or a source folder has the name of its trace.
        let mut owners = file.ancestors().map(|path| path.with_extension(""));
        // Tests of the robustness checker cover its programs.
        let is_program = file.extension().is_some_and(|extension| extension == "evp");
        let owned = owners.any(|path| traces.contains(&path)) || file.ends_with("README.md");
        let owned = owned || is_program;
        assert!(owned, "{} belongs to no trace", name(&file));
    }
}
