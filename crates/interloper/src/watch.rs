//! How an analysis gets on: a progress line, and with `-v` where the time goes.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use analysis::Milestone;

use crate::output;
use crate::progress::Progress;

/// Watches one analysis.
pub(crate) struct Watch {
    verbose: bool,
    /// When the step under way began.
    since: Cell<Instant>,
    /// How many operations there are to stream, as far as it is known.
    total: Cell<u64>,
    progress: RefCell<Progress>,
}

impl Watch {
    pub(crate) fn new(verbose: bool) -> Self {
        Self {
            verbose,
            since: Cell::new(Instant::now()),
            total: Cell::new(0),
            progress: RefCell::new(Progress::new()),
        }
    }

    pub(crate) fn hear(&self, milestone: Milestone<'_>) {
        match milestone {
            Milestone::Read(_) => {}
            Milestone::Closing { operations, bytes, end } => {
                // The last operation that can order others is near enough to the last of all.
                self.total.set(end);
                self.step(
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
                self.step("closed", &stats.unwrap_or_default());
                for (rule, told) in counters.iter().filter(|(_, told)| *told > 0) {
                    self.line(&format!("  {:>14}  {}", count(*told), rule.name));
                }
                *self.progress.borrow_mut() = Progress::new();
            }
            Milestone::Passed(done) => self.progress.borrow_mut().tell(done, self.total.get()),
            Milestone::Streamed { operations, suspects } => {
                let operations = count(usize::try_from(operations).unwrap_or(usize::MAX));
                let suspects = count(suspects);
                self.step(
                    "streamed",
                    &format!("{operations} operations, {suspects} racy locations"),
                );
            }
            Milestone::Detected { races, .. } => {
                self.step("detected", &format!("{} races", count(races.races.len())));
            }
            Milestone::Judged => self.step("judged", ""),
        }
    }

    /// The report is printed.
    pub(crate) fn printed(&self) {
        self.step("printed", "");
    }

    fn step(&self, name: &str, what: &str) {
        self.progress.borrow_mut().clear();
        let took = self.since.replace(Instant::now()).elapsed().as_secs_f64();
        self.line(format!("{name:<9} {took:>8.3} s  {what}").trim_end());
    }

    fn line(&self, line: &str) {
        if self.verbose {
            output::note(line);
        }
    }

    /// Says so before it starts, if happens-before will hardly fit into the memory that is free.
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

/// How many bytes the system can give, where it tells.
fn free_memory() -> Option<usize> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// A number with its thousands apart.
fn count(n: usize) -> String {
    let digits = n.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(|group| String::from_utf8_lossy(group)).collect();
    groups.join(",")
}
