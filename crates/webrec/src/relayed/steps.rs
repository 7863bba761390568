//! The steps of a test, which the test runner's process writes to a file, and their lines in a trace.
//!
//! A line of the file is a JSON object. `{"test": …}` says that another test begins; `{"begin": N, …}` that
//! step N begins; `{"end": N}` that it has ended. The runner writes a line before it sends the messages of
//! the step, so whoever reads the file before each message knows the step that the message belongs to.
//!
//! In the trace a step is two events of the thread `test`, because what it does lies between them: `tN`,
//! when it begins, and `tNe`, when it has ended. Begins are ordered as they happened, and each end comes
//! before the next begin (rule TEST-STEP).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest line of a steps file that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// A test, as its runner describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    /// The runner's id, which is the same in every run.
    pub id: String,
    /// The titles of the test and of what it is in, outermost first.
    pub titles: Vec<String>,
    /// The file of the test, relative to the folder of the tests.
    pub file: String,
    /// The line of the test.
    pub line: u32,
    /// The name of the project.
    #[serde(default)]
    pub project: String,
    /// How often the test was tried before.
    #[serde(default)]
    pub retry: u32,
}

/// A step of a test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TestStep {
    /// The number of the step in its process.
    #[serde(rename = "begin")]
    pub number: u64,
    /// The class and the method of the runner's protocol, such as `Frame.click`.
    pub api: String,
    /// The file of the line that makes the step.
    #[serde(default)]
    pub file: String,
    /// The line that makes the step.
    #[serde(default)]
    pub line: u32,
    /// The column in that line.
    #[serde(default)]
    pub column: u32,
    /// The parameters of the call that say what it waits for or looks at.
    #[serde(default)]
    pub params: Value,
    /// Whether the step is one round of a retrying assertion, such as `expect.poll`.
    #[serde(default)]
    pub retried: bool,
}

/// A line of a steps file.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// Another test begins.
    Test(Test),
    /// A step begins.
    Begin(TestStep),
    /// A step has ended.
    End {
        /// The number of the step.
        number: u64,
        /// Why it failed, if it did.
        error: Option<String>,
    },
}

impl Said {
    /// Reads a line. None if it is not one of a steps file.
    pub fn parse(line: &str) -> Option<Said> {
        #[derive(Deserialize)]
        struct End {
            end: u64,
            error: Option<String>,
        }
        let mut value: Value = serde_json::from_str(line).ok()?;
        if value.get("test").is_some() {
            return serde_json::from_value(value["test"].take()).ok().map(Said::Test);
        }
        if value.get("begin").is_some() {
            return serde_json::from_value(value).ok().map(Said::Begin);
        }
        let End { end, error } = serde_json::from_value(value).ok()?;
        Some(Said::End { number: end, error })
    }
}

/// Reads a steps file while it grows.
pub(crate) struct Tail {
    file: Option<BufReader<File>>,
    /// The start of a line whose end is not written yet.
    partial: Vec<u8>,
}

impl Tail {
    pub(crate) fn new(path: Option<&Path>) -> Tail {
        let file = path.and_then(|path| File::open(path).ok()).map(BufReader::new);
        Tail { file, partial: Vec::new() }
    }

    /// The next complete line, if there is one.
    pub(crate) fn next(&mut self) -> Option<Said> {
        let file = self.file.as_mut()?;
        loop {
            file.read_until(b'\n', &mut self.partial).ok()?;
            if self.partial.last() != Some(&b'\n') {
                return None;
            }
            let line = std::mem::take(&mut self.partial);
            let text = std::str::from_utf8(&line).ok().filter(|text| text.len() <= LONGEST);
            if let Some(said) = text.and_then(Said::parse) {
                return Some(said);
            }
        }
    }
}

/// What a step does with the state of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It waits until a condition is true.
    Wait,
    /// It looks once.
    Look,
    /// It waits for a state of the document, and is ordered after that event.
    Load(&'static str),
    /// Neither is known.
    Other,
}

