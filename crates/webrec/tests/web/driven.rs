//! Input that the browser itself delivers: by steps, and by exploring.

use std::collections::BTreeSet;
use std::time::Duration;

use webrec::{Error, Exploration, Explored, Input, Options, Step, Until, Why};

use crate::support::{Page, Seen, Site, options, record};

fn run(page: &str, steps: &str) -> (Seen, Result<(), Error>) {
    let steps = Step::parse_all(steps).expect("steps");
    let site = Site::new(&[
        ("/", Page::html(page)),
        ("/next", Page::html("<p id=arrived>x</p><script>window.arrived = 1</script>")),
    ]);
    let mut outcome = Ok(());
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        outcome = recording.run_steps(&steps);
    });
    (seen, outcome)
}

#[test]
fn steps_are_what_a_person_does() {
    let page = "<!doctype html><body style='height: 5000px'><button id=b>b</button>\
        <input id=name value=old><select id=s><option value=1>one<option value=2>two<option>three\
        </select><div id=over>over</div><form action=/next><input name=q id=q></form>\
        <div style='height: 3000px'></div><a id=far href=/next>far</a><script>\
        let log = '';\
        const on = (target, type, of) => document.querySelector(target)\
            .addEventListener(type, (event) => { if (event.isTrusted) log += of(event) });\
        on('#b', 'click', () => setTimeout(() => {\
            document.body.insertAdjacentHTML('afterbegin', '<b id=late>x</b>') }, 300) && 'C');\
        on('#name', 'keydown', (e) => e.ctrlKey ? 'K' + e.key : '');\
        on('#s', 'change', (e) => 'S' + e.target.value);\
        on('#over', 'mouseenter', () => 'H');\
        on('form', 'submit', (e) => {\
            window.summary = [log, document.querySelector('#name').value, e.target.q.value].join() });\
        window.addEventListener('scroll', () => { window.scrolled = 1 });\
        </script>";
    let steps = "click #b\nwait-for #late\ntype #name Ada 3\npress Control+k\nselect #s three\n\
        hover #over\ntype #q fish\nscroll 300\nwait 200\nsubmit form\nwait-for #arrived\n\
        goto /\nclick #far\nwait-for #arrived";
    let (seen, outcome) = run(page, steps);
    outcome.expect("all can be done");
    for (name, value) in [
        ("summary", "\"CKkS2SthreeH,Ada%203,fish\""),
        ("scrolled", "1"),
        ("arrived@2", "1"),
        ("arrived@4", "1"),
    ] {
        let parts = [&*format!("write Window.{name} "), &*format!("value={value} ")];
        assert!(seen.has(&parts), "no {parts:?} in\n{}", seen.text);
    }
}

