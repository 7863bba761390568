//! Where a race stands with its reader: to be read, or why not.
//!
//! Every printer and the exit status ask here, so that no two formats disagree on what is open.

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

impl RaceEntry {
    /// Where it stands: what people decided beats what the analysis found.
    pub fn standing(&self) -> Standing {
        if self.suppressed.is_some() {
            Standing::Suppressed
        } else if self.baseline.as_deref() == Some("unchanged") {
            Standing::Baselined
        } else if self.hidden {
            Standing::Hidden
        } else if self.covered {
            Standing::Covered
        } else {
            Standing::Open
        }
    }

    /// Whether people decided that it never counts: by a suppression or a baseline.
    pub fn is_set_aside(&self) -> bool {
        self.standing() >= Standing::Baselined
    }

    /// Whether a label says that it is likely harmful.
    pub fn is_likely_harmful(&self) -> bool {
        self.labels.iter().filter_map(|name| Label::named(name)).any(Label::is_harmful)
    }

    /// Why it is not open, for people; nothing for one that is.
    pub fn excuse(&self) -> Option<String> {
        match self.standing() {
            Standing::Open => None,
            Standing::Covered => Some("covered by other races".to_owned()),
            Standing::Hidden => Some(format!("likely harmless: {}", self.labels.join(", "))),
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
