//! What was found: for each test, the steps that race with events of the page, and what trying them has shown.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use analysis::Analysis;
use anyhow::{Context, Result, anyhow};
use order::{HappensBefore, Tasks};
use replay::{Hold, Recorded, Session};
use report::Report;
use report::model::{AccessEntry, RaceEntry};
use report::standing::Standing;
use serde::Serialize;
use trace::{EventId, Op, OpId, Trace};
use webrec::{Relayed, Test, TestStep, Use};

use super::phrase;
use super::told::Told;
use crate::cli::{AnswerFormat, ConfigArgs, SuppressArgs};
use crate::commands::replay::analysed;
use crate::config::Config;

/// The types of inputs that a test gives on purpose. Others, such as movements of the pointer, come with them.
const COMMANDS: [&str; 8] =
    ["click", "submit", "input", "change", "keydown", "keypress", "dblclick", "contextmenu"];

/// What trying a finding has shown, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// The test failed twice with the event held back.
    Shown,
    /// The test failed once and passed once, or the event could not be held back.
    Undecided,
    /// It was not tried.
    Untried,
    /// The test passed twice with the event held back: it waits for the event.
    Waits,
}

/// A step of a test.
#[derive(Debug, Clone, Serialize)]
pub(super) struct StepPlace {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
    /// What the step does, in words.
    pub(super) does: String,
}

/// An event of the page that may come before or after a step.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PageEvent {
    /// Where the page's access is.
    pub(super) source: Option<String>,
    /// The function that it is in.
    pub(super) function: Option<String>,
    /// The event, for people.
    pub(super) event: String,
    /// What the access does, in words.
    pub(super) does: String,
}

/// A step of a test that races with an event of the page.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Finding {
    pub(super) step: StepPlace,
    pub(super) page: PageEvent,
    /// What both access.
    pub(super) location: String,
    /// The line to add before the step, or what the page should do so that a test can wait for it.
    pub(super) suggestion: String,
    pub(super) verdict: Verdict,
    /// What is held back to try the finding.
    pub(super) held: Option<String>,
    /// Why the test failed when the event was held back.
    pub(super) error: Option<String>,
    /// The number of the race in the recording.
    pub(super) race: u32,
    #[serde(skip)]
    pub(super) fingerprint: String,
    #[serde(skip)]
    pub(super) holds: Vec<Hold>,
    #[serde(skip)]
    rank: u32,
}

/// What was found in one test.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Tested {
    pub(super) test: Test,
    pub(super) recording: PathBuf,
    pub(super) findings: Vec<Finding>,
    /// The open races of the page itself, in which no step of the test takes part.
    pub(super) application: usize,
    /// What is odd about the recording.
    pub(super) note: Option<String>,
}

/// What was found in all tests.
#[derive(Debug, Default, Serialize)]
pub(super) struct Findings {
    pub(super) tests: Vec<Tested>,
}

impl Findings {
    /// Adds what a recording shows.
    pub(super) fn add(&mut self, entry: &Relayed, plain: &Told, recorded: &Told) -> Result<()> {
        let Some(test) = &entry.test else { return Ok(()) };
        let Some(tried) = recorded.tried(&test.id, test.retry) else { return Ok(()) };
        let is_passed = tried.ended.as_ref().is_some_and(super::told::Ended::is_passed);
        // A retry is read only if the tries before it have failed.
        let known =
            self.tests.iter().any(|it| it.test.id == test.id && it.test.retry != test.retry);
        if known || (!is_passed && recorded.is_passed(&test.id)) {
            return Ok(());
        }
        let note = match (plain.is_passed(&test.id), is_passed) {
            (true, false) => Some(
                "the test passes, but failed while it was recorded, which makes pages slower; its \
                 races were not tried"
                    .to_string(),
            ),
            _ => None,
        };
        let read = Read::new(&entry.trace)?;
        let (mut findings, application) = read.findings(&tried.steps);
        if note.is_some() {
            for finding in &mut findings {
                finding.holds.clear();
            }
        }
        self.tests.push(Tested {
            test: test.clone(),
            recording: entry.trace.clone(),
            findings,
            application,
            note,
        });
        Ok(())
    }

    /// The findings to try, at most so many of each test.
    pub(super) fn tried(&mut self, most: usize) -> impl Iterator<Item = (&Test, &mut Finding)> {
        self.tests.iter_mut().flat_map(move |tested| {
            let test = &tested.test;
            let all = tested.findings.iter_mut().filter(|finding| !finding.holds.is_empty());
            all.take(most).map(move |finding| (test, finding))
        })
    }