impl TestStep {
    /// What the step does with the state of the page.
    pub fn used(&self) -> Use {
        match self.api.as_str() {
            "Frame.goto" | "Page.reload" | "Page.goBack" | "Page.goForward"
            | "Frame.setContent" => match self.params["waitUntil"].as_str() {
                Some("commit") => Use::Other,
                Some("domcontentloaded") => Use::Load("DOMContentLoaded"),
                _ => Use::Load("load"),
            },
            "Frame.__waitInfo__" | "Page.__waitInfo__" => {
                let info = self.params.to_string();
                match () {
                    () if info.contains("domcontentloaded") => Use::Load("DOMContentLoaded"),
                    () if info.contains("waitForLoadState")
                        || info.contains("waitForNavigation") =>
                    {
                        Use::Load("load")
                    }
                    () => Use::Other,
                }
            }
            _ if self.params["selector"].as_str().is_none() && self.api != "Frame.expect" => {
                Use::Other
            }
            "Frame.queryCount"
            | "Frame.textContent"
            | "Frame.innerText"
            | "Frame.innerHTML"
            | "Frame.inputValue"
            | "Frame.getAttribute"
            | "Frame.isVisible"
            | "Frame.isHidden"
            | "Frame.isChecked"
            | "Frame.isEnabled"
            | "Frame.isDisabled"
            | "Frame.isEditable"
            | "Frame.evalOnSelectorAll" => {
                if self.retried {
                    Use::Wait
                } else {
                    Use::Look
                }
            }
            "Frame.expect"
            | "Frame.waitForSelector"
            | "Frame.click"
            | "Frame.dblclick"
            | "Frame.fill"
            | "Frame.check"
            | "Frame.uncheck"
            | "Frame.hover"
            | "Frame.press"
            | "Frame.type"
            | "Frame.tap"
            | "Frame.selectOption"
            | "Frame.setInputFiles"
            | "Frame.focus"
            | "Frame.dispatchEvent" => Use::Wait,
            _ => Use::Other,
        }
    }

    /// The name of the location that stands for the condition of the step, the `nth` of its place.
    pub fn condition(&self, nth: usize) -> String {
        let Self { file, line, column, .. } = self;
        match nth {
            0 => format!("wait({file}:{line}:{column})"),
            nth => format!("wait({file}:{line}:{column})#{}", nth + 1),
        }
    }

    /// The step in a few words, for people.
    pub fn title(&self) -> String {
        let method = self.api.rsplit('.').next().unwrap_or_default();
        let selector = self.params["selector"].as_str().map(|it| format!(" {it}"));
        let expression = self.params["expression"].as_str().map(|it| format!(" {it}"));
        let text =
            format!("{method}{}{}", expression.unwrap_or_default(), selector.unwrap_or_default());
        text.chars().take(200).collect()
    }
}

/// The test's thread in a trace: the lines of its steps.
#[derive(Default)]
pub(crate) struct TestThread {
    /// The last begin, and the ends since then.
    before: Vec<String>,
    open: HashMap<u64, TestStep>,
}

impl TestThread {
    /// Begins a step. Returns its lines.
    pub(crate) fn begin(&mut self, step: &TestStep) -> String {
        let id = format!("t{}", step.number);
        let mut lines = begin(&id, "step", step);
        for before in self.before.drain(..) {
            let _ = writeln!(lines, "arc {before} {id} by=step");
        }
        let _ = writeln!(lines, "end {id}");
        self.before.push(id);
        self.open.insert(step.number, step.clone());
        lines
    }

    /// The lines by which a recording that begins later knows the events that others will follow.
    pub(crate) fn known(&self) -> String {
        let mut open: Vec<_> = self.open.keys().copied().collect();
        open.sort_unstable();
        let open = open.into_iter().map(|number| format!("t{number}"));
        let ends = self.before.iter().filter(|id| id.ends_with('e')).cloned();
        let lines = open.chain(ends).map(|id| format!("begin {id} type=step\nend {id}\n"));
        lines.collect()
    }

