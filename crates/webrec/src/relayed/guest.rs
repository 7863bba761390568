//! What a recorder is in a browser that belongs to a driver: a guest. The driver resumes new targets only
//! when the recorder has set them up, and gets the original bodies of the answers that were rewritten.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use browser::Downstream;
use serde_json::{Value, json};

/// How many bytes of original bodies are kept.
const MOST: usize = 64 << 20;
/// How long the driver's call to resume a target waits for the recorder.
const PATIENCE: Duration = Duration::from_secs(3);

/// A target of which only one side is ready to resume it.
#[derive(Default)]
struct Paused {
    /// The recorder's session, once it is set up.
    own: Option<String>,
    /// The driver's call, and when it came.
    call: Option<(Value, Instant)>,
}

/// The original bodies of rewritten answers, by the browser's number of the request.
#[derive(Default)]
struct Originals {
    bodies: HashMap<String, Vec<u8>>,
    order: VecDeque<String>,
    bytes: usize,
}

/// What the recordings of a driver's browser share.
pub(crate) struct Guest {
    downstream: Downstream,
    targets: Mutex<HashMap<String, Paused>>,
    originals: Mutex<Originals>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guest {
    pub(crate) fn new(downstream: Downstream) -> Self {
        Self { downstream, targets: Mutex::default(), originals: Mutex::default() }
    }

    /// Notes that the recorder has set up a target, and resumes it if the driver wants to. A frame or a worker is
    /// resumed at once, as far as the recorder is concerned: the browser tells the driver about it only then.
    pub(crate) fn ready(&self, target: &str, session: &str, is_page: bool) {
        if !is_page {
            let client = self.downstream.client();
            // The call fails if the target is gone.
            let _ = client.send(Some(session), "Runtime.runIfWaitingForDebugger", json!({}));
        }
        let mut targets = locked(&self.targets);
        let paused = targets.entry(target.to_string()).or_default();
        paused.own = Some(session.to_string());
        if let Some((call, _)) = paused.call.take() {
            self.resume(session, &call);
        }
    }

    /// Resumes a target as soon as the recorder is ready, which the driver has called to do.
    pub(crate) fn resumes(&self, target: &str, call: &Value) {
        let mut targets = locked(&self.targets);
        let paused = targets.entry(target.to_string()).or_default();
        match &paused.own {
            Some(own) => self.resume(own, call),
            None => paused.call = Some((call.clone(), Instant::now())),
        }
    }

    /// Lets a target run: for the recorder's session and for the driver's.
    fn resume(&self, session: &str, call: &Value) {
        let client = self.downstream.client();
        // The call fails if the target is gone.
        let _ = client.send(Some(session), "Runtime.runIfWaitingForDebugger", json!({}));
        self.downstream.pass_on(call);
    }

    /// Passes on the calls that have waited too long for the recorder.
    pub(crate) fn expire(&self) {
        for paused in locked(&self.targets).values_mut() {
            if let Some((call, _)) = paused.call.take_if(|(_, since)| since.elapsed() >= PATIENCE) {
                self.downstream.pass_on(&call);
            }
        }
    }

    /// Forgets a target that is gone.
    pub(crate) fn gone(&self, target: &str) {
        locked(&self.targets).remove(target);
    }

    /// Keeps the original body of an answer, as long as there is room for it.
    pub(crate) fn keep(&self, request: &str, body: &[u8]) {
        locked(&self.originals).keep(request, body);
    }

    /// The result of `Network.getResponseBody` for an answer that was rewritten.
    pub(crate) fn body(&self, request: &str) -> Option<Value> {
        locked(&self.originals).body(request)
    }
}

impl Originals {
    fn keep(&mut self, request: &str, body: &[u8]) {
        if body.len() > MOST {
            return;
        }
        while self.bytes + body.len() > MOST {
            let Some(oldest) = self.order.pop_front() else { break };
            self.bytes -= self.bodies.remove(&oldest).map_or(0, |body| body.len());
        }
        match self.bodies.insert(request.to_string(), body.to_vec()) {
            Some(before) => self.bytes -= before.len(),
            None => self.order.push_back(request.to_string()),
        }
        self.bytes += body.len();
    }

    fn body(&self, request: &str) -> Option<Value> {
        let body = self.bodies.get(request)?;
        Some(match std::str::from_utf8(body) {
            Ok(text) => json!({ "body": text, "base64Encoded": false }),
            Err(_) => json!({ "body": BASE64.encode(body), "base64Encoded": true }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn original_bodies_are_kept_up_to_a_bound_the_newest_longest() {
        let mut guest = Originals::default();
        guest.keep("1", b"one");
        guest.keep("2", &[0xff]);
        guest.keep("2", b"two");
        assert_eq!(guest.body("1").expect("kept")["body"], "one");
        assert_eq!(guest.body("2").expect("kept")["body"], "two");
        guest.keep("3", &vec![b'x'; MOST - 4]);
        assert!(guest.body("1").is_none() && guest.body("2").is_some());
        guest.keep("4", &vec![b'x'; MOST + 1]);
        assert!(guest.body("4").is_none() && guest.body("3").is_some());
    }
}
