//! Pages work as in a browser that nobody records: with sign-in, downloads, service workers and
//! responses that lack headers.

use std::collections::HashSet;
use std::time::Duration;

use url::Url;
use webrec::{Cookie, Exploration, Identity, Input, Options, PageOptions, Step, StorageState};

use crate::support::{Page, Site, options, record};

fn with(page: PageOptions) -> Options {
    Options { page, ..options() }
}

#[test]
fn a_document_without_a_type_is_recorded_if_it_is_html() {
    let bare = |body: &str| Page { headers: Vec::new(), ..Page::html(body) };
    let script = "<script>window.sniffed = 1; fetch('/done')</script>";
    let site = Site::new(&[
        ("/", bare(&format!("\n <!DOCTYPE html>{script}"))),
        ("/text", bare(&format!("text {script}"))),
    ]);
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/text")).expect("it loads");
        recording.goto(&site.url("/")).expect("it loads");
        site.wait_asked("/done", recording);
    });
    assert_eq!(seen.text.matches("write Window.sniffed").count(), 1, "{}", seen.text);
}

#[test]
fn a_download_is_saved_with_the_profile_and_the_page_goes_on() {
    let attachment = "attachment; filename=interloper-test-download.html";
    let site = Site::new(&[
        (
            "/",
            Page::html(
                "<a id=attached href=/attached>x</a><a id=named download=n.txt href=/named>x</a>\
                 <button id=b onclick='window.after = (window.after || 0) + 1'>x</button>",
            ),
        ),
        (
            "/attached",
            Page::html("<script>window.wrong = 1</script>").with("Content-Disposition", attachment),
        ),
        ("/named", Page::of("text/plain", "text")),
    ]);
    let home = std::env::var_os("HOME").expect("a home");
    let files = || -> HashSet<_> {
        let folders = [std::path::Path::new(&home).join("Downloads"), ".".into()];
        let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
        entries.flatten().map(|entry| entry.path()).collect()
    };
    let before = files();
    let steps = "click #attached\nclick #b\nclick #named\nclick #b\nwait 300";
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        recording.run_steps(&Step::parse_all(steps).expect("steps")).expect("all can be done");
    });
    assert!(seen.has(&["write Window.after", "value=2"]), "{}", seen.text);
    assert!(!seen.text.contains("Window.wrong"), "{}", seen.text);
    assert_eq!(files(), before);
}

#[test]
fn a_server_gets_the_name_and_the_password_that_it_asks_for() {
    let site = Site::with(&[("/", Page::html("<script>fetch('/data')</script>"))], |request| {
        let known = request.header("authorization") == Some("Basic QWRhOng=");
        (!known)
            .then(|| Page::html("who?").status(401).with("WWW-Authenticate", "Basic realm=\"x\""))
    });
    for (user, works, refused) in
        [("Ada:x@", true, false), ("Ada:y@", false, true), ("", false, false)]
    {
        let mut url =
            Url::parse(&site.origin.replace("http://", &format!("http://{user}"))).expect("a URL");
        let identity = Some(Identity::new(&mut url, Vec::new()));
        let asked = site.asked.lock().expect("sound").len();
        let seen = record(with(PageOptions { identity, ..PageOptions::default() }), |recording| {
            recording.goto(url.as_str()).expect("it loads");
            recording.run_for(Duration::from_millis(300), "waiting").expect("it runs");
        });
        let asked = site.asked.lock().expect("sound")[asked..].contains(&"/data".to_string());
        assert_eq!((asked, seen.noted("authentication").is_some()), (works, refused), "{user}");
    }
}

#[test]
fn headers_go_to_the_origin_of_the_page_only() {
    let allow = ("Access-Control-Allow-Origin", "*");
    let other = Site::with(&[("/", Page::of("text/plain", "x").with(allow.0, allow.1))], |_| None);
    let html = format!(
        "<img src=/image.png><script src=/s.js></script><script>\
         fetch('{}/').then(() => fetch('/done', {{ method: 'POST', body: 'x' }}))</script>",
        other.origin
    );
    let script = Page::js("window.script = 1");
    let site = Site::with(&[("/", Page::html(&html)), ("/s.js", script)], |_| None);
    let mut url = Url::parse(&site.origin).expect("a URL");
    let headers = vec![
        ("X-Token".to_string(), "secret".to_string()),
        ("accept-language".to_string(), "tlh".to_string()),
    ];
    let identity = Some(Identity::new(&mut url, headers));
    let mut options = with(PageOptions { identity, ..PageOptions::default() });
    options.browser.network = browser::Network::Local;
    let seen = record(options, |recording| {
        recording.goto(url.as_str()).expect("it loads");
        site.wait_asked("/done", recording);
    });
    assert!(seen.has(&["write Window.script"]), "{}", seen.text);
    // The recorder itself requests source maps.
    let headers = site.headers().into_iter().filter(|(path, _, _)| path != "/s.js.map");
    for (path, header, value) in headers {
        match header.as_str() {
            "x-token" => assert_eq!(value, "secret", "{path}"),
            "accept-language" => assert_eq!(value, "tlh", "{path}"),
            _ => {}
        }
    }
    for path in ["/", "/image.png", "/s.js", "/done"] {
        assert!(site.headers().iter().any(|(p, h, _)| p == path && h == "x-token"), "{path}");
    }
    assert!(!other.headers().is_empty());
    assert!(!other.headers().iter().any(|(_, header, _)| header == "x-token"));
}

