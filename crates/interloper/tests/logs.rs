//! Runs the binary on the logs of other tools, and compares the results with what those tools
//! printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use testkit::shared_data::shared_data;

const REMINDME: &str = "droidracer/remindme.abc_log.txt";
const AARDDICT: &str = "em-explorer/aarddict.abc_log.txt";
const MUSIC: &str = "em-explorer/music.abc_log.txt";

fn run(log: &Path, command: &str, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_interloper"))
        .arg(command)
        .arg(log)
        .args(args)
        .output()
        .expect("the binary runs")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

/// Returns the report of a check, which must be valid by the schema.
fn report(log: &Path, args: &[&str]) -> Value {
    let output = run(log, "check", &[&["--format", "json", "--fail-on", "never"], args].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let schema: Value = serde_json::from_str(report::JSON_SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    report
}

fn races(report: &Value) -> &[Value] {
    report["races"].as_array().expect("a list")
}

/// Returns the numbers of both accesses of each race in the log.
fn pairs(report: &Value) -> Vec<(u64, u64)> {
    let id = |side: &Value| side["source_id"].as_u64().expect("imported");
    races(report).iter().map(|race| (id(&race["first"]), id(&race["second"]))).collect()
}

/// Returns the number after `key` in a line of the tool's output.
fn number_after(line: &str, key: &str) -> Option<u64> {
    let rest = &line[line.find(key)? + key.len()..];
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

/// Returns the tool's output at the end of a log, without the operations in it.
fn trailer(log: &Path) -> String {
    let text = std::fs::read_to_string(log).expect("the real logs are ASCII");
    let title = text.find(" HB Graph \n").expect("the log has a report");
    let is_report =
        |line: &&str| !line.starts_with("rwId:") && !line.starts_with(|c: char| c.is_ascii_digit());
    text[title - " \n \n \n".len()..].split_inclusive('\n').filter(is_report).collect()
}

fn check_droidracer(name: &str, classes: &[(&str, u64)]) {
    let Some(log) = shared_data(name) else { return };
    let trailer = trailer(&log);
    assert_eq!(stdout(&run(&log, "check", &["--format", "droidracer"])), trailer);

    let report = report(&log, &[]);
    assert_eq!(
        (&report["model"], &report["trace"]["format"]),
        (&"droidracer".into(), &"droidracer".into())
    );
    let firsts = trailer.lines().filter_map(|line| number_after(line, "RACE rwId1:"));
    let seconds = trailer.lines().filter_map(|line| number_after(line, "     rwId2:"));
    assert_eq!(pairs(&report), firsts.zip(seconds).collect::<Vec<_>>());
    let expected: BTreeMap<&str, u64> = classes.iter().copied().collect();
    let found: BTreeMap<&str, u64> = report["summary"]["classes"]
        .as_object()
        .expect("an object")
        .iter()
        .map(|(class, count)| (class.as_str(), count.as_u64().expect("a count")))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn remindme_is_reported_as_by_the_tool() {
    check_droidracer(REMINDME, &[("cross-posted", 21), ("co-enabled", 19 + 14)]);
}

#[test]
fn aarddict_is_reported_as_by_the_tool() {
    check_droidracer(AARDDICT, &[("multi-threaded", 1)]);
}

#[test]
fn music_is_reported_as_by_the_tool() {
    check_droidracer(MUSIC, &[("delayed", 4), ("cross-posted", 4)]);
}

/// Only the printed text is DroidRacer's: decisions and the exit status are those of every format.
#[test]
fn the_tools_format_exits_as_the_others_do() {
    let Some(log) = shared_data(MUSIC) else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let status = |format: &str, args: &[&str]| {
        run(&log, "check", &[&["--format", format], args].concat()).status.code()
    };
    let (known, nothing) = (path("known.json"), path("nothing.json"));
    assert_eq!(status("droidracer", &["--write-baseline", &known]), Some(0));
    std::fs::write(&nothing, "{\"schema\": \"interloper-baseline/1\", \"races\": []}").unwrap();
    let mut seen = [0; 2];
    for threshold in ["harmful", "uncovered", "any", "never"] {
        for baseline in [&known, &nothing] {
            let args = ["--fail-on", threshold, "--baseline", baseline];
            let expected = status("json", &args).expect("no signal");
            assert_eq!(status("droidracer", &args), Some(expected), "{args:?}");
            seen[usize::from(expected == 1)] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n >= 2), "{seen:?}");
    assert_eq!(status("droidracer", &["--baseline", &known]), Some(0));
}

#[test]
fn rules_of_droidracer_can_be_switched() {
    let Some(log) = shared_data(REMINDME) else { return };
    for (rule, expected) in [("-FIFO", 107), ("-ENABLE-LIFECYCLE", 97), ("+FIFO", 54)] {
        assert_eq!(races(&report(&log, &["--rule", rule])).len(), expected, "{rule}");
    }
}

#[test]
fn the_printed_pairs_are_among_all_pairs() {
    let Some(log) = shared_data(REMINDME) else { return };
    let all = pairs(&report(&log, &["--pairs", "all"]));
    for (first, second) in pairs(&report(&log, &[])) {
        assert!(all.contains(&(first, second)) || all.contains(&(second, first)));
    }
}

#[test]
fn other_models_take_droidracers_logs() {
    let Some(log) = shared_data(REMINDME) else { return };
    let report = report(&log, &["--model", "android"]);
    let known = ["multi-threaded", "co-enabled", "delayed", "cross-posted", "uncategorized"];
    assert!(!races(&report).is_empty());
    assert!(races(&report).iter().all(|race| known.contains(&race["class"].as_str().unwrap())));
}

/// A log becomes a trace in the notation that is the same under every model except the tool's own,
/// which sees the environment only in the log.
#[test]
fn converted_logs_give_the_same_races() {
    for (name, model) in [(REMINDME, "android"), ("eventracer/01_small_basic.log", "event")] {
        let Some(log) = shared_data(name) else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let trace: PathBuf = folder.path().join("converted.trace");
        assert!(run(&log, "convert", &[trace.to_str().unwrap()]).status.success());
        let (before, after) =
            (report(&log, &["--model", model]), report(&trace, &["--model", model]));
        assert_eq!(before["races"], after["races"], "{name}");
    }
}

#[test]
fn the_order_of_a_log_is_explained() {
    let Some(log) = shared_data(MUSIC) else { return };
    let matrix = run(&log, "order", &["--matrix"]);
    let rows: Vec<&[u8]> = stdout(&matrix).lines().map(str::as_bytes).collect();
    let n = rows.len();
    assert!(rows.iter().all(|row| row.len() == n));
    let below = (0..n).any(|a| (0..a).any(|b| rows[a][b] == b'1'));
    assert!(below, "an enable that was logged late orders against the log");
    let a = (0..n).find(|&a| rows[a].contains(&b'1')).expect("something is ordered");
    let b = rows[a].iter().rposition(|&bit| bit == b'1').unwrap();
    let answer = run(&log, "order", &[&a.to_string(), &b.to_string(), "--format", "json"]);
    let answer: Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    assert_eq!(answer["relation"], "before");
    let path = answer["path"].as_array().unwrap();
    assert_eq!(
        (path[0]["from"].as_u64(), path[path.len() - 1]["to"].as_u64()),
        (Some(a as u64), Some(b as u64))
    );
    assert!(path.windows(2).all(|two| two[0]["to"] == two[1]["from"]));
}

/// Returns the label for each tag of the original.
fn labels(variable: &Value) -> Vec<&'static str> {
    let label = |tag: &Value| match tag.as_str().expect("a name") {
        "WRITE_SAME_VALUE" => "same-value",
        "ONLY_LOCAL_WRITE" => "only-local-reads",
        "LATE_EVENT_ATTACH" | "NO_EVENT_ATTACHED" => "late-handler",
        "MAYBE_LAZY_INIT" => "lazy-init",
        "RACE_WITH_UNLOAD" => "unload",
        "COOKIE_OR_CLASSNAME" => "commuting",
        other => panic!("unknown tag {other}"),
    };
    let mut labels: Vec<&str> = variable["tags"].as_array().unwrap().iter().map(label).collect();
    labels.extend((variable["init"] == true).then_some("uninitialised"));
    labels.extend((variable["net"] == true).then_some("readystate"));
    labels.sort_unstable();
    labels
}

/// Returns the locations of the races in a chain.
fn covering_names<'a>(report: &'a Value, chain: &[Value]) -> Vec<&'a Value> {
    chain.iter().map(|by| &races(report)[by.as_u64().unwrap() as usize]["location"]).collect()
}

/// Returns the original's chain, which names the variables.
fn their_chain<'a>(answer: &'a Value, race: &Value) -> Vec<&'a Value> {
    let variables = answer["variables"].as_array().unwrap();
    let name = |id: &Value| &variables.iter().find(|v| v["id"] == *id).expect("racy")["name"];
    race["by_vars"].as_array().unwrap().iter().map(name).collect()
}

