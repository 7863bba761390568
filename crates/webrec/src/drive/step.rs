//! Steps: the inputs that a step file lists, one a line.

use std::fmt;
use std::time::Duration;

/// One input or wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Loads a page. The address may be relative to the current page.
    Goto(String),
    /// Clicks in the middle of an element.
    Click(String),
    /// Types a text into a field, replacing its content.
    Type(String, String),
    /// Chooses an option of a list, by its value or its text.
    Select(String, String),
    /// Presses a key, with others held down.
    Press(String),
    /// Waits until an element exists and is visible.
    WaitFor(String),
    /// Waits for a time.
    Wait(Duration),
    /// Turns the wheel by so many pixels, over an element or the middle of the page.
    Scroll(i32, Option<String>),
    /// Moves the pointer over an element.
    Hover(String),
    /// Submits a form: clicks its button, or presses Enter in its field.
    Submit(String),
}

/// A line that is no step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoStep {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub why: String,
}

impl fmt::Display for NoStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for NoStep {}

/// Every word that starts a step, with what follows it.
const WORDS: [(&str, &str); 10] = [
    ("goto", "URL"),
    ("click", "SELECTOR"),
    ("type", "SELECTOR TEXT"),
    ("select", "SELECTOR OPTION"),
    ("press", "KEY"),
    ("wait-for", "SELECTOR"),
    ("wait", "MILLISECONDS"),
    ("scroll", "PIXELS [SELECTOR]"),
    ("hover", "SELECTOR"),
    ("submit", "SELECTOR"),
];

impl Step {
    /// Reads a step file: one step a line, without blank lines and lines that start with `#`. Each
    /// step comes with its line number, from 1.
    pub fn parse_all(text: &str) -> Result<Vec<(usize, Step)>, NoStep> {
        let mut steps = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let step = Step::parse(content).map_err(|why| NoStep { line, why })?;
            steps.push((line, step));
        }
        Ok(steps)
    }

    fn parse(line: &str) -> Result<Step, String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let Some((_, arguments)) = WORDS.iter().find(|(known, _)| *known == word) else {
            let known: Vec<_> = WORDS.iter().map(|(word, _)| *word).collect();
            return Err(format!("`{word}` is no step; steps are {}", known.join(", ")));
        };
        let usage = || format!("a step is `{word} {arguments}`");
        if rest.is_empty() {
            return Err(usage());
        }
        let all = || rest.to_string();
        Ok(match word {
            "goto" => Step::Goto(all()),
            "click" => Step::Click(all()),
            "hover" => Step::Hover(all()),
            "submit" => Step::Submit(all()),
            "wait-for" => Step::WaitFor(all()),
            "press" => match super::key::Key::parse(rest) {
                Some(_) => Step::Press(all()),
                None => return Err(format!("`{rest}` is no key, such as Enter, a or Control+a")),
            },
            "wait" => match rest.parse() {
                Ok(milliseconds) => Step::Wait(Duration::from_millis(milliseconds)),
                Err(_) => return Err(usage()),
            },
            "scroll" => {
                let (pixels, over) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let over = Some(over.trim()).filter(|over| !over.is_empty());
                match pixels.parse() {
                    Ok(pixels) => Step::Scroll(pixels, over.map(str::to_string)),
                    Err(_) => return Err(usage()),
                }
            }
            _ => {
                let (selector, text) = first_argument(rest).ok_or_else(usage)?;
                match word {
                    "type" => Step::Type(selector, text),
                    _ => Step::Select(selector, text),
                }
            }
        })
    }
}

/// A selector that is a word, or stands in double quotes, and the text after it.
fn first_argument(rest: &str) -> Option<(String, String)> {
    let (selector, text) = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => rest.split_once(char::is_whitespace)?,
    };
    let text = text.trim_start();
    (!selector.is_empty() && !text.is_empty()).then(|| (selector.to_string(), text.to_string()))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Goto(url) => write!(f, "goto {url}"),
            Step::Click(selector) => write!(f, "click {selector}"),
            Step::Type(selector, text) => write!(f, "type \"{selector}\" {text}"),
            Step::Select(selector, option) => write!(f, "select \"{selector}\" {option}"),
            Step::Press(key) => write!(f, "press {key}"),
            Step::WaitFor(selector) => write!(f, "wait-for {selector}"),
            Step::Wait(time) => write!(f, "wait {}", time.as_millis()),
            Step::Scroll(pixels, None) => write!(f, "scroll {pixels}"),
            Step::Scroll(pixels, Some(selector)) => write!(f, "scroll {pixels} {selector}"),
            Step::Hover(selector) => write!(f, "hover {selector}"),
            Step::Submit(selector) => write!(f, "submit {selector}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_read_and_written() {
        let text = "goto /cart\nclick #buy > b\ntype \"#name\" Ada Lovelace\nselect \"#n\" two\n\
                    press Control+a\nwait-for .done\nwait 250\nscroll -40\nscroll 300 #list\n\
                    hover li:nth-child(2)\nsubmit form";
        let steps = Step::parse_all(text).expect("all are steps");
        let written: Vec<_> = steps.iter().map(|(_, step)| step.to_string()).collect();
        assert_eq!(written.join("\n"), text);
        assert_eq!(
            steps.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
            (1..=11).collect::<Vec<_>>()
        );
        let spaced =
            Step::parse_all("# first\n\n  type \"ul li\"   x y \ntype #a b").expect("steps");
        assert_eq!(spaced[0], (3, Step::Type("ul li".into(), "x y".into())));
        assert_eq!(spaced[1], (4, Step::Type("#a".into(), "b".into())));
    }

    #[test]
    fn a_line_that_is_no_step_is_reported_with_its_number() {
        for (text, line, part) in [
            ("goto", 1, "goto URL"),
            ("\n# x\nfly #a", 3, "`fly` is no step; steps are goto, click"),
            ("type #a", 1, "type SELECTOR TEXT"),
            ("type \"#a x", 1, "type SELECTOR TEXT"),
            ("wait soon", 1, "wait MILLISECONDS"),
            ("scroll down", 1, "scroll PIXELS"),
            ("press Hyper+q", 1, "`Hyper+q` is no key"),
        ] {
            let error = Step::parse_all(text).expect_err("no step");
            assert_eq!(error.line, line, "{text}");
            assert!(error.why.contains(part), "{error}");
        }
    }
}
