//! Workers: their scripts are rewritten, and their events are ordered with those of the page.

use std::time::Duration;

use crate::support::{Page, Seen, Site, options, record};

/// Records a page that is done when it requests `/done`.
fn recorded(site: &Site) -> Seen {
    record(options(), |recording| {
        recording.goto(&site.url("/")).expect("the page loads");
        site.wait_asked("/done", recording);
        recording.run_for(Duration::from_millis(300), "ending").expect("it runs");
    })
}

#[test]
fn a_dedicated_worker_is_recorded_in_a_thread_of_its_own() {
    let site = Site::new(&[
        (
            "/",
            Page::html(
                "<script>const w = new Worker('/work.js', { name: 'mine' });\
                 w.onmessage = function got(e) { answer = e.data; fetch('/done') };\
                 w.postMessage(4); var answer;</script>",
            ),
        ),
        (
            "/work.js",
            Page::js(
                "importScripts('/part.js');\nvar count = 0;\n\
                 onmessage = function work(e) { count += e.data; postMessage(twice(count) + name) }",
            ),
        ),
        ("/part.js", Page::js("var factor = 2; function twice(n) { return factor * n }")),
        ("/done", Page::js("")),
    ]);
    let seen = recorded(&site);
    assert!(seen.notes.is_empty(), "{:?}", seen.notes);
    assert!(seen.has(&["worker1 write DedicatedWorkerGlobalScope.count", "src=work.js:2"]));
    assert!(seen.has(&["worker1 read DedicatedWorkerGlobalScope.factor", "src=part.js:1"]));
    assert!(seen.has(&["main write Window.answer", "8mine"]), "the page saw something else");
    for (sender, receiver, event) in
        [("main", "worker1", ".start"), ("main", "worker1", ".in/0"), ("worker1", "main", ".out/0")]
    {
        assert!(is_sent(&seen, sender, receiver, event), "{event}: {}", seen.text);
    }
}

/// Whether the trace has an event of this name that one thread posts and then another begins.
fn is_sent(seen: &Seen, sender: &str, receiver: &str, event: &str) -> bool {
    let sends = seen.text.lines().position(|line| {
        line.starts_with(&format!("{sender} enqueue ")) && line.contains(&format!("{event} "))
    });
    let begins = seen.text.lines().position(|line| {
        line.starts_with(&format!("{receiver} begin ")) && line.contains(&format!("{event} "))
    });
    sends.zip(begins).is_some_and(|(sends, begins)| sends < begins)
}

#[test]
fn modules_and_blobs_are_workers_too() {
    let blob = "\"use strict\"; var inBlob = 1; onmessage = function hear(e) { inBlob = e.data; \
                postMessage([typeof undeclared(), self.name]) }; \
                function undeclared() { try { leak = 1 } catch (error) { return error.name } }";
    let site = Site::new(&[
        (
            "/",
            Page::html(&format!(
                "<script type=module>let left = 2;\n\
                 const see = (what) => {{ said.push(what); if (!--left) fetch('/done') }};\n\
                 window.said = [];\n\
                 const module = new Worker(new URL('./dir/m.js#x', location.href), {{ type: 'module' }});\n\
                 module.onmessage = function fromModule(e) {{ see(e.data) }}; module.postMessage(1);\n\
                 const blob = new Worker(URL.createObjectURL(new Blob([{blob:?}])));\n\
                 blob.onmessage = function fromBlob(e) {{ see(e.data) }}; blob.postMessage(2);</script>"
            )),
        ),
        (
            "/dir/m.js",
            Page::js(
                "import { twice } from './dep.js';\nlet total = 0;\n\
                 addEventListener('message', function add(e) { total += twice(e.data); \
                 self.seen = total; postMessage(total) });",
            ),
        ),
        ("/dir/dep.js", Page::js("self.loaded = 1; export const twice = (n) => n * 2;")),
        ("/done", Page::js("")),
    ]);
    let seen = recorded(&site);
    assert!(seen.notes.is_empty(), "{:?}", seen.notes);
    assert!(seen.has(&["DedicatedWorkerGlobalScope.loaded", "src=dir/dep.js:1"]), "{}", seen.text);
    assert!(seen.has(&["DedicatedWorkerGlobalScope.seen", "value=2", "src=dir/m.js:3"]));
    assert!(seen.has(&["write DedicatedWorkerGlobalScope.inBlob", "value=2"]));
    assert!(!seen.has(&["type=unknown"]), "{}", seen.text);
}

#[test]
fn a_port_that_is_sent_to_a_worker_keeps_the_order_of_its_messages() {
    let site = Site::new(&[
        (
            "/",
            Page::html(
                "<script>const w = new Worker('/w.js');\n\
                 const { port1, port2 } = new MessageChannel();\n\
                 port1.onmessage = function reply(e) { answer = e.data; fetch('/done') };\n\
                 var answer; w.postMessage({ port: port2 }, [port2]);\n\
                 setTimeout(function late() { port1.postMessage(5) }, 100)</script>",
            ),
        ),
        (
            "/w.js",
            Page::js(
                "onmessage = function take(e) { const port = e.data.port;\n\
                 port.onmessage = function hear(e) { self.heard = e.data; port.postMessage(e.data + 1) } }",
            ),
        ),
        ("/done", Page::js("")),
    ]);
    let seen = recorded(&site);
    assert!(seen.has(&["main write Window.answer", "value=6"]));
    for (sender, receiver, event) in
        [("main", "worker1", ".in/0/in0/0"), ("worker1", "main", ".in/0/out0/0")]
    {
        assert!(is_sent(&seen, sender, receiver, event), "{event}: {}", seen.text);
    }
}
