//! A web site on loopback, and the content of its recordings.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use codec::native::{self, Writer};
use webrec::{Input, Options, PageOptions, Ready, Recording};

/// The response for a path: additional headers, and a body.
#[derive(Clone, Default)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) delay: Duration,
}

impl Page {
    pub(crate) fn html(body: &str) -> Page {
        Page::of("text/html", body)
    }

    pub(crate) fn js(body: &str) -> Page {
        Page::of("text/javascript", body)
    }

    pub(crate) fn of(mime: &str, body: impl AsRef<[u8]>) -> Page {
        let headers = vec![("Content-Type".to_string(), mime.to_string())];
        Page { status: 200, headers, body: body.as_ref().to_vec(), delay: Duration::ZERO }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Page {
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    pub(crate) fn status(mut self, status: u16) -> Page {
        self.status = status;
        self
    }

    pub(crate) fn after(mut self, delay: Duration) -> Page {
        self.delay = delay;
        self
    }
}

/// A site that serves pages until the test ends.
pub(crate) struct Site {
    pub(crate) origin: String,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    pub(crate) fn new(pages: &[(&str, Page)]) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let origin = format!("http://{}", listener.local_addr().expect("bound"));
        let pages: HashMap<_, _> =
            pages.iter().map(|(path, page)| ((*path).to_string(), page.clone())).collect();
        let (pages, asked) = (Arc::new(pages), Arc::new(Mutex::new(Vec::new())));
        let log = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, log) = (Arc::clone(&pages), Arc::clone(&log));
                thread::spawn(move || drop(serve(stream, &pages, &log)));
            }
        });
        Site { origin, asked }
    }

    /// Lets the page run until it has requested a path.
    pub(crate) fn wait_asked(&self, path: &str, recording: &Recording) {
        for _ in 0..400 {
            if self.asked.lock().expect("sound").iter().any(|asked| asked == path) {
                return;
            }
            recording.run_for(Duration::from_millis(50), "waiting").expect("it runs");
        }
        panic!("{path} was not asked for");
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }
}

fn serve(
    mut stream: TcpStream,
    pages: &HashMap<String, Page>,
    log: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let target = line.split(' ').nth(1).unwrap_or("/").to_string();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if header.trim().is_empty() {
            break;
        }
    }
    reader.take(length).read_to_end(&mut Vec::new())?;
    log.lock().expect("sound").push(target.clone());
    let path = target.split('?').next().unwrap_or("/");
    let missing = Page::of("text/plain", "none").status(404);
    let page = pages.get(path).unwrap_or(&missing);
    thread::sleep(page.delay);
    write!(stream, "HTTP/1.1 {} X\r\nConnection: close\r\n", page.status)?;
    for (name, value) in &page.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "Content-Length: {}\r\n\r\n", page.body.len())?;
    stream.write_all(&page.body)
}

/// The options of recordings in tests.
pub(crate) fn options() -> Options {
    Options {
        browser: browser::Options::default(),
        page: PageOptions::default(),
        input: Input::Ordered,
        load_timeout: Duration::from_secs(30),
        stop: Arc::new(AtomicBool::new(false)),
        progress: Box::new(|_, _| {}),
    }
}

/// The content of a recording, for tests.
pub(crate) struct Seen {
    /// The trace in the text notation.
    pub(crate) text: String,
    pub(crate) notes: Vec<webrec::Note>,
}

impl Seen {
    pub(crate) fn has(&self, parts: &[&str]) -> bool {
        self.text.lines().any(|line| parts.iter().all(|part| line.contains(part)))
    }

    pub(crate) fn noted(&self, code: &str) -> Option<&webrec::Note> {
        self.notes.iter().find(|note| note.code == code)
    }
}

/// Records while `drive` runs, and reads the file.
pub(crate) fn record(options: Options, drive: impl FnOnce(&Recording)) -> Seen {
    let folder = tempfile::tempdir().expect("a place for files");
    let path = folder.path().join("page.ilt");
    let file = std::fs::File::create(&path).expect("writable");
    let writer = Writer::new(file, native::Options::default()).expect("memory");
    let ready = Ready::start(options).expect("Chromium is installed");
    let recording = ready.record(writer).expect("writable");
    drive(&recording);
    let summary = recording.finish();
    assert!(summary.failed.is_none(), "{:?}", summary.failed);
    let bytes = std::fs::read(&path).expect("written");
    let loaded = native::read(&bytes[..]).expect("a native file");
    assert_eq!(loaded.trace.len() as u64, summary.counts.operations);
    let mut text = Vec::new();
    codec::text::write(&loaded.trace, &mut text).expect("memory");
    Seen { text: String::from_utf8(text).expect("ASCII"), notes: summary.notes }
}
