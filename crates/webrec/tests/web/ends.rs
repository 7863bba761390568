//! However a recording ends, it reports why, and its file loads.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use webrec::{Error, Options, Step};

use crate::support::{Page, Site, options, record};

#[test]
fn a_page_that_cannot_be_loaded_is_reported() {
    // The listener is dropped, so nothing listens on its port.
    let closed = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let url = format!("http://{}/", closed.local_addr().expect("bound"));
    drop(closed);
    let seen = record(options(), |recording| {
        let error = recording.goto(&url).expect_err("nobody is there");
        assert!(matches!(error, Error::Unreachable { .. }), "{error}");
        assert!(error.to_string().contains("is the server running?"), "{error}");
    });
    assert!(seen.text.starts_with("interloper-trace 1"), "{}", seen.text);
}

#[test]
fn a_page_that_never_loads_is_given_up() {
    let long = Duration::from_secs(60);
    let site = Site::new(&[
        ("/silent", Page::html("never").after(long)),
        ("/half", Page::html("<script>window.half = 1</script><img src=slow.png>")),
        ("/slow.png", Page::of("image/png", "").after(long)),
    ]);
    for path in ["/silent", "/half"] {
        let options = Options { load_timeout: Duration::from_secs(2), ..options() };
        let started = Instant::now();
        let seen = record(options, |recording| {
            let error = recording.goto(&site.url(path)).expect_err("it never loads");
            assert!(matches!(error, Error::NeverLoaded { .. }), "{error}");
            assert!(error.to_string().contains("--load-timeout"), "{error}");
        });
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert_eq!(path == "/half", seen.has(&["Window.half"]), "{}", seen.text);
    }
}

#[test]
fn operations_before_a_crash_are_kept() {
    let site = Site::new(&[("/", Page::html("<script>window.before = 1</script>"))]);
    let seen = record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        recording.run_for(Duration::from_millis(300), "waiting").expect("it runs");
        // Loading this address may fail or succeed, but the page is gone afterwards.
        let _ = recording.goto("chrome://crash");
        let error = recording.run_for(Duration::from_secs(20), "waiting").expect_err("it crashes");
        assert!(matches!(error, Error::Crashed), "{error}");
    });
    assert!(seen.has(&["Window.before"]), "{}", seen.text);
}

#[test]
fn a_recording_can_be_stopped() {
    let site = Site::new(&[("/", Page::html("<script>window.stopped = 1</script>"))]);
    let options = options();
    let stop = Arc::clone(&options.stop);
    let seen = record(options, |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        let stopper = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
        });
        let started = Instant::now();
        let error = recording.run_for(Duration::from_secs(60), "waiting").expect_err("stopped");
        assert!(matches!(error, Error::Stopped), "{error}");
        assert!(started.elapsed() < Duration::from_secs(10));
        stopper.join().expect("it ends");
    });
    assert!(seen.has(&["Window.stopped"]), "{}", seen.text);
}

/// Clicks a link twenty times, each time after loading its page again. Returns the numbers of
/// clicks in the trace, of timers that ran after a click, and of those in the trace.
fn clicks_that_leave(target: &str) -> [usize; 3] {
    let page = "<!doctype html><a id=a href=TARGET>x</a><script>\
        var ran = +localStorage.ran || 0;\
        localStorage.ran = 0;\
        document.querySelector('a').onclick = () => {\
            window.clicked = 1;\
            setInterval(() => { localStorage.ran++ }, 5) };\
        </script>";
    let site = Site::new(&[("/", Page::html(&page.replace("TARGET", target)))]);
    let click = Step::parse_all("click #a").expect("a step");
    let seen = record(options(), |recording| {
        for _ in 0..20 {
            recording.goto(&site.url("/")).expect("it loads");
            recording.run_steps(&click).expect("it can be clicked");
        }
        recording.goto(&site.url("/")).expect("it loads");
    });
    let lines_with = |part: &'static str| seen.text.lines().filter(move |l| l.contains(part));
    let ran = lines_with("write Window.ran")
        .filter_map(|line| line.split("value=").nth(1)?.split(' ').next()?.parse::<usize>().ok());
    let ran = ran.sum();
    // The script's own write in every document is no timer's.
    let recorded = lines_with("write localStorage[ran]").count() - 21;
    [lines_with("write Window.clicked").count(), ran, recorded]
}

#[test]
fn operations_before_a_navigation_are_kept() {
    // Nothing listens there, and the browser shows its own page.
    assert_eq!(clicks_that_leave("http://127.0.0.1:1/")[0], 20);
    // A document of another site, in another process.
    let other = Site::new(&[("/", Page::html("<p>x").after(Duration::from_millis(200)))]);
    let [clicks, ran, recorded] =
        clicks_that_leave(&other.origin.replace("127.0.0.1", "localhost"));
    assert_eq!(clicks, 20);
    assert!(ran > 20 * 10, "{ran}");
    // The browser stops listening to a document some milliseconds before the document's end.
    assert!(recorded * 10 >= ran * 8, "{recorded} of {ran}");
}