#[test]
fn a_step_that_cannot_be_performed_is_reported_with_its_line() {
    for (steps, line, part) in [
        ("wait 1\n\nclick #missing", 3, "click #missing: there is no such element after"),
        ("click b[", 1, "this is no CSS selector"),
        ("select #b x", 1, "there is no such list"),
        ("submit #b", 1, "this is no form"),
    ] {
        let (_, outcome) = run("<button id=b>b</button>", steps);
        let error = outcome.expect_err("it cannot be done");
        assert!(matches!(error, Error::Step { line: l, .. } if l == line), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

fn explore(page: &str, how: Exploration) -> (Seen, Explored) {
    let site = Site::new(&[
        ("/", Page::html(page)),
        ("/inside", Page::html("<script>window.inside = 1</script>")),
    ]);
    let mut explored = None;
    let options = Options { input: Input::Explored, ..options() };
    let seen = record(options, |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        explored = Some(recording.explore(&site.url("/"), &how).expect("it can be explored"));
    });
    (seen, explored.expect("it ran"))
}

/// Returns the number of explored actions in a trace. An action begins with a dispatch that no
/// earlier dispatch of the same action precedes.
fn actions(text: &str) -> usize {
    let words = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let (mut dispatches, mut follows) = (BTreeSet::new(), BTreeSet::new());
    for words in words {
        match words[..] {
            [_, "enqueue", id, "explored", ..] => drop(dispatches.insert(id)),
            [_, "arc", from, to] if dispatches.contains(from) => drop(follows.insert(to)),
            _ => {}
        }
    }
    dispatches.difference(&follows).count()
}

#[test]
fn what_can_be_used_is_used_depth_first() {
    let page = "<button id=a>a</button><p id=b>b</p><p>nothing</p><input id=t>\
        <a id=in href=/inside>in</a><a id=out href=http://192.0.2.1/>out</a>\
        <button id=hidden style='display: none'>h</button><script>\
        document.querySelector('#a').onclick = () => { localStorage.a = 1; window.a = 1 };\
        document.querySelector('#b').addEventListener('click', () => {\
            window.both = window.a === 1; window.left = String(localStorage.a) });</script>";
    let how = Exploration { depth: 2, sequences: 100, time: Duration::from_secs(120), seed: 1 };
    let (seen, explored) = explore(page, how);
    assert_eq!(explored.why, Why::Complete, "{explored:?}");
    let written = |steps: &[Step]| steps.iter().map(ToString::to_string).collect::<Vec<_>>();
    let firsts: BTreeSet<String> =
        explored.sequences.iter().map(|steps| written(&steps[..1]).concat()).collect();
    assert_eq!(firsts.len(), 4, "{firsts:?}");
    for first in ["click #a", "click #b", "click #in"] {
        assert!(firsts.contains(first), "{firsts:?}");
    }
    // Every pair of the four inputs; the page that the link leads to has no inputs.
    assert_eq!(explored.sequences.len(), 3 * 4 + 1, "{explored:?}");
    assert!(seen.text.contains("Window.both") && seen.text.contains("value=true"), "{}", seen.text);
    assert!(seen.has(&["write Window.inside"]), "{}", seen.text);
    // A sequence starts with empty storage: one that starts with #b finds nothing there.
    assert!(seen.has(&["Window.left", "value=\"undefined\""]), "{}", seen.text);
    let inputs: usize = explored.sequences.iter().map(Vec::len).sum();
    assert_eq!(actions(&seen.text), inputs, "{}", seen.text);
}

#[test]
fn exploring_is_bounded_and_the_same_for_a_seed() {
    let page = "<button id=a>a</button><button id=b>b</button><button id=c>c</button>\
        <button id=d>d</button><button id=e>e</button>";
    let how = Exploration { depth: 3, sequences: 3, time: Duration::from_secs(60), seed: 5 };
    let (_, first) = explore(page, how);
    assert_eq!((first.sequences.len(), first.why), (3, Why::Sequences));
    assert!(first.sequences.iter().all(|steps| steps.len() == 3), "{first:?}");
    let (_, again) = explore(page, how);
    assert_eq!(first.sequences, again.sequences);
    let (_, other) = explore(page, Exploration { seed: 6, ..how });
    assert_ne!(first.sequences, other.sequences);
    let (_, short) = explore(page, Exploration { time: Duration::from_millis(1), ..how });
    assert_eq!((short.sequences.len(), short.why), (1, Why::Time));
}

#[test]
fn an_input_is_complete_before_the_next_one() {
    // The first click leads to a request, which leads to a timer, which leads to another request.
    let page = "<button id=a>a</button><button id=b>b</button><a id=link href='javascript:ran()'>l</a>\
        <script>function ran() { window.link = 1 }\
        document.querySelector('#a').onclick = async () => {\
            await fetch('/slow'); window.answered = 1;\
            setTimeout(() => { window.timed = 1; fetch('/slow').then(() => { window.last = 1 }) }, 1500) };\
        document.querySelector('#b').onclick = () => { window.b = 1 };\
        setInterval(() => {}, 100); (function poll() { setTimeout(poll, 20) })();\
        new EventSource('/never')</script>";
    let slow = Page::html("x").after(Duration::from_millis(700));
    let never = Page::of("text/event-stream", "").after(Duration::from_secs(60));
    let site = Site::new(&[("/", Page::html(page)), ("/slow", slow), ("/never", never)]);
    let how = Exploration { depth: 1, sequences: 10, time: Duration::from_secs(120), seed: 1 };
    let options = Options { input: Input::Explored, ..options() };
    let started = std::time::Instant::now();
    let seen = record(options, |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        let explored = recording.explore(&site.url("/"), &how).expect("it can be explored");
        assert_eq!(explored.sequences.len(), 3, "{explored:?}");
    });
    for name in ["answered", "timed", "last", "b", "link"] {
        assert!(seen.has(&[&format!("write Window.{name}")]), "no {name} in\n{}", seen.text);
    }
    // The page polls and streams all the time, which is no reason to wait.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn exploring_leaves_the_error_pages_of_the_browser_alone() {
    let page = "<button id=a onclick='location = \"http://127.0.0.1:1/\"'>a</button>\
        <button id=b onclick='window.clicks = (window.clicks || 0) + 1'>b</button>";
    let how = Exploration { depth: 2, sequences: 100, time: Duration::from_secs(120), seed: 1 };
    let (seen, explored) = explore(page, how);
    assert_eq!(explored.why, Why::Complete, "{explored:?}");
    // From #a no input follows; from #b both do.
    let mut sequences: Vec<_> = explored
        .sequences
        .iter()
        .map(|steps| steps.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        .collect();
    sequences.sort();
    assert_eq!(sequences, ["click #a", "click #b, click #a", "click #b, click #b"]);
    assert!(seen.has(&["write Window.clicks", "value=2"]), "{}", seen.text);
}

#[test]
fn steps_may_begin_before_the_page_has_loaded() {
    let slow = Page::js("").after(Duration::from_secs(3));
    let html = "<!doctype html><button id=a onclick='window.state = document.readyState'>a</button>\
        <script src=slow.js></script>";
    let site = Site::new(&[("/", Page::html(html)), ("/slow.js", slow)]);
    let steps = Step::parse_all("click #a").expect("a step");
    for (early_steps, state) in [(true, "loading"), (false, "complete")] {
        let options = Options { early_steps, ..options() };
        let seen = record(options, |recording| {
            let url = site.url("/");
            if early_steps { recording.open(&url) } else { recording.goto(&url) }
                .expect("it comes");
            recording.run_steps(&steps).expect("it can be clicked");
        });
        assert!(seen.has(&["write Window.state", state]), "{early_steps}: {}", seen.text);
    }
}

#[test]
fn a_recording_ends_when_the_page_is_ready() {
    let html = "<!doctype html><script>setTimeout(() => { fetch('/data').then(() => {\
        window.got = 1; document.body.innerHTML = '<p id=ready>x</p>' }) }, 1000);\
        (function poll() { setTimeout(poll, 20) })()</script>";
    let data = Page::html("x").after(Duration::from_millis(500));
    let site = Site::new(&[("/", Page::html(html)), ("/data", data)]);
    let long = Duration::from_secs(20);
    for until in [Until::Quiet, Until::Visible("#ready".into())] {
        let started = std::time::Instant::now();
        let seen = record(options(), |recording| {
            recording.goto(&site.url("/")).expect("it loads");
            assert!(recording.run_until(&until, long).expect("it runs"), "{until:?}");
            assert!(started.elapsed() < long, "{until:?}");
            let never = Until::Visible("#never".into());
            let short = Duration::from_millis(200);
            assert!(!recording.run_until(&never, short).expect("it runs"));
            let picture = recording.screenshot().expect("a picture");
            assert!(picture.starts_with(b"\x89PNG"));
        });
        assert!(seen.has(&["write Window.got"]), "{until:?}: {}", seen.text);
    }
}
