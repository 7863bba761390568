//! Prints JUnit XML, for services that show test results.
//!
//! Each group is one test case. Open groups fail with the evidence; others are skipped with the
//! reason. A report without open groups has one case that passes, because some services treat an
//! empty suite as a failure. If the report is no verdict, it has a case with an error that states
//! why instead.

use std::fmt::Write;

use crate::escape::markup;
use crate::input::Caveat;
use crate::model::Report;
use crate::name::printable;
use crate::phrase::{self, Wording};
use crate::standing::{Problem, Standing};

/// Returns the report as JUnit XML.
pub fn render(report: &Report) -> String {
    let problems = report.problems();
    let failures = problems.iter().filter(|p| p.standing == Standing::Open).count();
    let skipped = problems.len() - failures;
    let caveat = report.caveat();
    let errors = usize::from(!report.input.judged);
    let tests = problems.len() + usize::from(errors + failures == 0) + errors;
    let counts = format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\""
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"interloper\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"races\" {counts}>");
    let _ = writeln!(
        out,
        "    <properties>\n      <property name=\"model\" value=\"{}\"/>\n      \
         <property name=\"open_races\" value=\"{}\"/>\n    </properties>",
        markup(&printable(&report.model)),
        report.summary.open_races
    );
    if let Some(caveat) = caveat.as_ref().filter(|caveat| caveat.is_error) {
        let completeness = report.input.completeness.name();
        let _ = writeln!(
            out,
            "    <testcase classname=\"interloper\" name=\"the input can be read\">\n      \
             <error message=\"{}\" type=\"{completeness}\">{}</error>\n    </testcase>",
            markup(&caveat.statement),
            markup(&caveat.detail)
        );
    } else if failures == 0 {
        out.push_str("    <testcase classname=\"interloper\" name=\"no open race\"/>\n");
    }
    for problem in &problems {
        write_case(&mut out, problem, Wording::of(report));
    }
    let mut notes: Vec<String> = caveat.iter().map(Caveat::line).collect();
    notes.extend(phrase::upkeep(report));
    if !notes.is_empty() {
        let _ = writeln!(out, "    <system-err>{}</system-err>", markup(&notes.join("\n")));
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn write_case(out: &mut String, problem: &Problem<'_>, wording: Wording) {
    let race = problem.lead;
    let class = markup(&printable(&race.class));
    let title = markup(&phrase::title(race));
    let fingerprint = markup(&printable(&race.fingerprint));
    let _ = write!(
        out,
        "    <testcase classname=\"interloper.{class}\" name=\"{title} ({fingerprint})\""
    );
    let source = race.first.source.as_ref().or(race.second.source.as_ref());
    if let Some(source) = source {
        let file = markup(&printable(&source.file));
        let _ = write!(out, " file=\"{file}\" line=\"{}\"", source.line);
    }
    out.push_str(">\n");
    match race.excuse() {
        None => {
            let evidence = markup(&phrase::evidence(race, wording));
            let _ = writeln!(
                out,
                "      <failure message=\"{title}\" type=\"{class}\">{evidence}</failure>"
            );
        }
        Some(excuse) => {
            let _ = writeln!(
                out,
                "      <skipped message=\"{}\"/>",
                markup(&phrase::one_line(&excuse))
            );
        }
    }
    out.push_str("    </testcase>\n");
}
