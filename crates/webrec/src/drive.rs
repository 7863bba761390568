//! Driving a page: real input events of the browser, by steps or by exploring.
//!
//! Elements are looked up in an isolated world (`page.js`), so that the page's scripts do not see
//! the lookups and the recorder does not record them. Input goes through the browser's input
//! domain: the page cannot distinguish it from a person's input.

mod explore;
mod key;
mod step;
mod until;
mod world;

use std::time::{Duration, Instant};

use replay::Secrets;
use rewrite::contract;
use serde_json::{Value, json};

pub use explore::{Exploration, Explored, Why};
pub use step::{NoStep, Step};
pub use until::Until;
pub(crate) use world::World;

use crate::conduct::Conductor;
use crate::shared::State;
use crate::{Error, Input, Recording};
use key::Key;

/// The interval between two lookups of an element.
const LOOK: Duration = Duration::from_millis(50);
/// How long a step waits until its element stands still and nothing covers it.
const STILL: Duration = Duration::from_secs(1);
/// How long a page must have nothing to do before a replay goes on.
const IDLE: Duration = Duration::from_millis(300);
/// How long after an input a page may start to load another.
const REACTION: Duration = Duration::from_millis(50);

/// Why a step was not performed.
enum Undone {
    /// The step cannot be performed.
    Cannot(String),
    /// The recording is over.
    Over(Error),
}

/// The result of looking for an element.
enum Look<T> {
    Found(T),
    /// The element is not as the step needs it, for this reason.
    NotYet(&'static str),
    /// What the step gives is no CSS selector.
    Invalid,
}

impl From<Error> for Undone {
    fn from(error: Error) -> Self {
        match error {
            Error::Browser(browser::Error::Refused { method, message }) => {
                Self::Cannot(format!("{method}: {message}"))
            }
            error => Self::Over(error),
        }
    }
}

/// A step of a replay that waits for the page.
struct Waiting<'c>(&'c Conductor);

impl<'c> Waiting<'c> {
    fn new(conductor: &'c Conductor) -> Self {
        conductor.waits(true);
        Self(conductor)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waits(false);
    }
}

impl Recording {
    /// Performs steps one after the other. Each comes with its line in the step file.
    pub fn run_steps(&self, steps: &[(usize, Step)]) -> Result<(), Error> {
        for (number, (line, step)) in steps.iter().enumerate() {
            if let Some(conductor) = &self.shared.conductor {
                conductor.wait_at_step(number, || self.ended().is_some());
            }
            let began = self.shared.journal.as_ref().map(|journal| journal.now());
            match self.perform(step) {
                Ok(()) => {}
                // Another order may take away what a step needs, and the steps after it go on.
                Err(Undone::Cannot(_)) if self.shared.conductor.is_some() => {}
                Err(Undone::Cannot(why)) => {
                    return Err(Error::Step { line: *line, why: format!("{step}: {why}") });
                }
                Err(Undone::Over(error)) => return Err(error),
            }
            if let (Some(journal), Some(began)) = (&self.shared.journal, began) {
                journal.step(self.without_secrets(step).to_string(), began);
            }
        }
        Ok(())
    }

    /// A step with a placeholder in the place of a secret that it types.
    fn without_secrets(&self, step: &Step) -> Step {
        let secrets = self.shared.secrets();
        match step {
            Step::Type(selector, text) => {
                let known = secrets.iter().find(|(_, value)| value == text);
                let text = known.map_or(text.clone(), |(name, _)| Secrets::placeholder(name));
                Step::Type(selector.clone(), text)
            }
            step => step.clone(),
        }
    }

