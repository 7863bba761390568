//! Requests of a page that pass through the recorder. The recorder rewrites documents and scripts,
//! and it answers requests for the reserved path, which never reach the network.
//!
//! A request is paused only until its own body has arrived and is rewritten. Each request has its
//! own thread, so a slow script does not delay a fast one. The source map of a script is read after
//! the page has received the script.

mod answer;
mod answering;
mod answers;
mod connections;
mod module;
mod replayed;
mod response;
mod sniff;
mod worker;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use browser::Error;
use record::Awaited;
use rewrite::contract;
use serde_json::{Value, json};

use crate::shared::Shared;
pub(crate) use answering::Answering;
pub(crate) use answers::Answers;
pub(crate) use connections::Connections;

/// How long a body may take. The browser's own limits end a request sooner.
const BODY: Duration = Duration::from_secs(600);

/// The reserved path of a document that is empty and is not recorded.
pub(crate) const EMPTY: &str = "/__interloper__/empty";

/// The reply that replaces a response.
pub(crate) struct Reply<'p> {
    pub(crate) status: u64,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The source map to read after the page has received its script.
    pub(crate) map: Option<Awaited<'p>>,
}

/// A request that the browser has paused.
pub(crate) struct Paused<'p> {
    pub(crate) shared: &'p Shared,
    pub(crate) session: &'p str,
    pub(crate) params: &'p Value,
    /// The body of the response, if a replay has it.
    pub(crate) stored: Option<&'p [u8]>,
    /// In a replay, the number of the request among those that are alike, from 0.
    pub(crate) nth: u32,
}

/// Answers a paused request, or lets it continue.
pub(crate) fn request(shared: &Shared, session: &str, params: &Value) {
    let paused = Paused { shared, session, params, stored: None, nth: 0 };
    let reply = if !paused.is_request() {
        let nth = shared.conductor.as_ref().map(|conductor| replayed::arrive(&paused, conductor));
        response::rewritten(&Paused { nth: nth.unwrap_or_default(), ..paused })
    } else if paused.path().starts_with(&contract().reserved) {
        Some(answer::reserved(&paused))
    } else if let Some(conductor) = shared.conductor.as_ref().filter(|it| it.is_online()) {
        replayed::ask(&paused, conductor);
        None
    } else if let Some(conductor) = &shared.conductor {
        return replayed::answer(&paused, conductor);
    } else {
        None
    };
    let done = match &reply {
        Some(reply) => paused.fulfil(reply),
        None => paused.pass(),
    };
    match done {
        // A page that loaded another has dropped its requests.
        Ok(()) | Err(Error::Gone { .. } | Error::Refused { .. }) => {}
        Err(error) => shared.notes.add("request", || format!("{}: {error}", paused.url())),
    }
    if let Some(awaited) = reply.and_then(|reply| reply.map) {
        let map = response::map(&paused, &awaited.text());
        awaited.settle(map);
    }
}

/// Answers a server that asks for a name and a password.
pub(crate) fn authenticate(shared: &Shared, session: &str, params: &Value) {
    let (request, challenge) = (&params["requestId"], &params["authChallenge"]);
    let origin = challenge["origin"].as_str().and_then(|origin| url::Url::parse(origin).ok());
    let known = shared.page.identity.as_ref().and_then(|identity| {
        let is_own = origin.as_ref().is_some_and(|origin| origin.origin() == identity.origin);
        identity.credentials.as_ref().filter(|_| is_own && challenge["source"] != "Proxy")
    });
    let asked = request.as_str().unwrap_or_default().to_string();
    let answer = match known {
        // A server that asks for the same request again has refused them.
        Some((name, password)) if shared.files().authenticated.insert(asked) => {
            json!({ "response": "ProvideCredentials", "username": name, "password": password })
        }
        Some(_) => {
            shared.notes.add("authentication", || {
                let place = challenge["origin"].as_str().unwrap_or_default();
                format!("{place} refused the name and the password")
            });
            json!({ "response": "CancelAuth" })
        }
        // A browser with a window asks the user.
        None => json!({ "response": "Default" }),
    };
    let params = json!({ "requestId": request, "authChallengeResponse": answer });
    // The call fails if the page has dropped the request.
    let _ = shared.client.send(Some(session), "Fetch.continueWithAuth", params);
}

