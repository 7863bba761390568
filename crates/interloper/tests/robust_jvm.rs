//! Runs `interloper robust --jvm` on the programs of robust/jvm/examples.
//!
//! `script/build-jvm` builds the Java program and the examples. Without them, the tests are skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the compiled examples, or `None` if the Java program was not built.
fn examples() -> Option<PathBuf> {
    let target = root().join("robust/jvm/target");
    if target.join("interloper-robust.jar").exists() && target.join("test-classes").exists() {
        return Some(target.join("test-classes"));
    }
    let reason = "robust/jvm was not built: run script/build-jvm";
    assert!(std::env::var_os("INTERLOPER_REQUIRE_ROBUST_JAR").is_none(), "{reason}");
    testkit::skip::skip(reason);
    None
}

fn run(classes: &Path, driver: &str, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_interloper"))
        .env("INTERLOPER_ROBUST_JAR", root().join("robust/jvm/target/interloper-robust.jar"))
        .args(["robust", "--jvm", classes.to_str().expect("UTF-8"), "--driver", driver])
        .args(args)
        .output()
        .expect("the binary runs")
}

fn report(classes: &Path, driver: &str) -> Value {
    let output = run(classes, driver, &["--format", "json", "--seconds", "55"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{driver}: {error}: {}", String::from_utf8_lossy(&output.stderr))
    })
}

fn verdict<'r>(report: &'r Value, criterion: &str) -> &'r Value {
    let criteria = report["criteria"].as_array().expect("a list");
    criteria.iter().find(|entry| entry["criterion"] == criterion).expect("the criterion")
}

/// `a-b` as `AB`, the class of the twin of `a-b.evp`.
fn class_name(file: &str) -> String {
    let words = file.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.collect()
}

/// Each program of the corpus has a twin in Java with the verdicts, and the pivots, that its first
/// lines state. The reports validate.
#[test]
fn twins_of_the_corpus_agree() {
    let Some(classes) = examples() else { return };
    let schema = std::fs::read(root().join("schema/interloper-robustness-1.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(root().join("corpus/robustness"))
        .expect("the corpus")
        .map(|entry| entry.unwrap().path())
        .collect();
    programs.sort();
    assert!(programs.len() > 30);
    for program in programs {
        let name = program.file_stem().unwrap().to_str().unwrap();
        let driver = format!("corpus.{}", class_name(name));
        let report = report(&classes, &driver);
        let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{driver}: {errors:?}");
        for line in std::fs::read_to_string(&program).unwrap().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["//", "expect", criterion, expected] => {
                    assert_eq!(verdict(&report, criterion)["verdict"], expected, "{driver}");
                }
                ["//", "pivot", criterion, method, kind, location] => {
                    let pivot = &verdict(&report, criterion)["witness"]["pivot"];
                    let last = |key: &str| {
                        pivot[key].as_str().unwrap_or("").rsplit('.').next().unwrap().to_owned()
                    };
                    assert_eq!(last("procedure"), method, "{driver}: {pivot}");
                    assert_eq!(pivot["kind"], kind, "{driver}: {pivot}");
                    assert_eq!(last("location"), location, "{driver}: {pivot}");
                }
                _ => {}
            }
        }
    }
}

