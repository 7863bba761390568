//! Sets up a page, frame or worker of the browser for recording.

use std::time::{Duration, Instant};

use browser::{Client, Error};
use rewrite::contract;
use serde_json::{Value, json};

use crate::relayed::Guest;
use crate::shared::Shared;

/// How long the set-up of a driver's target may take before it is allowed to run.
const ANSWERS: Duration = Duration::from_secs(1);

/// The kind of target that a session belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A tab or a window.
    Page,
    /// A frame in a process of its own.
    Frame,
    /// A dedicated worker. Its requests are its page's.
    Worker,
    /// A shared worker.
    SharedWorker,
    /// A service worker. It runs as it is, but the documents and scripts that it loads are rewritten.
    ServiceWorker,
    /// Any other target. It runs, and is not recorded.
    Other,
}

/// A target that the browser has attached a session to.
pub(crate) struct Target {
    pub(crate) session: String,
    /// The target's id, which for a page is also the id of its top frame.
    pub(crate) id: String,
    pub(crate) kind: Kind,
}

/// Sets up a session and lets its target run.
///
/// All calls are made before the first answer is awaited: a tab that was opened without an opener
/// has no document yet, and answers most calls only after it was allowed to run.
pub(crate) fn set_up(shared: &Shared, target: &Target) -> Result<(), Error> {
    let (client, session) = (&shared.client, Some(&*target.session));
    let mut calls = match target.kind {
        Kind::Page | Kind::Frame => recording(shared),
        Kind::Worker => recording_worker(),
        Kind::SharedWorker => {
            let mut calls = recording_worker();
            calls.push(("Fetch.enable", paused(shared, &PAGE)));
            calls
        }
        Kind::ServiceWorker => vec![
            ("Runtime.evaluate", json!({ "expression": unseen(), "silent": true })),
            ("Fetch.enable", paused(shared, &SERVICE)),
        ],
        Kind::Other => Vec::new(),
    };
    let is_offline = shared.conductor.as_ref().is_some_and(|conductor| !conductor.is_online());
    if is_offline && matches!(target.kind, Kind::Page | Kind::Frame) {
        // A replay has no network, and its session no sockets.
        let sockets = json!({ "urls": ["ws://*", "wss://*"] });
        calls.push(("Network.setBlockedURLs", sockets));
    }
    if target.kind == Kind::Page {
        calls.extend(viewport(shared, client, &target.id));
    }
    if let Some(guest) = &shared.guest {
        return set_up_as_guest(shared, guest, target, calls);
    }
    calls.push(("Runtime.runIfWaitingForDebugger", json!({})));
    let calls = calls.into_iter().map(|(method, params)| client.start(session, method, params));
    let pending = calls.collect::<Result<Vec<_>, Error>>()?;
    pending.into_iter().try_for_each(|call| call.wait().map(drop))
}