    /// The worst verdict.
    pub(super) fn worst(&self) -> Option<Verdict> {
        self.tests.iter().flat_map(|it| &it.findings).map(|it| it.verdict).min()
    }

    /// Writes the report.
    pub(super) fn write(&self, format: AnswerFormat, out: &mut dyn Write) -> Result<()> {
        match format {
            AnswerFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, self)?;
                Ok(writeln!(out)?)
            }
            AnswerFormat::Text => Ok(out.write_all(phrase::report(self).as_bytes())?),
        }
    }
}

/// A recording that is read.
struct Read {
    analysis: Analysis,
    session: Session,
}

impl Read {
    fn new(path: &Path) -> Result<Read> {
        let config = Config::load(&ConfigArgs::default(), &SuppressArgs::default())?;
        let analysis = analysed(path, &config, None)?;
        let name = path.display();
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        let payload =
            codec::native::session(file).with_context(|| format!("cannot read {name}"))?;
        let session = payload.map(|payload| Session::read(&payload)).transpose();
        let session = session.map_err(|why| anyhow!("{name}: {why}"))?.unwrap_or_default();
        Ok(Read { analysis, session })
    }

    /// The races of the test's steps, the most important first, and the number of open races of the page.
    fn findings(&self, steps: &[TestStep]) -> (Vec<Finding>, usize) {
        let report = Report::of(&self.analysis);
        let trace = self.analysis.trace();
        let test = TestSide::new(trace);
        let Some(order) = self.analysis.order() else { return (Vec::new(), 0) };
        let recorded = Recorded::new(trace, &self.session);
        let steps: HashMap<u64, &TestStep> = steps.iter().map(|step| (step.number, step)).collect();
        let mut found: Vec<(String, Finding)> = Vec::new();
        let mut application = 0;
        for race in &report.races {
            let sides = [&race.first, &race.second];
            let ops = sides.map(|side| self.analysis.operation(side.op));
            let [Some(first), Some(second)] = ops else { continue };
            let (page, step, number) = match (test.step(trace, first), test.step(trace, second)) {
                (Some(number), None) => (1, 0, number),
                (None, Some(number)) => (0, 1, number),
                (None, None) => {
                    application += usize::from(race.standing() == Standing::Open);
                    continue;
                }
                (Some(_), Some(_)) => continue,
            };
            let Some(step_of) = steps.get(&number).filter(|step| !step.file.is_empty()) else {
                continue;
            };
            let ops = [first, second];
            let pair = (ops[page], ops[step]);
            let end = test.ends.get(&number).and_then(|&end| recorded.path(end));
            let side = Side { trace, recorded: &recorded, order: &order, race, step: step_of, end };
            found.push(side.finding(sides[page], sides[step], pair));
        }
        found.sort_by_key(|(_, finding)| (finding.rank, finding.step.line, finding.race));
        let mut seen: Vec<(u32, String)> = Vec::new();
        let mut kept = Vec::new();
        for (path, finding) in found {
            let key = (finding.step.line, path);
            if !seen.contains(&key) {
                seen.push(key);
                kept.push(finding);
            }
        }
        (kept, application)
    }
}

/// Which events of a trace belong to the test.
struct TestSide {
    tasks: Tasks,
    /// The step that gave each input.
    inputs: HashMap<EventId, u64>,
    /// The end of each step.
    ends: HashMap<u64, EventId>,
}

impl TestSide {
    fn new(trace: &Trace) -> TestSide {
        let tasks = Tasks::new(trace);
        let mut inputs = HashMap::new();
        for op in trace.ops() {
            if let Op::Arc(from, to) = trace.op(op)
                && trace.attributes(op).event_type.is_some_and(|by| trace.text(by) == b"step")
                && let Some(number) = number(trace, from)
            {
                inputs.insert(to, number);
            }
        }
        let ends = trace.events().filter_map(|(event, _)| {
            let is_end = trace.names().events.get(event).ends_with(b"e");
            Some((number(trace, event).filter(|_| is_end)?, event))
        });
        TestSide { tasks, inputs, ends: ends.collect() }
    }

    /// The number of the step that an operation belongs to: it is the step's own, or that of an input.
    fn step(&self, trace: &Trace, op: OpId) -> Option<u64> {
        let event = trace.event_of(op)?;
        number(trace, event).or_else(|| self.inputs.get(&self.tasks.head(event)).copied())
    }
}

/// The number of a step, in the name of its begin (`t7`) or its end (`t7e`).
fn number(trace: &Trace, event: EventId) -> Option<u64> {
    let name = std::str::from_utf8(trace.names().events.get(event)).ok()?;
    let digits = name.strip_prefix('t')?;
    digits.strip_suffix('e').unwrap_or(digits).parse().ok()
}

