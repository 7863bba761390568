//! Baselines: the known races of a project, so that only new ones count.
//!
//! A baseline contains fingerprints, which do not change when lines move, and a title for each. It
//! is written sorted, one race on each line, so that it is easy to review. A JSON report can serve
//! as a baseline as well.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::model::{BaselineEntry, KnownRace, Report};
use crate::phrase;
use crate::read::ReadError;

/// The name of the schema of a baseline file.
const SCHEMA: &str = "interloper-baseline/1";

/// The known races, by fingerprint.
#[derive(Debug, PartialEq, Eq)]
pub struct Baseline {
    titles: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct File {
    schema: String,
    races: Vec<KnownRace>,
}

impl Baseline {
    /// Returns a baseline of all races of a report except the suppressed ones, which have their own
    /// list.
    pub fn of(report: &Report) -> Self {
        let kept = report.races.iter().filter(|race| race.suppressed.is_none());
        let titles = kept.map(phrase::known).map(|known| (known.fingerprint, known.title));
        let mut titles: BTreeMap<String, String> = titles.collect();
        for fingerprint in report.covered_fingerprints.iter().chain(&report.hidden_fingerprints) {
            titles.entry(fingerprint.clone()).or_insert_with(|| "covered race".to_owned());
        }
        Self { titles }
    }

    /// Reads a baseline file or a JSON report.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        if Report::is_json(bytes) {
            return Report::from_json(bytes).map(|report| Self::of(&report));
        }
        let file: File = serde_json::from_slice(bytes).map_err(ReadError::Json)?;
        if file.schema != SCHEMA {
            return Err(ReadError::Schema(file.schema));
        }
        let titles = file.races.into_iter().map(|race| (race.fingerprint, race.title));
        Ok(Self { titles: titles.collect() })
    }

    /// Returns the content of a baseline file.
    pub fn write(&self) -> String {
        let mut out = format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"races\": [");
        for (i, (fingerprint, title)) in self.titles.iter().enumerate() {
            let race = KnownRace { fingerprint: fingerprint.clone(), title: title.clone() };
            let line = serde_json::to_string(&race).expect("text becomes JSON");
            let _ = write!(out, "{}\n    {line}", if i == 0 { "" } else { "," });
        }
        out.push_str("\n  ]\n}\n");
        out
    }

    /// Marks every race of the report as new or unchanged, and adds the known races that are gone.
    pub fn compare(&self, report: &mut Report) {
        let mut unchanged = 0;
        for race in &mut report.races {
            let is_known = self.titles.contains_key(&race.fingerprint);
            race.baseline = Some(if is_known { "unchanged" } else { "new" }.into());
            unchanged += usize::from(is_known);
        }
        let listed = report.races.iter().map(|race| &race.fingerprint);
        let others = report.covered_fingerprints.iter().chain(&report.hidden_fingerprints);
        let here: BTreeSet<&str> = listed.chain(others).map(String::as_str).collect();
        let gone = self.titles.iter().filter(|(f, _)| !here.contains(f.as_str()));
        let gone = gone.map(|(fingerprint, title)| KnownRace {
            fingerprint: fingerprint.clone(),
            title: title.clone(),
        });
        let entry =
            BaselineEntry { new: report.races.len() - unchanged, unchanged, gone: gone.collect() };
        report.baseline = Some(entry);
        report.recount();
    }
}
