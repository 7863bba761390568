//! Real pages in the real browser: all code that runs is rewritten and records its source
//! positions.

use std::time::Duration;

use webrec::{GivenMap, PageOptions, Viewport};

use crate::support::{Page, Site, options, record};

#[test]
fn the_viewport_has_the_size_that_was_asked_for() {
    let html = "<!doctype html><script>window.size = [innerWidth, innerHeight, screen.width,\
        matchMedia('(min-width: 1000px)').matches].join()</script>";
    let site = Site::new(&[("/", Page::html(html))]);
    for (width, height, expected) in
        [(1280, 800, "1280,800,1280,true"), (390, 844, "390,844,390,false")]
    {
        let viewport = Some(Viewport { width, height });
        let options = webrec::Options {
            page: PageOptions { viewport, ..PageOptions::default() },
            ..options()
        };
        let seen = record(options, |recording| {
            recording.goto(&site.url("/")).expect("it loads");
        });
        assert!(seen.has(&["write Window.size", expected]), "{}", seen.text);
    }
}

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
        (
            "/js/classic.js",
            Page::js(
                "var s = document.createElement('script');\ns.src = 'js/late.js';\ndocument.head.append(s); window.classic = 1; eval('window.evaluated = 1')",
            ),
        ),
        ("/js/async.js", Page::js("window.asynchronous = 1")),
        ("/js/defer.js", Page::js("window.deferred = 1")),
        (
            "/js/mod.mjs",
            Page::js(
                "import './dep.mjs';\nlet own = 0; export function f() { own++ };\nf(); window.module = 1; import('./dyn.mjs')",
            ),
        ),
        ("/js/dep.mjs", Page::js("window.dependency = 1")),
        ("/js/dyn.mjs", Page::js("window.dynamic = 1; fetch('/done')")),
        ("/js/cors.js", Page::js("function corsGlobal() {} window.cors = 1")),
        ("/js/late.js", Page::js("window.late = 1")),
        ("/frame.html", Page::html("<script>window.framed = 1</script>")),
    ]);
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        site.wait_asked("/done", recording);
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

/// Pages with unusual content, headers and encodings work and are recorded.
#[test]
fn pages_keep_working() {
    let policy = "default-src 'none'; script-src 'self' 'nonce-x'; connect-src 'self'";
    let site = Site::new(&[
        ("/old", Page::default().status(302).with("Location", "/new/")),
        (
            "/new/",
            Page::of(
                "text/html; charset=shift_jis",
                b"<meta charset=utf-8><title>\x83\x5c</title>\
                  <script nonce=x>window.title = document.title;</script>\
                  <script src=a.js integrity='sha256-AAAA'></script>\
                  <script src=broken.js></script><script src=moved.js></script>\
                  <script src=latin.js></script><script src=packed.js></script>",
            )
            .with("Content-Security-Policy", policy),
        ),
        ("/new/a.js", Page::js("window.intact = 1").with("X-Kept", "yes")),
        ("/new/broken.js", Page::js("window.never = 1; }")),
        ("/new/moved.js", Page::default().status(301).with("Location", "/elsewhere.js")),
        ("/elsewhere.js", Page::js("window.moved = 1")),
        (
            "/new/latin.js",
            Page::of("text/javascript; charset=iso-8859-1", b"window.latin = '\xe9'"),
        ),
        // `window.packed = 1`, as gzip stores it.
        (
            "/new/packed.js",
            Page::of(
                "text/javascript",
                b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x11\0\xee\xffwindow.packed = 1\
                  \x27\x9e\x5f\x0c\x11\0\0\0",
            )
            .with("Content-Encoding", "gzip"),
        ),
    ]);
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/old")).expect("it loads");
    });
    for parts in [
        ["Window.title value=\"%E3%82%BD\"", "src=new/index.html:1:"],
        ["Window.intact", "src=new/a.js:1:"],
        ["Window.moved", "src=elsewhere.js:1:"],
        ["Window.packed", "src=new/packed.js:1:"],
        ["Window.latin value=\"%C3%A9\"", "src=new/latin.js"],
    ] {
        assert!(seen.has(&parts), "no {parts:?} in\n{}", seen.text);
    }
    let note = seen.noted("unparsable-script").expect("one does not parse");
    assert!(note.text.starts_with("new/broken.js: 1:"), "{note:?}");
}

