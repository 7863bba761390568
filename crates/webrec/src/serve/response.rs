//! Rewrites the responses that are documents and scripts.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use record::{SourceMap, names, sourcemap};
use rewrite::{Kind, contract};
use serde_json::{Value, json};
use url::Url;

use super::module::{self, Asker};
use super::{Paused, Reply, sniff, worker};
use crate::charset;
use crate::data_url;
use crate::html::{Markup, gates};
use crate::local::is_local;

/// The longest document or script that is rewritten, in bytes.
const LONGEST: u64 = 100 << 20;
/// The largest source map that is read, in bytes.
const LARGEST_MAP: usize = 64 << 20;
/// How long reading a source map waits until its page is loaded: the page is busy until then.
const LOADING: Duration = Duration::from_secs(1);
/// How long the browser may take to load a source map.
const MAP: Duration = Duration::from_secs(10);
/// How long the browser may take to load a source map that no one has named.
const GUESS: Duration = Duration::from_secs(2);
/// The headers that describe the original bytes, and do not apply to a rewritten body.
const STALE: [&str; 4] = ["content-length", "content-encoding", "transfer-encoding", "content-md5"];

/// Returns the reply that replaces a response, if the response must be rewritten.
pub(super) fn rewritten<'p>(paused: &Paused<'p>) -> Option<Reply<'p>> {
    let status = paused.params["responseStatusCode"].as_u64()?;
    if (300..400).contains(&status) || matches!(status, 204 | 205) {
        return None;
    }
    if paused.is_too_long() {
        let name = paused.shared.name(paused.url());
        paused.shared.notes.add("too-long", || format!("{name}: left as it is"));
        return None;
    }
    let content_type = paused.header("content-type").unwrap_or_default();
    let mime = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match paused.params["resourceType"].as_str()? {
        // The browser saves the file.
        "Document" if paused.is_attachment() => None,
        "Document" => match mime.as_str() {
            "text/html" => Some(document(paused, status, &content_type, &paused.body()?)),
            unknown if sniff::is_unknown(unknown) && !paused.forbids_sniffing() => {
                let body = paused.body()?;
                sniff::is_html(&body).then(|| document(paused, status, "text/html", &body))
            }
            "application/xhtml+xml" | "image/svg+xml" | "text/xml" | "application/xml" => {
                let name = paused.shared.name(paused.url());
                paused.shared.notes.add("xml-document", || format!("{name}: left as it is"));
                None
            }
            _ => None,
        },
        "Script" if mime.contains("json") || mime == "text/css" => None,
        "Script" => script(paused, status, &mime, &content_type, Use::Page),
        "Other" => {
            let used = worker_use(paused)?;
            script(paused, status, &mime, &content_type, used)
        }
        // Only the requests of service workers are paused under these types.
        "XHR" | "Fetch" => match mime.as_str() {
            "text/html" => {
                let body = paused.body()?;
                is_whole(paused, &body).then(|| document(paused, status, &content_type, &body))
            }
            mime if is_javascript(mime) => {
                script(paused, status, mime, &content_type, Use::ServiceWorker)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether markup that a service worker loads is a document, and not a part that a script inserts.
fn is_whole(paused: &Paused<'_>, body: &[u8]) -> bool {
    let accepts = paused.request_header("Accept").unwrap_or_default();
    let start = String::from_utf8_lossy(&body[..body.len().min(1024)]).to_ascii_lowercase();
    accepts.starts_with("text/html") || start.contains("<!doctype") || start.contains("<html")
}

/// Whether a MIME type is one of those that browsers run as scripts.
fn is_javascript(mime: &str) -> bool {
    matches!(mime.split_once('/'), Some(("text" | "application", kind))
        if matches!(kind, "javascript" | "ecmascript" | "x-javascript" | "x-ecmascript"))
}

fn document<'p>(paused: &Paused<'p>, status: u64, content_type: &str, body: &[u8]) -> Reply<'p> {
    let shared = paused.shared;
    let (html, encoding) = charset::decode(body, charset::of_document(body, content_type));
    let url = Url::parse(paused.url()).ok();
    let file = shared.name(paused.url());
    let (scripts, notes) = (&shared.scripts, &shared.notes);
    let (text, wanted) = Markup { scripts, notes, url: url.as_ref(), file: &file }.rewrite(&html);
    module::expect(shared, wanted);
    let text = gated(paused, &file, text);
    let (bytes, used) = charset::encode(&text, encoding);
    // The reply names an encoding only if the response did or if the encoding changed: otherwise
    // the browser guesses it as without a recorder.
    let named = charset::of_header(content_type).is_some() || used != encoding;
    let label = if named {
        format!("text/html; charset={}", used.name())
    } else {
        content_type.to_string()
    };
    Reply { status, headers: paused.headers(&label), body: bytes.into_owned(), map: None }
}

/// Adds the gates of a replay to a document: scripts whose answers wait.
fn gated(paused: &Paused<'_>, file: &str, text: String) -> String {
    let Some(conductor) = &paused.shared.conductor else { return text };
    let url = paused.url().split('#').next().unwrap_or_default();
    let contract = contract();
    let mut text = text;
    for (number, gate) in conductor.gates(url, paused.nth, file) {
        let address = format!("{}{}/{number}", contract.reserved, contract.gate);
        text = gates::add(&text, gate, &address).unwrap_or(text);
    }
    text
}

/// What a script is loaded for.
#[derive(Clone, Copy)]
enum Use {
    /// A document, or another script.
    Page,
    /// The script that a worker starts with.
    Worker { is_module: bool },
    /// Any page of the service worker that loads it.
    ServiceWorker,
}

/// What a response of no particular type is loaded for, if a worker loads it as a script.
fn worker_use(paused: &Paused<'_>) -> Option<Use> {
    let files = paused.shared.files();
    if let Some(&is_module) = files.workers.get(paused.url()) {
        return Some(Use::Worker { is_module });
    }
    let referrer = paused.request_header("Referer").unwrap_or_default();
    files.importers.contains(referrer).then_some(Use::Page)
}

fn script<'p>(
    paused: &Paused<'p>,
    status: u64,
    mime: &str,
    content_type: &str,
    used: Use,
) -> Option<Reply<'p>> {
    let shared = paused.shared;
    let url = paused.url();
    let referrer = paused.request_header("Referer").unwrap_or_default();
    if shared.files().unrecorded.contains(referrer) {
        return None;
    }
    let body = paused.body()?;
    let encoding = charset::of_header(content_type).unwrap_or(encoding_rs::UTF_8);
    let (source, _) = charset::decode(&body, encoding);
    let cors = paused.request_header("Origin").is_some();
    let is_module = match used {
        Use::Page => module::is_module(shared, &Asker { url, referrer, cors }, &source),
        Use::Worker { is_module } => {
            if is_module {
                shared.files().importers.insert(url.to_string());
            }
            is_module
        }
        Use::ServiceWorker => module::is_module_by_name(shared, url, &source),
    };
    let kind = if is_module { Kind::Module } else { Kind::Script };
    let file = shared.name(url);
    match shared.scripts.rewrite_file(&source, kind, &file) {
        Ok((code, map)) => {
            let mime = if mime.is_empty() { "text/javascript" } else { mime };
            let headers = paused.headers(&format!("{mime}; charset=utf-8"));
            let mut body = match used {
                Use::Page | Use::ServiceWorker => Vec::new(),
                Use::Worker { .. } => {
                    let path = &shared.answering.path;
                    worker::opening(path, url, &source, is_module).into_bytes()
                }
            };
            body.extend_from_slice(code.as_bytes());
            Some(Reply { status, headers, body, map })
        }
        Err(error) => {
            shared.notes.add("unparsable-script", || format!("{file}: {error}"));
            None
        }
    }
}

