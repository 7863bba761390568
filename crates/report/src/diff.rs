//! What changed between two reports, by fingerprint.
//!
//! Races that a label hides or a suppression sets aside are left out on both sides: they would not
//! be read, so their coming and going is no news.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::model::{KnownRace, Report};
use crate::name::printable;
use crate::phrase::{self, count};

/// The races of two reports, sorted by fingerprint.
#[derive(Debug, Serialize)]
pub struct Diff {
    /// Always `interloper-diff/1`.
    pub schema: &'static str,
    /// In the second report only.
    pub new: Vec<KnownRace>,
    /// In the first report only.
    pub gone: Vec<KnownRace>,
    /// In both.
    pub unchanged: Vec<KnownRace>,
}

impl Diff {
    /// Compares two reports.
    pub fn of(before: &Report, after: &Report) -> Self {
        let (before, mut after) = (visible(before), visible(after));
        let (mut gone, mut unchanged) = (Vec::new(), Vec::new());
        for (fingerprint, known) in before {
            match after.remove(&fingerprint) {
                Some(known) => unchanged.push(known),
                None => gone.push(known),
            }
        }
        let new = after.into_values().collect();
        Self { schema: "interloper-diff/1", new, gone, unchanged }
    }
}

fn visible(report: &Report) -> BTreeMap<String, KnownRace> {
    let races = report.races.iter().filter(|race| !race.hidden && race.suppressed.is_none());
    races.map(|race| (race.fingerprint.clone(), phrase::known(race))).collect()
}

/// New and gone races, a line each, then the counts.
impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (sign, races) in [('+', &self.new), ('-', &self.gone)] {
            for race in races {
                let (fingerprint, title) = (printable(&race.fingerprint), printable(&race.title));
                writeln!(f, "{sign} {fingerprint} {title}")?;
            }
        }
        let (new, gone) = (count(self.new.len(), "new race"), self.gone.len());
        writeln!(f, "{new}, {gone} gone, {} unchanged.", self.unchanged.len())
    }
}
