//! Real pages in the real browser: everything that runs is rewritten, and tells where it is.

mod support;

use std::time::Duration;

use support::{Page, Site, options, record};

#[test]
fn every_way_a_script_comes_is_recorded() {
    let site = Site::new(&[
        (
            "/",
            Page::html(
                "<!doctype html><title>t</title><script>\nwindow.inline = 1;</script>\
                 <script src=js/classic.js></script><script src=js/async.js async></script>\
                 <script src=js/defer.js defer></script><script type=module src=js/mod.mjs></script>\
                 <script crossorigin src=js/cors.js></script>\
                 <body onload='window.handler = 1'>\
                 <iframe src=frame.html></iframe>\
                 <iframe srcdoc='<script>window.srcdoc = 1</script>'></iframe>",
            ),
        ),
        ("/js/classic.js", Page::js("var s = document.createElement('script');\ns.src = 'js/late.js';\ndocument.head.append(s); window.classic = 1; eval('window.evaluated = 1')")),
        ("/js/async.js", Page::js("window.asynchronous = 1")),
        ("/js/defer.js", Page::js("window.deferred = 1")),
        ("/js/mod.mjs", Page::js("import './dep.mjs';\nlet own = 0; export function f() { own++ };\nf(); window.module = 1; import('./dyn.mjs')")),
        ("/js/dep.mjs", Page::js("window.dependency = 1")),
        ("/js/dyn.mjs", Page::js("window.dynamic = 1")),
        ("/js/cors.js", Page::js("function corsGlobal() {} window.cors = 1")),
        ("/js/late.js", Page::js("window.late = 1")),
        ("/frame.html", Page::html("<script>window.framed = 1</script>")),
    ]);
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        recording.run_for(Duration::from_millis(500), "waiting").expect("it runs");
    });
    for (name, place) in [
        ("Window.inline", "src=index.html:2:"),
        ("Window.classic", "src=js/classic.js:3:"),
        ("Window.asynchronous", "src=js/async.js:1:"),
        ("Window.deferred", "src=js/defer.js:1:"),
        ("Window.module", "src=js/mod.mjs:3:"),
        ("Window.dependency", "src=js/dep.mjs:1:"),
        ("Window.dynamic", "src=js/dyn.mjs:1:"),
        ("Window.cors", "src=js/cors.js:1:"),
        ("Window.late", "src=js/late.js:1:"),
        ("Window.handler", "src=index.html:2:"),
        ("Window.framed", "src=frame.html:1:"),
        ("Window.srcdoc", "src=index.html:"),
        ("Window.evaluated", "src=eval"),
    ] {
        assert!(seen.has(&["main write ", name, place]), "no {name} at {place} in\n{}", seen.text);
    }
    // A module's own variables are no globals, a classic script's are.
    assert!(!seen.text.contains("Window.own"), "{}", seen.text);
    assert!(seen.text.contains("Window.corsGlobal"), "{}", seen.text);
    let asked = site.asked.lock().expect("sound");
    assert!(!asked.iter().any(|path| path.contains("__interloper__")), "{asked:?}");
}