/// The source map of a script: the one that the user gave for it, or the one that it names, or the
/// one that lies beside it.
pub(super) fn map(paused: &Paused<'_>, source: &str) -> Option<SourceMap> {
    let (shared, url) = (paused.shared, paused.url());
    let file = shared.name(url);
    let given = shared.page.source_maps.iter();
    if let Some(given) = given.rev().find(|given| given.file == file || given.file == url) {
        shared.files().mapped.insert(given.file.clone());
        return parsed(paused, &given.text, url);
    }
    let header = paused.header("sourcemap").or_else(|| paused.header("x-sourcemap"));
    let mentioned = sourcemap::mentioned(source).map(str::to_string).or(header);
    shared.wait_for_load(LOADING);
    let Some(mentioned) = mentioned else { return beside(paused) };
    let place = Url::parse(url).and_then(|url| url.join(&mentioned)).ok()?;
    let text = match place.scheme() {
        "data" => data_url::content(place.as_str()),
        // The recorder must not read for a script what the script could not reach.
        _ if is_local(&place) && !Url::parse(url).is_ok_and(|url| is_local(&url)) => None,
        "http" | "https" => load(paused, place.as_str(), MAP),
        _ => None,
    };
    // Sources of a map in a `data:` address are relative to the script.
    let base = if place.scheme() == "data" { url } else { place.as_str() };
    let read = text.and_then(|text| parsed(paused, &text, base));
    if read.is_none() {
        shared.notes.add("source-map", || format!("{file}: its source map cannot be read"));
    }
    read
}

