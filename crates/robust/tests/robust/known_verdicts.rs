//! Every program of `corpus/robustness` has the verdicts and pivots its header expects, and is
//! laid out as the formatter would.

use std::path::{Path, PathBuf};

use robust::core::{Program, SiteId};
use robust::reach::{Reach, summaries};
use robust::reduce::{self, reduce};
use robust::witness::{confirm, schedule};
use robust::{Criterion, Engine, Options, Verdict, check, lang};

fn programs() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/robustness");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "evp"));
    files.sort();
    files.into_iter().map(|file| (file.clone(), std::fs::read_to_string(file).unwrap())).collect()
}

/// The words after `key` in the header, one list a line.
fn header<'t>(text: &'t str, key: &str) -> Vec<Vec<&'t str>> {
    text.lines()
        .filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(' '))
        .map(|rest| rest.split_whitespace().collect())
        .collect()
}

fn criterion(name: &str) -> Criterion {
    match name {
        "determinism" => Criterion::Determinism,
        "serializability" => Criterion::Serializability,
        other => panic!("no criterion `{other}`"),
    }
}

fn name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Proved { .. } => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown { .. } => "unknown",
        Verdict::Unchecked => "unchecked",
    }
}

#[test]
fn verdicts() {
    let programs = programs();
    assert!(programs.len() >= 32);
    for (file, text) in programs {
        let engine = match header(&text, "engine").as_slice() {
            [] => Engine::Summaries,
            _ if !cfg!(feature = "z3") => continue,
            _ => Engine::Chc,
        };
        let options = Options { engine, ..Options::default() };
        let report = check("program.evp", &text, &options).unwrap();
        for expected in header(&text, "expect") {
            let verdict = report.verdict(criterion(expected[0])).unwrap();
            assert_eq!(name(verdict), expected[1], "{} {}", file.display(), expected[0]);
        }
    }
}

#[test]
fn brute_force_gives_the_same_verdicts() {
    for (file, text) in programs() {
        if !header(&text, "engine").is_empty() {
            continue;
        }
        let options = Options { engine: Engine::Explore, ..Options::default() };
        let report = check("program.evp", &text, &options).unwrap();
        for expected in header(&text, "expect").iter().filter(|words| words[1] != "unchecked") {
            let verdict = report.verdict(criterion(expected[0])).unwrap();
            assert_eq!(name(verdict), expected[1], "{} {}", file.display(), expected[0]);
        }
    }
}

/// The accesses of `procedure` that match; sites of one statement are alternatives.
fn sites(program: &Program, procedure: &str, kind: &str, location: &str) -> Vec<SiteId> {
    program
        .sites()
        .iter()
        .enumerate()
        .filter(|(_, site)| {
            program.procedure(site.procedure).name == procedure
                && site.access.kind.name() == kind
                && program.global(site.access.global).name == location
        })
        .map(|(index, _)| SiteId::new(index))
        .collect()
}

#[test]
fn pivots_the_paper_names() {
    let mut checked = 0;
    for (file, text) in programs() {
        let program = lang::elaborate(&lang::parse(&text).unwrap()).unwrap();
        for words in header(&text, "pivot") {
            let criterion = criterion(words[0]);
            if !header(&text, "engine").is_empty() {
                continue;
            }
            let found = sites(&program, words[1], words[2], words[3]).into_iter().any(|site| {
                let options = reduce::Options { pivot: Some(site), ..Default::default() };
                let sequential = reduce(&program, criterion, &options).unwrap().sliced();
                let Reach::Reachable(path) =
                    summaries::reach(&sequential, summaries::Limits::edges(1_000_000))
                else {
                    return false;
                };
                let witness = confirm(&program, criterion, &schedule(&program, &path)).unwrap();
                witness.pivot().site == site
            });
            assert!(found, "{}: {words:?} is not a pivot", file.display());
            checked += 1;
        }
    }
    assert!(checked >= 6);
}

#[test]
fn the_corpus_is_formatted() {
    for (file, text) in programs() {
        let formatted = lang::format(&lang::parse(&text).unwrap(), &text);
        assert_eq!(formatted, text, "{}", file.display());
    }
}

#[test]
fn a_report_is_the_same_every_time_and_never_says_not_robust() {
    for (_, text) in programs() {
        if !header(&text, "engine").is_empty() {
            continue;
        }
        let report = || check("program.evp", &text, &Options::default()).unwrap();
        assert_eq!(report().json(), report().json());
        assert_eq!(report().text(), report().text());
        assert!(!report().text().contains("not robust"));
    }
}
