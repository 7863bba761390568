//! Measures the detection of races in traces where every event races, with their coverage.
//!
//! `cargo run --release -p races --example racy_events -- SHAPE EVENTS` prints the processor time of
//! the order, and of the races with their coverage. The shapes:
//!
//! - `fan` (model `event`): one event forks all others, which race in pairs. Nothing is covered.
//! - `pairs` (model `android`): two threads post to one looper in turn, and each event races with
//!   the one before it. Nothing is covered.
//! - `spans` (model `android`): like `pairs`, but every second race spans a thousand events. The
//!   short ones cover the long ones.
//! - `loopers` (model `android`): like `spans`, on eight loopers whose events overlap.

use std::fmt::Write;

use order::{ANDROID, EVENT, Graph, Model};
use races::PairMode;

fn main() {
    let mut args = std::env::args().skip(1);
    let shape = args.next().expect("a shape: fan, pairs, spans or loopers");
    let events: usize = args.next().and_then(|n| n.parse().ok()).expect("the number of events");
    let (model, text) = match shape.as_str() {
        "fan" => (&EVENT, fan(events)),
        "pairs" => (&ANDROID, posted(events, 1, 0)),
        "spans" => (&ANDROID, posted(events, 1, 1000)),
        "loopers" => (&ANDROID, posted(events, 8, 1000)),
        other => panic!("there is no shape {other}: fan, pairs, spans, loopers"),
    };
    measure(&shape, model, &text);
}

fn measure(shape: &str, model: &'static Model, text: &str) {
    let trace = codec::text::read(text.as_bytes()).expect("a trace").trace;
    let started = seconds();
    let graph = Graph::new(&trace, &model.default_rules());
    let closed = seconds();
    let races = races::detect(&trace, &graph, model, PairMode::Candidates).races;
    let detected = seconds();
    let covered = races.iter().filter(|race| race.is_covered()).count();
    println!(
        "{shape}: {} events, {} chains, {} races, {covered} covered; order {:.2} s, races {:.2} s, \
         peak {} MB",
        trace.events().len(),
        graph.stats().chains,
        races.len(),
        closed - started,
        detected - closed,
        peak_megabytes(),
    );
}

/// One event forks `events` others; two and two of them write a location.
fn fan(events: usize) -> String {
    let mut text = String::from("interloper-trace 1\nmodel event\npage begin root\n");
    for event in 0..events {
        let _ = writeln!(text, "page enqueue e{event} q");
    }
    text.push_str("page end root\n");
    for event in 0..events {
        let location = event / 2;
        let _ = writeln!(text, "page begin e{event}\npage write x{location}\npage end e{event}");
    }
    text
}

/// Two threads post `events` events in turn to each of so many loopers. Event i of the second thread
/// writes what event i of the first does or, every second time, what event i − span / 2 did.
fn posted(events: usize, loopers: usize, span: usize) -> String {
    let mut text = String::from("interloper-trace 1\n");
    for looper in 0..loopers {
        let _ = writeln!(text, "looper{looper} attach q{looper}");
    }
    let rounds = events / (2 * loopers);
    for round in 0..rounds {
        for looper in 0..loopers {
            for poster in 0..2 {
                let _ =
                    writeln!(text, "poster{poster} enqueue e{looper}.{round}.{poster} q{looper}");
            }
        }
        for poster in 0..2 {
            for looper in 0..loopers {
                let _ = writeln!(text, "looper{looper} begin e{looper}.{round}.{poster}");
            }
            for looper in 0..loopers {
                let back = if poster == 1 && round % 2 == 1 { span / 2 } else { 0 };
                let location = round.saturating_sub(back);
                let _ = writeln!(text, "looper{looper} write x{looper}.{location}");
            }
            for looper in 0..loopers {
                let _ = writeln!(text, "looper{looper} end e{looper}.{round}.{poster}");
            }
        }
    }
    text
}

/// The processor time of this thread so far.
fn seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let first = stat.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    first.expect("the first is a number") / 1e9
}

fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    peak.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}
