//! The planted scenarios of a page, on the two islands.

use std::io::{self, Write};

use trace::{EventId, LocationId, Op};

use super::{PAGE, Page};
use crate::answers::{Answer, Verdict};
use crate::profile::Planted;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scenario {
    /// A conflict between events of two strands.
    Race,
    /// A flag guards data, both in one event of each strand.
    Flag,
    /// A flag guards data, in events of their own.
    FlagBetween,
    /// A conflict between an event and one that it forks.
    Fork,
    /// A conflict between an event and one that joins it.
    Join,
}

impl Scenario {
    fn name(self) -> &'static str {
        match self {
            Self::Race => "events of two strands",
            Self::Flag => "a flag between two events",
            Self::FlagBetween => "a flag between two sequences of events",
            Self::Fork => "FORK-EVENT",
            Self::Join => "ARC",
        }
    }
}

pub(super) struct Planting {
    scenarios: Vec<Scenario>,
    started: usize,
    /// The next event of each island.
    islands: [EventId; 2],
    answers: Vec<Answer>,
}

impl Planting {
    pub(super) fn new(planted: Planted, rng: &mut fastrand::Rng) -> Self {
        let mut scenarios = Vec::new();
        for (kinds, count) in [
            (&[Scenario::Race][..], planted.races),
            (&[Scenario::Flag, Scenario::FlagBetween], planted.ad_hoc),
            (&[Scenario::Fork, Scenario::Join], planted.near_misses),
        ] {
            scenarios.extend(kinds.iter().cycle().take(count as usize));
        }
        rng.shuffle(&mut scenarios);
        Self { scenarios, started: 0, islands: [EventId(0); 2], answers: Vec::new() }
    }

    /// Sets the first events of the islands.
    pub(super) fn cast(&mut self, islands: [EventId; 2]) {
        self.islands = islands;
    }

    pub(super) fn is_done(&self) -> bool {
        self.started == self.scenarios.len()
    }

    pub(super) fn answers(self) -> Vec<Answer> {
        self.answers
    }
}

/// A planted location and the numbers of its accesses.
struct Watched {
    location: LocationId,
    operations: Vec<u64>,
}

impl<W: Write> Page<W> {
    /// Runs the next scenario if the trace is long enough. Returns whether it did.
    pub(super) fn plant(&mut self) -> io::Result<bool> {
        let Planting { scenarios, started, .. } = &self.planting;
        let Some(&scenario) = scenarios.get(*started) else { return Ok(false) };
        let due = (*started as f64 + 0.5) / (scenarios.len() as f64 + 1.0);
        if (self.made.events as f64) < due * self.events as f64 {
            return Ok(false);
        }
        let number = *started;
        self.planting.started += 1;
        let (verdict, sort) = match scenario {
            Scenario::Race => (Verdict::Race, "race"),
            Scenario::Flag | Scenario::FlagBetween => (Verdict::Covered, "ad-hoc"),
            Scenario::Fork | Scenario::Join => (Verdict::Ordered, "near-miss"),
        };
        let name = format!("planted/{sort}/{number}");
        let mut x = Watched { location: self.out.location(&name)?, operations: Vec::new() };
        let mut covered_by = None;
        if verdict == Verdict::Covered {
            let flag_name = format!("{name}/flag");
            let location = self.out.location(&flag_name)?;
            let mut flag = Watched { location, operations: Vec::new() };
            self.ad_hoc(scenario, &mut x, &mut flag)?;
            self.answer(flag_name.clone(), scenario, Verdict::Race, None, flag);
            covered_by = Some(flag_name);
        } else {
            self.conflict(scenario, &mut x)?;
        }
        self.answer(name, scenario, verdict, covered_by, x);
        Ok(true)
    }

    fn answer(
        &mut self,
        location: String,
        scenario: Scenario,
        verdict: Verdict,
        covered_by: Option<String>,
        watched: Watched,
    ) {
        let (kind, operations) = (scenario.name(), watched.operations);
        let longest_window = None;
        self.planting.answers.push(Answer {
            location,
            kind,
            verdict,
            covered_by,
            operations,
            longest_window,
        });
    }

    /// Makes two accesses in two events.
    fn conflict(&mut self, scenario: Scenario, x: &mut Watched) -> io::Result<()> {
        let writes = self.rng.bool();
        let first = self.island(0, &mut |page| page.watch(x, true))?;
        match scenario {
            Scenario::Race => self.island(1, &mut |page| page.watch(x, writes)).map(drop),
            Scenario::Fork => self.island(0, &mut |page| page.watch(x, writes)).map(drop),
            _ => {
                let mut joining = EventId(0);
                self.island(1, &mut |page| {
                    joining = page.fork()?;
                    Ok(())
                })?;
                self.begin(joining)?;
                self.op(Op::Arc(first, joining))?;
                self.watch(x, writes)?;
                self.made.arcs += 1;
                self.op(Op::End(joining))
            }
        }
    }

    /// Writes data before a flag, and reads it after the flag.
    fn ad_hoc(
        &mut self,
        scenario: Scenario,
        x: &mut Watched,
        flag: &mut Watched,
    ) -> io::Result<()> {
        if scenario == Scenario::Flag {
            self.island(0, &mut |page| page.watch(x, true).and_then(|()| page.watch(flag, true)))?;
            let read =
                &mut |page: &mut Self| page.watch(flag, false).and_then(|()| page.watch(x, false));
            self.island(1, read)?;
        } else {
            self.island(0, &mut |page| page.watch(x, true))?;
            self.island(0, &mut |page| page.watch(flag, true))?;
            self.island(1, &mut |page| page.watch(flag, false))?;
            self.island(1, &mut |page| page.watch(x, false))?;
        }
        Ok(())
    }

    /// Runs the next event of an island, which forks the one after it.
    fn island(
        &mut self,
        island: usize,
        body: &mut dyn FnMut(&mut Self) -> io::Result<()>,
    ) -> io::Result<EventId> {
        let event = self.planting.islands[island];
        self.begin(event)?;
        body(self)?;
        self.planting.islands[island] = self.fork()?;
        self.op(Op::End(event))?;
        Ok(event)
    }

    fn watch(&mut self, watched: &mut Watched, write: bool) -> io::Result<()> {
        watched.operations.push(self.out.next_number());
        let value = write.then(|| self.rng.u8(..));
        let place = (watched.location.0 as usize, u32::from(write));
        self.out.sourced(PAGE, watched.location, write, place, value)
    }
}
