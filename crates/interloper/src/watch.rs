//! Shows the progress of an analysis, and with `-v` the time of each phase.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use analysis::{LiveRace, Milestone, StreamState};
use races::stream::Mark;
use report::name::{printable, text};

use crate::output;
use crate::progress::Progress;

/// Watches one analysis.
pub(crate) struct Watch {
    verbose: bool,
    /// The start of the current phase.
    since: Cell<Instant>,
    /// The approximate number of operations that the pass over the accesses will compare.
    total: Cell<u64>,
    progress: RefCell<Progress>,
    /// Whether races are printed as they are found.
    live: bool,
}

/// Returns a name of the trace as text for people.
fn name(bytes: &[u8]) -> String {
    printable(&text(bytes))
}

impl Watch {
    pub(crate) fn new(verbose: bool) -> Self {
        Self {
            verbose,
            since: Cell::new(Instant::now()),
            total: Cell::new(0),
            progress: RefCell::new(Progress::new()),
            live: false,
        }
    }

    /// Prints races on standard error as they are found.
    pub(crate) fn live(self) -> Self {
        Self { live: true, ..self }
    }

    /// Whether races are printed as they are found.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    pub(crate) fn hear(&self, milestone: Milestone<'_>) {
        match milestone {
            Milestone::Read(_) => {}
            Milestone::Closing { operations, bytes, end } => {
                // The last operation that can order others is close enough to the last of all.
                self.total.set(end);
                self.phase(
                    "read",
                    &format!("{} operations that can order others", count(operations)),
                );
                self.check_memory(bytes);
                self.progress.borrow_mut().say("closing happens-before");
            }
            Milestone::Closed { stats, counters } => {
                let stats = stats.map(|stats| {
                    format!(
                        "{} nodes on {} chains, sweeps: {}, {} MB",
                        count(stats.nodes),
                        count(stats.chains),
                        stats.passes,
                        count(stats.bytes >> 20),
                    )
                });
                self.phase("closed", &stats.unwrap_or_default());
                for (rule, new) in counters.iter().filter(|(_, new)| *new > 0) {
                    self.line(&format!("  {:>14}  {}", count(*new), rule.name));
                }
                *self.progress.borrow_mut() = Progress::new();
            }
            Milestone::Passed(done) => self.progress.borrow_mut().show(done, self.total.get()),
            Milestone::FoundSuspects { operations, suspects } => {
                let operations = count(usize::try_from(operations).unwrap_or(usize::MAX));
                let suspects = count(suspects);
                self.phase(
                    "compared",
                    &format!("{operations} operations, {suspects} racy locations"),
                );
            }
            Milestone::Streaming { needed, free } => {
                self.progress.borrow_mut().clear();
                output::note(format_args!(
                    "engine stream: closing happens-before would take about {} MB, and {} MB are \
                     free; --engine graph tries it nevertheless",
                    count(needed >> 20),
                    count(free >> 20)
                ));
            }
            Milestone::Streamed(state) => self.streamed(state),
            Milestone::Race(race) => self.tell(race),
            Milestone::Detected { races, .. } => {
                self.phase("detected", &format!("{} races", count(races.races.len())));
            }
            Milestone::Judged => self.phase("judged", ""),
        }
    }

    /// Shows the size of a pass of engine `stream`.
    #[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
    fn streamed(&self, state: StreamState) {
        let seconds = self.since.get().elapsed().as_secs_f64().max(1e-3);
        let operations = count(usize::try_from(state.operations).unwrap_or(usize::MAX));
        self.progress.borrow_mut().say(&format!(
            "{operations} operations, {:.1} M/s, {} events, {} chains, {} MB, {} races",
            state.operations as f64 / seconds / 1e6,
            count(state.events),
            count(state.chains),
            count(state.bytes >> 20),
            state.races
        ));
    }

    /// Prints a race that was found while the input is read.
    fn tell(&self, race: &LiveRace<'_>) {
        let found = race.found;
        let place = |mark: &Mark| {
            let thread = race.names.threads.get(mark.thread);
            let event = mark.event.map(|event| race.names.events.get(event));
            let event = event.map(|event| format!(" in {}", name(event))).unwrap_or_default();
            format!("{}{event}, operation {}", name(thread), mark.number)
        };
        let kind = |writes: bool| if writes { "write" } else { "read" };
        self.progress.borrow_mut().clear();
        output::note(format_args!(
            "race on {} ({}): {} by {}; {} by {}",
            name(race.names.locations.get(found.location)),
            race.class.name(),
            kind(found.first_writes),
            place(&found.first),
            kind(found.second_writes),
            place(&found.second),
        ));
    }

    /// Removes the line that shows the progress.
    pub(crate) fn clear(&self) {
        self.progress.borrow_mut().clear();
    }

    /// Ends the last phase: the report is printed.
    pub(crate) fn printed(&self) {
        self.phase("printed", "");
    }

    fn phase(&self, name: &str, what: &str) {
        self.progress.borrow_mut().clear();
        let took = self.since.replace(Instant::now()).elapsed().as_secs_f64();
        self.line(format!("{name:<9} {took:>8.3} s  {what}").trim_end());
    }

    fn line(&self, line: &str) {
        if self.verbose {
            output::note(line);
        }
    }

    /// Warns before closing happens-before if it will hardly fit into the free memory.
    fn check_memory(&self, needed: usize) {
        let Some(free) = free_memory() else { return };
        let (needed, free) = (needed >> 20, free >> 20);
        self.line(&format!(
            "           about {} MB needed, {} MB free",
            count(needed),
            count(free)
        ));
        if needed > free {
            output::note(format_args!(
                "warning: happens-before will take about {} MB, and {} MB are free; end other \
                 programs, or record a shorter time",
                count(needed),
                count(free)
            ));
        }
    }
}

/// Returns the number of free bytes, if the system reports it.
pub(crate) fn free_memory() -> Option<usize> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Formats a number with separated thousands.
fn count(n: usize) -> String {
    let digits = n.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(|group| String::from_utf8_lossy(group)).collect();
    groups.join(",")
}