/// The figures of the paper in Java, programs with monitors, and programs with many events.
#[test]
fn verdicts_of_the_examples() {
    let Some(classes) = examples() else { return };
    for (driver, determinism, serializability) in [
        ("paper.Chat$Broken", "holds", "violated"),
        ("paper.Chat$Repaired", "holds", "holds"),
        ("paper.IconPack$Broken", "violated", "unchecked"),
        ("paper.IconPack$Repaired", "holds", "holds"),
        ("paper.News$SearchAndShow", "holds", "holds"),
        ("paper.News$SearchTwice", "holds", "violated"),
        ("odd.Locks$None", "holds", "violated"),
        ("odd.Locks$Method", "holds", "holds"),
        ("odd.Locks$Block", "holds", "holds"),
        ("odd.Locks$Split", "holds", "violated"),
        ("odd.Locks$Half", "holds", "violated"),
        ("odd.Locks$Two", "holds", "violated"),
        ("odd.Odd$Reflects", "violated", "unchecked"),
        ("odd.Odd$SharesMap", "violated", "unchecked"),
        ("odd.Odd$SharesAtomic", "violated", "unchecked"),
        ("odd.Odd$Catches", "holds", "violated"),
        ("odd.Odd$Chooses", "holds", "violated"),
        ("odd.Odd$WaitsForFuture", "unknown", "unknown"),
        ("odd.Odd$WaitsForLatch", "unknown", "unknown"),
        ("odd.Odd$Spins", "unknown", "unknown"),
        ("odd.Waits$Scheduled", "holds", "holds"),
        ("odd.Waits$Polls", "unknown", "violated"),
        ("odd.Language$EnumState", "violated", "unchecked"),
        ("odd.Language$Switches", "holds", "holds"),
        ("odd.Language$SwitchedTwice", "holds", "violated"),
        ("odd.Language$Handlers", "holds", "holds"),
        ("odd.Language$Iterates", "holds", "violated"),
        ("odd.Language$OwnList", "holds", "violated"),
        ("odd.Language$Arrays", "holds", "holds"),
        ("odd.Language$Initialises", "holds", "violated"),
        ("odd.Language$FailsToInitialise", "holds", "violated"),
        ("odd.Language$Finally", "holds", "violated"),
        ("odd.Language$Closes", "holds", "violated"),
        ("odd.Language$Nested", "holds", "holds"),
        ("odd.Language$TasksChoose", "holds", "violated"),
        ("odd.Calls$CopiesFrom", "violated", "unchecked"),
        ("odd.Calls$CopiesTo", "violated", "unchecked"),
        ("odd.Calls$CopiesApart", "holds", "holds"),
        ("odd.Calls$CopiesInOneStep", "holds", "holds"),
        ("odd.Calls$Fills", "violated", "unchecked"),
        ("odd.Calls$FillsApart", "holds", "holds"),
        ("odd.Calls$ReadsInto", "violated", "unchecked"),
        ("odd.Calls$ConvertsToArray", "violated", "unchecked"),
        ("odd.Calls$CopiesList", "violated", "unchecked"),
        ("odd.Calls$WrapsWriter", "violated", "unchecked"),
        ("odd.Calls$SharesThreadLocal", "holds", "violated"),
        ("odd.Calls$ClonesArray", "violated", "unchecked"),
        ("odd.Calls$ClonesObject", "violated", "unchecked"),
        ("odd.Calls$Concatenates", "violated", "unchecked"),
        ("odd.Calls$Formats", "violated", "unchecked"),
        ("odd.Calls$PrintsAtomic", "violated", "unchecked"),
        ("odd.Calls$Compares", "violated", "unchecked"),
        ("odd.Calls$PrintsNested", "violated", "unchecked"),
        ("odd.Calls$PrintsRecord", "violated", "unchecked"),
        ("odd.Calls$IteratesOver", "violated", "unchecked"),
        ("odd.Calls$StartsByReference", "violated", "unchecked"),
        ("odd.Calls$ComparesThreads", "holds", "holds"),
        ("odd.Calls$FillsOwnMap", "holds", "holds"),
    ] {
        let report = report(&classes, driver);
        assert_eq!(verdict(&report, "determinism")["verdict"], determinism, "{driver}");
        assert_eq!(verdict(&report, "serializability")["verdict"], serializability, "{driver}");
    }
    let independent = report(&classes, "scale.Handlers$SevenIndependent");
    assert_eq!(independent["status"], "holds");
    assert!(independent["statistics"]["runs"].as_u64().unwrap() < 20);
    let conflicting = report(&classes, "scale.Handlers$SevenConflicting");
    assert_eq!(conflicting["status"], "holds");
    assert_eq!(conflicting["statistics"]["runs"], 5040, "one run for each order");
    let output = run(&classes, "scale.Handlers$SevenConflictingAndPost", &["--seconds", "1"]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("the time was over before all runs were explored"), "{text}");
}

