//! JUnit XML, read back by the Python package junitparser.

use std::io::Write;
use std::process::{Command, Stdio};

use report::standing::Standing;
use serde_json::Value;

use crate::{corpus, report_of, report_of_file, varied};

/// Reads a file from standard input and prints what it found as JSON.
const READER: &str = "
import json, sys
from junitparser import JUnitXml, Failure, Skipped
xml = JUnitXml.fromstring(sys.stdin.buffer.read())
suite = next(iter(xml))
cases = [[type(r).__name__ for r in case.result] for case in suite]
texts = [r.text or '' for case in suite for r in case.result]
names = [case.name for case in suite]
print(json.dumps({'tests': suite.tests, 'failures': suite.failures, 'skipped': suite.skipped,
                  'cases': cases, 'texts': texts, 'names': names}))
";

#[test]
fn junitparser_reads_it_back() {
    let Some(python) = std::env::var_os("INTERLOPER_PYTHON") else {
        testkit::skip::skip("INTERLOPER_PYTHON names no Python with junitparser (see script/test)");
        return;
    };
    let mut reports: Vec<_> = corpus().iter().take(4).map(|path| report_of_file(path)).collect();
    reports.push(varied());
    reports.push(report_of(&testkit::hostile::trace()));
    for report in &reports {
        // starts: python3
        let mut child = Command::new(&python)
            .args(["-c", READER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("INTERLOPER_PYTHON runs");
        let xml = report::junit::render(report);
        child.stdin.take().unwrap().write_all(xml.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "junitparser failed on\n{xml}");
        let read: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let problems = report.problems();
        let open = problems.iter().filter(|p| p.standing == Standing::Open).count();
        assert_eq!(read["failures"], open);
        assert_eq!(read["skipped"], problems.len() - open);
        assert_eq!(read["tests"], problems.len() + usize::from(open == 0));
        assert_eq!(read["tests"], read["cases"].as_array().unwrap().len());
        let failures = read["cases"].as_array().unwrap().iter().filter(|c| c[0] == "Failure");
        assert_eq!(failures.count(), open);
    }
}