fn check_compat(name: &str) {
    let Some(log) = shared_data(&format!("eventracer/{name}.log")) else { return };
    let Some(answer) = shared_data(&format!("eventracer/{name}.json")) else { return };
    let answer: Value = serde_json::from_slice(&std::fs::read(answer).unwrap()).expect("JSON");
    let report = report(&log, &["--compat", "eventracer"]);
    let (summary, counts) = (&report["summary"], &answer["counts"]);
    assert_eq!(summary["races"], counts["races"]);
    assert_eq!(summary["uncovered_races"], counts["uncovered"]);
    assert_eq!(summary["locations"], counts["racy_variables"]);
    assert_eq!(summary["uncovered_locations"], counts["uncovered_variables"]);
    for level in ["2", "3", "4", "5"] {
        assert_eq!(summary["levels"][level], answer["rows"][level], "level {level}");
    }
    let originals = answer["races"].as_array().unwrap();
    assert_eq!(races(&report).len(), originals.len());
    for (ours, theirs) in races(&report).iter().zip(originals) {
        let id = &theirs["id"];
        assert_eq!(ours["first"]["source_id"], theirs["e1"], "race {id}");
        assert_eq!(ours["second"]["source_id"], theirs["e2"], "race {id}");
        let by = ours["covered_by"].as_array().unwrap();
        match theirs["state"].as_str().unwrap() {
            "uncovered" => assert!(by.is_empty() && ours["covered"] == false, "race {id}"),
            "covered" => assert_eq!(by, &[theirs["by"].clone()], "race {id}"),
            _ => assert_eq!(covering_names(&report, by), their_chain(&answer, theirs), "race {id}"),
        }
    }
    for variable in answer["variables"].as_array().unwrap() {
        let ids = ["uncovered_ids", "covered_ids"].map(|key| variable[key].as_array().unwrap());
        for id in ids.into_iter().flatten() {
            let race = &races(&report)[id.as_u64().unwrap() as usize];
            let mut ours: Vec<&str> =
                race["labels"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
            ours.sort_unstable();
            assert_eq!(ours, labels(variable), "race {id} on {}", variable["name"]);
        }
    }
}

#[test]
fn er_86_is_reported_as_by_the_original() {
    check_compat("er_86");
}

#[test]
fn small_basic_is_reported_as_by_the_original() {
    check_compat("01_small_basic");
}

#[test]
fn network_xhr_is_reported_as_by_the_original() {
    check_compat("04_network_xhr");
}

/// Without `--compat` the same pairs race, and coverage follows the paper: a race does not cover
/// another with the same second access.
#[test]
fn the_sound_default_finds_the_same_races_and_covers_fewer() {
    let Some(log) = shared_data("eventracer/er_86.log") else { return };
    let (sound, literal) = (report(&log, &[]), report(&log, &["--compat", "eventracer"]));
    let sorted = |report: &Value| {
        let op = |race: &Value, side: &str| race[side]["op"].as_u64();
        let mut pairs: Vec<_> =
            races(report).iter().map(|race| (op(race, "first"), op(race, "second"))).collect();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(sorted(&sound), sorted(&literal));
    assert_eq!(
        (sound["model"].as_str(), &sound["summary"]["levels"]),
        (Some("event"), &Value::Null)
    );
    assert_eq!(sound["summary"]["uncovered_races"], 167);
    assert_eq!(sound["summary"]["uncovered_locations"], 21);
}

#[test]
fn what_is_missing_is_said_with_its_place() {
    let Some(log) = shared_data("eventracer/01_small_basic.log") else { return };
    let bytes = std::fs::read(log).unwrap();
    let folder = tempfile::tempdir().expect("a folder");
    let cut = folder.path().join("cut.log");
    std::fs::write(&cut, &bytes[..bytes.len() / 3]).unwrap();
    let output = run(&cut, "check", &[]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("byte "), "{message}");

    let odd = folder.path().join("odd.txt");
    std::fs::write(&odd, "1 START\n2 THREADINIT tid:x\n3 FROB tid:1\n").unwrap();
    // START orders nothing and is no operation of the trace, so nothing is left.
    assert_eq!(run(&odd, "check", &[]).status.code(), Some(2));
    let report = report(&odd, &["--allow-damaged"]);
    let diagnostics = report["diagnostics"].as_array().unwrap();
    let at = |code: &str| diagnostics.iter().find(|d| d["code"] == code).map(|d| d["at"].clone());
    assert_eq!(at("abc-bad-field"), Some("2:18".into()));
    assert_eq!(at("abc-unknown-kind"), Some("3:3".into()));
}

#[test]
fn wrong_requests_are_refused() {
    let Some(log) = shared_data(MUSIC) else { return };
    for args in [
        &["--compat", "eventracer"][..],
        &["--format", "droidracer", "--model", "android"],
        &["--from", "eventracer"],
        &["--from", "text"],
    ] {
        let output = run(&log, "check", args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty());
    }
    let from = report(&log, &["--from", "droidracer"]);
    assert_eq!(races(&from).len(), 8);
}