/// What makes a verdict weaker than it looks is stated with its line.
#[test]
fn nothing_holds_silently() {
    let Some(classes) = examples() else { return };
    for (driver, expected) in [
        ("odd.Odd$UsesRandom", "random numbers are the same in each run at Odd.java:"),
        ("odd.Odd$Sleeps", "Thread.sleep takes no time: tasks run in every order at Odd.java:"),
        ("odd.Odd$Throws", "java.lang.IllegalArgumentException ended a task"),
        ("odd.Odd$WaitsForFuture", "Future.get waits for or wakes other tasks"),
        ("odd.Odd$Spins", "did not end within the steps allowed at Odd.java:"),
        ("odd.Waits$Joins", "Thread.join waits for or wakes other tasks"),
        ("odd.Waits$Locks", "Lock.lock waits for or wakes other tasks"),
        ("odd.Waits$Awaits", "CountDownLatch.await waits for or wakes other tasks"),
        ("odd.Waits$Takes", "BlockingQueue.poll waits for or wakes other tasks"),
        ("odd.Waits$Notified", "Object.wait waits for or wakes other tasks"),
        ("odd.Waits$Completes", "CompletableFuture.runAsync waits for or wakes other tasks"),
        ("odd.Waits$Parallel", "IntStream.parallel uses memory or values that are not seen"),
        ("odd.Waits$Recurses", "java.lang.StackOverflowError ended a task at Waits.java:"),
        (
            "odd.Waits$Scheduled",
            "newSingleThreadScheduledExecutor has no effect on the order of tasks",
        ),
        (
            "odd.Language$ReadsWhenInitialised",
            "a static initialiser accesses what a task accesses, too",
        ),
        ("odd.Calls$Registers", "a static initialiser accesses what a task accesses, too"),
        (
            "odd.Calls$SharesIterator",
            "an iterator is used by two tasks, which is not modelled, at Calls.java:",
        ),
        ("odd.Calls$SharesArrayAsList", "an array is also used through Arrays.asList"),
        (
            "odd.Calls$UpdatesField",
            "AtomicIntegerFieldUpdater.incrementAndGet uses memory or values",
        ),
        ("odd.Calls$SetsLocale", "Locale.setDefault uses state outside the program"),
        (
            "odd.Calls$RepeatsByTimer",
            "the call of Timer.scheduleAtFixedRate is not modelled at Calls.java:",
        ),
        (
            "odd.Calls$OrdersByIdentity",
            "identity hash codes, which differ in each execution, decide the order",
        ),
        (
            "odd.Calls$OrdersEnums",
            "identity hash codes, which differ in each execution, decide the order",
        ),
        (
            "odd.Calls$OrdersIdentityMap",
            "identity hash codes, which differ in each execution, decide",
        ),
        (
            "odd.Calls$OrdersOwn",
            "a collection that identity hash codes order has the same order in each run",
        ),
        ("odd.Calls$CallsSuper", "the arguments of super.addAll are not seen at Calls.java:"),
        ("odd.Calls$Halts", "Runtime.halt only stops its task at Calls.java:"),
    ] {
        let began = std::time::Instant::now();
        let output = run(&classes, driver, &["--seconds", "300"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(expected), "{driver}: {text}");
        // A call that waits does not make the exploration wait until its time is over.
        assert!(began.elapsed().as_secs() < 300, "{driver}");
        let unknown = text.contains("unknown");
        assert_eq!(output.status.code(), Some(if unknown { 3 } else { 0 }), "{driver}");
    }
}

/// A driver or a class path that cannot be used is an error with what to do.
#[test]
fn what_cannot_be_checked_is_an_error() {
    let Some(classes) = examples() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let needs = "odd/Odd$LacksClassLater$Needs.class";
    let later = "odd/Odd$LacksClassLater.class";
    for name in ["odd/Odd.class", "odd/Odd$LacksClass.class", later, needs] {
        let to = folder.path().join(name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(classes.join(name), to).unwrap();
    }
    let absent = folder.path().join("absent.jar");
    let no_jar = folder.path().join("no.jar");
    std::fs::write(&no_jar, "no jar").unwrap();
    for (path, driver, expected) in [
        (classes.as_path(), "odd.Nowhere", "the class path has no class odd.Nowhere"),
        (classes.as_path(), "odd.Locks", "has no method public static void main"),
        (classes.as_path(), "odd.Odd$FailingDriver", "no application at Odd.java:"),
        (classes.as_path(), "odd.Odd$EmptyDriver", "declares 0 events"),
        (classes.as_path(), "odd.Odd$InstanceDriver", "should be static"),
        (
            classes.as_path(),
            "odd.Odd$NoHandler",
            "an event needs a name and a handler at Odd.java:",
        ),
        (
            classes.as_path(),
            "odd.Odd$PostsEarly",
            "a task is posted outside all events at Odd.java:",
        ),
        (classes.as_path(), "odd.Calls$WaitsForItself", "it comes after itself"),
        (
            classes.as_path(),
            "odd.Calls$DeclaresLate",
            "declares event b while events run; it should declare all events in main",
        ),
        (folder.path(), "odd.Odd$LacksClass", "class odd.Absent is not on the class path"),
        (no_jar.as_path(), "odd.Odd", "which is no jar"),
        (absent.as_path(), "odd.Odd", "which does not exist"),
    ] {
        let output = run(path, driver, &[]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{driver}: {stderr}");
        assert!(stderr.contains(expected), "{driver}: {stderr}");
        assert!(output.stdout.is_empty());
    }
    // A class that only a handler needs is missed when the handler runs.
    let output = run(folder.path(), "odd.Odd$LacksClassLater", &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("class odd.Absent is not on the class path at Odd.java:"), "{text}");
}

/// No Java program is left behind, also if the check is interrupted.
#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left() {
    let Some(classes) = examples() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let link = folder.path().join("classes");
    std::os::unix::fs::symlink(&classes, &link).unwrap();
    let mut check = Command::new(env!("CARGO_BIN_EXE_interloper"))
        .env("INTERLOPER_ROBUST_JAR", root().join("robust/jvm/target/interloper-robust.jar"))
        .args(["robust", "--jvm", link.to_str().unwrap(), "--seconds", "600"])
        .args(["--driver", "scale.Handlers$SevenConflictingAndPost"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the binary runs");
    let wait_for = |running: bool| {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while is_named_by_a_process(&link) != running {
            assert!(std::time::Instant::now() < end, "the Java program: {}", !running);
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    };
    wait_for(true);
    check.kill().expect("the binary still runs");
    check.wait().expect("it ends");
    wait_for(false);
}

/// Whether the command line of a Java program names the path.
#[cfg(target_os = "linux")]
fn is_named_by_a_process(path: &Path) -> bool {
    let path = path.to_str().expect("UTF-8").as_bytes();
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok()).any(|line| {
        line.starts_with(b"java") && line.windows(path.len()).any(|window| window == path)
    })
}

/// The programs modelled after the paper's tables have the verdicts that the list states, and those
/// in Kotlin and with libraries have theirs.
#[test]
fn programs_of_the_tables_kotlin_and_libraries() {
    let Some(classes) = examples() else { return };
    let libraries = root().join("robust/jvm/target/libraries");
    if !libraries.exists() {
        let reason = "the examples with libraries were not built: run script/build-jvm --libraries";
        assert!(std::env::var_os("INTERLOPER_REQUIRE_ROBUST_JAR").is_none(), "{reason}");
        return testkit::skip::skip(reason);
    }
    let jars = ["gson", "commons-collections", "kotlin-stdlib"];
    let jars = jars.map(|name| libraries.join(format!("{name}.jar")).display().to_string());
    let path = PathBuf::from(format!("{}:{}", classes.display(), jars.join(":")));
    let table = root().join("robust/jvm/examples/apps/table.list");
    let table = std::fs::read_to_string(table).expect("the table");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let kotlin = [
        vec!["kt.Broken", "holds", "violated"],
        vec!["kt.Repaired", "holds", "holds"],
        vec!["kt.Counts", "holds", "holds"],
        vec!["kt.Singleton", "violated", "unchecked"],
        vec!["kt.Locked", "holds", "holds"],
    ];
    let mut count = 0;
    for row in rows.chain(kotlin) {
        let report = report(&path, row[0]);
        assert_eq!(verdict(&report, "determinism")["verdict"], row[1], "{}", row[0]);
        assert_eq!(verdict(&report, "serializability")["verdict"], row[2], "{}", row[0]);
        count += 1;
    }
    assert!(count > 50);
}

/// The witness is what happened on threads, and `check --robustness` finds the violation in it.
#[test]
fn a_witness_confirms_the_violation() {
    let Some(classes) = examples() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (driver, expected) in [
        ("paper.Chat$Broken", "conflict-serializability: 1 violation observed"),
        ("paper.IconPack$Broken", "conflict-determinism: 1 violation observed"),
        ("odd.Locks$Split", "conflict-serializability: 1 violation observed"),
    ] {
        let path = folder.path().join("witness.ilt");
        let witness = path.to_str().expect("UTF-8");
        let output = run(&classes, driver, &["--witness", witness]);
        assert_eq!(output.status.code(), Some(1), "{driver}");
        let checked = Command::new(env!("CARGO_BIN_EXE_interloper"))
            .args(["check", "--robustness", "--fail-on", "never", witness])
            .output()
            .expect("the binary runs");
        let text = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(text.contains(expected), "{driver}: {text}");
    }
}
