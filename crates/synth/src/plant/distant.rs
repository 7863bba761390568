//! Races whose accesses are far apart, so that a window orders them.
//!
//! Two islands make them one after the other: the first island writes, and the second accesses the same
//! location when a part of the trace has passed. The parts double, and fill the trace.

use std::collections::VecDeque;
use std::io::{self, Write};

use trace::LocationId;

use super::ACTORS;
use crate::answers::{Answer, Verdict};
use crate::message::Step;
use crate::world::World;

/// The part of the trace between the accesses of the last race.
const LONGEST: f64 = 0.48;
/// The part of the trace before the first race.
const START: f64 = 0.01;

/// The accesses that are to come.
#[derive(Default)]
pub(super) struct Distant {
    /// The progress at which an access is due, and whether it is the first of its race.
    accesses: VecDeque<(f64, bool)>,
    /// The location of the race that has begun.
    location: Option<LocationId>,
    made: u32,
}

impl Distant {
    pub(super) fn new(count: u32) -> Self {
        let mut accesses = VecDeque::new();
        let mut at = START;
        for number in 0..count {
            let length = LONGEST / 2_f64.powi((count - 1 - number).cast_signed());
            accesses.push_back((at, true));
            at += length;
            accesses.push_back((at, false));
        }
        Self { accesses, ..Self::default() }
    }

    pub(super) fn is_done(&self) -> bool {
        self.accesses.is_empty()
    }
}

impl<W: Write> World<W> {
    /// Makes the accesses that are due.
    pub(super) fn direct_distant(&mut self) -> io::Result<()> {
        let progress = if self.left.events() == 0 { 1.0 } else { self.left.progress() };
        let is_due = |&mut (at, _): &mut (f64, bool)| at <= progress;
        while let Some((_, is_first)) = self.director.distant.accesses.pop_front_if(is_due) {
            let location = if is_first { self.start_distant()? } else { self.current_distant() };
            let write = is_first || self.director.distant.made.is_multiple_of(2);
            let island = self.director.actors[ACTORS.len() + usize::from(!is_first)];
            self.thread(island).steps.push_back(Step::Touch { location, write });
            self.make_ready(island);
        }
        Ok(())
    }

    fn current_distant(&self) -> LocationId {
        self.director.distant.location.expect("the first access comes first")
    }

    /// Makes the location of the next race, and notes its answer.
    fn start_distant(&mut self) -> io::Result<LocationId> {
        let name = format!("planted/distant/{}", self.director.distant.made);
        let location = self.out.location(&name)?;
        self.director.distant.location = Some(location);
        self.director.distant.made += 1;
        let answer = Answer {
            location: name,
            kind: "two threads, far apart",
            verdict: Verdict::Race,
            covered_by: None,
            operations: Vec::new(),
            longest_window: None,
        };
        self.director.answers.push((location, answer));
        Ok(location)
    }
}
