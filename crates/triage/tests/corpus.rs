//! Checks what the papers state about their worked examples, beyond the races themselves.

use std::fs;
use std::path::PathBuf;

use order::{Model, Oracle};
use races::{PairMode, Races};
use trace::Trace;
use triage::{Lists, Triage, triage};

/// An analysed example.
struct Example {
    trace: Trace,
    races: Races,
    triage: Triage,
}

impl Example {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name);
        let text = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let trace = codec::text::read(&text).unwrap_or_else(|e| panic!("{name}: {e}")).trace;
        let model = trace.model().and_then(Model::named).expect("a known model");
        let (order, lists) = (Oracle::new(&trace, &model.default_rules()), Lists::builtin());
        let mode = PairMode::Candidates;
        let mut races = races::find(&trace, &order, model, mode);
        triage::cover(&trace, &order, model, None, &mut races, &lists);
        let triage = triage(&trace, &order, model, &races, &lists);
        Self { trace, races, triage }
    }

    /// Returns each race as `location first second: labels; hints`, by rank.
    fn summary(&self) -> Vec<String> {
        let mut lines: Vec<(u32, String)> = Vec::new();
        for (race, verdict) in self.races.races.iter().zip(&self.triage.verdicts) {
            let location = String::from_utf8_lossy(self.trace.names().locations.get(race.location));
            let labels: Vec<&str> = verdict.labels.iter().map(|label| label.name()).collect();
            let hints: Vec<&str> = verdict.hints.iter().map(|given| given.hint.name).collect();
            let (labels, hints) = (labels.join(" "), hints.join(" "));
            let line = format!("{location} {} {}: {labels}; {hints}", race.first.0, race.second.0);
            lines.push((verdict.rank, line));
        }
        lines.sort();
        lines.into_iter().map(|(_, line)| line).collect()
    }
}

#[test]
fn eventracer_fig_7_gets_the_labels_of_the_paper() {
    let lines = Example::new("eventracer-web/two-buttons.trace").summary();
    let expected = [
        "f 9 16: uninitialised; null-dereference",
        "likeLocal 18 28: same-value only-local-reads; ",
        "likeLocal 20 28: same-value only-local-reads; ",
        "b1.click 11 26: late-handler; null-dereference",
        "lazy 21 29: lazy-init; ",
    ];
    let mut sorted = (lines.clone(), expected.to_vec());
    sorted.0.sort();
    sorted.1.sort_unstable();
    assert_eq!(sorted.0, sorted.1);
    assert_eq!(lines[0], expected[0], "the only one that no filter calls harmless comes first");
}

#[test]
fn fig_7_gets_the_same_labels_as_a_page_of_today() {
    let mut lines = Example::new("web/two-buttons.trace").summary();
    assert_eq!(lines[0], "Window.f 10 22: uninitialised; access-before-definition");
    lines.sort();
    let expected = [
        "Window.f 10 22: uninitialised; access-before-definition",
        "Window.lazy 27 39: lazy-init; access-before-definition",
        "Window.likeLocal 24 38: same-value only-local-reads unseen; ",
        "Window.likeLocal 26 38: same-value only-local-reads unchanged unseen; ",
        "b1.handlers(click) 12 33: late-handler immediate; ",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn modern_pages_get_their_labels_and_hints() {
    for (name, expected) in [
        ("stale-response", "results.childList 20 25: ; stale-response"),
        ("late-handler", "button.buy.handlers(click) 6 12: late-handler; "),
        ("free-navigation", "Window.list 6 12: unseen unload; use-after-destroy"),
    ] {
        assert_eq!(Example::new(&format!("web/{name}.trace")).summary(), [expected]);
    }
}

#[test]
fn the_bugs_of_eventracer_android_come_first() {
    for (name, first) in [
        ("image-rows", "ImageView1.mDrawable 41 49: ; stale-response"),
        ("invalidated-activity", "PhoneWindow.mPanels 24 32: ; use-after-destroy"),
        ("location-callback", "SQLiteDatabase.mConnectionPoolLocked 41 51: ; use-after-destroy"),
    ] {
        let example = Example::new(&format!("eventracer-android/{name}.trace"));
        assert_eq!(example.summary()[0], first);
        assert!(!example.triage.verdicts.iter().any(|v| v.hidden), "{name}");
    }
}

/// A loader's count of missing modules orders what the modules set up, and another counter does not.
#[test]
fn a_field_of_a_library_covers_only_if_listed() {
    let text = |field: &str| {
        format!(
            "interloper-trace 1\nmodel web\n\
             main begin one type=load\nmain write Window.plugin value=1 src=app.js:1:1\n\
             main read Object.{field} value=2 src=require.js:9:1\n\
             main write Object.{field} value=1 src=require.js:9:1\nmain end one\n\
             main begin two type=load\nmain read Object.{field} value=1 src=require.js:9:1\n\
             main write Object.{field} value=0 src=require.js:9:1\n\
             main read Window.plugin value=1 src=app.js:7:1\nmain end two\n"
        )
    };
    for (field, is_covered) in [("depCount", true), ("guid", false)] {
        let trace = codec::text::read(text(field).as_bytes()).expect("a trace").trace;
        let model = Model::named(b"web").expect("a model");
        let order = Oracle::new(&trace, &model.default_rules());
        let mut races = races::find(&trace, &order, model, PairMode::All);
        triage::cover(&trace, &order, model, None, &mut races, &Lists::builtin());
        let plugin = trace.names().locations.find(b"Window.plugin").expect("accessed");
        let race = races.races.iter().find(|race| race.location == plugin).expect("it races");
        assert_eq!(race.is_covered(), is_covered, "{field}");
    }
}

#[test]
fn a_field_of_the_framework_covers_only_if_listed() {
    let example = Example::new("eventracer-android/invalidated-activity-repaired.trace");
    let covered: Vec<bool> = example.races.races.iter().map(races::Race::is_covered).collect();
    assert_eq!(covered, [false, true], "mDestroyed is listed and covers mPanels");
    let model = Model::named(b"android").expect("a model");
    let lists = Lists::empty();
    let location = example.races.races[0].location;
    assert!(!lists.may_cover(&example.trace, model, location));
    let mut listed = Lists::empty();
    listed.extend("may-cover Activity.mDestroyed").expect("an entry");
    assert!(listed.may_cover(&example.trace, model, location));
}
