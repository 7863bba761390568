//! Shows the progress of long work on a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// The least time for which a line stays.
const PAUSE: Duration = Duration::from_millis(100);

/// A line on the terminal that shows the progress.
pub(crate) struct Progress {
    started: Instant,
    shown: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), shown: false }
    }

    #[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
    pub(crate) fn show(&mut self, done: u64, total: u64) {
        let mut terminal = std::io::stderr();
        if !terminal.is_terminal() {
            return;
        }
        let elapsed = self.started.elapsed().as_secs_f64().max(1e-3);
        let rate = done as f64 / elapsed;
        let left = total.saturating_sub(done) as f64 / rate.max(1.0);
        let percent = 100.0 * done as f64 / total.max(1) as f64;
        let line = format!("{percent:3.0} %, {:.1} M operations/s, {left:.0} s left", rate / 1e6);
        self.shown = write!(terminal, "\r{line:<60}").and_then(|()| terminal.flush()).is_ok();
    }

    /// Shows a line, at most about ten times a second.
    pub(crate) fn say(&mut self, line: &str) {
        let mut terminal = std::io::stderr();
        let soon = self.shown && self.started.elapsed() < PAUSE;
        if soon || !terminal.is_terminal() {
            return;
        }
        self.started = Instant::now();
        self.shown = write!(terminal, "\r{line:<60}").and_then(|()| terminal.flush()).is_ok();
    }

    /// Removes the line.
    pub(crate) fn clear(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r{:60}\r", "");
        }
    }
}