/// A race between a step and an event of the page.
struct Side<'a> {
    trace: &'a Trace,
    recorded: &'a Recorded<'a>,
    order: &'a dyn HappensBefore,
    race: &'a RaceEntry,
    step: &'a TestStep,
    /// The path of the step's end.
    end: Option<&'a str>,
}

impl Side<'_> {
    /// The finding, and what identifies the event of the page.
    fn finding(
        &self,
        page: &AccessEntry,
        step: &AccessEntry,
        (page_op, step_op): (OpId, OpId),
    ) -> (String, Finding) {
        let plan = self.recorded.plan(self.order, (page_op, step_op)).ok();
        let mut holds = plan.as_ref().map(|plan| plan.flips.clone()).unwrap_or_default();
        // A test may wait for an answer, and not for what the page does with it.
        let handling = plan.as_ref().and_then(|plan| self.recorded.handling(&plan.first));
        holds.extend(handling.map(|control| Hold { control, until: String::new() }));
        // A step gives several inputs: what races with one of them may race with a later one.
        match self.end {
            Some(end) => holds.iter_mut().for_each(|hold| hold.until = end.to_string()),
            None => holds.retain(|hold| !hold.until.is_empty()),
        }
        let path = match &plan {
            Some(plan) => plan.first.clone(),
            None => page.event.clone().unwrap_or_default(),
        };
        let source = page.source.as_ref();
        let source = source.map(|source| format!("{}:{}", source.file, source.line));
        let source = source.or_else(|| self.change(page_op));
        let location = self.race.location.clone();
        let finding = Finding {
            step: StepPlace {
                file: self.step.file.clone(),
                line: self.step.line,
                column: self.step.column,
                does: phrase::step(self.step),
            },
            page: PageEvent {
                source,
                function: page.stack.last().map(|frame| frame.function.clone()),
                event: phrase::event(page),
                does: phrase::access(page, &location),
            },
            suggestion: self.suggestion(page_op, step),
            location,
            verdict: Verdict::Untried,
            held: holds.first().map(|hold| hold.control.to_string()),
            error: None,
            race: self.race.id,
            fingerprint: self.race.fingerprint.clone(),
            holds,
            rank: self.rank(),
        };
        (path, finding)
    }

    /// Where the event of an access changes the document. The change of a condition follows from such changes.
    fn change(&self, page: OpId) -> Option<String> {
        let event = self.trace.event_of(page)?;
        let changes = self.trace.ops().filter(|&op| {
            self.trace.event_of(op) == Some(event)
                && self.trace.op(op).access().is_some_and(|(_, is_write)| is_write)
        });
        let source = changes.filter_map(|op| self.trace.attributes(op).source).next_back()?;
        let source = self.trace.source(source);
        Some(format!("{}:{}", String::from_utf8_lossy(self.trace.text(source.file)), source.line))
    }

    /// How soon the race is tried: first what is most often the cause of a flaky test.
    fn rank(&self) -> u32 {
        let location = &self.race.location;
        let is_command = |kind: &&'static str| location.contains(&format!(".handlers({kind})"));
        match () {
            () if COMMANDS.iter().any(is_command) => 0,
            () if location.starts_with("wait(") => 1,
            () if location.contains(".value") || location.contains(".checked") => 2,
            () if location.starts_with('#') || location.starts_with("document") => 3,
            () => 4,
        }
    }

    /// The line that the test lacks.
    fn suggestion(&self, page: OpId, step: &AccessEntry) -> String {
        if self.step.used() == Use::Look
            && let Some(line) = phrase::retrying(self.step, step.value.as_deref())
        {
            return line;
        }
        let tasks = Tasks::new(self.trace);
        let task = self.trace.event_of(page).map(|event| tasks.head(event));
        let writes = self.trace.ops().filter_map(|op| {
            let (location, is_write) = self.trace.op(op).access()?;
            let event = self.trace.event_of(op)?;
            if !is_write || Some(tasks.head(event)) != task {
                return None;
            }
            let value = self.trace.attributes(op).value.map(|value| self.trace.text(value));
            let name = String::from_utf8_lossy(self.trace.names().locations.get(location));
            let value = String::from_utf8_lossy(value.unwrap_or_default());
            phrase::visible(&name, &value)
        });
        writes.min_by_key(|(rank, _)| *rank).map_or_else(
            || {
                "The page shows nothing that a test could wait for: let it set an attribute when it is \
                 ready, and wait for the attribute."
                    .to_string()
            },
            |(_, line)| line,
        )
    }
}
