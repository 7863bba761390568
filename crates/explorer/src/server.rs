//! A small HTTP server for a browser on this machine.
//!
//! It listens on 127.0.0.1 only. `/open?token=…` sets a cookie that is named after the port and leads to `/`; the
//! token is 128 random bits, which only the command that started the server knows. Views need the cookie, a
//! `Host` of this server and no sign of another origin, so that neither another user of the machine nor a page
//! of another site can read a trace. The page itself holds no data. Only `GET` is answered, and each connection
//! carries one request: a page on the same machine gains nothing from more.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::api::{self, Answer};
use crate::session::Session;

const PAGE: &str = include_str!("../web/index.html");
pub(crate) const SCRIPT: &str = include_str!("../web/dist/app.js");
const ICON: &str = include_str!("../web/icon.svg");
pub(crate) const STYLE: &str = include_str!("../web/src/style.css");

/// The headers of every answer.
const SAFETY: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'\r\nConnection: close\r\n";

/// The largest size of the head of a request.
const HEAD: usize = 16 << 10;

/// The largest number of headers of a request.
const HEADERS: usize = 64;

/// The largest number of connections that are served at once.
const CONNECTIONS: usize = 64;

/// The time that a browser has to send a request or to take an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often the server looks whether it should end.
const BEAT: Duration = Duration::from_millis(50);

/// A server that is listening.
pub struct Server {
    listener: TcpListener,
    site: Arc<Site>,
}

/// What the threads of a server share.
struct Site {
    session: Session,
    port: u16,
    token: String,
    cookie: String,
    connections: AtomicUsize,
}

impl Server {
    /// Listens on a port of the loopback interface, or on a free one if `port` is 0.
    pub fn new(session: Session, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        let port = listener.local_addr()?.port();
        let (token, cookie) = (secret()?, secret()?);
        let connections = AtomicUsize::new(0);
        let site = Arc::new(Site { session, port, token, cookie, connections });
        Ok(Self { listener, site })
    }

