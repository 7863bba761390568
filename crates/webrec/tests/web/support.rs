//! A web site on loopback, and the content of its recordings.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use codec::native::{self, Writer};
use webrec::{Input, Keep, Options, PageOptions, Ready, Recording};

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

/// A request: its path, and its headers with names in lower case.
pub(crate) struct Request {
    path: String,
    headers: Vec<(String, String)>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }
}

/// A function that may answer a request itself.
type Instead = dyn Fn(&Request) -> Option<Page> + Send + Sync;

/// A site that serves pages until the test ends.
pub(crate) struct Site {
    pub(crate) origin: String,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
    headers: Arc<Mutex<Vec<(String, String, String)>>>,
}

impl Site {
    pub(crate) fn new(pages: &[(&str, Page)]) -> Site {
        Site::with(pages, |_| None)
    }

    /// A site that asks `instead` first. Requests that `instead` answers are not logged.
    pub(crate) fn with(
        pages: &[(&str, Page)],
        instead: impl Fn(&Request) -> Option<Page> + Send + Sync + 'static,
    ) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let origin = format!("http://{}", listener.local_addr().expect("bound"));
        let pages: HashMap<_, _> =
            pages.iter().map(|(path, page)| ((*path).to_string(), page.clone())).collect();
        let (pages, asked) = (Arc::new(pages), Arc::new(Mutex::new(Vec::new())));
        let headers = Arc::new(Mutex::new(Vec::new()));
        let (log, heads) = (Arc::clone(&asked), Arc::clone(&headers));
        let instead: Arc<Instead> = Arc::new(instead);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, log, heads) =
                    (Arc::clone(&pages), Arc::clone(&log), Arc::clone(&heads));
                let instead = Arc::clone(&instead);
                thread::spawn(move || drop(serve(stream, &pages, (&log, &heads), &*instead)));
            }
        });
        Site { origin, asked, headers }
    }

    /// The headers of all requests so far, each with the request's path.
    pub(crate) fn headers(&self) -> Vec<(String, String, String)> {
        self.headers.lock().expect("sound").clone()
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

type Heads = Mutex<Vec<(String, String, String)>>;

fn serve(
    mut stream: TcpStream,
    pages: &HashMap<String, Page>,
    (log, heads): (&Mutex<Vec<String>>, &Heads),
    instead: &Instead,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let target = line.split(' ').nth(1).unwrap_or("/").to_string();
    let mut request = Request { path: target.clone(), headers: Vec::new() };
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.split_once(':') else { break };
        request.headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
    }
    let length = request.header("content-length").and_then(|length| length.parse().ok());
    reader.take(length.unwrap_or(0)).read_to_end(&mut Vec::new())?;
    if let Some(page) = instead(&request) {
        return write_page(&mut stream, &page);
    }
    let Request { path, headers } = request;
    let named = headers.into_iter().map(|(name, value)| (path.clone(), name, value));
    heads.lock().expect("sound").extend(named);
    log.lock().expect("sound").push(target.clone());
    let path = target.split('?').next().unwrap_or("/");
    let missing = Page::of("text/plain", "none").status(404);
    let page = pages.get(path).unwrap_or(&missing);
    write_page(&mut stream, page)
}

fn write_page(stream: &mut TcpStream, page: &Page) -> std::io::Result<()> {
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
        step_timeout: Duration::from_secs(10),
        early_steps: false,
        keep: Keep::Answers,
        screenshots: false,
        replay: None,
        stop: Arc::new(AtomicBool::new(false)),
        progress: Box::new(|_, _| {}),
    }
}

/// The content of a recording, for tests.
pub(crate) struct Seen {
    /// The trace in the text notation.
    pub(crate) text: String,
    pub(crate) notes: Vec<webrec::Note>,
    pub(crate) health: webrec::Health,
    pub(crate) pictures: Vec<native::Screenshot>,
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
    Seen {
        text: String::from_utf8(text).expect("ASCII"),
        notes: summary.notes,
        health: summary.health,
        pictures: native::screenshots(std::io::Cursor::new(&bytes)).expect("memory"),
    }
}