#[test]
fn a_page_finds_its_cookies_and_storage() {
    let html = "<script>window.found = [document.cookie, localStorage.a, history.length].join()\
        </script>";
    let site = Site::with(&[("/", Page::html(html))], |_| None);
    let mut storage = StorageState::parse(&format!(
        r#"{{"cookies":[{{"name":"h","value":"1","domain":"127.0.0.1","path":"/","httpOnly":true}}],
        "origins":[{{"origin":"{}","localStorage":[{{"name":"a","value":"</script>'é"}}]}}]}}"#,
        site.origin
    ))
    .expect("a storage state");
    let url = Some(site.url("/"));
    let text = r#"{"name":"c","value":"2"}"#;
    storage.cookies.push(Cookie { url, ..serde_json::from_str(text).expect("a cookie") });
    let seen = record(with(PageOptions { storage, ..PageOptions::default() }), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
    });
    // The first entry of the history is the browser's empty page.
    let found = "value=\"c%3D2,</script>'%C3%A9,2\"";
    assert!(seen.has(&["write Window.found ", found]), "{}", seen.text);
    let cookies: Vec<_> =
        site.headers().into_iter().filter(|(_, name, _)| name == "cookie").collect();
    assert!(cookies.iter().any(|(_, _, value)| value.contains("h=1")), "{cookies:?}");
    assert!(!site.asked.lock().expect("sound").iter().any(|path| path.contains("__interloper__")));
}

#[test]
fn every_explored_sequence_finds_the_storage_of_the_start() {
    let html = "<button id=a>a</button><button id=b>b</button><script>\
        window.found = document.cookie + localStorage.a; document.cookie = 'c=0'; localStorage.a = 0\
        </script>";
    let site = Site::new(&[("/", Page::html(html))]);
    let storage = StorageState::parse(&format!(
        r#"{{"cookies":[{{"name":"c","value":"1","domain":"127.0.0.1","path":"/"}}],
        "origins":[{{"origin":"{}","localStorage":[{{"name":"a","value":"2"}}]}}]}}"#,
        site.origin
    ))
    .expect("a storage state");
    let page = PageOptions { storage, ..PageOptions::default() };
    let options = Options { input: Input::Explored, ..with(page) };
    let how = Exploration { depth: 1, sequences: 9, time: Duration::from_secs(60), seed: 1 };
    let seen = record(options, |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        recording.explore(&site.url("/"), &how).expect("it can be explored");
    });
    let found = |value: &str| {
        let lines = seen.text.lines().filter(|line| line.contains("write Window.found"));
        lines.filter(|line| line.contains(value)).count()
    };
    assert_eq!((found("value="), found("value=\"c%3D12\"")), (2, 2), "{}", seen.text);
}

#[test]
fn a_page_with_a_service_worker_goes_on() {
    let html = "<script>(async () => {\
        await navigator.serviceWorker.register('/sw.js');\
        const ready = await navigator.serviceWorker.ready;\
        window.ready = !!ready.active;\
        if (!navigator.serviceWorker.controller)\
            await new Promise((done) => navigator.serviceWorker.addEventListener('controllerchange', done));\
        fetch('/done') })()</script>";
    let worker = "addEventListener('install', () => skipWaiting());\
        addEventListener('activate', (event) => event.waitUntil(clients.claim()));\
        addEventListener('fetch', () => {})";
    let site = Site::new(&[("/", Page::html(html)), ("/sw.js", Page::js(worker))]);
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        site.wait_asked("/done", recording);
    });
    assert!(seen.has(&["write Window.ready", "value=true"]), "{}", seen.text);
}

#[test]
fn errors_of_the_page_are_counted() {
    let html = "<script>console.error('odd', 1); console.log('fine');\
        fetch('/missing').then(() => fetch('http://127.0.0.1:1/')).catch(() => fetch('/done'));\
        setTimeout(() => { throw new TypeError('thrown') }, 0);\
        Promise.reject(new Error('rejected'))</script><script>}</script>";
    let site = Site::new(&[("/", Page::html(html))]);
    let mut options = options();
    options.browser.network = browser::Network::Local;
    let seen = record(options, |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        site.wait_asked("/done", recording);
        recording.run_for(Duration::from_millis(300), "waiting").expect("it runs");
    });
    let health = seen.health;
    assert_eq!((health.console.count, &*health.console.first), (1, "odd 1"), "{health:?}");
    // `/missing`, the port on which nothing listens, and `/done`.
    assert_eq!(
        (health.requests.count, &*health.requests.first),
        (3, "GET /missing: 404"),
        "{health:?}"
    );
    // Two, and the script that does not parse.
    assert_eq!(health.exceptions.count, 3, "{health:?}");
    assert_eq!(health.unparsable, 1, "{health:?}");
}
