//! Tests every output format: its content, that the programs for which it is made can read it, and
//! that text from a trace stays text.

mod golden;
mod hostile;
mod junit;
mod living;
mod many;
mod open;
mod sarif;
mod why;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use analysis::{Request, Source};
use report::Report;
use report::suppress::{Date, Matcher, Pattern, Suppression};
use report::text::{SourceFiles, TextOptions};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every trace of the corpus.
fn corpus() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(root().join("corpus")).expect("the corpus is there");
    let folders = folders.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut traces: Vec<PathBuf> = files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "trace"))
        .collect();
    traces.sort();
    assert!(traces.len() > 20, "only {} traces", traces.len());
    traces
}

fn report_of(trace: &[u8]) -> Report {
    let lists = triage::Lists::builtin();
    let source = Source::pipe(trace, None);
    let analysis = analysis::run(source, &Request::new(&lists), &|_| ControlFlow::Continue(()));
    Report::of(&analysis.expect("the trace is well-formed"))
}

fn report_of_file(path: &Path) -> Report {
    report_of(&std::fs::read(path).expect("the trace is there"))
}

/// A report with every kind of entry: open, covered, hidden, suppressed and known races, an unused
/// and an expired suppression, and a race that is gone.
fn varied() -> Report {
    let trace = b"interloper-trace 1\n\
        u attach ui\n\
        net enqueue load ui src=app/Net.java:3\n\
        db enqueue store ui src=app/Db.java:4\n\
        u begin load type=message name=loaded\n\
        u enter List.fill src=app/List.java:10\n\
        u write List.items value=[1] src=app/List.java:11:5\n\
        u write List.flag value=true src=app/List.java:12:5\n\
        u leave\nu end load\n\
        u begin store type=message name=stored\n\
        u enter List.show src=app/List.java:20\n\
        u read List.flag value=true src=app/List.java:21:9\n\
        u read List.items value=[1] src=app/List.java:22:9\n\
        u leave\nu end store\n\
        t1 lock L\nt1 write Cache.size value=1\nt1 unlock L\n\
        t2 lock L\nt2 write Cache.size value=2\nt2 unlock L\n\
        t1 write Log.last\nt2 write Log.last\n\
        t1 write Stats.hits\nt2 write Stats.hits\n\
        t1 end nothing\n";
    let mut report = report_of(trace);
    let suppression = |location: &str, expires| Suppression {
        matcher: Matcher { location: Some(Pattern::new(location)), ..Matcher::default() },
        reason: "the last line wins".to_owned(),
        expires,
        origin: "interloper.toml:7".to_owned(),
    };
    let day = |year| Some(Date { year, month: 1, day: 31 });
    let today = Date { year: 2026, month: 6, day: 1 };
    let suppressions = [
        suppression("Log.*", day(2027)),
        suppression("List.*", day(2025)),
        suppression("Gone", None),
    ];
    report::suppress::apply(&mut report, &suppressions, today);
    let known = report.races.iter().find(|race| race.location == "Stats.hits").unwrap();
    let baseline = format!(
        "{{\"schema\": \"interloper-baseline/1\", \"races\": [\
         {{\"fingerprint\": \"{}\", \"title\": \"x\"}},\
         {{\"fingerprint\": \"00\", \"title\": \"delayed race on Old.thing\"}}]}}",
        known.fingerprint
    );
    let baseline = report::baseline::Baseline::read(baseline.as_bytes()).expect("a baseline");
    baseline.compare(&mut report);
    report
}

struct NoSources;

impl SourceFiles for NoSources {
    fn get(&self, _file: &str) -> Option<String> {
        None
    }
}

fn text_of(report: &Report) -> String {
    report::text::render(
        report,
        &TextOptions {
            sources: &NoSources,
            groups: 10,
            styled: false,
            order_command: Some("interloper order t.trace"),
        },
    )
}

fn sarif_of(report: &Report) -> String {
    let mut out = Vec::new();
    report::sarif::write(report, &mut out).expect("memory takes it");
    String::from_utf8(out).expect("UTF-8")
}

fn json_of(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("a report is JSON")
}
