//! Waits until the page is quiet, or shows an element.

use std::time::{Duration, Instant};

use rewrite::contract;
use serde_json::json;

use super::{LOOK, Undone};
use crate::{Error, Recording};

/// How long a page must have no work before it counts as quiet.
const QUIET: Duration = Duration::from_millis(500);

/// What the end of a recording waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until {
    /// The page has no open request, and no timer that fires within three seconds.
    Quiet,
    /// An element that a CSS selector selects exists and is visible.
    Visible(String),
}

impl Recording {
    /// Lets the page run until a condition holds, but no longer than `longest`. Returns whether it
    /// holds.
    pub fn run_until(&self, until: &Until, longest: Duration) -> Result<bool, Error> {
        let end = Instant::now() + longest;
        match until {
            Until::Quiet => self.settle(None, QUIET, longest, "waiting for the page to be quiet"),
            Until::Visible(selector) => {
                let doing = format!("waiting for {selector}");
                loop {
                    let found = match self.ask("find", &json!([selector])) {
                        Ok(found) => found,
                        Err(error) => match Undone::from(error) {
                            Undone::Cannot(_) => json!(null),
                            Undone::Over(error) => return Err(error),
                        },
                    };
                    match found["state"].as_str() {
                        Some("there") => return Ok(true),
                        Some("invalid") => return Err(Error::Selector(selector.clone())),
                        _ if Instant::now() >= end => return Ok(false),
                        _ => self.run_for(LOOK, &doing)?,
                    }
                }
            }
        }
    }

    /// Lets the page run until, for the time `quiet`, it has no request that began at `since` or
    /// later, and no timer that fires within three seconds; what a replay holds back does not count.
    /// Returns whether that came within `longest`.
    pub(crate) fn settle(
        &self,
        since: Option<Instant>,
        quiet: Duration,
        longest: Duration,
        doing: &str,
    ) -> Result<bool, Error> {
        let end = Instant::now() + longest;
        let mut busy = Instant::now();
        loop {
            // A replay knows which answers are on their way, and the browser does not report all of them.
            let open = || match &self.shared.conductor {
                Some(conductor) => conductor.is_coming(),
                None => self.shared.monitor().open_since(since) > 0,
            };
            let is_loading = self.shared.state().loading || open();
            let is_busy = (is_loading && !self.is_stuck()) || self.pending_timers()? > 0;
            let now = Instant::now();
            if is_busy {
                busy = now;
            } else if now.duration_since(busy) >= quiet {
                return Ok(true);
            }
            if now >= end {
                return Ok(false);
            }
            self.run_for(LOOK, doing)?;
        }
    }

    /// How many timers of the page fire within three seconds. None if the page cannot answer.
    fn pending_timers(&self) -> Result<u64, Error> {
        let expression = format!("globalThis.{}?.()", contract().pending);
        let params = json!({ "expression": expression, "silent": true });
        match self.call("Runtime.evaluate", params) {
            Ok(answer) => Ok(answer["result"]["value"].as_u64().unwrap_or_default()),
            // Another document replaces the page's.
            Err(Error::Browser(browser::Error::Refused { .. })) => Ok(0),
            Err(error) => Err(error),
        }
    }
}
