//! Checks which races form one group, and which come first.

use order::{Model, Oracle};
use races::PairMode;
use triage::{Lists, Reason, Triage, triage};

/// Events of one Looper, each posted by a thread of its own.
fn events(bodies: &[&[&str]]) -> String {
    let mut lines = vec!["interloper-trace 1".to_owned(), "model android".to_owned()];
    lines.push("main attach ui".to_owned());
    for (i, body) in bodies.iter().enumerate() {
        lines.extend([format!("w{i} enqueue m{i} ui"), format!("main begin m{i}")]);
        lines.extend(body.iter().map(|op| format!("main {op}")));
        lines.push(format!("main end m{i}"));
    }
    lines.join("\n")
}

/// Two events of one Looper with the same body, each posted by a thread of its own.
fn twice(body: &[&str]) -> String {
    events(&[body, body])
}

fn judge(text: &str) -> Triage {
    let trace = codec::text::read(text.as_bytes()).expect("a trace").trace;
    let model = trace.model().and_then(Model::named).expect("a known model");
    let (order, lists) = (Oracle::new(&trace, &model.default_rules()), Lists::builtin());
    let mode = PairMode::Candidates;
    let mut races = races::find(&trace, &order, model, mode);
    triage::cover(&trace, &order, model, None, &mut races, &lists);
    triage(&trace, &order, model, &races, &lists)
}

/// Returns the groups by rank, each as the ids of its races by rank.
fn groups(triage: &Triage) -> Vec<Vec<u32>> {
    triage.groups.iter().map(|group| group.races.iter().map(|race| race.0).collect()).collect()
}

#[test]
fn one_call_that_races_on_two_fields_is_one_group() {
    let call = ["enter Main.f kind=user", "write x", "write y", "leave"];
    assert_eq!(groups(&judge(&twice(&call))).len(), 1);
}

#[test]
fn what_a_library_does_inside_does_not_matter() {
    let call = |inner: &'static str, field: &'static str| {
        [
            "enter Main.f kind=user",
            "enter Lib.put kind=framework",
            inner,
            field,
            "leave",
            "leave",
            "leave",
        ]
    };
    let calls = [
        call("enter Lib.grow kind=framework", "write x"),
        call("enter Lib.hash kind=framework", "write y"),
    ];
    let calls = calls.concat();
    assert_eq!(groups(&judge(&twice(&calls))).len(), 1);
}

#[test]
fn another_caller_is_another_group() {
    let f = ["enter Main.f kind=user", "write x", "leave"];
    let g = ["enter Main.g kind=user", "write y", "leave"];
    let both = [f, g].concat();
    assert_eq!(groups(&judge(&twice(&both))).len(), 2);
}

#[test]
fn accesses_without_a_stack_are_grouped_by_their_location() {
    let both = ["write x", "write y"];
    assert_eq!(groups(&judge(&twice(&both))).len(), 2);
    let objects = ["write Row@1.text", "write Row@2.text"];
    assert_eq!(groups(&judge(&twice(&objects))).len(), 1);
}

#[test]
fn another_event_source_is_another_group() {
    let text = |third: &str| {
        let call = "enter Main.f kind=user";
        format!(
            "interloper-trace 1\nmodel android\nmain attach ui\nw1 enqueue a ui\n\
             w2 enqueue b ui\nw3 enqueue c ui {third}\n\
             main begin a\nmain {call}\nmain write x\nmain leave\nmain end a\n\
             main begin b\nmain {call}\nmain write x\nmain leave\nmain end b\n\
             main begin c\nmain {call}\nmain write x\nmain leave\nmain end c\n"
        )
    };
    assert_eq!(groups(&judge(&text(""))).len(), 1);
    assert_eq!(groups(&judge(&text("input"))).len(), 2);
}

/// Returns the names of the reasons of the races, by rank.
fn reasons(triage: &Triage) -> Vec<String> {
    let mut verdicts: Vec<_> = triage.verdicts.iter().collect();
    verdicts.sort_by_key(|verdict| verdict.rank);
    let names = |reasons: &[Reason]| -> Vec<&str> { reasons.iter().map(|r| r.name()).collect() };
    verdicts.iter().map(|verdict| names(&verdict.reasons).join(" ")).collect()
}

#[test]
fn races_are_read_by_their_reasons() {
    let triage = judge(&events(&[
        &["write constant value=5"],
        &["write constant value=5"],
        &["write shared.flag value=1", "write shared.data value=1"],
        &["write shared.flag value=2", "write shared.data value=2"],
        &["enter Lib.set kind=framework", "write inLibrary value=1"],
        &["enter Main.f kind=user", "enter Lib.set kind=framework", "write inLibrary value=2"],
        &["write inUserCode value=1"],
        &["write inUserCode value=2"],
        &["read cleared value=object"],
        &["write cleared value=null"],
        &["write late value=object"],
        &["read late value=object"],
    ]));
    let mut found = reasons(&triage);
    found.dedup();
    let expected = [
        "likely-harmful uncovered user-user hinted",
        "uncovered user-user hinted",
        "uncovered user-user",
        "uncovered user-framework",
        "covered user-user",
        "hidden uncovered user-user",
    ];
    assert_eq!(found, expected);
}
