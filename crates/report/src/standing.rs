//! Where a race stands with its reader: open, or why not; and which races make a check fail.
//!
//! A race is open if it is uncovered, not hidden by a label, not suppressed and not known from the
//! baseline. Races between threads always count as uncovered: coverage is defined for events that
//! one thread dispatches. docs/configuration.md states the definition for users.
//!
//! Every printer and the exit status ask here, so that no two outputs disagree on what is open.

use triage::Label;

use crate::model::{GroupEntry, RaceEntry, Report};

/// Where a race stands. The first is what a reader should see first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Nothing speaks against reading it.
    Open,
    /// Other races cover it: were they repaired, it might be gone.
    Covered,
    /// A label takes it out of what is shown.
    Hidden,
    /// The baseline knows it.
    Baselined,
    /// A suppression sets it aside.
    Suppressed,
}

impl Standing {
    /// The name used in reports.
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

/// From where on a race makes a check fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threshold {
    /// Open races that a label calls likely harmful.
    Harmful,
    /// Open races.
    #[default]
    Uncovered,
    /// Open, covered and hidden races, except hidden ones that a common lock protects.
    Any,
    /// No race.
    Never,
}

impl RaceEntry {
    /// Where it stands: what people decided beats what the analysis found.
    pub fn standing(&self) -> Standing {
        if self.suppressed.is_some() {
            Standing::Suppressed
        } else if self.baseline.as_deref() == Some("unchanged") {
            Standing::Baselined
        } else if self.hidden {
            Standing::Hidden
        } else if self.covered && self.class != races::Class::MultiThreaded.name() {
            Standing::Covered
        } else {
            Standing::Open
        }
    }

    /// Whether it is to be read.
    pub fn is_open(&self) -> bool {
        self.standing() == Standing::Open
    }

    /// Whether a label says that it is likely harmful.
    pub fn is_likely_harmful(&self) -> bool {
        self.known_labels().any(Label::is_harmful)
    }

    /// Whether it is at or above a threshold.
    pub fn counts(&self, threshold: Threshold) -> bool {
        match threshold {
            Threshold::Harmful => self.is_open() && self.is_likely_harmful(),
            Threshold::Uncovered => self.is_open(),
            Threshold::Any => match self.standing() {
                Standing::Open | Standing::Covered => true,
                Standing::Hidden => !self.is_lock_protected(),
                Standing::Baselined | Standing::Suppressed => false,
            },
            Threshold::Never => false,
        }
    }

    /// The labels that hide it. To show any of these is to show the race.
    ///
    /// A race that a common lock protects is hidden by that label alone: showing the races of
    /// another label must not bring up pairs that cannot overlap.
    pub fn hiding_labels(&self) -> Vec<Label> {
        if !self.hidden {
            return Vec::new();
        }
        if self.is_lock_protected() {
            return vec![Label::LockProtected];
        }
        self.known_labels().filter(|label| label.hides()).collect()
    }

    fn is_lock_protected(&self) -> bool {
        self.known_labels().any(|label| label == Label::LockProtected)
    }

    fn known_labels(&self) -> impl Iterator<Item = Label> {
        self.labels.iter().filter_map(|name| Label::named(name))
    }

    /// Why it is not open, for people; nothing for one that is.
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

/// A group as a reader meets it.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The group.
    pub group: &'a GroupEntry,
    /// Its best-ranked race among those that stand highest: the one told.
    pub lead: &'a RaceEntry,
    /// Where its lead stands.
    pub standing: Standing,
}

impl Report {
    /// Whether some race is at or above the threshold.
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

    /// Counts anew what depends on where races stand. Whoever changes that calls it.
    pub(crate) fn recount(&mut self) {
        let count = |holds: &dyn Fn(&RaceEntry) -> bool| {
            self.races.iter().filter(|race| holds(race)).count()
        };
        self.summary.open_races = count(&RaceEntry::is_open);
        self.summary.suppressed = count(&|race| race.suppressed.is_some());
        self.summary.baselined = count(&|race| race.baseline.as_deref() == Some("unchanged"));
    }

    /// The groups in the order of reading: open ones first, then by rank.
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

    /// The groups with an open race, in the order of reading.
    pub fn open_problems(&self) -> Vec<Problem<'_>> {
        let mut problems = self.problems();
        problems.retain(|problem| problem.standing == Standing::Open);
        problems
    }

    /// The races of a group, by rank.
    pub fn races_of<'a>(&'a self, group: &'a GroupEntry) -> impl Iterator<Item = &'a RaceEntry> {
        group.races.iter().map(|&id| &self.races[id as usize])
    }
}
