//! Replays: what is the same in all of them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use codec::native::{self, Writer};
use replay::{Observation, Session};
use trace::Op;
use webrec::{Options, Ready, Replay, Replayed, Step};

use crate::support::{Page, Site, options};

/// How often the recorded order is replayed.
const REPLAYS: usize = 20;

/// A page that draws random numbers, reads the clock, and shows what timers, requests and frames do.
const PAGE: &str = "<!doctype html><ul id=list></ul><button id=b>x</button><script>
const add = (text) => { const li = document.createElement('li'); li.textContent = text; list.append(li); };
add(Math.random()); add(crypto.randomUUID()); add(crypto.getRandomValues(new Uint8Array(9)));
add(new Date(Date.now()).getFullYear() + typeof Date() + (new Date() instanceof Date));
b.onclick = () => { add('click ' + Math.random()); fetch('/text?_=' + Math.random()).then(() => add('late')); };
const later = () => { add('timer ' + Math.random()); requestAnimationFrame(() => add(Math.random())); };
const show = (text) => { add(text + Math.random()); setTimeout(later, 100); };
addEventListener('load', () => fetch('/text').then((r) => r.text()).then(show));
</script>";

/// Records or replays the page, and returns what was observed at the end of a replay.
fn run(options: Options, url: &str, path: &Path) -> Option<Replayed> {
    let is_replay = options.replay.is_some();
    let writer = Writer::new(File::create(path).expect("writable"), native::Options::default());
    let ready = Ready::start(options).expect("Chromium is installed");
    let recording = ready.record(writer.expect("memory")).expect("writable");
    recording.goto(url).expect("it loads");
    // Each event waits for the one before it, so that only one order is possible.
    let steps = "wait-for #list>li:nth-child(7)\nclick #b\nwait-for #list>li:nth-child(9)";
    let steps = Step::parse_all(steps).expect("steps");
    recording.run_steps(&steps).expect("they can be performed");
    let replayed = is_replay.then(|| recording.observe().expect("it can be observed"));
    assert!(recording.finish().failed.is_none());
    replayed
}

/// The types and names of the events of a recording, in their order.
fn events(path: &Path) -> Vec<String> {
    let trace = native::read(File::open(path).expect("readable")).expect("a native file").trace;
    let text = |id: Option<_>| id.map(|id| String::from_utf8_lossy(trace.text(id)).into_owned());
    let begins = trace.ops().filter(|&op| matches!(trace.op(op), Op::Begin(_)));
    let words = begins.map(|op| {
        let attributes = trace.attributes(op);
        format!("{:?} {:?}", text(attributes.event_type), text(attributes.event_name))
    });
    words.filter(|words| !words.contains("microtask")).collect()
}

#[test]
fn twenty_replays_in_the_recorded_order_are_alike() {
    let site = Site::new(&[("/", Page::html(PAGE)), ("/text", Page::of("text/plain", "a text"))]);
    let folder = tempfile::tempdir().expect("a place for files");
    let recorded = folder.path().join("recorded.ilt");
    run(options(), &site.url("/"), &recorded);
    let payload = native::session(File::open(&recorded).expect("readable")).expect("sound");
    let session = Session::read(&payload.expect("a session")).expect("a session");
    let session = Arc::new(session);
    let url = site.url("/");
    drop(site);
    let replay = |number: usize| {
        let holds = Vec::new();
        let replay = Some(Replay {
            session: Arc::clone(&session),
            holds,
            patience: 1,
            online: false,
            live: false,
        });
        let path = folder.path().join(format!("{number}.ilt"));
        let replayed = run(Options { replay, ..options() }, &url, &path).expect("a replay");
        (replayed, events(&path))
    };
    let (first, order) = replay(0);
    let list = first.seen.document.values().filter(|text| text.starts_with("timer 0.")).count();
    assert_eq!(list, 1, "{:?}", first.seen.document);
    // The address with a random number is not that of the recording.
    assert_eq!(first.approximate.len(), 1, "{:?}", first.approximate);
    assert!(first.missing.is_empty() && !first.is_held && !first.is_stalled);
    let alike = |seen: &Observation| (seen.clone(), order.clone());
    for number in 1..REPLAYS {
        let (again, events) = replay(number);
        assert_eq!((again.seen, events), alike(&first.seen), "replay {number}");
    }
}