#[test]
fn places_are_those_of_the_original_sources() {
    // Column 0 of the first line is 7:2 of the source; column 0 of the second 20:0.
    let map = r#"{"version":3,"sources":["../src/shop.ts"],"mappings":"AAME;AAaF"}"#;
    let inline = format!("data:application/json;base64,{}", base64(map));
    let code = |map: &str, name: &str| {
        Page::js(&format!("window.{name} = 1;\nwindow.{name}2 = 2\n//# sourceMappingURL={map}"))
    };
    let site = Site::new(&[
        (
            "/",
            Page::html(
                "<script src=js/a.js></script><script src=js/b.js></script>\
                 <script src=js/c.js></script><script src=js/d.js></script>",
            ),
        ),
        ("/js/a.js", code("a.js.map", "beside")),
        ("/js/a.js.map", Page::of("application/json", map)),
        ("/js/b.js", code(&inline, "within")),
        ("/js/c.js", Page::js("window.header = 1").with("SourceMap", "/js/a.js.map")),
        ("/js/d.js", code("missing.map", "without")),
    ]);
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
    });
    for (name, place) in [
        ("Window.beside ", "src=src/shop.ts:7:"),
        ("Window.beside2 ", "src=src/shop.ts:20:"),
        ("Window.within2 ", "src=src/shop.ts:20:"),
        ("Window.header ", "src=src/shop.ts:7:"),
        ("Window.without2 ", "src=js/d.js:2:"),
    ] {
        assert!(seen.has(&["write ", name, place]), "no {name} at {place} in\n{}", seen.text);
    }
    assert_eq!(seen.noted("source-map").map(|note| note.count), Some(1), "{:?}", seen.notes);
}

#[test]
fn source_maps_are_found_beside_scripts_or_given() {
    let map = r#"{"version":3,"sources":["../src/shop.ts"],"names":["addToCart"],
        "mappings":"AAAA,SAASA"}"#;
    let code =
        |name: &str, rest: &str| Page::js(&format!("function t(){{window.{name}=1}}t(){rest}"));
    let other =
        Site::new(&[("/x.js", code("other", "")), ("/x.js.map", Page::of("text/plain", map))]);
    let html = format!(
        "<script src=js/beside.js?v=1></script><script src=js/alone.js></script>\
         <script src=js/early.js></script><script src=js/given.js></script><script src={}/x.js></script>",
        other.origin
    );
    let site = Site::new(&[
        ("/", Page::html(&html)),
        ("/js/beside.js", code("beside", "")),
        ("/js/beside.js.map", Page::of("application/json", map)),
        ("/js/alone.js", code("alone", "")),
        ("/js/early.js", code("early", "\n//# sourceMappingURL=beside.js.map\n;")),
        ("/js/given.js", code("given", "\n//# sourceMappingURL=wrong.map")),
    ]);
    let given = |file: &str| GivenMap { file: file.into(), text: map.into() };
    let source_maps = vec![given("js/given.js"), given("js/unknown.js")];
    let mut options = webrec::Options {
        page: PageOptions { source_maps, ..PageOptions::default() },
        ..options()
    };
    options.browser.network = browser::Network::Local;
    let seen = record(options, |recording| {
        recording.goto(&site.url("/")).expect("it loads");
    });
    let entered = |name: &str| {
        let lines: Vec<_> = seen.text.lines().collect();
        let access = lines.iter().position(|line| line.contains(&format!("write Window.{name} ")));
        let access = access.unwrap_or_else(|| panic!("no {name} in\n{}", seen.text));
        let enter = lines[..access].iter().rfind(|line| line.contains(" enter ")).expect("it does");
        (lines[access].split("src=").nth(1).unwrap_or_default().to_string(), (*enter).to_string())
    };
    for (name, file, function) in [
        ("beside", "src/shop.ts:1:", "enter addToCart"),
        ("given", "src/shop.ts:1:", "enter addToCart"),
        ("alone", "js/alone.js:1:", "enter t"),
        ("early", "js/early.js:1:", "enter t"),
        ("other", "127.0.0.1/x.js:1:", "enter t"),
    ] {
        let (place, enter) = entered(name);
        assert!(place.starts_with(file) && enter.contains(function), "{name}: {place}, {enter}");
    }
    assert!(!other.asked.lock().expect("sound").iter().any(|path| path.contains(".map")));
    let note = seen.noted("source-map").expect("one is unused");
    assert_eq!((note.count, &*note.text), (1, "js/unknown.js: no script of this name was loaded"));
}

