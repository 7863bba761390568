//! The journal: what a recording keeps of the network and of its steps, so that a replay can answer as
//! the network did ([`replay::Session`]).
//!
//! Exchanges come from the browser's network events. The bodies of documents and scripts come from the
//! requests that the recorder pauses, because the browser only knows their rewritten text; all others are
//! asked for when they are complete. Values of cookies and of headers that identify the user are left
//! out, and placeholders stand for what was typed into password fields. The bodies together
//! are bounded by [`MOST`] bytes, with the frames of connections.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use browser::Client;
use replay::{Connection, Exchange, Secrets, Session, SessionStep, SocketFrame};
use serde_json::{Value, json};

/// How many bytes of bodies are kept.
const MOST: usize = 64 << 20;
/// How many exchanges are kept.
const EXCHANGES: usize = 20_000;
/// How long the browser may take to return a body.
const BODY: Duration = Duration::from_secs(5);
/// Headers that may hold secrets, or that describe how the body was sent.
const DROPPED: [&str; 8] = [
    "set-cookie",
    "authorization",
    "proxy-authorization",
    "www-authenticate",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "content-md5",
];

/// A request, by the browser's session and the request's id.
type Key = (String, String);
type Headers = Vec<(String, String)>;

/// What was kept so far.
#[derive(Default)]
struct Kept {
    session: Session,
    /// The exchange of each request, and the browser's time at which it was asked for.
    open: HashMap<Key, (usize, f64)>,
    /// The connection of each request that makes one.
    connections: HashMap<Key, usize>,
    /// The browser's clock at the start of the recording, in seconds, once it is known.
    clock: Option<f64>,
    /// The original answers of requests that the browser has not announced yet.
    early: HashMap<Key, (Headers, String)>,
    bytes: usize,
}

/// Keeps exchanges and steps.
pub(crate) struct Journal {
    began: f64,
    /// Whether the bodies of answers are kept.
    with_bodies: bool,
    kept: Mutex<Kept>,
    /// How many bodies are being asked for.
    awaited: AtomicUsize,
}

