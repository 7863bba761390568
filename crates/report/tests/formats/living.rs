//! Tests suppressions, baselines, comparisons, and reading reports.

use report::Report;
use report::baseline::Baseline;
use report::diff::Diff;
use report::standing::Standing;

use crate::{corpus, json_of, report_of, report_of_file, varied};

fn standing_of(report: &Report, location: &str) -> Standing {
    report.races.iter().find(|r| r.location == location).expect("a race").standing()
}

#[test]
fn each_race_stands_where_it_was_put() {
    let report = varied();
    assert_eq!(standing_of(&report, "List.flag"), Standing::Open);
    assert_eq!(standing_of(&report, "List.items"), Standing::Covered);
    assert_eq!(standing_of(&report, "Cache.size"), Standing::Hidden);
    assert_eq!(standing_of(&report, "Stats.hits"), Standing::Baselined);
    assert_eq!(standing_of(&report, "Log.last"), Standing::Suppressed);
    let states: Vec<_> = report.suppressions.iter().map(|s| (&*s.state, s.races)).collect();
    let lists = report.races.iter().filter(|r| r.location.starts_with("List.")).count();
    assert_eq!(states, [("used", 1), ("expired", lists), ("unused", 0)]);
    assert_eq!((report.summary.suppressed, report.summary.baselined), (1, 1));
    let baseline = report.baseline.as_ref().unwrap();
    assert_eq!(baseline.gone[0].title, "delayed race on Old.thing");
    assert_eq!(baseline.new + baseline.unchanged, report.races.len());
}

/// Coverage is defined for events of one thread. A Looper that a second thread serves is an
/// anomaly, and races there are open.
#[test]
fn races_between_threads_count_as_uncovered() {
    let trace = |thread: &str| {
        let trace = format!(
            "interloper-trace 1\nu attach ui\nnet enqueue load ui\ndb enqueue store ui\n\
             u begin load\nu write items\nu write flag\nu end load\n\
             {thread} begin store\n{thread} read flag\n{thread} read items\n{thread} end store\n"
        );
        report_of(trace.as_bytes())
    };
    let (one, two) = (trace("u"), trace("v"));
    for report in [&one, &two] {
        assert!(report.races.iter().any(|race| race.location == "items" && race.covered));
        assert_eq!(report.summary.uncovered_races, 1);
    }
    assert_eq!(standing_of(&one, "items"), Standing::Covered);
    assert_eq!(standing_of(&two, "items"), Standing::Open);
    assert_eq!((one.summary.open_races, two.summary.open_races), (1, 2));
}

#[test]
fn a_report_from_before_open_races_is_counted_anew() {
    let report = varied();
    let json = json_of(&report);
    let line = format!("    \"open_races\": {},\n", report.summary.open_races);
    let older = json.replacen(&line, "", 1);
    assert_ne!(older, json);
    assert_eq!(json_of(&Report::from_json(older.as_bytes()).expect("a report")), json);
}

#[test]
fn a_group_is_open_while_one_of_its_races_is() {
    let mut report = varied();
    let problem = report.open_problems()[0];
    let (group, lead) = (problem.group.id as usize, problem.lead.id);
    report.races[lead as usize].suppressed = Some("known".to_owned());
    let races = report.groups[group].races.clone();
    let open = |report: &Report| report.open_problems().iter().any(|p| p.group.id == group as u32);
    let stays = |id: &u32| report.races[*id as usize].standing() == Standing::Open;
    assert_eq!(open(&report), races.iter().any(stays));
    for race in races {
        report.races[race as usize].suppressed = Some("known".to_owned());
    }
    assert!(!open(&report));
    assert_eq!(report.problems().len(), report.groups.len(), "nothing is deleted");
}

#[test]
fn a_baseline_of_a_report_knows_all_of_it() {
    for path in corpus() {
        let mut report = report_of_file(&path);
        let file = Baseline::of(&report).write();
        let read = Baseline::read(file.as_bytes()).expect("a baseline");
        assert_eq!(read, Baseline::of(&report));
        assert_eq!(Baseline::read(json_of(&report).as_bytes()).expect("a report"), read);
        read.compare(&mut report);
        assert!(report.races.iter().all(|race| race.standing() == Standing::Baselined));
        assert!(report.open_problems().is_empty());
    }
}

#[test]
fn a_baseline_says_what_is_wrong_with_it() {
    let error = |bytes: &[u8]| Baseline::read(bytes).unwrap_err().to_string();
    assert!(error(b"nonsense").contains("neither a JSON report nor"));
    assert!(error(b"{\"schema\": \"other/1\", \"races\": []}").contains("schema other/1"));
}