/// Sets up a session of a browser that belongs to a driver. The driver's own session has the code that runs
/// in every document, before that of the driver. The target runs when the driver resumes it, too.
fn set_up_as_guest(
    shared: &Shared,
    guest: &Guest,
    target: &Target,
    calls: Vec<(&'static str, Value)>,
) -> Result<(), Error> {
    let (client, session) = (&shared.client, Some(&*target.session));
    let mut calls = calls;
    calls.retain(|(method, _)| *method != "Page.addScriptToEvaluateOnNewDocument");
    if matches!(target.kind, Kind::Page | Kind::Frame) {
        calls.extend(shared.world.as_ref().map(|source| {
            let params = json!({ "source": source, "worldName": "interloper" });
            ("Page.addScriptToEvaluateOnNewDocument", params)
        }));
    }
    let calls = calls.into_iter().map(|(method, params)| client.start(session, method, params));
    let pending = calls.collect::<Result<Vec<_>, Error>>()?;
    let until = Instant::now() + ANSWERS;
    // A tab without an opener has no document yet, and answers only after it was allowed to run.
    let answered = pending.into_iter().try_for_each(|call| {
        call.wait_within(until.saturating_duration_since(Instant::now())).map(drop)
    });
    guest.ready(&target.id, &target.session, target.kind == Kind::Page);
    match answered {
        Err(Error::Slow { .. }) => Ok(()),
        answered => answered,
    }
}

/// The types of documents and scripts that a page loads. The protocol has no type of its own for the
/// scripts of workers.
const PAGE: [&str; 3] = ["Document", "Script", "Other"];
/// The types of documents and scripts that a service worker loads for its pages. Its own scripts must
/// stay as they are: the browser compares them with those of the server, and installs the worker again
/// if they differ.
const SERVICE: [&str; 2] = ["XHR", "Fetch"];

/// Returns code that hides the recorder's own requests from a service worker. It runs before the
/// worker's script, so its listener is called first.
fn unseen() -> String {
    format!(
        "addEventListener('fetch', (event) => {{ \
         if (new URL(event.request.url).pathname.startsWith('{}')) \
         event.stopImmediatePropagation() }})",
        contract().reserved
    )
}

/// Returns the requests that a session pauses: those for the reserved path, those of the given types
/// when their responses come, and all requests to the page's origin if it gets headers or
/// credentials.
fn paused(shared: &Shared, types: &[&str]) -> Value {
    // A replay answers every request itself, or holds the answer of the server.
    if let Some(conductor) = &shared.conductor {
        let all = json!({ "urlPattern": "*", "requestStage": "Request" });
        return json!({ "patterns": [all], "handleAuthRequests": conductor.is_online() });
    }
    let response =
        |kind: &str| json!({ "urlPattern": "*", "resourceType": kind, "requestStage": "Response" });
    let request = |pattern: String| json!({ "urlPattern": pattern, "requestStage": "Request" });
    let reserved = request(format!("*{}*", contract().reserved));
    let own = shared.page.identity.iter().filter(|identity| identity.is_sent());
    let own = own.map(|identity| request(format!("{}/*", identity.origin.ascii_serialization())));
    let responses = types.iter().map(|kind| response(kind));
    let patterns: Vec<_> = [reserved].into_iter().chain(responses).chain(own).collect();
    json!({ "patterns": patterns, "handleAuthRequests": true })
}

/// Returns the calls that prepare a session for recording.
fn recording(shared: &Shared) -> Vec<(&'static str, Value)> {
    vec![
        ("Page.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Runtime.addBinding", json!({ "name": contract().binding })),
        ("Runtime.addBinding", json!({ "name": contract().worker })),
        ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": shared.prologue })),
        ("Page.setBypassCSP", json!({ "enabled": true })),
        ("Network.enable", buffers(shared)),
        ("Network.setCacheDisabled", json!({ "cacheDisabled": true })),
        ("Fetch.enable", paused(shared, &PAGE)),
        ("Target.setAutoAttach", attach(&["iframe", "worker"])),
    ]
}

/// Returns how much of the answers the browser keeps: as much as the journal may ask for.
fn buffers(shared: &Shared) -> Value {
    let (total, each) = if shared.journal.is_some() { (64 << 20, 16 << 20) } else { (0, 0) };
    json!({ "maxTotalBufferSize": total, "maxResourceBufferSize": each })
}

/// Returns the calls that prepare a worker for recording. Its script starts the runtime: the worker
/// is paused before it has an address, and some functions of its global crash until it has one.
fn recording_worker() -> Vec<(&'static str, Value)> {
    vec![
        ("Runtime.enable", json!({})),
        ("Runtime.addBinding", json!({ "name": contract().binding })),
        ("Runtime.addBinding", json!({ "name": contract().worker })),
        ("Target.setAutoAttach", attach(&["worker"])),
    ]
}

/// Returns the call that sets the viewport of a page, if there is one to set. A window that the page
/// opened beside the first keeps the size that the page chose.
fn viewport(shared: &Shared, client: &Client, target: &str) -> Option<(&'static str, Value)> {
    let size = shared.page.viewport?;
    let found = client.call(None, "Browser.getWindowForTarget", json!({ "targetId": target }));
    // Without a window, as in the old headless mode, every page has the viewport.
    if let Some(window) = found.ok().and_then(|found| found["windowId"].as_i64())
        && *shared.window.get_or_init(|| window) != window
    {
        return None;
    }
    let params = json!({
        "width": size.width, "height": size.height, "deviceScaleFactor": 0, "mobile": false,
        "screenWidth": size.width, "screenHeight": size.height,
    });
    Some(("Emulation.setDeviceMetricsOverride", params))
}

/// Returns the parameters of `Target.setAutoAttach` for targets of these types.
pub(crate) fn attach(types: &[&str]) -> Value {
    let filter: Vec<Value> = types.iter().map(|kind| json!({ "type": kind })).collect();
    json!({
        "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter
    })
}
