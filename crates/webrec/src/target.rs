//! Sets up a page, frame or worker of the browser for recording.

use browser::{Client, Error};
use rewrite::contract;
use serde_json::{Value, json};

use crate::shared::Shared;

/// The kind of target that a session belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A window or a frame in a process of its own.
    Page,
    /// Any other target. It runs, and is not recorded.
    Other,
}

/// Sets up a session and lets its target run.
pub(crate) fn set_up(shared: &Shared, session: &str, kind: Kind) -> Result<(), Error> {
    let client = &shared.client;
    if kind == Kind::Page {
        record(client, session, &shared.prologue)?;
    }
    client.call(Some(session), "Runtime.runIfWaitingForDebugger", json!({})).map(drop)
}

fn record(client: &Client, session: &str, prologue: &str) -> Result<(), Error> {
    let response =
        |kind: &str| json!({ "urlPattern": "*", "resourceType": kind, "requestStage": "Response" });
    let reserved =
        json!({ "urlPattern": format!("*{}*", contract().reserved), "requestStage": "Request" });
    let patterns = [reserved, response("Document"), response("Script")];
    let calls: [(&str, Value); 10] = [
        ("Page.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Runtime.addBinding", json!({ "name": contract().binding })),
        ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": prologue })),
        ("Page.setBypassCSP", json!({ "enabled": true })),
        ("Network.enable", json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 })),
        ("Network.setCacheDisabled", json!({ "cacheDisabled": true })),
        ("Network.setBypassServiceWorker", json!({ "bypass": true })),
        ("Fetch.enable", json!({ "patterns": patterns })),
        ("Target.setAutoAttach", attach(&["iframe", "worker"])),
    ];
    for (method, params) in calls {
        client.call(Some(session), method, params)?;
    }
    Ok(())
}

/// Returns the parameters of `Target.setAutoAttach` for targets of these types.
pub(crate) fn attach(types: &[&str]) -> Value {
    let filter: Vec<Value> = types.iter().map(|kind| json!({ "type": kind })).collect();
    json!({
        "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter
    })
}