    /// Returns the address that opens the explorer in a browser. It contains the token.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/open?token={}", self.site.port, self.site.token)
    }

    /// Answers requests until `stop` is set. A thread of its own waits for connections, so that none waits for a beat;
    /// it ends with the first connection that comes after that, which this function makes itself.
    pub fn serve(&self, stop: &AtomicBool) -> io::Result<()> {
        let (listener, site) = (self.listener.try_clone()?, Arc::clone(&self.site));
        let ended = Arc::new(AtomicBool::new(false));
        let accepting = thread::spawn({
            let ended = Arc::clone(&ended);
            move || accept(&listener, &site, &ended)
        });
        while !stop.load(Ordering::Relaxed) && !accepting.is_finished() {
            thread::sleep(BEAT);
        }
        ended.store(true, Ordering::Relaxed);
        // If nobody can connect any more, the thread has failed itself.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.site.port));
        accepting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Answers connections until one comes after `ended` is set.
fn accept(listener: &TcpListener, site: &Arc<Site>, ended: &AtomicBool) -> io::Result<()> {
    loop {
        match listener.accept() {
            Ok(_) if ended.load(Ordering::Relaxed) => return Ok(()),
            Ok((stream, _)) => start(site, stream),
            Err(error) if is_of_connection(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Answers a connection on a thread of its own, unless there are too many.
fn start(site: &Arc<Site>, stream: TcpStream) {
    if site.connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
        site.connections.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let site = Arc::clone(site);
    thread::spawn(move || {
        // A browser that goes away is no error of the server.
        let _ = site.serve(stream);
        site.connections.fetch_sub(1, Ordering::Relaxed);
    });
}

/// Returns whether a connection failed, and not the listener.
fn is_of_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

/// Returns 128 random bits in hexadecimal digits.
fn secret() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}

/// Compares two secrets in a time that does not depend on where they differ.
fn equal(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// The part of a request that matters.
#[derive(Default)]
struct Request {
    method: String,
    target: String,
    host: String,
    origin: Option<String>,
    site: Option<String>,
    cookies: String,
}

impl Site {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let Some(request) = read(&mut stream)? else {
            return write(&mut stream, 400, "text/plain; charset=utf-8", b"Not a request.\n", "");
        };
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let (status, media, body, extra): (u16, &str, Vec<u8>, String) = match path {
            _ if request.method != "GET" => refusal(405, "Only GET is answered."),
            _ if !self.is_own_host(&request.host) => {
                refusal(403, "This is not the address of the explorer.")
            }
            "/open" => self.open(query),
            "/" => (200, "text/html; charset=utf-8", PAGE.into(), String::new()),
            "/app.js" => (200, "text/javascript; charset=utf-8", SCRIPT.into(), String::new()),
            "/icon.svg" => (200, "image/svg+xml", ICON.into(), String::new()),
            "/app.css" => (200, "text/css; charset=utf-8", STYLE.into(), String::new()),
            _ => match path.strip_prefix("/api/1/") {
                None => refusal(404, "There is nothing here."),
                Some(_) if !self.is_allowed(&request) => refusal(
                    403,
                    "Open the explorer by the address that `interloper explore` prints.",
                ),
                Some(path) => {
                    let Answer { status, media, body } = api::answer(&self.session, path, query);
                    (status, media, body, String::new())
                }
            },
        };
        write(&mut stream, status, media, &body, &extra)
    }

    fn is_own_host(&self, host: &str) -> bool {
        host == format!("127.0.0.1:{}", self.port) || host == format!("localhost:{}", self.port)
    }

    /// Returns whether a request comes from the explorer's own page.
    fn is_allowed(&self, request: &Request) -> bool {
        let own = format!("http://{}", request.host);
        let name = self.cookie_name();
        let cookies = request.cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        let mut cookies = cookies.filter(|&(key, _)| key == name);
        request.origin.as_ref().is_none_or(|origin| *origin == own)
            && request.site.as_deref().is_none_or(|site| matches!(site, "same-origin" | "none"))
            && cookies.any(|(_, value)| equal(value, &self.cookie))
    }

    fn cookie_name(&self) -> String {
        format!("interloper-{}", self.port)
    }

    /// Sets the cookie if the token is right.
    fn open(&self, query: &str) -> (u16, &'static str, Vec<u8>, String) {
        if !query.strip_prefix("token=").is_some_and(|token| equal(token, &self.token)) {
            return refusal(
                403,
                "This address is of another explorer; start `interloper explore` again.",
            );
        }
        let (name, cookie) = (self.cookie_name(), &self.cookie);
        let extra = format!(
            "Location: /\r\nSet-Cookie: {name}={cookie}; Path=/; HttpOnly; SameSite=Strict\r\n"
        );
        (303, "text/plain; charset=utf-8", Vec::new(), extra)
    }
}

fn refusal(status: u16, message: &str) -> (u16, &'static str, Vec<u8>, String) {
    (status, "text/plain; charset=utf-8", format!("{message}\n").into_bytes(), String::new())
}

/// Reads the head of a request. Returns none if it is none or too long.
fn read(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk)?;
        bytes.extend(&chunk[..count]);
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut head = httparse::Request::new(&mut headers);
        match head.parse(&bytes) {
            Ok(httparse::Status::Complete(_)) => return Ok(Some(request(&head))),
            Ok(httparse::Status::Partial) if count > 0 && bytes.len() <= HEAD => {}
            _ => return Ok(None),
        }
    }
}

fn request(head: &httparse::Request<'_, '_>) -> Request {
    let mut request = Request {
        method: head.method.unwrap_or_default().to_owned(),
        target: head.path.unwrap_or_default().to_owned(),
        ..Request::default()
    };
    for header in head.headers.iter() {
        let value = String::from_utf8_lossy(header.value).into_owned();
        match header.name.to_ascii_lowercase().as_str() {
            "host" => request.host = value,
            "origin" => request.origin = Some(value),
            "sec-fetch-site" => request.site = Some(value),
            "cookie" => request.cookies = value,
            _ => {}
        }
    }
    request
}

fn write(
    stream: &mut TcpStream,
    status: u16,
    media: &str,
    body: &[u8],
    extra: &str,
) -> io::Result<()> {
    let reason = match status {
        200 => "OK",
        303 => "See Other",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "Unprocessable Content",
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n{SAFETY}{extra}\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}
