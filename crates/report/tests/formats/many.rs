//! Checks that of a hundred thousand races none is lost, and that the one to read comes first.
//!
//! Time and memory are measured, not tested: docs/reports.md has the numbers.

use crate::{report_of, sarif_of, text_of};

#[test]
fn the_few_that_matter_stand_out_of_a_hundred_thousand() {
    let report = report_of(testkit::many_races::trace(100_000).as_bytes());
    assert!(report.races.len() >= 100_000);
    let open = report.open_problems();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].lead.location, "Activity.state");
    let text = text_of(&report);
    assert!(text.lines().count() < 20, "{text}");
    assert!(text.contains("two writes of Activity.state"));
    assert!(text.contains("hidden by labels (lock-protected "));
    assert_eq!(report::github::render(&report).lines().count(), 2);
    for output in
        [sarif_of(&report), report::html::render(&report, None), report::junit::render(&report)]
    {
        assert!(output.len() < 1 << 20, "{}", output.len());
        assert!(output.contains("Activity.state"));
    }
}