    /// Performs a step, and waits for the page that it may load.
    fn perform(&self, step: &Step) -> Result<(), Undone> {
        let doing = self.without_secrets(step).to_string();
        self.come_to_front()?;
        match step {
            Step::Goto(url) if self.options.early_steps => {
                return Ok(self.open(&self.address(url)?)?);
            }
            Step::Goto(url) => return Ok(self.goto(&self.address(url)?)?),
            // A replay need not wait for a page that has nothing to do.
            Step::Wait(time) if self.shared.conductor.is_some() => {
                return Ok(self.settle(None, IDLE, *time, &doing).map(drop)?);
            }
            Step::Wait(time) => return Ok(self.run_for(*time, &doing)?),
            Step::WaitFor(selector) => return self.wait_visible(selector, &doing),
            Step::Click(selector) => self.click(self.place(selector, &doing)?)?,
            Step::Hover(selector) => self.mouse("mouseMoved", self.place(selector, &doing)?, 0)?,
            Step::Type(selector, text) => {
                let text = self.shared.secrets().reveal(text).into_owned();
                let place = self.place(selector, &doing)?;
                if let Some(name) = self.ask("secret", &json!([selector]))?.as_str() {
                    self.shared.secrets().learn(name, &text);
                }
                self.click(place)?;
                self.ask("focus", &json!([selector]))?;
                for char in text.chars() {
                    self.press(&Key::of(char))?;
                }
            }
            Step::Press(name) => match Key::parse(name) {
                Some(key) => self.press(&key)?,
                None => return Err(Undone::Cannot(format!("{name} is no key"))),
            },
            Step::Select(selector, option) => self.select(selector, option, &doing)?,
            Step::Submit(selector) => self.submit(selector, &doing)?,
            Step::Scroll(pixels, over) => self.scroll(*pixels, over.as_deref(), &doing)?,
        }
        self.run_for(REACTION, &doing)?;
        let early = self.options.early_steps;
        let is_there = |state: &State| {
            if early { state.navigation.is_none() } else { !state.loading || self.is_stuck() }
        };
        self.wait_for(self.options.load_timeout, "loading", is_there)?;
        Ok(())
    }

    /// Shows the page if a tab that it opened is in front of it: the browser delivers no input to a
    /// page that it does not show.
    fn come_to_front(&self) -> Result<(), Error> {
        if std::mem::take(&mut self.shared.state().opened.is_in_front) {
            self.call("Page.bringToFront", json!({}))?;
        }
        Ok(())
    }

    /// Resolves an address relative to the first page of the recording.
    fn address(&self, url: &str) -> Result<String, Undone> {
        let joined = match &self.shared.files().page {
            Some(page) => page.join(url),
            None => url::Url::parse(url),
        };
        joined.map(String::from).map_err(|error| Undone::Cannot(error.to_string()))
    }

    /// Waits until an element exists and is visible.
    fn wait_visible(&self, selector: &str, doing: &str) -> Result<(), Undone> {
        self.look_for(doing, || {
            let found = self.ask("find", &json!([selector]))?;
            Ok(match found["state"].as_str() {
                Some("there") => Look::Found(()),
                Some("invalid") => Look::Invalid,
                Some("hidden") => Look::NotYet("the element is there but not visible"),
                _ => Look::NotYet("there is no such element"),
            })
        })
    }

    /// Waits until the user can use an element, and returns its middle: it is visible, does not move,
    /// and nothing else is in front of it. An element that stays covered is used all the same, because
    /// what covers it may pass the input on, and so is one that does not stop moving.
    fn place(&self, selector: &str, doing: &str) -> Result<(f64, f64), Undone> {
        let patience = if self.options.early_steps { Duration::ZERO } else { STILL };
        let settled = Instant::now() + patience.min(self.options.step_timeout / 2);
        self.look_for(doing, || {
            let found = self.ask("locate", &json!([selector]))?;
            let at = |axis: &str| found[axis].as_f64().unwrap_or_default();
            let place = Look::Found((at("x"), at("y")));
            Ok(match found["state"].as_str() {
                Some("there") => place,
                Some("moving" | "covered") if Instant::now() >= settled => place,
                Some("invalid") => Look::Invalid,
                Some("hidden") => Look::NotYet("the element is there but not visible"),
                Some("moving") => Look::NotYet("the element does not stop moving"),
                Some("covered") => Look::NotYet("something covers the element"),
                _ => Look::NotYet("there is no such element"),
            })
        })
    }

