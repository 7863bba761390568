//! Plans of a small recording: what is held, and until when.

use order::{Graph, WEB};
use replay::{
    Began, Callback, Control, Exchange, Hold, Landmark, NoPlan, Plan, Recorded, Session,
    SessionStep,
};
use trace::{OpId, Trace};

/// A page whose inline script sends two requests, sets a timer and adds a listener, a script that sets another, and a click.
const PAGE: &str = "interloper-trace 1
model web
main attach input
main attach r1.timers
main begin r1.1 type=parse name=html at=1000000
main end r1.1
main begin r1.2 type=script name=index.html at=2000000
main arc r1.1 r1.2 by=parser
main enqueue r1.3 network
main enqueue r1.4 network
main enqueue r1.5 r1.timers delay=10
main register r1.10
main end r1.2
main begin r1.8 type=script name=app.js at=3000000
main arc r1.1 r1.8 by=parser
main enqueue r1.6 r1.timers delay=10
main write config
main end r1.8
main begin r1.4 type=response name=/api?q%3Db at=20000000
main write list
main end r1.4
main begin r1.3 type=response name=/api?q%3Da at=30000000
main write list
main end r1.3
main begin r1.5 type=timer name=f at=40000000
main write t
main write shown
main end r1.5
main begin r1.6 type=timer name=g at=41000000
main write t
main end r1.6
main enqueue r1.7 input input at=60000000
main begin r1.7 type=click name=button at=60000000
main write list
main read config
main write t
main end r1.7
main begin r1.9 type=listener name=on%20click
main invoke r1.10
main write shown
main end r1.9
";

fn session() -> Session {
    let exchange = |kind: &str, url: &str| Exchange {
        method: "GET".into(),
        url: format!("http://h{url}"),
        kind: kind.into(),
        status: 200,
        ..Exchange::default()
    };
    Session {
        steps: vec![SessionStep { text: "click button".into(), time: (55.0, 65.0) }],
        exchanges: vec![
            exchange("Script", "/app.js"),
            exchange("Fetch", "/api?q=a"),
            exchange("Fetch", "/api?q=b"),
        ],
        ..Session::default()
    }
}

fn trace() -> Trace {
    codec::text::read(PAGE.as_bytes()).expect("a trace").trace
}

/// The operation that accesses a location for the n-th time, from 0.
fn access(trace: &Trace, location: &str, nth: usize) -> OpId {
    let is_it = |op: &OpId| {
        let access = trace.op(*op).access();
        access.is_some_and(|(id, _)| trace.names().locations.get(id) == location.as_bytes())
    };
    trace.ops().filter(is_it).nth(nth).expect("an access")
}

fn plan(location: &str, first: usize, second: usize) -> Result<Plan, NoPlan> {
    let trace = trace();
    let order = Graph::new(&trace, &WEB.default_rules());
    let operations = (access(&trace, location, first), access(&trace, location, second));
    Recorded::new(&trace, &session()).plan(&order, operations)
}

fn answer(url: &str) -> Control {
    Control::Answer { method: "GET".into(), url: format!("http://h{url}"), nth: 0 }
}

#[test]
fn the_answer_that_came_first_waits_for_the_other() {
    let plan = plan("list", 0, 1).expect("a plan");
    let until = "script:index.html#1/network#1".to_string();
    assert_eq!(plan.flips[0], Hold { control: answer("/api?q=b"), until });
    assert_eq!(plan.first, "script:index.html#1/network#2");
    let until = plan.first.clone();
    assert_eq!(plan.keep, Some(Hold { control: answer("/api?q=a"), until }));
}

#[test]
fn an_answer_a_script_and_a_timer_wait_for_an_input() {
    let until = "click:button#1".to_string();
    let held =
        |location, first, second| plan(location, first, second).expect("a plan").flips[0].clone();
    assert_eq!(held("list", 1, 2), Hold { control: answer("/api?q=a"), until: until.clone() });
    assert_eq!(held("config", 0, 1), Hold { control: answer("/app.js"), until: until.clone() });
    let timer = Control::Task("script:index.html#1/timers#1".into());
    assert_eq!(held("t", 0, 2), Hold { control: timer, until });
    let keep = plan("list", 1, 2).expect("a plan").keep;
    assert_eq!(keep.expect("the step").control, Control::Step(0));
}

#[test]
fn the_script_that_adds_the_listener_of_the_second_access_is_not_held() {
    let timer = "script:index.html#1/timers#1".to_owned();
    let flips = |location, second| plan(location, 0, second).expect("a plan").flips;
    let controls = |flips: Vec<Hold>| flips.into_iter().map(|hold| hold.control);
    assert!(controls(flips("shown", 1)).eq([Control::Task(timer.clone())]));
    let inline = Control::Inline { document: "index.html".into(), nth: 0 };
    assert!(controls(flips("t", 2)).eq([Control::Task(timer), inline]));
}

#[test]
fn two_timers_of_one_queue_are_turned_round_by_what_set_them() {
    let plan = plan("t", 0, 1).expect("a plan");
    assert_eq!((&*plan.first, &*plan.second), ("script:index.html#1", "script:app.js#1"));
    let inline = Control::Inline { document: "index.html".into(), nth: 0 };
    assert_eq!(plan.flips[0].control, inline);
}

#[test]
fn two_accesses_of_one_task_have_no_plan() {
    assert_eq!(plan("list", 2, 2), Err(NoPlan::OneTask));
}

#[test]
fn the_order_of_two_tasks_is_read_off_a_trace() {
    let began = Began::of(&trace());
    let (a, b) = ("script:index.html#1/network#1", "script:index.html#1/network#2");
    assert_eq!(began.before(b, a), Some(true));
    assert_eq!(began.before(a, b), Some(false));
    assert_eq!(began.before(a, "gone#1"), Some(true));
    assert_eq!(began.before("gone#1", a), None);
    let mut plan = plan("list", 1, 2).expect("a plan");
    assert!(began.is_kept(&plan) && !began.is_flipped(&plan, true));
    assert_eq!(plan.alike.len(), 3);
    // The second task has another number now.
    plan.second = "click:button#7".into();
    assert!(!began.is_kept(&plan), "a task of the recording is not another one");
    plan.alike.clear();
    assert!(began.is_kept(&plan));
    plan.first = "gone#1".into();
    assert!(began.is_flipped(&plan, true) && !began.is_flipped(&plan, false));
}

#[test]
fn tasks_are_recognised_without_the_recorder() {
    let (trace, session) = (trace(), session());
    let recorded = Recorded::new(&trace, &session);
    let own =
        |path: &str| recorded.sighting(path).map(|sighting| (sighting.landmark, sighting.is_own));
    let timer = |nth| Landmark::Callback { of: Callback::Timer, delay: Some(10), nth };
    assert_eq!(own("click:button#1"), Some((Landmark::Step(0), true)));
    assert_eq!(own("script:index.html#1/timers#1"), Some((timer(0), true)));
    assert_eq!(own("script:app.js#1/timers#1"), Some((timer(1), true)));
    let url = "http://h/api?q=b".to_string();
    let response = Landmark::Answer { method: "GET".into(), url, nth: 0 };
    assert_eq!(own("script:index.html#1/network#2"), Some((response, true)));
    assert_eq!(own("parse:html#1"), Some((Landmark::Element("html".into()), true)));
    let inline = Landmark::Inline { document: "index.html".into(), nth: 0 };
    assert_eq!(own("script:index.html#1"), Some((inline, true)));
    assert_eq!(own("gone#1"), None);
    assert_eq!((recorded.inputs(0, "click"), recorded.inputs(0, "change")), (1, 0));
}
