//! Reads a report from JSON.
//!
//! Every [`Report`] that is read satisfies these invariants, whoever wrote the file: races are
//! numbered by position, groups name existing races, and the counts of open, suppressed and known
//! races are those of the listed races, also if the file lacks `open_races`. Nothing else about its
//! text is trusted.

use std::fmt;

use serde::Deserialize;

use crate::model::{Report, SCHEMA};

/// The reason why bytes are not a report.
#[derive(Debug)]
pub enum ReadError {
    /// The bytes are not JSON of the right shape.
    Json(serde_json::Error),
    /// The report has another schema.
    Schema(String),
    /// The races and groups are inconsistent.
    Broken(&'static str),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "neither a JSON report nor a baseline: {error}"),
            Self::Schema(found) => {
                let found = crate::name::printable(found);
                write!(
                    f,
                    "of schema {found}, which this version does not read; \
                     `interloper check RECORDING --format json` makes a report that it reads"
                )
            }
            Self::Broken(what) => write!(f, "not a sound report: {what}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl Report {
    /// Returns whether bytes claim to be a JSON report of any version.
    pub fn is_json(bytes: &[u8]) -> bool {
        schema(bytes).is_some_and(|schema| schema.starts_with("interloper-report/"))
    }

    /// Reads a JSON report.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut report: Self = match serde_json::from_slice::<Self>(bytes) {
            Ok(report) if report.schema != SCHEMA => {
                return Err(ReadError::Schema(report.schema.into_owned()));
            }
            Ok(report) => report,
            // A report of another version may have another shape.
            Err(error) => {
                let other = schema(bytes).filter(|schema| schema != SCHEMA);
                return Err(other.map_or(ReadError::Json(error), ReadError::Schema));
            }
        };
        if !report.races.is_sorted_by(|one, two| one.id < two.id) {
            return Err(ReadError::Broken("races are not numbered in ascending order"));
        }
        let known = |id: &u32| report.races.binary_search_by_key(id, |race| race.id).is_ok();
        if report.groups.iter().any(|g| g.races.is_empty() || !g.races.iter().all(known)) {
            return Err(ReadError::Broken("a group has no races, or one that is not there"));
        }
        report.recount();
        Ok(report)
    }
}

/// Returns the schema that bytes claim to have.
fn schema(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Probe {
        schema: String,
    }
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice::<Probe>(bytes).ok())?.map(|probe| probe.schema)
}
