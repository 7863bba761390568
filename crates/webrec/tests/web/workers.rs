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

#[test]
fn a_shared_worker_is_recorded_and_its_connections_are_ordered() {
    let connect = |name: &str, message: u32| {
        format!(
            "const {name} = new SharedWorker('/shared.js', 'hub');\n\
             {name}.port.onmessage = function {name}Got(e) {{ said.push(e.data); \
             if (said.length == 2) fetch('/done') }};\n\
             {name}.port.postMessage({message});\n"
        )
    };
    let page =
        format!("<script>window.said = [];\n{}{}</script>", connect("one", 1), connect("two", 2));
    let site = Site::new(&[
        ("/", Page::html(&page)),
        (
            "/shared.js",
            Page::js(
                "importScripts('/part.js');\nvar clients = 0;\n\
                 onconnect = function connected(e) { clients++; const port = e.ports[0];\n\
                 port.onmessage = function asked(e) { port.postMessage(twice(e.data) + name) } }",
            ),
        ),
        ("/part.js", Page::js("var factor = 2; function twice(n) { return factor * n }")),
        ("/done", Page::js("")),
    ]);
    let seen = recorded(&site);
    assert!(seen.notes.is_empty(), "{:?}", seen.notes);
    assert!(seen.has(&["worker1 write SharedWorkerGlobalScope.clients", "value=2"]));
    assert!(seen.has(&["worker1 read SharedWorkerGlobalScope.factor", "src=part.js:1"]));
    assert!(!seen.text.contains("worker2"), "both connections are to one worker");
    assert!(!seen.has(&["type=unknown"]), "{}", seen.text);
    for (sender, receiver, event) in [
        ("main", "worker1", ".1.connect"),
        ("main", "worker1", ".2.connect"),
        ("main", "worker1", ".2.in/0"),
        ("worker1", "main", ".1.out/0"),
        ("worker1", "main", ".2.out/0"),
    ] {
        assert!(is_sent(&seen, sender, receiver, event), "{event}: {}", seen.text);
    }
}

#[test]
fn a_shared_worker_may_be_a_module() {
    let site = Site::new(&[
        (
            "/",
            Page::html(
                "<script>const w = new SharedWorker('/m.js', { type: 'module', name: 'n' });\n\
                 w.port.onmessage = function got(e) { answer = e.data; fetch('/done') }; var answer;\n\
                 w.port.postMessage(3);</script>",
            ),
        ),
        (
            "/m.js",
            Page::js(
                "import { twice } from './dep.js';\n\
                 addEventListener('connect', function connected(e) { const port = e.ports[0];\n\
                 port.addEventListener('message', function asked(e) { self.last = e.data; \
                 port.postMessage(twice(e.data)) }); port.start() })",
            ),
        ),
        ("/dep.js", Page::js("self.loaded = 1; export const twice = (n) => n * 2;")),
        ("/done", Page::js("")),
    ]);
    let seen = recorded(&site);
    assert!(seen.notes.is_empty(), "{:?}", seen.notes);
    assert!(seen.has(&["SharedWorkerGlobalScope.loaded", "src=dep.js:1"]), "{}", seen.text);
    assert!(seen.has(&["main write Window.answer", "value=6"]), "{}", seen.text);
    assert!(is_sent(&seen, "worker1", "main", ".out/0"), "{}", seen.text);
}

/// A page that is controlled by a service worker which answers some requests itself and has others
/// in its cache. It logs the scripts that ran.
fn controlled() -> Site {
    Site::new(&[
        (
            "/",
            Page::html(
                "<!doctype html><script>var first, part, second, updated;\n\
                 const controlled = new Promise(function (resolve) {\n\
                 if (navigator.serviceWorker.controller) resolve();\n\
                 navigator.serviceWorker.oncontrollerchange = function () { resolve() } });\n\
                 navigator.serviceWorker.register('/sw.js').then(async function (registration) {\n\
                 await controlled;\n\
                 registration.onupdatefound = function () { updated = 1 };\n\
                 await registration.update();\n\
                 const text = async function (path) { return (await fetch(path)).text() };\n\
                 first = await text('/mock'); part = await text('/part.html');\n\
                 new Function('return 1 + 1')(); second = await text('/mock');\n\
                 const script = document.createElement('script'); script.src = '/late.js';\n\
                 document.head.append(script) });</script>",
            ),
        ),
        (
            "/sw.js",
            Page::js(
                "const seen = [];\n\
                 addEventListener('install', (e) => { skipWaiting();\n\
                 e.waitUntil(caches.open('x').then((c) => c.addAll(['/late.js', '/frame.html']))) });\n\
                 addEventListener('activate', (e) => e.waitUntil(clients.claim()));\n\
                 addEventListener('fetch', (e) => { seen.push(new URL(e.request.url).pathname);\n\
                 if (e.request.url.endsWith('/mock')) e.respondWith(new Response(seen.join()));\n\
                 else e.respondWith(caches.match(e.request).then((r) => r || fetch(e.request))) });",
            ),
        ),
        (
            "/late.js",
            Page::js(
                "var late = 1;\nconst frame = document.createElement('iframe');\n\
                 frame.src = '/frame.html'; document.body.append(frame);",
            ),
        ),
        (
            "/frame.html",
            Page::html("<!doctype html><script>var inner = 1; fetch('/done')</script>"),
        ),
        ("/part.html", Page::html("<b onclick='f()'>part</b>")),
        ("/done", Page::js("")),
    ])
}

#[test]
fn a_page_behind_a_service_worker_is_recorded() {
    let site = controlled();
    let seen = recorded(&site);
    assert_eq!(seen.notes.len(), 1, "{:?}", seen.notes);
    assert!(seen.noted("not-recorded").is_some(), "{:?}", seen.notes);
    // The worker saw the page's requests, and none of the recorder's.
    assert!(seen.has(&["write Window.second", "/mock,/part.html,/mock"]), "{}", seen.text);
    assert!(seen.has(&["write Window.part", "<b%20onclick"]), "a part of a page stays as it is");
    assert!(!seen.has(&["write Window.updated", "value=1"]), "the worker's script was changed");
    assert!(seen.has(&["write Window.late", "src=late.js:1"]), "a cached script is rewritten");
    assert!(seen.has(&["write frame.html/Window.inner", "src=frame.html:1"]), "{}", seen.text);
    assert!(!seen.has(&["type=unknown"]), "{}", seen.text);
    let asked = site.asked.lock().expect("sound");
    assert!(!asked.iter().any(|path| path.contains("__interloper__")), "{asked:?}");
    assert_eq!(asked.iter().filter(|path| *path == "/late.js").count(), 1, "{asked:?}");
    assert!(!asked.iter().any(|path| path == "/mock"), "{asked:?}");
}
