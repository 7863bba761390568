//! What the processes of a test run have told: the tests, their steps and their results.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use webrec::{Condition, Conditions, Said, Test, TestStep, Use};

/// The most conditions of one test that are evaluated.
const CONDITIONS: usize = 60;

/// The result of one try of a test.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Ended {
    pub(super) id: String,
    pub(super) retry: u32,
    pub(super) status: String,
    pub(super) expected: String,
    pub(super) error: Option<String>,
}

impl Ended {
    pub(super) fn is_passed(&self) -> bool {
        self.status == self.expected
    }
}

/// One try of a test.
#[derive(Debug, Clone)]
pub(super) struct Try {
    pub(super) test: Test,
    pub(super) steps: Vec<TestStep>,
    pub(super) ended: Option<Ended>,
}

/// What a run has told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The tries of each test, by the test's id, in the order of the retries.
    pub(super) tests: BTreeMap<String, Vec<Try>>,
    /// What was not recorded, and why.
    pub(super) notes: Vec<String>,
}

impl Told {
    /// Reads what a run has left in its folder.
    pub(super) fn read(folder: &Path) -> Result<Told> {
        let mut told = Told::default();
        let entries = fs::read_dir(folder).context("cannot list the folder of the steps")?;
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|it| it == "jsonl")) {
            let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            told.add(&String::from_utf8_lossy(&text));
        }
        for tries in told.tests.values_mut() {
            tries.sort_by_key(|one| one.test.retry);
        }
        told.notes.sort();
        told.notes.dedup();
        Ok(told)
    }

    /// Adds what one process has told.
    fn add(&mut self, text: &str) {
        #[derive(Deserialize)]
        struct Line {
            note: Option<String>,
            result: Option<Ended>,
        }
        let mut current: Option<(String, usize)> = None;
        for line in text.lines() {
            match Said::parse(line) {
                Some(Said::Test(begun)) => {
                    let tries = self.tests.entry(begun.id.clone()).or_default();
                    current = Some((begun.id.clone(), tries.len()));
                    tries.push(Try { test: begun, steps: Vec::new(), ended: None });
                    continue;
                }
                Some(Said::Begin(step)) => {
                    if let Some((id, at)) = &current
                        && let Some(tries) = self.tests.get_mut(id)
                    {
                        tries[*at].steps.push(step);
                    }
                    continue;
                }
                Some(Said::End { .. }) => continue,
                None => {}
            }
            let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
            self.notes.extend(line.note);
            if let Some(ended) = line.result
                && let Some(tries) = self.tests.get_mut(&ended.id)
                && let Some(one) = tries.iter_mut().rev().find(|it| it.test.retry == ended.retry)
            {
                one.ended = Some(ended);
            }
        }
    }

    /// One try of a test.
    pub(super) fn tried(&self, id: &str, retry: u32) -> Option<&Try> {
        self.tests.get(id)?.iter().find(|one| one.test.retry == retry)
    }

    /// Whether some try of a test has passed.
    pub(super) fn is_passed(&self, id: &str) -> bool {
        let tries = self.tests.get(id).into_iter().flatten();
        tries.filter_map(|one| one.ended.as_ref()).any(Ended::is_passed)
    }

    /// What the steps of each test wait for or look at.
    pub(super) fn conditions(&self, finder: String) -> Conditions {
        let mut tests = HashMap::new();
        for (id, tries) in &self.tests {
            let mut found: Vec<Condition> = Vec::new();
            for step in tries.iter().flat_map(|one| &one.steps) {
                let is_used = matches!(step.used(), Use::Wait | Use::Look) && !step.file.is_empty();
                if is_used && found.len() < CONDITIONS {
                    add_condition(&mut found, step);
                }
            }
            tests.insert(id.clone(), found);
        }
        Conditions { finder, tests }
    }
}

fn add_condition(found: &mut Vec<Condition>, step: &TestStep) {
    let start = step.condition(0);
    let is_here = |it: &&Condition| {
        it.name.strip_prefix(&start).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
    };
    let alike: Vec<_> = found.iter().filter(is_here).collect();
    if alike.iter().any(|it| it.api == step.api && it.params == step.params) {
        return;
    }
    let name = step.condition(alike.len());
    found.push(Condition { name, api: step.api.clone(), params: step.params.clone() });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_results_belong_to_their_tries_and_conditions_have_names_of_their_own() {
        let mut told = Told::default();
        told.add(
            r#"{"test":{"id":"a","titles":["t"],"file":"t.spec.ts","line":3,"retry":0}}
{"begin":1,"api":"Frame.click","file":"t.spec.ts","line":5,"column":7,"params":{"selector":"li >> nth=0"}}
{"end":1}
{"begin":2,"api":"Frame.click","file":"t.spec.ts","line":5,"column":7,"params":{"selector":"li >> nth=1"}}
{"begin":3,"api":"Frame.click","file":"t.spec.ts","line":5,"column":7,"params":{"selector":"li >> nth=0"}}
{"begin":4,"api":"Frame.goto","file":"t.spec.ts","line":4,"column":7,"params":{}}
{"result":{"id":"a","retry":0,"status":"failed","expected":"passed","error":"no"}}
{"test":{"id":"a","titles":["t"],"file":"t.spec.ts","line":3,"retry":1}}
{"note":"firefox.launch: its tests are not recorded"}
nonsense
{"result":{"id":"a","retry":1,"status":"passed","expected":"passed"}}
"#,
        );
        assert_eq!(told.notes.len(), 1);
        assert!(told.is_passed("a") && !told.is_passed("b"));
        assert!(
            told.tried("a", 0).and_then(|it| it.ended.as_ref()).is_some_and(|it| !it.is_passed())
        );
        let conditions = told.conditions(String::new());
        let names: Vec<_> = conditions.tests["a"].iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["wait(t.spec.ts:5:7)", "wait(t.spec.ts:5:7)#2"]);
    }
}
