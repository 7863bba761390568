//! The part of a replay that talks to the pages: what they hold, what they let go, and what is due in them.
//!
//! For each task that is held in a page a thread waits until the task may run, and calls into all pages and
//! workers. One more thread notices that the replay is stalled ([`crate::conduct`]): it asks the pages when
//! their next timer is due. A timer that is due later than [`SOON`], for which everything waits, fires early,
//! and the clock of its page moves on.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rewrite::contract;
use serde_json::{Value, json};

use crate::conduct::Conductor;
use crate::shared::Shared;

/// The interval at which it is looked whether a replay is stalled.
const LOOK: Duration = Duration::from_millis(50);
/// How long a page may take to say what is due. A page that is busy answers when it is not.
const ANSWER: Duration = Duration::from_secs(3);
/// The longest time until a timer is due that a replay waits for, in milliseconds.
const SOON: f64 = 400.0;

/// Adds what the runtime of a page needs in a replay to its settings. The recording that is replayed begins
/// now, at `began` milliseconds since 1970.
pub(crate) fn configure(settings: &mut Value, conductor: &Conductor, began: f64) {
    let paths: Vec<_> = conductor.tasks().map(|(_, path)| path).collect();
    let session = conductor.session();
    if conductor.is_live() {
        settings["replay"] = json!({ "holds": paths, "hasty": true, "isLive": true });
        return;
    }
    settings["replay"] = json!({
        "holds": paths,
        "hasty": conductor.has_holds(),
        "seed": session.began,
        "clock": session.began - began,
    });
    if !conductor.is_online() {
        settings["replay"]["connections"] = json!(session.connections);
    }
}

/// Starts the threads of a replay.
pub(crate) fn start(shared: &Arc<Shared>) {
    let Some(conductor) = &shared.conductor else { return };
    for (at, path) in conductor.tasks() {
        let (shared, path) = (Arc::clone(shared), path.to_string());
        thread::spawn(move || {
            let conductor = shared.conductor.as_ref().expect("this is a replay");
            conductor.wait_until_open(at, || false);
            let expression = format!("globalThis.{}?.({})", contract().release, json!(path));
            let params = json!({ "expression": expression, "silent": true });
            let sessions = shared.state().recorded.clone();
            for session in sessions {
                // The call fails if the document is gone, and its tasks with it.
                let _ = shared.client.send(Some(&session), "Runtime.evaluate", params.clone());
            }
            conductor.held_in_page(&path, false);
        });
    }
    let shared = Arc::clone(shared);
    thread::spawn(move || watch(&shared));
}

/// Notices that a replay is stalled, until it ends.
fn watch(shared: &Shared) {
    let conductor = shared.conductor.as_ref().expect("this is a replay");
    while conductor.goes_on() {
        thread::sleep(LOOK);
        if !conductor.may_be_stalled() && !conductor.is_out_of_patience() {
            continue;
        }
        // A test waits for no timer: its own time limits go on.
        let found = if conductor.is_live() { Due::Nothing } else { due(shared, false) };
        let waits = !conductor.is_out_of_patience();
        match found {
            Due::In(time) if waits && time > SOON => {
                due(shared, true);
            }
            Due::In(_) | Due::Unknown if waits => {}
            _ if conductor.is_stuck() => conductor.give_up(),
            _ => {}
        }
    }
}

/// What is due in the pages.
enum Due {
    Nothing,
    /// A page does not answer.
    Unknown,
    /// The first timer is due in so many milliseconds.
    In(f64),
}

/// Asks the pages and workers when their next timers are due, and lets the next one of each fire if it is to.
fn due(shared: &Shared, fires: bool) -> Due {
    let expression = format!("globalThis.{}?.({fires})", contract().due);
    let params = json!({ "expression": expression, "silent": true });
    let sessions = shared.state().recorded.clone();
    let mut first = Due::Nothing;
    for session in sessions {
        let call =
            shared.client.call_within(Some(&session), "Runtime.evaluate", params.clone(), ANSWER);
        let time = match call {
            Ok(answer) => answer["result"]["value"].as_f64(),
            Err(browser::Error::Slow { .. }) => return Due::Unknown,
            // The document is gone.
            Err(_) => None,
        };
        first = match (first, time) {
            (Due::In(one), Some(other)) => Due::In(one.min(other)),
            (Due::Nothing, Some(time)) => Due::In(time),
            (first, _) => first,
        };
    }
    first
}
