//! Explores a page: it uses every visible control, depth first over sequences of inputs, as
//! DroidRacer explores an app.
//!
//! A sequence starts with the page freshly loaded and its storage empty; then come up to `depth`
//! inputs. Backtracking loads the page again and repeats the earlier inputs. The possible inputs
//! after a sequence are determined once and kept, in an order that the seed decides, so the same
//! page and seed give the same sequences. Inputs are steps, and each sequence could be written as a
//! step file.

use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::{Value, json};

use super::{Step, Undone};
use crate::{Error, Recording};

/// How many inputs are considered in one state of the page.
const MOST: usize = 100;
/// How long the page must have no request and no timer of an input before the next input.
const PAUSE: Duration = Duration::from_millis(150);
/// How long the exploration waits for the requests and timers of one input.
const SETTLING: Duration = Duration::from_secs(10);
/// The texts that are typed into fields.
const TEXTS: [&str; 4] = ["interloper", "42", "a b", "x@example.org"];

/// The bounds of an exploration.
#[derive(Debug, Clone, Copy)]
pub struct Exploration {
    /// The longest sequence of inputs.
    pub depth: usize,
    /// The most sequences.
    pub sequences: usize,
    /// The longest time.
    pub time: Duration,
    /// The seed that decides the order of inputs and the typed texts.
    pub seed: u64,
}

/// Why exploring ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// All sequences up to the depth were performed.
    Complete,
    /// The maximum number of sequences was reached.
    Sequences,
    /// The time limit was reached.
    Time,
}

/// The result of an exploration.
#[derive(Debug, Clone)]
pub struct Explored {
    /// The inputs of each sequence.
    pub sequences: Vec<Vec<Step>>,
    /// Why the exploration ended.
    pub why: Why,
}

/// The possible inputs after a sequence, and the index of the one in progress.
struct Choice {
    steps: Vec<Step>,
    taken: usize,
}

impl Recording {
    /// Explores the page at `url`, which must be loaded.
    pub fn explore(&self, url: &str, how: &Exploration) -> Result<Explored, Error> {
        let until = Instant::now() + how.time;
        let mut random = Rng::with_seed(how.seed);
        let mut path: Vec<Choice> = Vec::new();
        let mut explored = Explored { sequences: Vec::new(), why: Why::Complete };
        loop {
            if !explored.sequences.is_empty() {
                self.start_anew(url)?;
            }
            let done = self.sequence(&mut path, how.depth, &mut random, until)?;
            explored.sequences.push(done);
            while let Some(choice) = path.last_mut() {
                choice.taken += 1;
                if choice.taken < choice.steps.len() {
                    break;
                }
                path.pop();
            }
            if path.is_empty() {
                return Ok(explored);
            }
            if explored.sequences.len() >= how.sequences {
                explored.why = Why::Sequences;
                return Ok(explored);
            }
            if Instant::now() >= until {
                explored.why = Why::Time;
                return Ok(explored);
            }
        }
    }

    /// Performs the inputs chosen so far and chooses further ones, up to the depth. Returns them
    /// all.
    fn sequence(
        &self,
        path: &mut Vec<Choice>,
        depth: usize,
        random: &mut Rng,
        until: Instant,
    ) -> Result<Vec<Step>, Error> {
        let mut done = Vec::new();
        while done.len() < depth && Instant::now() < until {
            if done.len() == path.len() {
                // Many pages make their controls after they have loaded.
                if path.is_empty() {
                    self.settle(None, PAUSE, SETTLING, "exploring: waiting for the page")?;
                }
                let steps = self.choices(random)?;
                if steps.is_empty() {
                    break;
                }
                path.push(Choice { steps, taken: 0 });
            }
            let choice = &path[done.len()];
            let step = choice.steps[choice.taken].clone();
            self.begin_explored()?;
            let began = Instant::now();
            match self.perform(&step) {
                Ok(()) => done.push(step),
                Err(Undone::Over(error)) => return Err(error),
                // The element is gone or covered, so the inputs after it cannot be reached.
                Err(Undone::Cannot(why)) => {
                    self.shared.notes.add("not-explored", || format!("{step}: {why}"));
                    path.truncate(done.len() + 1);
                    break;
                }
            }
            let doing = format!("exploring: {}", done[done.len() - 1]);
            self.settle(Some(began), PAUSE, SETTLING, &doing)?;
            // The browser's own page about an error is not part of the application.
            if self.shared.state().unreachable.is_some() {
                path.truncate(done.len());
                break;
            }
        }
        Ok(done)
    }

    /// Returns the possible inputs in the current state of the page, in the order the seed decides.
    fn choices(&self, random: &mut Rng) -> Result<Vec<Step>, Error> {
        match self.learn_listeners() {
            // The page loaded another meanwhile: the elements that need no listener are enough.
            Ok(()) | Err(Error::Browser(browser::Error::Refused { .. })) => {}
            Err(error) => return Err(error),
        }
        let found = self.ask("candidates", &json!([MOST]))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let mut steps: Vec<Step> = found
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|found| {
                let selector = text(&found["selector"]);
                Some(match found["kind"].as_str()? {
                    "click" => Step::Click(selector),
                    "type" => Step::Type(selector, random.choice(TEXTS)?.to_string()),
                    "select" => Step::Select(selector, text(&found["value"])),
                    "hover" => Step::Hover(selector),
                    "submit" => Step::Submit(selector),
                    "scroll" => Step::Scroll(400, None),
                    _ => return None,
                })
            })
            .collect();
        random.shuffle(&mut steps);
        Ok(steps)
    }

    /// Loads the page with the storage of the start, and closes the tabs that it has opened.
    fn start_anew(&self, url: &str) -> Result<(), Error> {
        let opened = self.shared.state().opened.targets.values().cloned().collect::<Vec<_>>();
        for target in opened {
            match self.call_in(None, "Target.closeTarget", json!({ "targetId": target })) {
                // The tab is gone.
                Ok(_) | Err(Error::Browser(browser::Error::Refused { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        if let Ok(parsed) = url::Url::parse(url) {
            let origin = parsed.origin().ascii_serialization();
            let params = json!({ "origin": origin, "storageTypes": "all" });
            self.call("Storage.clearDataForOrigin", params)?;
        }
        self.restore_storage()?;
        self.goto(url)
    }
}