/// The source map `FILE.map` beside a script of the page's own origin, if there is one. Many servers
/// have it although their scripts do not name it.
fn beside(paused: &Paused<'_>) -> Option<SourceMap> {
    let mut place = Url::parse(paused.url()).ok()?;
    let page = paused.shared.files().page.clone()?;
    if place.origin() != page.origin() || !place.path().ends_with("js") {
        return None;
    }
    let path = format!("{}.map", place.path());
    place.set_path(&path);
    let text = load(paused, place.as_str(), GUESS)?;
    parsed(paused, &text, place.as_str())
}

/// Parses a source map whose sources are relative to `base`.
fn parsed(paused: &Paused<'_>, text: &[u8], base: &str) -> Option<SourceMap> {
    let (page, base) = (paused.shared.files().page.clone(), base.to_owned());
    SourceMap::parse(text, move |source| names::original(source, &base, page.as_ref()))
}

/// Loads a file as the browser's own developer tools would.
fn load(paused: &Paused<'_>, url: &str, patience: Duration) -> Option<Vec<u8>> {
    let client = &paused.shared.client;
    // A service worker has no frame, so its files are loaded for the page.
    let own = paused.params["frameId"].as_str().filter(|frame| !frame.is_empty());
    let (session, frame) = if let Some(frame) = own {
        (paused.session.to_string(), frame.to_string())
    } else {
        let state = paused.shared.state();
        (state.page.clone()?, state.frame.clone())
    };
    let call = |method: &str, params: Value| {
        client.call_within(Some(&session), method, params, patience).ok()
    };
    let options = json!({ "disableCache": true, "includeCredentials": true });
    let params = json!({ "frameId": frame, "url": url, "options": options });
    let answer = call("Network.loadNetworkResource", params)?;
    let resource = &answer["resource"];
    let handle = resource["stream"].as_str().filter(|_| resource["httpStatusCode"] == 200)?;
    let mut text = Vec::new();
    loop {
        let part = call("IO.read", json!({ "handle": handle, "size": 1 << 20 }))?;
        let data = part["data"].as_str()?;
        match part["base64Encoded"].as_bool() {
            Some(true) => text.extend(BASE64.decode(data).ok()?),
            _ => text.extend_from_slice(data.as_bytes()),
        }
        if part["eof"] == true || text.len() > LARGEST_MAP {
            break;
        }
    }
    // If this fails, the handle is closed with the browser.
    let _ = client.send(Some(&session), "IO.close", json!({ "handle": handle }));
    (text.len() <= LARGEST_MAP).then_some(text)
}

impl Paused<'_> {
    /// A header of the response.
    fn header(&self, name: &str) -> Option<String> {
        self.all_headers().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, v)| v)
    }

    /// Whether the response says that it is too long to be rewritten.
    fn is_too_long(&self) -> bool {
        let length = self.header("content-length").and_then(|length| length.trim().parse().ok());
        length.is_some_and(|length: u64| length > LONGEST)
    }

    /// Whether the response is a file to save, not to show.
    fn is_attachment(&self) -> bool {
        self.header("content-disposition").is_some_and(|value| {
            let kind = value.split(';').next().unwrap_or_default().trim();
            !kind.is_empty() && !kind.eq_ignore_ascii_case("inline")
        })
    }

    /// Whether the browser may not determine the type of the response from its bytes.
    fn forbids_sniffing(&self) -> bool {
        self.header("x-content-type-options")
            .is_some_and(|value| value.trim().eq_ignore_ascii_case("nosniff"))
    }

    pub(super) fn all_headers(&self) -> impl Iterator<Item = (String, String)> {
        self.params["responseHeaders"].as_array().into_iter().flatten().filter_map(|header| {
            Some((header["name"].as_str()?.to_string(), header["value"].as_str()?.to_string()))
        })
    }

    /// The headers of the response, adapted to a rewritten body.
    fn headers(&self, content_type: &str) -> Vec<(String, String)> {
        let keep = |(name, _): &(String, String)| {
            let name = name.to_ascii_lowercase();
            name != "content-type" && !STALE.contains(&name.as_str())
        };
        let mut headers: Vec<_> = self.all_headers().filter(keep).collect();
        headers.push(("Content-Type".to_string(), content_type.to_string()));
        headers
    }
}