#[test]
fn reports_read_back_as_they_were() {
    for report in corpus().iter().map(|path| report_of_file(path)).chain([varied()]) {
        let json = json_of(&report);
        assert!(Report::is_json(json.as_bytes()));
        let again = Report::from_json(json.as_bytes()).expect("a report");
        assert_eq!(json_of(&again), json);
    }
    assert!(!Report::is_json(b"interloper-trace 1\n"));
    assert!(!Report::is_json(b"{\"traceEvents\": []}"));
}

#[test]
fn a_report_that_breaks_its_promises_is_refused() {
    let json = json_of(&varied());
    let broken = |from: &str, to: &str| {
        let broken = json.replacen(from, to, 1);
        assert_ne!(broken, json);
        Report::from_json(broken.as_bytes()).unwrap_err().to_string()
    };
    assert!(broken("interloper-report/1", "interloper-report/2").contains("interloper-report/2"));
    assert!(broken("\"id\": 0", "\"id\": 7").contains("numbered"));
    let group = json.find("\"groups\": [").unwrap();
    let races = group + json[group..].find("\"races\": [").unwrap() + "\"races\": [".len();
    let mut far = json.clone();
    far.insert_str(races, "999, ");
    assert!(Report::from_json(far.as_bytes()).unwrap_err().to_string().contains("not there"));
}

#[test]
fn a_diff_says_what_came_and_went() {
    let before = report_of(b"interloper-trace 1\na write x\nb write x\na write y\nb write y\n");
    let after = report_of(b"interloper-trace 1\na write y\nb write y\na write z\nb write z\n");
    let diff = Diff::of(&before, &after);
    let titles = |races: &[report::model::KnownRace]| -> Vec<String> {
        races.iter().map(|race| race.title.clone()).collect()
    };
    assert_eq!(titles(&diff.new), ["multi-threaded race on z"]);
    assert_eq!(titles(&diff.gone), ["multi-threaded race on x"]);
    assert_eq!(titles(&diff.unchanged), ["multi-threaded race on y"]);
    assert!(diff.to_string().ends_with("1 new race, 1 gone, 1 unchanged.\n"));
    assert!(Diff::of(&after, &after).new.is_empty());
}

/// Returns how many races are new, gone and unchanged.
fn news(before: &Report, after: &Report) -> [usize; 3] {
    let diff = Diff::of(before, after);
    [diff.new.len(), diff.gone.len(), diff.unchanged.len()]
}

#[test]
fn a_diff_is_about_open_races() {
    let trace = |ops: &str| report_of(format!("interloper-trace 1\nmodel event\n{ops}").as_bytes());
    let nothing = trace("p begin a\np write done\np end a\n");
    let flag_only = trace("p begin a\np write f\np end a\np begin b\np read f\np end b\n");
    // The race on f covers the race on x, which encloses it.
    let both =
        trace("p begin a\np write x\np write f\np end a\np begin b\np read f\np read x\np end b\n");
    assert_eq!(standing_of(&both, "x"), Standing::Covered);
    assert_eq!(news(&nothing, &both), [1, 0, 0], "the covered race is no news");
    assert_eq!(news(&flag_only, &both), [0, 0, 1]);
    assert_eq!(news(&both, &nothing), [0, 1, 0]);

    let mut repaired = trace("p begin a\np write x\np end a\np begin b\np read x\np end b\n");
    assert_eq!(standing_of(&repaired, "x"), Standing::Open);
    assert_eq!(news(&both, &repaired), [0, 1, 1], "x was there before, covered");
    Baseline::of(&both).compare(&mut repaired);
    assert_eq!(standing_of(&repaired, "x"), Standing::Baselined);
    assert_eq!(news(&repaired, &both), [1, 0, 0], "f is new; x is open in neither");

    let mut hidden =
        trace("p begin a\np write y value=1\np end a\np begin b\np write y value=1\np end b\n");
    assert_eq!(standing_of(&hidden, "y"), Standing::Hidden);
    let open =
        trace("p begin a\np write y value=1\np end a\np begin b\np write y value=2\np end b\n");
    assert_eq!(news(&nothing, &hidden), [0, 0, 0]);
    assert_eq!(news(&hidden, &open), [1, 0, 0], "what was hidden has come up");
    assert_eq!(news(&open, &hidden), [0, 1, 0]);
    hidden.show(&[triage::Label::SameValue]);
    assert_eq!(news(&hidden, &open), [0, 0, 1]);
}