fn base64(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(text)
}

#[test]
fn code_made_at_run_time_is_rewritten_on_request() {
    let ask = |kind: &str, source: &str, more: &str| {
        format!("ask('rewrite', JSON.stringify({{kind: '{kind}', source: '{source}'{more}}}))")
    };
    // A page can find the path in the list of what it has loaded, and the number of its own script in it.
    let page = format!(
        "<script>eval('1'); (0, eval)({}); new Function('x', {})(1); (0, eval)({});\
         const [, number] = /__il\\.p\\((\\d+)/.exec(document.scripts[0].text);\
         document.title = [{}, ask('source/' + number)].join('|'); window.titled = document.title;\
         function ask(path, body) {{\
             const request = new XMLHttpRequest();\
             const [loaded] = performance.getEntriesByType('resource').map((entry) => entry.name);\
             request.open(body ? 'POST' : 'GET', loaded.replace(/rewrite$/, '') + path, false);\
             request.send(body);\
             return request.status === 200 ? request.responseText : undefined;\
         }}</script>",
        ask("indirect", "window.made = 1", ""),
        ask("function", "window.built = x", ", params: ['x']"),
        ask("script", "var declared = 2", ""),
        ask("script", "not a script", ""),
    );
    let site = Site::new(&[("/", Page::html(&page))]);
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
    });
    for parts in [
        ["Window.made", "src=eval(index.html):1:"],
        ["Window.built", "src=function(index.html):1:"],
        ["Window.declared", "src=script(index.html):1:"],
        // The original text of the page's own script is available.
        ["Window.titled", "value=\"|eval"],
    ] {
        assert!(seen.has(&parts), "no {parts:?} in\n{}", seen.text);
    }
    assert!(seen.noted("unparsable-script").is_some(), "{:?}", seen.notes);
}

#[test]
fn a_slow_script_does_not_delay_another() {
    let site = Site::new(&[
        ("/", Page::html("<script async src=slow.js></script><script async src=fast.js></script>")),
        ("/slow.js", Page::js("window.slow = 1").after(Duration::from_millis(1500))),
        ("/fast.js", Page::js("window.fast = 1")),
    ]);
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
    });
    let place = |name: &str| seen.text.find(name).unwrap_or_else(|| panic!("{}", seen.text));
    assert!(place("Window.fast") < place("Window.slow"));
}

