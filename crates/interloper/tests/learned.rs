//! Runs `interloper check` and `interloper order` with a file of learned orders, without a browser.

#![cfg(all(unix, feature = "record-web"))]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// Two clicks, each of which asks the server and polls for the answer.
const PAGE: &str = "interloper-trace 1
model web
main begin c1 type=click name=button at=1
main enqueue a1 network
main enqueue t1 r1.timers
main end c1
main begin a1 type=response name=/x at=2
main write Window.data value=1
main end a1
main begin t1 type=timer name=poll at=3
main read Window.data value=1
main end t1
main begin c2 type=click name=button at=4
main enqueue a2 network
main enqueue t2 r1.timers
main end c2
main begin a2 type=response name=/x at=5
main write Window.data value=2
main end a2
main begin t2 type=timer name=poll at=6
main read Window.data value=2
main end t2
";

fn interloper(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    command.args(args).current_dir(folder).output().expect("it starts")
}

fn answer(folder: &Path, args: &[&str]) -> Value {
    let done = interloper(folder, args);
    let stderr = String::from_utf8_lossy(&done.stderr);
    serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"))
}

/// The races as pairs of operations, with their fingerprints.
fn races(folder: &Path, more: &[&str]) -> Vec<(u64, u64, String)> {
    let args = ["check", "page.trace", "--pairs", "all", "--format", "json", "--full"];
    let report = answer(folder, &[&args[..], more].concat());
    let race = |race: &Value| {
        let op = |side: &str| race[side]["op"].as_u64().expect("a number");
        let fingerprint = race["fingerprint"].as_str().expect("text").to_owned();
        (op("first"), op("second"), fingerprint)
    };
    report["races"].as_array().expect("races").iter().map(race).collect()
}

fn learn(folder: &Path, fingerprint: &str) {
    let pair = ["click:button/network", "click:button/timers"];
    let edge = json!({ "pair": pair, "common": 1, "race": fingerprint, "location": "Window.data" });
    let learned = json!({ "schema": "interloper-learned/1", "edges": [edge], "flipped": [] });
    fs::write(folder.join("learned.json"), learned.to_string()).expect("the file");
}

#[test]
fn learned_orders_take_races_away_and_are_void_without_their_race() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("page.trace"), PAGE).expect("the trace");
    let plain = races(folder, &[]);
    // Operations 5 and 8 are the first write and read, 15 and 18 the second ones.
    let has =
        |races: &[(u64, u64, String)], a, b| races.iter().any(|race| (race.0, race.1) == (a, b));
    assert!(has(&plain, 5, 8) && has(&plain, 15, 18), "{plain:?}");
    let of_pair = plain.iter().find(|race| (race.0, race.1) == (5, 8)).expect("a race");
    learn(folder, &of_pair.2);
    let learned = races(folder, &["--learned", "learned.json"]);
    assert!(!has(&learned, 5, 8) && !has(&learned, 15, 18), "{learned:?}");
    // The answer to one click is no example for that to another.
    assert_eq!(has(&learned, 8, 15), has(&plain, 8, 15), "{learned:?}");
    let order = ["order", "page.trace", "5", "8", "--format", "json"];
    assert_eq!(answer(folder, &order)["relation"], "unordered");
    let told = answer(folder, &[&order[..], &["--learned", "learned.json"]].concat());
    let rules: Vec<_> = told["path"].as_array().expect("steps").iter().collect();
    assert!(rules.iter().any(|step| step["rule"] == "LEARNED"), "{told}");
    learn(folder, "0000000000000000");
    assert_eq!(races(folder, &["--learned", "learned.json"]), plain);
}

#[test]
fn a_file_that_is_none_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("page.trace"), PAGE).expect("the trace");
    fs::write(folder.join("other.json"), "{}").expect("the file");
    for (file, words) in [("other.json", "cannot be read"), ("none.json", "--learn none.json")] {
        let done = interloper(folder, &["check", "page.trace", "--learned", file]);
        let why = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{why}");
        assert!(why.contains(words), "{why}");
    }
}