    /// Ends a step. Returns the step, and the lines before and after what it has seen.
    pub(crate) fn end(&mut self, number: u64) -> Option<(TestStep, String, String)> {
        let step = self.open.remove(&number)?;
        let id = format!("t{number}e");
        let mut lines = begin(&id, "step-end", &step);
        let _ = writeln!(lines, "arc t{number} {id} by=step");
        let last = format!("end {id}\n");
        self.before.push(id);
        Some((step, lines, last))
    }
}

fn begin(id: &str, kind: &str, step: &TestStep) -> String {
    let mut lines = format!("begin {id} type={kind} name={}", word(&step.title()));
    if !step.file.is_empty() {
        let _ = write!(lines, " src={}:{}:{}", word(&step.file), step.line, step.column);
    }
    lines.push('\n');
    lines
}

/// A text as a word of the text notation.
pub(crate) fn word(text: &str) -> String {
    if text.is_empty() {
        return "%".to_string();
    }
    let mut word = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            0x21..=0x7e if !b"#=%".contains(&byte) => word.push(byte.into()),
            _ => write!(word, "%{byte:02X}").expect("a string takes it"),
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::json;

    use super::*;

    fn step(number: u64, api: &str, params: Value) -> TestStep {
        let (api, file) = (api.to_string(), "a b.spec.ts".to_string());
        TestStep { number, api, file, line: 5, column: 3, params, retried: false }
    }

    #[test]
    fn lines_are_read_as_they_are_completed_and_others_are_skipped() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut tail = Tail::new(Some(file.path()));
        assert_eq!(tail.next(), None);
        write!(file, "nonsense\n{{\"begin\":1,\"api\":\"Frame.cl").expect("writable");
        assert_eq!(tail.next(), None);
        write!(file, "ick\"}}\n{{\"end\":1,\"error\":\"x\"}}\n").expect("writable");
        assert!(matches!(tail.next(), Some(Said::Begin(step)) if step.api == "Frame.click"));
        assert_eq!(tail.next(), Some(Said::End { number: 1, error: Some("x".into()) }));
        assert_eq!(tail.next(), None);
    }

    #[test]
    fn begins_are_chained_and_an_end_comes_before_the_next_begin() {
        let mut thread = TestThread::default();
        let first = thread.begin(&step(1, "Page.waitForEvent", json!({})));
        assert_eq!(first, "begin t1 type=step name=waitForEvent src=a%20b.spec.ts:5:3\nend t1\n");
        let second = thread.begin(&step(2, "Frame.click", json!({ "selector": "#a" })));
        assert!(second.contains("arc t1 t2 by=step") && second.contains("name=click%20%23a "));
        let (_, before, after) = thread.end(1).expect("it is open");
        assert!(before.contains("arc t1 t1e by=step") && after == "end t1e\n");
        assert!(thread.end(1).is_none());
        let third = thread.begin(&step(3, "Frame.click", json!({ "selector": "#a" })));
        assert!(third.contains("arc t2 t3 by=step") && third.contains("arc t1e t3 by=step"));
    }

    #[test]
    fn it_is_known_what_a_step_does() {
        let used = |api, params| step(1, api, params).used();
        assert_eq!(used("Frame.goto", json!({ "url": "x" })), Use::Load("load"));
        assert_eq!(used("Frame.goto", json!({ "waitUntil": "commit" })), Use::Other);
        assert_eq!(used("Frame.queryCount", json!({ "selector": "li" })), Use::Look);
        assert_eq!(used("Frame.click", json!({ "selector": "li" })), Use::Wait);
        assert_eq!(used("Frame.expect", json!({ "expression": "to.have.url" })), Use::Wait);
        assert_eq!(used("Page.screenshot", json!({})), Use::Other);
    }
}
