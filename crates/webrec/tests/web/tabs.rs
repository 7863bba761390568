//! Tabs and windows that a page opens, and documents that it opens again.

use std::time::Duration;

use webrec::Step;

use crate::support::{Page, Seen, Site, options, record};

/// Clicks on `#a` of a page and waits until `path` was requested.
fn click(html: &str, pages: &[(&str, Page)], path: &str) -> Seen {
    let site = Site::new(&[&[("/", Page::html(html))][..], pages].concat());
    let steps = Step::parse_all("click #a\nclick #a").expect("steps");
    record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        recording.run_steps(&steps[..1]).expect("it can be clicked");
        site.wait_asked(path, recording);
        // The page still takes input.
        recording.run_steps(&steps[1..]).expect("it can be clicked");
        recording.run_for(Duration::from_millis(300), "waiting").expect("it runs");
    })
}

#[test]
fn a_tab_is_recorded_from_its_first_script() {
    let tab = "<!doctype html><p id=p>x</p><script>var tab = 'inline';</script>\
        <script src=tab.js></script>";
    let script = "document.getElementById('p').onclick = () => {};\
        setTimeout(() => { window.late = 1; fetch('/done') }, 20)";
    let pages = [("/tab.html", Page::html(tab)), ("/tab.js", Page::js(script))];
    for opener in [
        "<a id=a target=_blank href=/tab.html>x</a>",
        "<a id=a target=_blank rel=opener href=/tab.html>x</a>",
        "<button id=a onclick='window.open(\"/tab.html\")'>x</button>",
        "<button id=a onclick='window.open(\"/tab.html\", \"\", \"noopener\")'>x</button>",
        "<button id=a onclick='window.open(\"/tab.html\", \"\", \"width=300,height=200\")'>x</button>",
        "<button id=a onclick='window.open().location = \"/tab.html\"'>x</button>",
    ] {
        let seen = click(opener, &pages, "/done");
        for parts in [
            ["write ", "Window.tab", "value=\"inline\"", "src=tab.html:1:"],
            ["write ", "Window.late", "value=1", "src=tab.js:1:"],
            ["write ", "p%23p.handlers(click)", "value=", "src=tab.js:1:"],
            ["begin ", "type=parse", "name=p%23p", ""],
            ["begin ", "type=timer", "", ""],
            ["begin ", "type=DOMContentLoaded", "", ""],
        ] {
            assert!(seen.has(&parts), "{opener}: no {parts:?} in\n{}", seen.text);
        }
        let clicks = seen.text.matches("type=click").count();
        assert_eq!(clicks, 2, "{opener}:\n{}", seen.text);
        assert!(!seen.text.contains("type=unknown"), "{opener}:\n{}", seen.text);
        assert_eq!(seen.health.exceptions, webrec::Errors::default(), "{opener}");
    }
}

#[test]
fn a_window_and_its_opener_have_names_of_their_own() {
    let html = "<!doctype html><button id=a>x</button><script>var shared = 'page';\
        document.getElementById('a').onclick = () => { window.tab ??= window.open('/tab.html') };\
        </script>";
    let tab = "<!doctype html><script>var shared = 'tab';\
        setTimeout(() => { fetch('/done') }, 0)</script>";
    let seen = click(html, &[("/tab.html", Page::html(tab))], "/done");
    assert!(seen.has(&["main write Window.shared ", "\"page\""]), "{}", seen.text);
    assert!(seen.has(&["main write tab.html/Window.shared ", "\"tab\""]), "{}", seen.text);
}

#[test]
fn a_window_is_recorded_after_its_opener_has_left() {
    let html = "<!doctype html><button id=a>x</button><script>\
        document.getElementById('a').onclick = () => {\
            window.open('/tab.html'); setTimeout(() => { location = '/next' }, 300) }</script>";
    let tab = "<!doctype html><script>setTimeout(() => { window.after = 1; fetch('/done') }, 1500)</script>";
    let next = Page::html("<button id=a>x</button>");
    let seen = click(html, &[("/tab.html", Page::html(tab)), ("/next", next)], "/done");
    assert!(seen.has(&["write ", "Window.after"]), "{}", seen.text);
}

#[test]
fn a_document_that_is_opened_again_is_recorded() {
    let written = "<p id=p>x</p><button id=a>x</button><script>var written = 1;\
        document.getElementById('a').onclick = () => { window.after = 1; fetch('/done') }<\\/script>";
    for (how, whole) in [("document.open();", true), ("", true), ("document.open();", false)] {
        // Either the whole text at once, or by parts.
        let write = if whole {
            format!("document.write(\"{written}\");document.close()")
        } else {
            let (first, second) = written.split_at(written.find("<button").expect("there"));
            format!("document.write(\"{first}\");document.write(\"{second}\");document.close()")
        };
        let html = format!(
            "<!doctype html><button id=a>x</button><script>\
             document.getElementById('a').onclick = () => {{ fetch('/opened'); {how} {write} }}</script>"
        );
        let seen = click(&html, &[], "/opened");
        assert!(seen.has(&["write Window.written"]), "{}", seen.text);
        assert!(seen.has(&["write Window.after"]), "{}", seen.text);
        assert_eq!(seen.text.matches("type=click").count(), 2, "{}", seen.text);
        assert!(!seen.text.contains("type=unknown"), "{}", seen.text);
    }
}
