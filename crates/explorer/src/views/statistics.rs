//! Counts over a run.

use std::collections::BTreeMap;

use report::model::{DiagnosticEntry, SuppressionEntry};
use report::stats::Stats;
use serde::Serialize;
use trace::Census;

use crate::session::Run;

/// The statistics of a run.
#[derive(Serialize)]
pub(crate) struct Statistics<'a> {
    stats: Option<Stats>,
    classes: BTreeMap<&'a str, usize>,
    labels: BTreeMap<&'a str, usize>,
    diagnostics: &'a [DiagnosticEntry],
    suppressions: &'a [SuppressionEntry],
}

/// Returns the statistics of a run.
pub(crate) fn view(run: &Run) -> Statistics<'_> {
    let report = &run.report;
    let stats = run.analysed().map(|analysed| {
        let (trace, analysis) = (analysed.trace(), analysed.analysis());
        let format = analysis.format.name();
        Stats::new(&Census::of(trace), analysis.diagnostics(), report.input.clone(), format)
    });
    Statistics {
        stats,
        classes: report.summary.classes.iter().map(|(name, &n)| (&**name, n)).collect(),
        labels: report.summary.labels.iter().map(|(name, &n)| (&**name, n)).collect(),
        diagnostics: &report.diagnostics,
        suppressions: &report.suppressions,
    }
}
