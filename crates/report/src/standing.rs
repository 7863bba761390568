//! Decides whether a race is open, and which races make a check fail.
//!
//! A race is open if it is uncovered, not hidden by a label, not suppressed and not known from the
//! baseline. Races between threads always count as uncovered: coverage is defined for events that
//! one thread dispatches. A race that a replay has shown to be harmful is open although others cover it.
//! docs/configuration.md states the definition for users.
//!
//! Every printer and the exit status use this module, so that no two outputs disagree on what is
//! open.

use triage::Label;

use crate::model::{GroupEntry, RaceEntry, Report};

/// The standing of a race. Standings are ordered by how soon a reader should see the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The race is open: nothing speaks against reading it.
    Open,
    /// Other races cover the race. If they were repaired, it might be gone.
    Covered,
    /// A label hides the race.
    Hidden,
    /// The baseline contains the race.
    Baselined,
    /// A suppression applies to the race.
    Suppressed,
}

impl Standing {
    /// The name of the standing in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Covered => "covered",
            Self::Hidden => "hidden",
            Self::Baselined => "baselined",
            Self::Suppressed => "suppressed",
        }
    }
}

/// The least serious race that makes a check fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threshold {
    /// Open races that a label marks as likely harmful.
    Harmful,
    /// Open races.
    #[default]
    Uncovered,
    /// Open, covered and hidden races, except hidden ones that a common lock protects.
    Any,
    /// Open races that a replay has shown to be harmful.
    Shown,
    /// No race.
    Never,
}

impl RaceEntry {
    /// Returns the standing of the race. Suppressions and the baseline take precedence over
    /// coverage and labels.
    pub fn standing(&self) -> Standing {
        if self.suppressed.is_some() {
            Standing::Suppressed
        } else if self.baseline.as_deref() == Some("unchanged") {
            Standing::Baselined
        } else if self.is_shown() && !self.hidden {
            Standing::Open
        } else if self.hidden {
            Standing::Hidden
        } else if self.covered && self.class != races::Class::MultiThreaded.name() {
            Standing::Covered
        } else {
            Standing::Open
        }
    }

    /// Returns whether the race is open.
    pub fn is_open(&self) -> bool {
        self.standing() == Standing::Open
    }

    /// Returns whether a label marks the race as likely harmful, or a replay has shown that it is.
    pub fn is_likely_harmful(&self) -> bool {
        self.is_shown() || self.known_labels().any(Label::is_harmful)
    }

    /// Returns whether the race is at or above a threshold.
    pub fn counts(&self, threshold: Threshold) -> bool {
        match threshold {
            Threshold::Harmful => self.is_open() && self.is_likely_harmful(),
            Threshold::Uncovered => self.is_open(),
            Threshold::Any => match self.standing() {
                Standing::Open | Standing::Covered => true,
                Standing::Hidden => !self.is_lock_protected(),
                Standing::Baselined | Standing::Suppressed => false,
            },
            Threshold::Shown => self.is_open() && self.is_shown(),
            Threshold::Never => false,
        }
    }

    /// Returns the labels that hide the race. Showing the races of any of them shows this race.
    ///
    /// If a common lock protects the race, only that label hides it: showing the races of another
    /// label must not show pairs that cannot overlap.
    pub fn hiding_labels(&self) -> Vec<Label> {
        if !self.hidden {
            return Vec::new();
        }
        if self.is_lock_protected() {
            return vec![Label::LockProtected];
        }
        self.known_labels().filter(|label| label.hides()).collect()
    }

    pub(crate) fn is_lock_protected(&self) -> bool {
        self.known_labels().any(|label| label == Label::LockProtected)
    }

    fn known_labels(&self) -> impl Iterator<Item = Label> {
        self.labels.iter().filter_map(|name| Label::named(name))
    }

    /// Returns why the race is not open, for people; `None` if it is open.
    pub fn excuse(&self) -> Option<String> {
        match self.standing() {
            Standing::Open => None,
            Standing::Covered => Some("covered by other races".to_owned()),
            Standing::Hidden => {
                let labels: Vec<&str> = self.hiding_labels().into_iter().map(Label::name).collect();
                Some(format!("likely harmless: {}", labels.join(", ")))
            }
            Standing::Baselined => Some("known from the baseline".to_owned()),
            Standing::Suppressed => {
                Some(format!("suppressed: {}", self.suppressed.as_deref().unwrap_or_default()))
            }
        }
    }
}

/// A group with its leading race.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The group.
    pub group: &'a GroupEntry,
    /// The leading race: of the group's races with the best standing, the one with the best rank.
    pub lead: &'a RaceEntry,
    /// The standing of the leading race.
    pub standing: Standing,
}

impl Report {
    /// Returns whether some race is at or above the threshold.
    pub fn fails(&self, threshold: Threshold) -> bool {
        self.races.iter().any(|race| race.counts(threshold))
    }

    /// Shows the races that these labels hide.
    pub fn show(&mut self, labels: &[Label]) {
        for race in &mut self.races {
            race.hidden &= !race.hiding_labels().iter().any(|label| labels.contains(label));
        }
        self.recount();
    }

    /// Recomputes the counts that depend on the standings of races. Every function that changes
    /// standings must call it.
    pub(crate) fn recount(&mut self) {
        let count = |holds: &dyn Fn(&RaceEntry) -> bool| {
            self.races.iter().filter(|race| holds(race)).count()
        };
        self.summary.open_races = count(&RaceEntry::is_open);
        self.summary.suppressed = count(&|race| race.suppressed.is_some());
        self.summary.baselined = count(&|race| race.baseline.as_deref() == Some("unchanged"));
    }

    /// Returns the groups in the order of reading: open ones first, then by rank.
    pub fn problems(&self) -> Vec<Problem<'_>> {
        let problem = |group| {
            let races = self.races_of(group);
            let lead = races.min_by_key(|race| (race.standing(), race.rank))?;
            Some(Problem { group, lead, standing: lead.standing() })
        };
        let mut problems: Vec<_> = self.groups.iter().filter_map(problem).collect();
        problems.sort_by_key(|problem| (problem.standing, problem.group.rank));
        problems
    }

    /// Returns the groups with an open race, in the order of reading.
    pub fn open_problems(&self) -> Vec<Problem<'_>> {
        let mut problems = self.problems();
        problems.retain(|problem| problem.standing == Standing::Open);
        problems
    }

    /// Returns the races of a group, by rank.
    pub fn races_of<'a>(&'a self, group: &'a GroupEntry) -> impl Iterator<Item = &'a RaceEntry> {
        let position = |id: &u32| self.races.binary_search_by_key(id, |race| race.id).ok();
        group.races.iter().filter_map(move |id| Some(&self.races[position(id)?]))
    }
}