#[test]
fn operations_have_their_times() {
    let html = "<!doctype html><script>setTimeout(() => { window.late = 1 }, 300)</script>";
    let site = Site::new(&[("/", Page::html(html))]);
    let started = std::time::Instant::now();
    let seen = record(options(), |recording| {
        for _ in 0..2 {
            recording.goto(&site.url("/")).expect("it loads");
            recording.run_for(Duration::from_millis(500), "waiting").expect("it runs");
        }
    });
    let longest = started.elapsed().as_nanos();
    let at = |line: &str| line.split(" at=").nth(1)?.split(' ').next()?.parse::<u128>().ok();
    let is_timed = |line: &&str| {
        ["enqueue", "begin", "end"].contains(&line.split(' ').nth(1).unwrap_or_default())
    };
    let times: Vec<_> = seen.text.lines().filter(is_timed).map(at).collect();
    assert!(times.iter().all(Option::is_some), "{}", seen.text);
    assert!(times.is_sorted(), "{times:?}");
    assert!(times.last().copied().flatten().is_some_and(|at| at < longest), "{times:?}");
    // The timer begins 300 ms after its post, up to the precision of the browser's clock.
    let posts = seen.text.lines().filter(|line| line.contains("delay=300"));
    for post in posts {
        let id = post.split(' ').nth(2).expect("an id");
        let begin = format!("main begin {id} ");
        let fired = seen.text.lines().find(|line| line.starts_with(&begin)).expect("it fires");
        let waited = at(fired).expect("a time") - at(post).expect("a time");
        assert!(waited >= 299_000_000, "{waited}");
    }
}

/// Returns the width of a picture in JPEG: the first frame header has it.
fn width(jpeg: &[u8]) -> u32 {
    let mut at = 2;
    while !matches!(jpeg[at + 1], 0xc0..=0xc2) {
        at += 2 + usize::from(u16::from_be_bytes([jpeg[at + 2], jpeg[at + 3]]));
    }
    u32::from(u16::from_be_bytes([jpeg[at + 7], jpeg[at + 8]]))
}

#[test]
fn pictures_are_taken_when_the_page_changes() {
    let html = "<!doctype html><body style='background: red'><input id=card autocomplete=cc-number>\
        <script>let n = 0; setInterval(() => {\
        document.body.style.background = ['blue', 'lime', 'teal', 'pink'][n++ % 4] }, 200)</script>";
    let site = Site::new(&[("/", Page::html(html))]);
    let viewport = Some(Viewport { width: 1280, height: 800 });
    let page = PageOptions { viewport, ..PageOptions::default() };
    let visit = |screenshots| {
        let options = webrec::Options { page: page.clone(), screenshots, ..options() };
        let started = std::time::Instant::now();
        let seen = record(options, |recording| {
            recording.goto(&site.url("/")).expect("it loads");
            recording.run_for(Duration::from_millis(1500), "waiting").expect("it runs");
        });
        (seen.pictures, seen.text.lines().count() as u64, started.elapsed().as_secs_f64())
    };
    let (pictures, lines, time) = visit(true);
    let count = f64::from(u32::try_from(pictures.len()).expect("few pictures"));
    assert!((2.0..=time * 4.0 + 2.0).contains(&count), "{count} in {time} s");
    for picture in &pictures {
        assert_eq!(width(&picture.bytes), 640);
        assert!(picture.operation <= lines, "{} of {lines}", picture.operation);
    }
    assert!(pictures.iter().any(|picture| picture.operation < lines), "some are in between");
    assert_eq!(visit(false).0, []);
}

#[test]
fn no_picture_is_taken_once_the_page_has_a_secret() {
    let html = "<!doctype html><input id=card autocomplete=cc-number><script>\
        setInterval(() => { document.body.style.background =\
        '#' + Math.floor(Math.random() * 4096).toString(16).padStart(3, 0) }, 100)</script>";
    let site = Site::new(&[("/", Page::html(html))]);
    let secrets = replay::Secrets::new(vec![("card".to_owned(), "4111111111111111".to_owned())]);
    let page = PageOptions { secrets, ..PageOptions::default() };
    let seen = record(webrec::Options { page, screenshots: true, ..options() }, |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        recording.run_for(Duration::from_millis(800), "waiting").expect("it runs");
    });
    assert_eq!(seen.pictures, []);
    assert!(seen.notes.iter().any(|note| note.code == "no-screenshots"), "{:?}", seen.notes);
}