impl Paused<'_> {
    pub(crate) fn url(&self) -> &str {
        self.params["request"]["url"].as_str().unwrap_or_default()
    }

    pub(crate) fn path(&self) -> String {
        url::Url::parse(self.url()).map(|url| url.path().to_string()).unwrap_or_default()
    }

    /// Whether the request is paused before its response.
    fn is_request(&self) -> bool {
        self.params["responseStatusCode"].is_null() && self.params["responseErrorReason"].is_null()
    }

    /// A header of the request.
    pub(crate) fn request_header(&self, name: &str) -> Option<&str> {
        let headers = self.params["request"]["headers"].as_object()?;
        let found = headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.and_then(|(_, value)| value.as_str())
    }

    fn call(&self, method: &str, params: Value) -> Result<Value, Error> {
        self.shared.client.call_within(Some(self.session), method, params, BODY)
    }

    /// The body of the response.
    pub(crate) fn body(&self) -> Option<Vec<u8>> {
        if let Some(stored) = self.stored {
            return Some(stored.to_vec());
        }
        let body = self.received()?;
        if let (Some(journal), Some(request)) =
            (&self.shared.journal, self.params["networkId"].as_str())
        {
            let status = self.params["responseStatusCode"].as_u64().unwrap_or_default() as u16;
            journal.original(self.session, request, status, self.all_headers(), &body);
        }
        if let (Some(guest), Some(request)) =
            (&self.shared.guest, self.params["networkId"].as_str())
        {
            guest.keep(request, &body);
        }
        Some(body)
    }

    fn received(&self) -> Option<Vec<u8>> {
        let id = json!({ "requestId": self.params["requestId"] });
        let body = match self.call("Fetch.getResponseBody", id) {
            Ok(body) => body,
            Err(error) => {
                if let Error::TooLong { .. } = error {
                    let say = || format!("{}: left as it is", self.shared.name(self.url()));
                    self.shared.notes.add("too-long", say);
                }
                return None;
            }
        };
        let text = body["body"].as_str()?;
        match body["base64Encoded"].as_bool() {
            Some(true) => BASE64.decode(text).ok(),
            _ => Some(text.as_bytes().to_vec()),
        }
    }

    /// The body of the request.
    fn posted(&self) -> Option<Vec<u8>> {
        let request = &self.params["request"];
        // The browser has nothing to say about a body that is empty.
        if request["hasPostData"] != true {
            return Some(Vec::new());
        }
        if let Some(entries) = request["postDataEntries"].as_array() {
            let decoded = entries.iter().map(|entry| BASE64.decode(entry["bytes"].as_str()?).ok());
            return decoded.collect::<Option<Vec<_>>>().map(|parts| parts.concat());
        }
        if let Some(text) = request["postData"].as_str() {
            return Some(text.as_bytes().to_vec());
        }
        let id = json!({ "requestId": self.params["networkId"] });
        let body = self.call("Network.getRequestPostData", id).ok()?;
        body["postData"].as_str().map(|text| text.as_bytes().to_vec())
    }

    fn fulfil(&self, reply: &Reply<'_>) -> Result<(), Error> {
        let header = |(name, value): &(String, String)| json!({ "name": name, "value": value });
        let headers: Vec<Value> = reply.headers.iter().map(header).collect();
        let params = json!({
            "requestId": self.params["requestId"],
            "responseCode": reply.status,
            "responseHeaders": headers,
        });
        let (client, method) = (&self.shared.client, "Fetch.fulfillRequest");
        let body = Some(("body", &*reply.body));
        client.call_with_bytes(Some(self.session), method, params, body, BODY).map(drop)
    }

    fn pass(&self) -> Result<(), Error> {
        let mut params = json!({ "requestId": self.params["requestId"] });
        if let Some(headers) = self.own_headers().filter(|_| self.is_request()) {
            params["headers"] = headers;
        }
        if self.is_request() && self.shared.conductor.is_some() {
            params["interceptResponse"] = json!(true);
        }
        self.call("Fetch.continueRequest", params).map(drop)
    }

    /// The headers of the request with those that its origin gets, if it gets any.
    fn own_headers(&self) -> Option<Value> {
        let identity = self.shared.page.identity.as_ref()?;
        let url = url::Url::parse(self.url()).ok()?;
        if identity.headers.is_empty() || url.origin() != identity.origin {
            return None;
        }
        let is_own =
            |name: &str| identity.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let original = self.params["request"]["headers"].as_object()?.iter();
        let original = original.filter(|(name, _)| !is_own(name));
        let original = original.map(|(name, value)| json!({ "name": name, "value": value }));
        let own = identity.headers.iter();
        let own = own.map(|(name, value)| json!({ "name": name, "value": value }));
        Some(original.chain(own).collect())
    }
}