impl Journal {
    /// Creates a journal of a recording that began at this time, in milliseconds since 1970.
    pub(crate) fn new(session: Session, with_bodies: bool) -> Self {
        let began = session.began;
        let kept = Kept { session, ..Kept::default() };
        Self { began, with_bodies, kept: Mutex::new(kept), awaited: AtomicUsize::new(0) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time in milliseconds since the recording began.
    pub(crate) fn now(&self) -> f64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        now.as_secs_f64() * 1000.0 - self.began
    }

    /// Takes one of the browser's events.
    pub(crate) fn hear(
        self: &Arc<Self>,
        client: &Client,
        session: &str,
        method: &str,
        params: &Value,
    ) {
        let id = params["requestId"].as_str().unwrap_or_default().to_string();
        let key = (session.to_string(), id);
        match method {
            "Network.requestWillBeSent" => {
                if !params["redirectResponse"].is_null() {
                    self.answered(&key, &params["redirectResponse"]);
                    self.finished(&key, params);
                }
                self.asked(key, params);
            }
            "Network.responseReceived" => {
                self.answered(&key, &params["response"]);
                if params["type"] == "EventSource" {
                    self.kept().streamed(key, params);
                }
            }
            "Network.loadingFailed" => {
                self.kept().closed(&key, params);
                self.finished(&key, params);
            }
            "Network.loadingFinished" => {
                self.kept().closed(&key, params);
                if self.finished(&key, params) {
                    self.fetch_body(client, key);
                }
            }
            "Network.webSocketCreated" => {
                let (url, made) = (text(&params["url"]), self.now());
                let kind = "WebSocket".to_string();
                self.kept().connect(key, Connection { kind, url, made, ..Connection::default() });
            }
            "Network.webSocketHandshakeResponseReceived" => self.kept().opened(&key, params),
            "Network.webSocketFrameSent" => self.kept().frame(&key, params, true, self.with_bodies),
            "Network.webSocketFrameReceived" | "Network.eventSourceMessageReceived" => {
                self.kept().frame(&key, params, false, self.with_bodies);
            }
            "Network.webSocketClosed" => self.kept().closed(&key, params),
            _ => {}
        }
    }

    fn asked(&self, key: Key, params: &Value) {
        let request = &params["request"];
        let now = params["wallTime"].as_f64().map_or(self.now(), |wall| wall * 1000.0 - self.began);
        let mut exchange = Exchange {
            method: text(&request["method"]),
            url: text(&request["url"]),
            kind: text(&params["type"]),
            time: (now, now),
            ..Exchange::default()
        };
        let mut kept = self.kept();
        if !exchange.url.starts_with("http") || kept.session.exchanges.len() >= EXCHANGES {
            return;
        }
        if let Some((headers, body)) = kept.early.remove(&key) {
            (exchange.headers, exchange.body) = (headers, body);
        }
        let since = params["timestamp"].as_f64().unwrap_or_default();
        kept.clock = Some(since - now / 1000.0);
        kept.session.exchanges.push(exchange);
        let at = kept.session.exchanges.len() - 1;
        kept.open.insert(key, (at, since));
    }

    fn answered(&self, key: &Key, response: &Value) {
        let mut kept = self.kept();
        let Some(&(at, _)) = kept.open.get(key) else { return };
        let exchange = &mut kept.session.exchanges[at];
        exchange.status = response["status"].as_u64().unwrap_or_default() as u16;
        // The headers of an answer that the recorder has rewritten are known already.
        if exchange.headers.is_empty() {
            let headers = response["headers"].as_object().into_iter().flatten();
            let headers = headers
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_string())));
            exchange.headers = headers.filter(|(name, _)| is_kept(name)).collect();
        }
    }

    /// Notes that an exchange is over. Returns whether its body is still needed.
    fn finished(&self, key: &Key, params: &Value) -> bool {
        let mut kept = self.kept();
        let Some((at, since)) = kept.open.remove(key) else { return false };
        let exchange = &mut kept.session.exchanges[at];
        let until = params["timestamp"].as_f64().unwrap_or(since);
        exchange.time.1 = exchange.time.0 + (until - since).max(0.0) * 1000.0;
        let is_needed = exchange.status != 0 && exchange.body.is_empty() && self.with_bodies;
        if is_needed {
            kept.open.insert(key.clone(), (at, since));
        }
        is_needed
    }

    /// Asks the browser for the body of an answer that is complete.
    fn fetch_body(self: &Arc<Self>, client: &Client, key: Key) {
        let (journal, client) = (Arc::clone(self), client.clone());
        journal.awaited.fetch_add(1, Ordering::Relaxed);
        std::thread::spawn(move || {
            let id = json!({ "requestId": key.1 });
            let answer = client.call_within(Some(&key.0), "Network.getResponseBody", id, BODY);
            if let Ok(answer) = answer {
                let body = answer["body"].as_str().unwrap_or_default();
                let body = match answer["base64Encoded"].as_bool() {
                    Some(true) => body.to_string(),
                    _ => BASE64.encode(body),
                };
                journal.body(&key, body);
            }
            journal.kept().open.remove(&key);
            journal.awaited.fetch_sub(1, Ordering::Relaxed);
        });
    }

    fn body(&self, key: &Key, body: String) {
        let mut kept = self.kept();
        let Some(&(at, _)) = kept.open.get(key) else { return };
        if kept.admits(&body) {
            kept.session.exchanges[at].body = body;
        }
    }

    /// Keeps the original answer of a request that the recorder rewrites. The browser does not report the
    /// answers that workers start with.
    pub(crate) fn original(
        &self,
        session: &str,
        request: &str,
        status: u16,
        headers: impl Iterator<Item = (String, String)>,
        body: &[u8],
    ) {
        if !self.with_bodies {
            return;
        }
        let key = (session.to_string(), request.to_string());
        let headers: Headers = headers.filter(|(name, _)| is_kept(name)).collect();
        let body = BASE64.encode(body);
        let now = self.now();
        let mut kept = self.kept();
        if !kept.admits(&body) {
            return;
        }
        if let Some(&(at, _)) = kept.open.get(&key) {
            let exchange = &mut kept.session.exchanges[at];
            (exchange.headers, exchange.body) = (headers, body);
            if exchange.status == 0 {
                (exchange.status, exchange.time.1) = (status, now);
            }
        } else {
            kept.early.insert(key, (headers, body));
        }
    }

    /// Notes the address of the first page.
    pub(crate) fn start(&self, url: &str) {
        self.kept().session.url = url.to_string();
    }

    /// Notes a step that was performed.
    pub(crate) fn step(&self, text: String, began: f64) {
        let time = (began, self.now());
        self.kept().session.steps.push(SessionStep { text, time });
    }

    /// Returns the session, once the bodies that were asked for have arrived or `longest` is over.
    pub(crate) fn close(&self, longest: Duration, secrets: &Secrets) -> Vec<u8> {
        let until = Instant::now() + longest;
        while self.awaited.load(Ordering::Relaxed) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut kept = self.kept();
        for exchange in &mut kept.session.exchanges {
            hide(exchange, secrets);
        }
        for connection in &mut kept.session.connections {
            connection.url = secrets.hide(&connection.url).into_owned();
            for frame in &mut connection.frames {
                frame.data = secrets.hide(&frame.data).into_owned();
            }
        }
        kept.session.write()
    }
}

