//! Compares two reports by fingerprint.
//!
//! Only races that are open in one of the reports are compared. A race is new if the first report
//! lacks it, and gone if the second does. Races that a label hides or that are suppressed count as
//! absent from a report. Races that others cover or that its baseline knows count as present, so
//! that a race whose standing merely changed is neither new nor gone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use crate::input::InputEntry;
use crate::model::{KnownRace, RaceEntry, Report};
use crate::name::printable;
use crate::phrase::{self, count};

/// The races of two reports, sorted by fingerprint.
#[derive(Debug, Serialize)]
pub struct Diff {
    /// Always `interloper-diff/1`.
    pub schema: &'static str,
    /// The races that are open in the second report and absent from the first.
    pub new: Vec<KnownRace>,
    /// The races that are open in the first report and absent from the second.
    pub gone: Vec<KnownRace>,
    /// The races in both reports that are open in at least one.
    pub unchanged: Vec<KnownRace>,
    /// How much of its input each report covers, for the first report and then the second.
    pub inputs: [InputEntry; 2],
    #[serde(skip)]
    caveats: Vec<String>,
}

impl Diff {
    /// Compares two reports.
    pub fn of(before: &Report, after: &Report) -> Self {
        let (had, has) = (present(before), present(after));
        let was_open = by_fingerprint(before, RaceEntry::is_open);
        let is_open = by_fingerprint(after, RaceEntry::is_open);
        let news: BTreeMap<&str, &RaceEntry> = was_open.into_iter().chain(is_open).collect();
        let (mut new, mut gone, mut unchanged) = (Vec::new(), Vec::new(), Vec::new());
        for (fingerprint, race) in news {
            let list = match (had.contains(fingerprint), has.contains(fingerprint)) {
                (true, true) => &mut unchanged,
                (true, false) => &mut gone,
                (false, _) => &mut new,
            };
            list.push(phrase::known(race));
        }
        let inputs = [before.input.clone(), after.input.clone()];
        let caveat = |(which, report): (&str, &Report)| {
            let caveat = report.caveat()?;
            Some(format!("{}: {which} input: {}", caveat.level(), caveat.line()))
        };
        let caveats = [("first", before), ("second", after)].into_iter().filter_map(caveat);
        let caveats = caveats.collect();
        Self { schema: "interloper-diff/1", new, gone, unchanged, inputs, caveats }
    }
}

/// Returns whether a race counts as present in its report.
fn is_part(race: &RaceEntry) -> bool {
    !race.hidden && race.suppressed.is_none()
}

/// Returns the fingerprints of the races that count as present in a report.
fn present(report: &Report) -> BTreeSet<&str> {
    let listed = report.races.iter().filter(|race| is_part(race)).map(|race| &race.fingerprint);
    listed.chain(&report.covered_fingerprints).map(String::as_str).collect()
}

/// Returns the races for which `holds`, one for each fingerprint.
fn by_fingerprint(
    report: &Report,
    holds: impl Fn(&RaceEntry) -> bool,
) -> BTreeMap<&str, &RaceEntry> {
    let races = report.races.iter().filter(|race| holds(race));
    races.map(|race| (race.fingerprint.as_str(), race)).collect()
}

/// Prints new and gone races, one on each line, then what is missing of the inputs, then the
/// counts.
impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (sign, races) in [('+', &self.new), ('-', &self.gone)] {
            for race in races {
                let (fingerprint, title) = (printable(&race.fingerprint), printable(&race.title));
                writeln!(f, "{sign} {fingerprint} {title}")?;
            }
        }
        for caveat in &self.caveats {
            writeln!(f, "{caveat}")?;
        }
        let (new, gone) = (count(self.new.len(), "new race"), self.gone.len());
        writeln!(f, "{new}, {gone} gone, {} unchanged.", self.unchanged.len())
    }
}