    /// Looks at the page again and again, for as long as a step may take, until something is found.
    fn look_for<T>(
        &self,
        doing: &str,
        mut look: impl FnMut() -> Result<Look<T>, Undone>,
    ) -> Result<T, Undone> {
        let patience = self.options.step_timeout;
        let until = Instant::now() + patience;
        let conductor = self.shared.conductor.as_ref();
        let _waiting = conductor.map(Waiting::new);
        loop {
            let why = match look()? {
                Look::Found(found) => return Ok(found),
                Look::Invalid => return Err(Undone::Cannot("this is no CSS selector".into())),
                Look::NotYet(why) => why,
            };
            let is_in_vain = conductor.is_some_and(Conductor::is_in_vain);
            if Instant::now() >= until || is_in_vain {
                let waited = patience.as_secs_f64();
                return Err(Undone::Cannot(format!(
                    "{why} after {waited} s; --step-timeout S waits longer"
                )));
            }
            self.run_for(LOOK, doing)?;
        }
    }

    fn mouse(&self, kind: &str, (x, y): (f64, f64), clicks: u32) -> Result<(), Error> {
        let button = if clicks > 0 { "left" } else { "none" };
        let buttons = u32::from(kind == "mousePressed");
        let params = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": buttons,
            "clickCount": clicks,
        });
        self.call("Input.dispatchMouseEvent", params).map(drop)
    }

    fn click(&self, at: (f64, f64)) -> Result<(), Error> {
        self.mouse("mouseMoved", at, 0)?;
        self.mouse("mousePressed", at, 1)?;
        self.mouse("mouseReleased", at, 1)
    }

    fn press(&self, key: &Key) -> Result<(), Error> {
        for event in key.events() {
            self.call("Input.dispatchKeyEvent", event)?;
        }
        Ok(())
    }

    /// Selects an option by pressing arrow keys, because the list that a click opens is not part of
    /// the page.
    fn select(&self, selector: &str, option: &str, doing: &str) -> Result<(), Undone> {
        self.place(selector, doing)?;
        self.ask("focus", &json!([selector]))?;
        let Some(distance) = self.ask("options", &json!([selector, option]))?.as_i64() else {
            return Err(Undone::Cannot("there is no such list, or no such option in it".into()));
        };
        let name = if distance < 0 { "ArrowUp" } else { "ArrowDown" };
        let arrow = Key::parse(name).expect("an arrow is a key");
        for _ in 0..distance.unsigned_abs() {
            self.press(&arrow)?;
        }
        Ok(())
    }

    fn submit(&self, selector: &str, doing: &str) -> Result<(), Undone> {
        self.place(selector, doing)?;
        let by = self.ask("submitter", &json!([selector]))?;
        if let Some(button) = by["click"].as_str() {
            return Ok(self.click(self.place(button, doing)?)?);
        }
        let Some(field) = by["press"].as_str() else {
            return Err(Undone::Cannot("this is no form that can be sent".into()));
        };
        self.place(field, doing)?;
        self.ask("focus", &json!([field]))?;
        Ok(self.press(&Key::parse("Enter").expect("a key"))?)
    }

    fn scroll(&self, pixels: i32, over: Option<&str>, doing: &str) -> Result<(), Undone> {
        let (x, y) = match over {
            Some(selector) => self.place(selector, doing)?,
            None => (100.0, 100.0),
        };
        let params = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": pixels });
        Ok(self.call("Input.dispatchMouseEvent", params).map(drop)?)
    }

    /// Informs the runtime that the next input begins a new exploration.
    fn begin_explored(&self) -> Result<(), Error> {
        let expression = format!("globalThis.{}?.('{}')", contract().input, Input::Explored.word());
        self.call("Runtime.evaluate", json!({ "expression": expression, "silent": true })).map(drop)
    }

    /// Calls a method of the page.
    fn call(&self, method: &str, params: Value) -> Result<Value, Error> {
        let session = self.session()?;
        self.call_in(Some(&session), method, params)
    }
}
