//! The reserved path: a page asks the recorder, synchronously.

use record::Place;
use rewrite::Kind;
use serde::Deserialize;

use super::{Paused, Reply};
use crate::html::Markup;
use crate::target::RESERVED;

/// Code that a page is about to run.
#[derive(Deserialize)]
struct Asked {
    kind: String,
    source: String,
    #[serde(default)]
    url: String,
    params: Option<Vec<String>>,
    #[serde(default)]
    strict: bool,
}

/// Answers a request for the reserved path.
pub(super) fn reserved(paused: &Paused<'_>) -> Reply<'static> {
    let path = paused.path();
    let rest = path.strip_prefix(RESERVED).unwrap_or_default();
    match rest.split_once('/') {
        None if rest == "rewrite" => rewritten(paused),
        Some(("source", number)) => {
            let script = number.parse().ok();
            match script.and_then(|script| paused.shared.scripts.text(script)) {
                Some(text) => reply(200, text.as_bytes()),
                None => reply(404, b"no such script"),
            }
        }
        _ => reply(404, b"no such path"),
    }
}

fn rewritten(paused: &Paused<'_>) -> Reply<'static> {
    let posted = paused.posted().unwrap_or_default();
    let asked: Asked = match serde_json::from_slice(&posted) {
        Ok(asked) => asked,
        Err(error) => return reply(400, error.to_string().as_bytes()),
    };
    let shared = paused.shared;
    let page = paused.request_header("Referer").unwrap_or_default();
    let url = if asked.url.is_empty() { page } else { &asked.url };
    // Made at run time: its lines are not the file's.
    let file = format!("{}({})", asked.kind, shared.name(url));
    let params = asked.params.as_deref().map(|params| params.iter().map(String::as_str).collect());
    let (kind, params): (Kind, Vec<&str>) = match asked.kind.as_str() {
        "script" => (Kind::Script, Vec::new()),
        "module" => (Kind::Module, Vec::new()),
        "indirect" => (Kind::Eval { strict: false, direct: false }, Vec::new()),
        "eval" => (Kind::Eval { strict: asked.strict, direct: true }, Vec::new()),
        "function" => (Kind::FunctionBody, params.unwrap_or_default()),
        "handler" => (Kind::Handler, params.unwrap_or_else(|| vec!["event"])),
        "html" => {
            let url = url::Url::parse(url).ok();
            let (scripts, notes) = (&shared.scripts, &shared.notes);
            let markup = Markup { scripts, notes, url: url.as_ref(), file: &file };
            let (text, wanted) = markup.rewrite(&asked.source);
            super::module::expect(shared, wanted);
            return reply(200, text.as_bytes());
        }
        other => return reply(400, format!("unknown kind {other}").as_bytes()),
    };
    match shared.scripts.rewrite(&asked.source, kind, &params, Place::whole(&file)) {
        Ok(code) => reply(200, code.as_bytes()),
        Err(error) => {
            shared.notes.add("unparsable-script", || format!("{file}: {error}"));
            reply(422, error.to_string().as_bytes())
        }
    }
}

fn reply(status: u64, body: &[u8]) -> Reply<'static> {
    let header = |name: &str, value: &str| (name.to_string(), value.to_string());
    let headers = vec![
        header("Content-Type", "text/plain; charset=utf-8"),
        header("Cache-Control", "no-store"),
    ];
    Reply { status, headers, body: body.to_vec(), map: None }
}
