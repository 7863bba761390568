//! Tests configuration, suppressions, baselines, comparisons and documentation through the binary.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A separate folder for each test, removed at the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, content) in files {
            std::fs::write(folder.path(name), content).expect("the folder is ours");
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_interloper"))
            .args(args)
            .current_dir(&self.0)
            .output()
            .expect("the binary runs")
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(args);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)))
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

const RACE: &str = "interloper-trace 1\nt1 write x value=1\nt2 read x\n";
const OTHER: &str = "interloper-trace 1\nt1 write x value=1\nt2 read x\nt1 write y\nt2 write y\n";

#[test]
fn every_format_is_printed() {
    let folder = Folder::new(&[("a.trace", RACE)]);
    for (format, start) in [
        ("text", "race["),
        ("json", "{"),
        ("sarif", "{"),
        ("junit", "<?xml"),
        ("github", "::error"),
        ("markdown", "## Interloper"),
        ("html", "<!doctype html>"),
    ] {
        let output = folder.run(&["check", "a.trace", "--format", format]);
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        assert!(stdout(&output).starts_with(start), "{format}: {}", stdout(&output));
    }
}

#[test]
fn the_working_directorys_configuration_is_read() {
    let folder = Folder::new(&[
        ("a.trace", RACE),
        ("interloper.toml", "model = \"event\"\nfail-on = \"never\"\nrules = [\"-NATIVE\"]\n"),
        ("other.toml", "model = \"asyncclock\"\n"),
    ]);
    assert_eq!(code(&folder.run(&["check", "a.trace"])), 0);
    assert_eq!(
        code(&folder.run(&["check", "a.trace", "--fail-on", "any", "--model", "android"])),
        1
    );
    let model = |args: &[&str]| {
        folder.json(&[&["check", "a.trace", "--format", "json"], args].concat())["model"].clone()
    };
    assert_eq!(model(&[]), "event");
    assert_eq!(model(&["--config", "other.toml"]), "asyncclock");
    assert_eq!(model(&["--model", "android"]), "android");
    // The switch applies to models that have the rule.
    let report = folder.json(&["check", "a.trace", "--format", "json", "--model", "android"]);
    let rules: Vec<&str> =
        report["rules"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
    assert!(!rules.contains(&"NATIVE") && rules.contains(&"MSG-ENQUEUE"));
}

/// Expects exit status 2 and one line that names the position and, if there is one, the suggested
/// word.
#[test]
fn mistakes_in_a_configuration_have_a_place() {
    let cases = [
        ("modle = \"android\"\n", "c.toml:1:1: unknown key modle; did you mean model?"),
        ("limit = 1\n\n  zebra = 1\n", "c.toml:3:3: unknown key zebra; known are model, rules"),
        ("model = \"andriod\"\n", "c.toml:1:9: unknown model andriod; did you mean android?"),
        ("rules = [\"NATIVE\"]\n", "c.toml:1:10: a rule is switched with + or -"),
        ("rules = [\"-NATVE\"]\n", "c.toml:1:10: unknown rule NATVE; did you mean NATIVE?"),
        (
            "fail-on = \"harmfull\"\n",
            "c.toml:1:11: unknown threshold harmfull; did you mean harmful?",
        ),
        ("limit = -1\n", "c.toml:1:9: limit is a number, 0 or more"),
        ("limit = \"é\"\nmodel = 3\n", "c.toml:2:9: model is a string"),
        ("model = \n", "c.toml:1:"),
        ("[[suppress]]\nlocation = \"x\"\n", "c.toml:1:1: a suppression needs a reason"),
        ("\n[[suppress]]\nreason = \"r\"\n", "c.toml:2:1: a suppression needs at least one of"),
        (
            "[[suppress]]\nlocaton = \"x\"\nevent = \"e\"\nreason = \"r\"\n",
            "c.toml:2:1: unknown key locaton; did you mean location?",
        ),
        (
            "[[suppress]]\nevent = \"e\"\nreason = \"r\"\nexpires = \"soon\"\n",
            "c.toml:4:11: expires is a day such as",
        ),
        ("suppress = 3\n", "c.toml:1:12: suppress is tables, each written [[…]]"),
    ];
    for (content, expected) in cases {
        let folder = Folder::new(&[("a.trace", RACE), ("c.toml", content)]);
        let output = folder.run(&["check", "a.trace", "--config", "c.toml"]);
        assert_eq!(code(&output), 2, "{content}");
        assert!(stderr(&output).contains(expected), "{content}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
    let folder = Folder::new(&[("a.trace", RACE)]);
    let output = folder.run(&["check", "a.trace", "--config", "none.toml"]);
    assert_eq!((code(&output), stderr(&output).contains("cannot read none.toml")), (2, true));
}

#[test]
fn suppressed_races_do_not_count() {
    let suppress = |matcher: &str, expires: &str| {
        format!("[[suppress]]\n{matcher}\nreason = \"benign\"\n{expires}\n")
    };
    let status = |content: &str, threshold: &str| {
        let folder = Folder::new(&[("a.trace", RACE), ("s.toml", content)]);
        let args = ["check", "a.trace", "--suppress", "s.toml", "--fail-on", threshold];
        let output = folder.run(&args);
        (code(&output), stdout(&output).to_owned())
    };
    for threshold in ["uncovered", "any"] {
        assert_eq!(status(&suppress("location = \"x*\"", ""), threshold).0, 0);
        assert_eq!(status(&suppress("location = \"y\"", ""), threshold).0, 1);
        assert_eq!(status(&suppress("location = \"x\"", "expires = 9999-12-31"), threshold).0, 0);
        assert_eq!(status(&suppress("location = \"x\"", "expires = 1999-12-31"), threshold).0, 1);
    }
    let (_, unused) = status(&suppress("location = \"y\"", ""), "any");
    assert!(unused.contains("warning: s.toml:1: the suppression of location y matches nothing"));
    let (_, expired) = status(&suppress("location = \"x\"", "expires = 1999-12-31"), "any");
    assert!(expired.contains("expired after 1999-12-31; it matches 1 race"), "{expired}");
    assert_eq!(status("model = \"android\"\n", "any").0, 2, "suppressions and nothing else");
}

#[test]
fn a_baseline_lets_only_new_races_count() {
    let folder = Folder::new(&[("a.trace", RACE), ("b.trace", OTHER)]);
    let output = folder.run(&["check", "a.trace", "--write-baseline", "base.json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("race["), "what is accepted is shown");
    assert_eq!(code(&folder.run(&["check", "a.trace", "--baseline", "base.json"])), 0);
    let output = folder.run(&["check", "b.trace", "--baseline", "base.json"]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("two writes of y"));
    assert!(!stdout(&output).contains("write and a read of x"));
    let report = folder.json(&["check", "b.trace", "--baseline", "base.json", "--format", "json"]);
    let states: Vec<(&str, &str)> = report["races"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| (r["location"].as_str().unwrap(), r["baseline"].as_str().unwrap()))
        .collect();
    assert_eq!(states, [("x", "unchanged"), ("y", "new")]);
    std::fs::write(folder.path("interloper.toml"), "baseline = \"base.json\"\n").unwrap();
    assert_eq!(code(&folder.run(&["check", "a.trace"])), 0);
    let output = folder.run(&["check", "a.trace", "--baseline", "none.json"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("--write-baseline none.json makes one"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn diff_compares_traces_and_reports() {
    let folder = Folder::new(&[("a.trace", RACE), ("b.trace", OTHER)]);
    for name in ["a", "b"] {
        let (trace, report) = (format!("{name}.trace"), format!("{name}.json"));
        folder.run(&["check", &trace, "--format", "json", "--out", &report]);
    }
    for extension in ["trace", "json"] {
        let (a, b) = (format!("a.{extension}"), format!("b.{extension}"));
        let output = folder.run(&["diff", &a, &b]);
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        assert!(stdout(&output).starts_with("+ "), "{}", stdout(&output));
        assert!(stdout(&output).ends_with("1 new race, 0 gone, 1 unchanged.\n"));
        let output = folder.run(&["diff", &b, &a]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).ends_with("0 new races, 1 gone, 1 unchanged.\n"));
    }
    let diff = folder.json(&["diff", "a.json", "b.trace", "--format", "json"]);
    assert_eq!(diff["new"][0]["title"], "multi-threaded race on y");
    std::fs::write(folder.path("bad.json"), "{\"schema\": \"interloper-report/1\"}").unwrap();
    let output = folder.run(&["diff", "a.json", "bad.json"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("bad.json: neither a JSON report"), "{}", stderr(&output));
}

#[test]
fn everything_a_report_says_can_be_explained() {
    let folder = Folder::new(&[]);
    for (name, expected) in [
        ("MSG-ENQUEUE", "# MSG-ENQUEUE"),
        ("msg-enqueue", "# MSG-ENQUEUE"),
        ("android", "`MSG-ENQUEUE` (on)"),
        ("co-enabled", "A class. "),
        ("lock-protected", "- **Speaks about:** the race"),
        ("lost-update", "## Saving a counter"),
        ("wrong-end", "A code. "),
        ("abc-no-start", "A code. "),
        ("eventracer-bad-cell", "A code. "),
        ("evp-unbounded-async", "A code. "),
    ] {
        let output = folder.run(&["explain", name]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stdout(&output).contains(expected), "{name}: {}", stdout(&output));
    }
    let list = folder.run(&["explain"]);
    for kind in ["rule:", "model:", "class:", "label:", "hint:", "code:"] {
        assert!(stdout(&list).lines().any(|line| line == kind), "{kind}");
    }
    let output = folder.run(&["explain", "lok-protected"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("did you mean lock-protected?"), "{}", stderr(&output));
}

/// Codes are declared in rows `NAME = "kebab-name", Severity,` of `trace::codes!`.
#[test]
fn every_code_that_is_declared_can_be_explained() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![crates];
    let mut declared = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                declared.extend(codes_in(&std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    let list = Folder::new(&[]).run(&["explain"]);
    let (_, codes) = stdout(&list).split_once("\ncode:\n").unwrap();
    let mut listed: Vec<&str> =
        codes.lines().filter_map(|line| line.split_whitespace().next()).collect();
    listed.sort_unstable();
    declared.sort_unstable();
    assert_eq!(listed, declared);
    assert!(declared.len() > 60, "{declared:?}");
}

fn codes_in(source: &str) -> Vec<String> {
    let row = |line: &str| {
        let (name, rest) = line.trim_start().split_once(" = \"")?;
        let (code, rest) = rest.split_once("\", ")?;
        let severity = rest.split(',').next()?;
        let is_row = name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            && ["Info", "Warning", "Error"].contains(&severity);
        is_row.then(|| code.to_owned())
    };
    source.lines().filter_map(row).collect()
}

/// Only labels make a race likely harmful. A hint is a guess, and two writes leave nothing unset.
#[test]
fn fail_on_harmful_counts_what_a_label_calls_harmful() {
    let status = |content: &str| {
        let folder = Folder::new(&[("a.trace", content)]);
        code(&folder.run(&["check", "a.trace", "--fail-on", "harmful"]))
    };
    assert_eq!(status(RACE), 1, "the read may come before the only write");
    let two_writes = "interloper-trace 1\nt1 write x value=1\nt2 write x value=2\n";
    assert_eq!(status(two_writes), 0);
    let initialised = "interloper-trace 1\nt1 write x value=0\nt1 fork t2\nt1 write x value=1\n\
                       t2 init\nt2 read x value=1\n";
    assert_eq!(status(initialised), 0, "one write is certain to come before the read");
    let locked = "interloper-trace 1\nt1 lock l\nt1 write x value=1\nt1 unlock l\n\
                  t2 lock l\nt2 read x value=1\nt2 unlock l\n";
    assert_eq!(status(locked), 0);
    let hinted = "interloper-trace 1\nmodel event\n\
                  p begin tick type=timer\np read player value=object\np end tick\n\
                  p begin stop type=click\np write player value=null\np end stop\n";
    let folder = Folder::new(&[("a.trace", hinted)]);
    let report = folder.json(&["check", "a.trace", "--format", "json"]);
    assert_eq!(report["races"][0]["hints"][0]["kind"], "use-after-destroy");
    assert_eq!(status(hinted), 0);
    let response = "interloper-trace 1\nmodel event\n\
                    p begin answer type=readystatechange\np write box value=1\np end answer\n\
                    p begin typed type=keypress\np write box value=2\np end typed\n";
    assert_eq!(status(response), 1);
}

#[test]
fn lists_of_the_project_extend_the_shipped_ones() {
    let trace = "interloper-trace 1\n\
                 t1 enter Pool.put\nt1 write Pool1.size value=1\nt1 leave\n\
                 t2 enter Pool.put\nt2 write Pool1.size value=2\nt2 leave\n\
                 t1 write Parcel1.data value=1\nt2 write Parcel1.data value=2\n";
    let labels = |folder: &Folder| -> Vec<Value> {
        let report = folder.json(&["check", "a.trace", "--format", "json"]);
        let races = report["races"].as_array().unwrap();
        races.iter().map(|race| race["labels"].clone()).collect()
    };
    let folder = Folder::new(&[("a.trace", trace)]);
    assert_eq!(labels(&folder), [Value::from(vec![""; 0]), Value::from(vec!["object-reuse"])]);
    std::fs::create_dir(folder.path("ours")).unwrap();
    std::fs::write(folder.path("ours/pool.list"), "# ours\ncommutes Pool.put\n").unwrap();
    std::fs::write(folder.path("interloper.toml"), "lists = [\"ours/pool.list\"]\n").unwrap();
    let both = [Value::from(vec!["commuting"]), Value::from(vec!["object-reuse"])];
    assert_eq!(labels(&folder), both, "and the shipped lists stay");

    let refused = |expected: &str| {
        let output = folder.run(&["check", "a.trace"]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    };
    std::fs::write(folder.path("ours/pool.list"), "# ours\n\ncommute Pool.put\n").unwrap();
    refused("ours/pool.list:3: \"commute Pool.put\" is no entry; expected `commutes F [G]`");
    std::fs::write(folder.path("interloper.toml"), "lists = [\n  \"none.list\",\n]\n").unwrap();
    refused("interloper.toml:2:3: cannot read the list none.list: No such file");
    std::fs::write(folder.path("interloper.toml"), "lists = \"ours/pool.list\"\n").unwrap();
    refused("interloper.toml:1:9: lists is a list of strings");
}

/// A native file that is read in passes is judged by the same lists.
#[test]
fn lists_of_the_project_hold_for_streamed_files() {
    let mut trace = "interloper-trace 1\n\
                     t1 enter Pool.put\nt1 write Pool1.size value=1\nt1 leave\n\
                     t2 enter Pool.put\nt2 write Pool1.size value=2\nt2 leave\n"
        .to_owned();
    // The names are random: even compressed, the file must be too long to be read into memory.
    let mut name = 1_u64;
    for _ in 0..20_000 {
        name = name.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        writeln!(trace, "t1 read L{name:x}").unwrap();
    }
    let folder = Folder::new(&[
        ("a.trace", &trace),
        ("pool.list", "commutes Pool.put\n"),
        ("interloper.toml", "lists = [\"pool.list\"]\n"),
    ]);
    assert_eq!(code(&folder.run(&["convert", "a.trace", "a.ilt"])), 0);
    assert!(std::fs::metadata(folder.path("a.ilt")).unwrap().len() > 64 << 10);
    let report = folder.json(&["check", "a.ilt", "--format", "json"]);
    assert_eq!(report["races"][0]["labels"], Value::from(vec!["commuting"]));
}

#[test]
fn completions_and_manual_pages_know_the_commands() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let output = folder.run(&["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("write-baseline"), "{shell}");
    }
    assert!(stdout(&folder.run(&["man"])).contains(".TH interloper 1"));
    assert!(stdout(&folder.run(&["man", "check"])).contains("write\\-baseline"));
    let output = folder.run(&["man", "chekc"]);
    assert!(stderr(&output).contains("did you mean check?"), "{}", stderr(&output));
}

/// The example in the documentation is accepted without errors.
#[test]
fn the_documented_configuration_is_valid() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let page = std::fs::read_to_string(page).unwrap();
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let list = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = Folder::new(&[("a.trace", RACE), ("c.toml", example), ("interloper.list", list)]);
    let args = ["check", "a.trace", "--config", "c.toml", "--write-baseline", "b.json"];
    let output = folder.run(&args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}
