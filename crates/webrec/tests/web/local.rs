//! Pages of this machine reach other addresses of it, as they do when nobody records them.

use crate::support::{Page, Site, options, record};

/// A site that another one asks for data, an image, a frame and a socket.
fn asked() -> Site {
    let data = Page::of("text/plain", "data").with("Access-Control-Allow-Origin", "*");
    Site::new(&[("/data", data), ("/frame", Page::html("<p>frame"))])
}

/// A page that asks `other`, and then its own site whether `other` answered.
fn asking(other: &Site) -> Site {
    let html = format!(
        "<!doctype html><script>\n\
         const other = '{}';\n\
         fetch(other + '/data').then(() => fetch('/answered'), () => fetch('/refused'));\n\
         new Image().src = other + '/image.png';\n\
         new WebSocket(other.replace('http', 'ws') + '/socket');\n\
         </script><iframe src='{}/frame'></iframe>",
        other.origin, other.origin
    );
    Site::new(&[("/", Page::html(&html))])
}

#[test]
fn a_local_page_reaches_other_ports() {
    let other = asked();
    let site = asking(&other);
    let mut options = options();
    options.browser.network = browser::Network::Local;
    record(options, |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        site.wait_asked("/answered", recording);
        for path in ["/image.png", "/socket", "/frame"] {
            other.wait_asked(path, recording);
        }
    });
}

#[test]
fn any_other_page_does_not() {
    let other = asked();
    let site = asking(&other);
    record(options(), |recording| {
        recording.goto(&site.url("/")).expect("it loads");
        site.wait_asked("/refused", recording);
    });
    assert!(!other.asked.lock().expect("sound").iter().any(|path| path == "/data"));
}
