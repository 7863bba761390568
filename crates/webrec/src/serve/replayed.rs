//! Answers the requests of a replay as the network answered them when the page was recorded. If a replay asks the
//! servers, their answers are held here.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use browser::Error;
use replay::{Control, Exchange, Secrets};
use serde_json::{Value, json};

use super::{Paused, Reply, response};
use crate::conduct::Conductor;

/// The longest time that an answer took which a replay repeats.
const LATENCY: Duration = Duration::from_secs(5);

/// Answers a paused request from the session, when its answer is due and nothing holds it back.
pub(super) fn answer(paused: &Paused<'_>, conductor: &Conductor) {
    let asked = Instant::now();
    let _coming = conductor.coming();
    let method = paused.params["request"]["method"].as_str().unwrap_or_default().to_string();
    let url = paused.shared.secrets().hide(without_fragment(paused.url())).into_owned();
    let (nth, found) = paused.shared.answers.next(conductor.session(), &method, &url);
    if let Some(exchange) = found {
        let (from, to) = exchange.time;
        let latency = Duration::try_from_secs_f64((to - from) / 1000.0).unwrap_or_default();
        std::thread::sleep(latency.min(LATENCY).saturating_sub(asked.elapsed()));
    }
    let control = Control::Answer { method, url, nth };
    conductor.wait_on_way(&control);
    let done = match found {
        Some(exchange) if exchange.status != 0 => fulfil(paused, exchange, nth),
        Some(_) => fail(paused),
        None => paused.fulfil(&missing()),
    };
    match done {
        Ok(()) => {}
        // A page that loaded another has dropped its requests, and it may abort them.
        Err(Error::Gone { .. } | Error::Refused { .. }) => conductor.drop_request(&control),
        Err(error) => {
            paused.shared.notes.add("request", || format!("{}: {error}", paused.url()));
        }
    }
}

/// Notes that a server is asked.
pub(super) fn ask(paused: &Paused<'_>, conductor: &Conductor) {
    let method = paused.params["request"]["method"].as_str().unwrap_or_default().to_string();
    let url = paused.shared.secrets().hide(without_fragment(paused.url())).into_owned();
    let (nth, _) = paused.shared.answers.next(conductor.session(), &method, &url);
    conductor.ask(request(paused), Control::Answer { method, url, nth });
}

/// Waits as long as the answer of a server is held. Returns the number of its request among those that are alike.
pub(super) fn arrive(paused: &Paused<'_>, conductor: &Conductor) -> u32 {
    conductor.arrive(request(paused))
}

/// The id of a request, which its response has too.
fn request<'p>(paused: &Paused<'p>) -> &'p str {
    let ids = [&paused.params["networkId"], &paused.params["requestId"]];
    ids.into_iter().find_map(Value::as_str).unwrap_or_default()
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

fn fulfil(paused: &Paused<'_>, exchange: &Exchange, nth: u32) -> Result<(), Error> {
    let mut params = paused.params.clone();
    let header = |(name, value): &(String, String)| json!({ "name": name, "value": value });
    params["responseStatusCode"] = json!(exchange.status);
    params["responseHeaders"] = exchange.headers.iter().map(header).collect::<Value>();
    let body = BASE64.decode(&exchange.body).unwrap_or_default();
    let body = revealed(body, &paused.shared.secrets());
    let stored = Paused { params: &params, stored: Some(&body), nth, ..*paused };
    if let Some(reply) = response::rewritten(&stored) {
        let done = paused.fulfil(&reply);
        if let Some(awaited) = reply.map {
            awaited.settle(None);
        }
        return done;
    }
    let headers = exchange.headers.clone();
    let status = u64::from(exchange.status);
    paused.fulfil(&Reply { status, headers, body, map: None })
}

/// The body of an answer, with the secrets that it contained.
fn revealed(body: Vec<u8>, secrets: &Secrets) -> Vec<u8> {
    match std::str::from_utf8(&body).map(|text| secrets.reveal(text)) {
        Ok(Cow::Owned(text)) => text.into_bytes(),
        _ => body,
    }
}

fn fail(paused: &Paused<'_>) -> Result<(), Error> {
    let params = json!({ "requestId": paused.params["requestId"], "errorReason": "Failed" });
    paused.call("Fetch.failRequest", params).map(drop)
}

/// The reply to a request that the recorded page did not make.
fn missing() -> Reply<'static> {
    let headers = vec![("Content-Type".to_string(), "text/plain; charset=utf-8".to_string())];
    let body = b"the recording has no answer to this request".to_vec();
    Reply { status: 504, headers, body, map: None }
}