/// Puts placeholders in the place of secrets in an exchange.
fn hide(exchange: &mut Exchange, secrets: &Secrets) {
    exchange.url = secrets.hide(&exchange.url).into_owned();
    for (_, value) in &mut exchange.headers {
        *value = secrets.hide(value).into_owned();
    }
    let body = BASE64.decode(&exchange.body).unwrap_or_default();
    if let Ok(text) = std::str::from_utf8(&body)
        && let Cow::Owned(hidden) = secrets.hide(text)
    {
        exchange.body = BASE64.encode(hidden);
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

impl Kept {
    /// The time of one of the browser's events, in milliseconds since the recording began.
    fn time(&self, params: &Value) -> f64 {
        let time = params["timestamp"].as_f64().unwrap_or_default();
        (time - self.clock.unwrap_or(time)).max(0.0) * 1000.0
    }

    /// Notes that a connection is made.
    fn connect(&mut self, key: Key, connection: Connection) {
        if self.session.connections.len() < EXCHANGES {
            self.session.connections.push(connection);
            self.connections.insert(key, self.session.connections.len() - 1);
        }
    }

    /// Notes that an `EventSource` is open.
    fn streamed(&mut self, key: Key, params: &Value) {
        let Some(&(at, _)) = self.open.get(&key) else { return };
        let exchange = &self.session.exchanges[at];
        let (kind, url, made) = ("EventSource".into(), exchange.url.clone(), exchange.time.0);
        let is_open = exchange.status == 200;
        let opened = is_open.then(|| self.time(params).max(made));
        self.connect(key, Connection { kind, url, made, opened, ..Connection::default() });
    }

    fn connection(&mut self, key: &Key) -> Option<&mut Connection> {
        let at = *self.connections.get(key)?;
        self.session.connections.get_mut(at)
    }

    /// Notes that the server has accepted a WebSocket.
    fn opened(&mut self, key: &Key, params: &Value) {
        let time = self.time(params);
        let response = &params["response"];
        let headers = response["headers"].as_object();
        let protocol = headers.and_then(|headers| {
            let mut headers = headers.iter();
            let found =
                headers.find(|(name, _)| name.eq_ignore_ascii_case("sec-websocket-protocol"));
            found.map(|(_, value)| text(value))
        });
        if let Some(connection) = self.connection(key).filter(|_| response["status"] == 101) {
            connection.opened = Some(time.max(connection.made));
            connection.protocol = protocol.unwrap_or_default();
        }
    }

    /// Notes what one side of a connection sent.
    fn frame(&mut self, key: &Key, params: &Value, sent: bool, with_data: bool) {
        let time = self.time(params);
        let response = &params["response"];
        // The browser gives binary data in base64.
        let binary = response["opcode"] == 2;
        let data = if response.is_null() { &params["data"] } else { &response["payloadData"] };
        let data = data.as_str().filter(|_| with_data).unwrap_or_default();
        let is_data = response.is_null() || binary || response["opcode"] == 1;
        if !is_data || !self.admits(data) {
            return;
        }
        let (data, event, id) =
            (data.to_string(), text(&params["eventName"]), text(&params["eventId"]));
        if let Some(connection) = self.connection(key) {
            connection.frames.push(SocketFrame { time, sent, binary, data, event, id });
        }
    }

    /// Notes that a connection is closed.
    fn closed(&mut self, key: &Key, params: &Value) {
        let time = self.time(params);
        if let Some(connection) = self.connection(key) {
            connection.closed = Some(time);
        }
        self.connections.remove(key);
    }

    /// Counts a body, if there is room for it.
    fn admits(&mut self, body: &str) -> bool {
        let fits = self.bytes + body.len() <= MOST;
        self.session.is_partial |= !fits;
        if fits {
            self.bytes += body.len();
        }
        fits
    }
}

fn is_kept(header: &str) -> bool {
    !DROPPED.iter().any(|dropped| header.eq_ignore_ascii_case(dropped))
}
