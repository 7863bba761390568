//! What a person can observe of a page at the end of a replay.

use std::collections::BTreeMap;
use std::time::Duration;

use replay::Observation;
use serde_json::{Value, json};

use crate::conduct::Conductor;
use crate::{Error, Recording};

/// How long a page must be quiet before it is observed, and how long that may take.
const QUIET: Duration = Duration::from_millis(400);
const LONGEST: Duration = Duration::from_secs(15);

/// A replay that has come to its end.
#[derive(Debug)]
pub struct Replayed {
    /// What was observed.
    pub seen: Observation,
    /// What the page showed, as PNG.
    pub picture: Option<Vec<u8>>,
    /// Whether the first hold has held anything.
    pub is_held: bool,
    /// Whether the page has dropped the request whose answer the first hold held.
    pub is_dropped: bool,
    /// How long the first hold has held something.
    pub held_for: Duration,
    /// Whether everything was let go because nothing else could run.
    pub is_stalled: bool,
    /// The requests that the session does not have.
    pub missing: Vec<String>,
    /// The requests that got another answer than their own, with what they got.
    pub approximate: Vec<String>,
}

impl Recording {
    /// Waits until a replayed page is quiet, and observes it.
    pub fn observe(&self) -> Result<Replayed, Error> {
        let doing = "waiting for the page to be quiet";
        if let Some(conductor) = &self.shared.conductor {
            conductor.is_done();
            self.wait_for(LONGEST, doing, |_| !conductor.is_holding())?;
        }
        self.settle(None, QUIET, LONGEST, doing)?;
        let mut found = self.ask("snapshot", &json!([]))?;
        let secrets = self.shared.secrets().clone();
        let mut map = |key: &str| -> BTreeMap<String, String> {
            let entries = found[key].take();
            let entries = entries.as_array().into_iter().flatten();
            let text =
                |value: &Value| secrets.hide(value.as_str().unwrap_or_default()).into_owned();
            entries.map(|entry| (text(&entry[0]), text(&entry[1]))).collect()
        };
        let (document, fields, storage) = (map("document"), map("fields"), map("storage"));
        let conductor = self.shared.conductor.as_ref();
        let is_online = conductor.is_some_and(Conductor::is_online);
        let answers = &self.shared.answers;
        let errors = self.shared.monitor().errors.clone();
        let errors = errors.iter().map(|error| secrets.hide(error).into_owned()).collect();
        let seen = Observation {
            errors,
            document,
            fields,
            requests: answers.requests(),
            storage,
            listeners: BTreeMap::new(),
            picture: None,
        };
        Ok(Replayed {
            seen,
            picture: self.screenshot().ok(),
            is_stalled: conductor.is_some_and(Conductor::is_stalled),
            is_held: conductor.is_some_and(Conductor::is_held),
            is_dropped: conductor.is_some_and(Conductor::is_dropped),
            held_for: conductor.map(Conductor::held_for).unwrap_or_default(),
            missing: if is_online { Vec::new() } else { answers.missing() },
            approximate: if is_online { Vec::new() } else { answers.approximate() },
        })
    }
}
