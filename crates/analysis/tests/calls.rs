//! Tests that accesses of a listener that was added late are consequences of that race.

use std::ops::ControlFlow;

use analysis::{Request, Source};
use triage::Lists;

/// The locations that race, each with the locations of the races that cover it.
fn covered(trace: &str) -> Vec<(String, Vec<String>)> {
    let lists = Lists::builtin();
    let source = Source::pipe(trace.as_bytes(), None);
    let go_on = |_: analysis::Milestone<'_>| ControlFlow::Continue(());
    let analysis = analysis::run(source, &Request::new(&lists), &go_on).expect("a whole trace");
    let name = |race: &races::Race| {
        let names = &analysis.trace().names().locations;
        String::from_utf8_lossy(names.get(race.location)).into_owned()
    };
    let all = &analysis.races.races;
    let by =
        |race: &races::Race| race.covered_by.iter().map(|id| name(&all[id.0 as usize])).collect();
    all.iter().map(|race| (name(race), by(race))).collect()
}

/// A script adds a listener of focus, the user enters the field and types; the dispatches read the lists of
/// handlers that `reads` names.
fn typed(reads: &str) -> String {
    format!(
        "interloper-trace 1\nmodel web\nlocation q.handlers(focus) kind=handler\nmain attach input\n\
         main begin hydrate type=script\nmain write q.handlers(focus)\nmain register mark\nmain end hydrate\n\
         main enqueue focus1 input input\nmain begin focus1 type=focus\nmain read {reads}\nmain end focus1\n\
         main begin call1 type=listener\nmain invoke mark\nmain read q.value\nmain enqueue micro1 microtasks\n\
         main end call1\nmain begin micro1 type=microtask\nmain read q.title\nmain end micro1\n\
         main enqueue input1 input input\nmain begin input1 type=input\nmain write q.value\nmain write q.title\n\
         main end input1\n"
    )
}

fn row(location: &str, by: &[&str]) -> (String, Vec<String>) {
    (location.to_owned(), by.iter().map(|&name| name.to_owned()).collect())
}

#[test]
fn the_call_of_a_late_listener_and_its_microtask_are_covered() {
    let by = ["q.handlers(focus)"];
    let expected = [row("q.handlers(focus)", &[]), row("q.value", &by), row("q.title", &by)];
    assert_eq!(covered(&typed("q.handlers(focus)")), expected);
}

#[test]
fn without_the_race_of_the_listener_nothing_covers_its_call() {
    let expected = [row("q.value", &[]), row("q.title", &[])];
    assert_eq!(covered(&typed("q.handlers(blur)")), expected);
}
