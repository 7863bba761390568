//! Answers the synchronous requests of a page to the reserved path.

use record::Place;
use rewrite::{Kind, contract};
use serde::Deserialize;

use super::{EMPTY, Paused, Reply};
use crate::html::{Markup, gates};

/// The kind of code that a page asks the recorder to rewrite.
#[derive(Debug, Clone, Copy)]
enum Request {
    Script,
    Module,
    Indirect,
    Eval,
    Function,
    Handler,
    Html,
}

impl Request {
    /// Every request with its word ([`rewrite::Contract::requests`]).
    const ALL: [(&'static str, Self); 7] = [
        ("script", Self::Script),
        ("module", Self::Module),
        ("indirect", Self::Indirect),
        ("eval", Self::Eval),
        ("function", Self::Function),
        ("handler", Self::Handler),
        ("html", Self::Html),
    ];

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == word).map(|&(_, request)| request)
    }
}

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

/// Answers a request for the reserved path. No such request is passed on to a server.
pub(super) fn reserved(paused: &Paused<'_>) -> Reply<'static> {
    let (path, answering) = (paused.path(), &paused.shared.answering);
    match path.strip_prefix(&answering.path) {
        Some(rest) => {
            let mut reply = runtime(paused, rest);
            reply.headers.push((contract().proof.clone(), answering.proof.clone()));
            reply
        }
        None => open(paused, &path),
    }
}

/// Answers a request that anybody may make.
fn open(paused: &Paused<'_>, path: &str) -> Reply<'static> {
    let rest = path.strip_prefix(&contract().reserved).unwrap_or_default();
    match rest.split_once('/') {
        None if path == EMPTY => typed("text/html", b""),
        Some((gate, number)) if gate == contract().gate => {
            let conductor = paused.shared.conductor.as_ref().zip(number.parse().ok());
            if conductor.is_some_and(|(conductor, number)| conductor.pass_gate(number)) {
                typed("text/javascript", gates::SCRIPT.as_bytes())
            } else {
                reply(404, b"no such gate")
            }
        }
        _ => reply(404, b"no such path"),
    }
}

/// Answers a request of the runtime, or of a page that knows its path.
fn runtime(paused: &Paused<'_>, rest: &str) -> Reply<'static> {
    let contract = contract();
    match rest.split_once('/') {
        None if rest == contract.rewrite => rewritten(paused),
        None if rest == contract.connect => connection(paused),
        None if rest == contract.runtime => {
            typed("text/javascript", paused.shared.prologue.as_bytes())
        }
        Some((source, number)) if source == contract.source => {
            let number = number.parse().ok();
            match number.and_then(|number| paused.shared.scripts.text(number)) {
                Some(text) => reply(200, text.as_bytes()),
                None => reply(404, b"no such script"),
            }
        }
        _ => reply(404, b"no such path"),
    }
}

/// Adds a connection to a shared worker, or takes the next one if it has no name.
fn connection(paused: &Paused<'_>) -> Reply<'static> {
    let posted = paused.posted().unwrap_or_default();
    let Ok((worker, name)) = serde_json::from_slice::<(String, String)>(&posted) else {
        return reply(400, b"a worker and a name are expected");
    };
    let origin = url::Url::parse(paused.url()).map(|url| url.origin().ascii_serialization());
    let origin = origin.unwrap_or_default();
    let connections = &mut paused.shared.files().connections;
    if name.is_empty() {
        let taken = connections.take(origin, worker).unwrap_or_default();
        reply(200, taken.as_bytes())
    } else {
        connections.add(origin, worker, name);
        reply(200, b"")
    }
}

fn rewritten(paused: &Paused<'_>) -> Reply<'static> {
    let posted = paused.posted().unwrap_or_default();
    let asked: Asked = match serde_json::from_slice(&posted) {
        Ok(asked) => asked,
        Err(error) => return reply(400, error.to_string().as_bytes()),
    };
    let Some(request) = Request::parse(&asked.kind) else {
        return reply(400, format!("unknown kind {}", asked.kind).as_bytes());
    };
    let shared = paused.shared;
    let page = paused.request_header("Referer").unwrap_or_default();
    let url = if asked.url.is_empty() { page } else { &asked.url };
    // Code made at run time has lines of its own, so it needs a file name of its own.
    let maker = if matches!(request, Request::Indirect) { "eval" } else { &asked.kind };
    let file = format!("{maker}({})", shared.name(url));
    let params = asked.params.as_deref().map(|params| params.iter().map(String::as_str).collect());
    let (kind, params): (Kind, Vec<&str>) = match request {
        Request::Script => (Kind::Script, Vec::new()),
        Request::Module => (Kind::Module, Vec::new()),
        Request::Indirect => (Kind::Eval { strict: false, direct: false }, Vec::new()),
        Request::Eval => (Kind::Eval { strict: asked.strict, direct: true }, Vec::new()),
        Request::Function => (Kind::FunctionBody, params.unwrap_or_default()),
        Request::Handler => (Kind::Handler, params.unwrap_or_else(|| vec!["event"])),
        Request::Html => {
            let url = url::Url::parse(url).ok();
            let (scripts, notes) = (&shared.scripts, &shared.notes);
            let markup = Markup { scripts, notes, url: url.as_ref(), file: &file };
            let (text, wanted) = markup.rewrite(&asked.source);
            super::module::expect(shared, wanted);
            return reply(200, text.as_bytes());
        }
    };
    match shared.scripts.rewrite(&asked.source, kind, &params, &Place::whole(&file)) {
        Ok(code) => reply(200, code.as_bytes()),
        Err(error) => {
            shared.notes.add("unparsable-script", || format!("{file}: {error}"));
            reply(422, error.to_string().as_bytes())
        }
    }
}

/// A reply of a type other than plain text.
fn typed(mime: &str, body: &[u8]) -> Reply<'static> {
    let mut reply = reply(200, body);
    reply.headers[0].1 = format!("{mime}; charset=utf-8");
    reply
}

fn reply(status: u64, body: &[u8]) -> Reply<'static> {
    let header = |name: &str, value: &str| (name.to_string(), value.to_string());
    let headers = vec![
        header("Content-Type", "text/plain; charset=utf-8"),
        header("Cache-Control", "no-store"),
        // A page of another origin must not run an answer as a script, nor show it in a frame.
        header("X-Content-Type-Options", "nosniff"),
        header("Cross-Origin-Resource-Policy", "same-origin"),
    ];
    Reply { status, headers, body: body.to_vec(), map: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_of_the_contract_is_answered_and_no_other() {
        let mut words: Vec<_> = Request::ALL.iter().map(|(word, _)| *word).collect();
        words.sort_unstable();
        assert_eq!(words, contract().requests.keys().collect::<Vec<_>>());
        assert!(Request::parse("Script").is_none());
        assert!(EMPTY.starts_with(&contract().reserved));
    }
}
