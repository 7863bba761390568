//! Every view of every trace of the corpus, and agreement of *pick two* with the order itself.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use analysis::{Request, Source};
use explorer::api::{self, Answer};
use explorer::{Load, Run, Session, Topic};
use order::Explanation;
use report::Report;
use report::text::SourceFiles;
use serde_json::Value;
use trace::Trace;

/// A loader for files in memory.
struct Files(Vec<(String, Vec<u8>)>);

struct NoSources;

impl SourceFiles for NoSources {
    fn get(&self, _file: &str) -> Option<String> {
        None
    }
}

fn analyse(bytes: &[u8]) -> Result<analysis::Analysis, analysis::Error> {
    let lists = triage::Lists::builtin();
    let source = Source::pipe(bytes, None);
    analysis::run(source, &Request::new(&lists), &|_| ControlFlow::Continue(()))
}

impl Load for Files {
    fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    fn load(&self, run: usize) -> Result<Run, String> {
        let analysis = analyse(&self.0[run].1).map_err(|error| error.to_string())?;
        let report = Report::of(&analysis);
        Ok(Run::new(analysis, report, Box::new(NoSources)))
    }

    fn command(&self, command: &str, run: usize) -> String {
        format!("interloper {command} {}", self.0[run].0)
    }
}

fn corpus() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus"))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the corpus is part of the repository") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "trace") {
                files.push((name(&path), fs::read(&path).expect("readable")));
            }
        }
    }
    files.sort();
    assert!(files.len() > 20, "the corpus has {} traces", files.len());
    files
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).expect("JSON")
}

/// Returns the answer to a request that must succeed.
fn get(session: &Session, path: &str, query: &str) -> Value {
    let answer = api::answer(session, path, query);
    assert_eq!(answer.status, 200, "{path}?{query}: {}", String::from_utf8_lossy(&answer.body));
    json(&answer)
}

/// Reads the leading races of a table of groups: their ids and fingerprints.
fn leads(table: &[u8]) -> Vec<(u32, String)> {
    let number = |at: usize| u32::from_le_bytes(table[at..at + 4].try_into().expect("four bytes"));
    let start = 4 + number(0) as usize;
    let header: Value = serde_json::from_slice(&table[4..start]).expect("JSON");
    let (mut at, mut ids, mut names) = (start, Vec::new(), Vec::new());
    for column in header["columns"].as_array().expect("a list") {
        let length = column["length"].as_u64().expect("a number") as usize;
        let is_text = column["of"] == "text";
        let numbers = (0..length + usize::from(is_text)).map(|i| number(at + 4 * i));
        let numbers: Vec<u32> = numbers.collect();
        at += (4 * numbers.len()).next_multiple_of(8);
        if column["name"] == "race" {
            let sums = numbers.iter().scan(0u32, |sum, step| {
                *sum = sum.wrapping_add(*step);
                Some(*sum)
            });
            ids = sums.collect();
        }
        if is_text {
            let text = |ends: &[u32]| table[at + ends[0] as usize..at + ends[1] as usize].to_vec();
            if column["name"] == "fingerprint" {
                names = numbers.windows(2).map(text).collect();
            }
            at += (numbers[length] as usize).next_multiple_of(8);
        }
    }
    assert_eq!(at, table.len(), "the columns fill the table");
    let names = names.into_iter().map(|name| String::from_utf8(name).expect("UTF-8"));
    ids.into_iter().zip(names).collect()
}

#[test]
fn every_view_of_the_corpus_answers() {
    let files = corpus();
    let count = files.len();
    let session = Session::new(Files(files), Vec::new());
    assert_eq!(get(&session, "runs", "").as_array().expect("a list").len(), count);
    for run in 0..count {
        let of = |view: &str| format!("{run}/{view}");
        let whole = get(&session, &run.to_string(), "");
        assert_eq!(whole["has_trace"], true);
        let groups = api::answer(&session, &of("groups"), "");
        assert_eq!(groups.status, 200);
        for (id, fingerprint) in leads(&groups.body) {
            let race = get(&session, &of(&format!("races/{id}")), "");
            assert_eq!(race["race"]["fingerprint"], fingerprint);
            assert_eq!(race["rails"]["relation"], "unordered", "{race}");
            assert!(race["story"]["free"].as_str().is_some_and(|text| !text.is_empty()));
        }
        for location in get(&session, &of("locations"), "").as_array().expect("a list") {
            let accesses = format!("locations/{}/accesses", location["location"]);
            let accesses = get(&session, &of(&accesses), "with=0");
            let counted = location["reads"].as_u64().zip(location["writes"].as_u64());
            let counted = counted.map(|(reads, writes)| (reads + writes) as usize);
            assert_eq!(Some(accesses.as_array().expect("a list").len()), counted);
        }
        let operations = get(&session, &of("operations"), "from=0&to=2000");
        let end = whole["end"].as_u64().expect("a number").min(2000) as usize;
        assert_eq!(operations.as_array().expect("a list").len(), end);
        get(&session, &of("statistics"), "");
        assert_eq!(api::answer(&session, &of("events"), "").status, 200);
    }
}

/// Returns the relation of two operations, by the order itself.
fn relation(explanation: &Explanation) -> &'static str {
    match explanation {
        Explanation::Same => "same",
        Explanation::Before(_) => "before",
        Explanation::After(_) => "after",
        Explanation::Unordered { .. } => "unordered",
    }
}

#[test]
fn rails_agree_with_the_order() {
    for (name, bytes) in corpus() {
        let Ok(analysis) = analyse(&bytes) else { continue };
        let end = u32::try_from(Trace::end(analysis.trace())).expect("short").min(60);
        let session = Session::new(Files(vec![(name.clone(), bytes)]), Vec::new());
        for a in 0..end {
            for b in 0..end {
                let rails = get(&session, "0/rails", &format!("a={a}&b={b}"));
                let expected = analysis.explain(a, b).expect("both are in the trace");
                assert_eq!(rails["relation"], relation(&expected), "{name} {a} {b}");
                let rows = rails["rows"].as_array().expect("a list");
                let has = |op: u32| rows.iter().any(|row| row["op"] == op);
                assert!(has(a) && has(b), "{name} {a} {b}: {rails}");
            }
        }
    }
}

#[test]
fn what_is_not_there_is_said() {
    let bytes = b"interloper-trace 1\nmain write x\nworker read x\n".to_vec();
    let broken = b"interloper-trace 1\nmain wrote x\n".to_vec();
    let files = vec![("a.trace".to_owned(), bytes), ("b.trace".to_owned(), broken)];
    let topic = Topic { name: "FIFO".to_owned(), page: "# FIFO\n\nIn order.\n".to_owned() };
    let session = Session::new(Files(files), vec![topic]);
    for (path, query, status) in [
        ("", "", 404),
        ("7", "", 422),
        ("x", "", 404),
        ("0/races/9", "", 404),
        ("0/races/x", "", 400),
        ("0/rails", "a=1", 400),
        ("0/rails", "a=1&b=99", 404),
        ("0/events/0", "", 404),
        ("0/source", "file=../../etc/passwd&line=1", 404),
        ("1", "", 422),
        ("diff", "a=0", 400),
        ("diff", "a=0&b=0", 200),
        ("explain/fifo", "", 200),
        ("explain/none", "", 404),
        ("0/search", "q=x", 200),
    ] {
        let answer = api::answer(&session, path, query);
        assert_eq!(answer.status, status, "{path}?{query}");
        let body = json(&answer);
        let message = body["message"].as_str().unwrap_or_default();
        assert!(status == 200 || !message.is_empty(), "{path}?{query}");
    }
}
