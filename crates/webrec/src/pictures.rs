//! Pictures of the page while it is recorded.
//!
//! The browser sends a picture when what it shows has changed (`Page.startScreencast`), made by the process that draws
//! and not by the page. It sends the next one only after the last one was acknowledged, which happens after [`PAUSE`]:
//! so there are at most four a second. A picture shows what the page shows, so it could show a value that the recording
//! must not contain: none is taken as soon as there is such a value.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use crate::shared::Shared;

/// The shortest time between two pictures.
const PAUSE: Duration = Duration::from_millis(250);
/// The width of a picture in pixels.
const WIDTH: u32 = 640;
/// The largest height of a picture in pixels.
const HEIGHT: u32 = 960;
/// The quality of a picture in JPEG, up to 100.
const QUALITY: u32 = 50;

/// The pictures that wait to be written.
pub(crate) struct Pictures {
    /// When the recording began, in milliseconds since 1970.
    began: f64,
    is_over: AtomicBool,
    /// Each picture with its time in nanoseconds since the start.
    waiting: Mutex<Vec<(u64, Vec<u8>)>>,
}

impl Pictures {
    pub(crate) fn new(began: f64) -> Self {
        Self { began, is_over: AtomicBool::new(false), waiting: Mutex::default() }
    }

    /// Takes the pictures that were not taken before.
    pub(crate) fn take(&self) -> Vec<(u64, Vec<u8>)> {
        std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes a picture of the browser. Returns false if it is none.
    fn note(&self, frame: &Value) -> bool {
        let Some(seconds) = frame["metadata"]["timestamp"].as_f64() else { return false };
        let Some(bytes) = frame["data"].as_str().and_then(|data| BASE64.decode(data).ok()) else {
            return false;
        };
        let at = Duration::try_from_secs_f64(seconds - self.began / 1e3).unwrap_or_default();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push((at.as_nanos() as u64, bytes));
        true
    }
}

/// Asks the browser for pictures of a page.
pub(crate) fn start(shared: &Shared, session: &str) {
    if shared.pictures.is_some() {
        let params = json!({
            "format": "jpeg", "quality": QUALITY, "maxWidth": WIDTH, "maxHeight": HEIGHT,
        });
        // Without pictures the recording lacks nothing else.
        let _ = shared.client.send(Some(session), "Page.startScreencast", params);
    }
}

/// Takes a picture that the browser has sent, and asks for the next one in a while.
pub(crate) fn hear(shared: &Arc<Shared>, session: &str, frame: &Value) {
    let Some(pictures) = &shared.pictures else { return };
    let has_secrets = shared.secrets().iter().next().is_some();
    if has_secrets || pictures.is_over.load(Ordering::Relaxed) || !pictures.note(frame) {
        if has_secrets && !pictures.is_over.swap(true, Ordering::Relaxed) {
            shared.notes.add("no-screenshots", || {
                "the page has got a secret, which a picture could show".to_owned()
            });
        }
        let _ = shared.client.send(Some(session), "Page.stopScreencast", json!({}));
        return;
    }
    let (shared, session) = (Arc::clone(shared), session.to_owned());
    let acknowledge = json!({ "sessionId": frame["sessionId"] });
    thread::spawn(move || {
        thread::sleep(PAUSE);
        // The call fails if the page is gone.
        let _ = shared.client.send(Some(&session), "Page.screencastFrameAck", acknowledge);
    });
}
