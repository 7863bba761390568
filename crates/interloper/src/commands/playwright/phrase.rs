//! Puts findings into words.

use std::fmt::Write as _;

use report::model::AccessEntry;
use report::name::printable;
use serde_json::Value;
use webrec::{Test, TestStep};

use super::findings::{Finding, Findings, Tested, Verdict};

/// The longest value that is suggested as an expectation.
const LONGEST: usize = 60;

/// What a step does, as a verb and its object.
pub(super) fn step(step: &TestStep) -> String {
    let object = step.params["selector"].as_str().map(locator);
    let object = object.unwrap_or_else(|| "the page".to_string());
    let verb = match step.api.as_str() {
        "Frame.click" | "Frame.tap" => "clicks",
        "Frame.dblclick" => "double-clicks",
        "Frame.fill" | "Frame.type" => "fills",
        "Frame.press" => "presses a key in",
        "Page.keyboardPress"
        | "Page.keyboardDown"
        | "Page.keyboardType"
        | "Page.keyboardInsertText" => return "presses keys".to_string(),
        "Frame.check" => "checks",
        "Frame.uncheck" => "unchecks",
        "Frame.selectOption" => "chooses an option of",
        "Frame.hover" => "moves the pointer over",
        "Frame.expect" => {
            let what = step.params["expression"].as_str().unwrap_or_default().replace('.', " ");
            let not = if step.params["isNot"] == true { "not " } else { "" };
            return format!("expects {object} {not}{what}");
        }
        "Frame.queryCount" => "counts",
        "Frame.textContent" | "Frame.innerText" | "Frame.innerHTML" => "reads the text of",
        "Frame.inputValue" => "reads the value of",
        "Frame.getAttribute" => "reads an attribute of",
        "Frame.isVisible" | "Frame.isHidden" => "looks whether it can see",
        api if api.starts_with("Frame.is") => "looks at the state of",
        api => {
            let method = api.rsplit('.').next().unwrap_or_default();
            return format!("calls {method} of {object}");
        }
    };
    format!("{verb} {object}")
}

/// A selector of Playwright's protocol as the test wrote it, as far as that is known.
pub(super) fn locator(selector: &str) -> String {
    let parts: Vec<_> = selector.split(" >> ").map(part).collect();
    let text = parts.join(".");
    printable(&text)
}

fn part(part: &str) -> String {
    let quote = |text: &str| format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"));
    let unquoted = |text: &str| {
        let text = text.trim_end_matches(['i', 's']);
        serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_string())
    };
    let attribute = |rest: &str| {
        let inner = rest.trim_start_matches('[').trim_end_matches(']');
        inner.split_once('=').map(|(name, value)| (name.to_string(), unquoted(value)))
    };
    if let Some(rest) = part.strip_prefix("internal:role=") {
        let (role, rest) = rest.split_once('[').unwrap_or((rest, ""));
        return match attribute(rest) {
            Some((key, name)) if key == "name" => {
                format!("getByRole('{role}', {{ name: {} }})", quote(&name))
            }
            _ => format!("getByRole('{role}')"),
        };
    }
    for (prefix, method) in [("internal:text=", "getByText"), ("internal:label=", "getByLabel")] {
        if let Some(rest) = part.strip_prefix(prefix) {
            return format!("{method}({})", quote(&unquoted(rest)));
        }
    }
    if let Some(rest) = part.strip_prefix("internal:testid=") {
        return format!(
            "getByTestId({})",
            quote(&attribute(rest).map_or(String::new(), |it| it.1))
        );
    }
    if let Some((key, value)) = part.strip_prefix("internal:attr=").and_then(attribute) {
        let method = match key.as_str() {
            "placeholder" => "getByPlaceholder",
            "alt" => "getByAltText",
            "title" => "getByTitle",
            _ => return format!("locator({})", quote(part)),
        };
        return format!("{method}({})", quote(&value));
    }
    if let Some(number) = part.strip_prefix("nth=") {
        return match number {
            "0" => "first()".to_string(),
            "-1" => "last()".to_string(),
            number => format!("nth({number})"),
        };
    }
    format!("locator({})", quote(part))
}

/// An event of the page, for people.
pub(super) fn event(access: &AccessEntry) -> String {
    let kind = access.event_type.as_deref().unwrap_or("event");
    match kind {
        "script" => "a script".to_string(),
        "response" => "the answer to a request".to_string(),
        "microtask" => "a reaction to a promise".to_string(),
        "timer" => "a timer".to_string(),
        "parse" => "the parser".to_string(),
        kind => format!("the event {}", printable(kind)),
    }
}

/// What the page does to the location, as a verb and its object.
pub(super) fn access(access: &AccessEntry, location: &str) -> String {
    let name = printable(location);
    if let Some((element, rest)) = location.split_once(".handlers(") {
        let kind = rest.split(')').next().unwrap_or_default();
        return format!("adds the {} handler of {}", printable(kind), printable(element));
    }
    if location.starts_with("wait(") {
        return "changes what the step sees".to_string();
    }
    match &*access.kind {
        "write" => format!("writes {name}"),
        _ => format!("reads {name}"),
    }
}

/// The assertion that waits for what a step looks at once.
pub(super) fn retrying(step: &TestStep, value: Option<&str>) -> Option<String> {
    let object = format!("page.{}", locator(step.params["selector"].as_str()?));
    let value = text_of(value.unwrap_or_default());
    let quoted = Value::from(value.clone()).to_string();
    Some(match step.api.as_str() {
        "Frame.queryCount" | "Frame.evalOnSelectorAll" => {
            format!("await expect({object}).toHaveCount({});", value.parse::<u32>().ok()?)
        }
        "Frame.textContent" | "Frame.innerText" if value.len() <= LONGEST => {
            format!("await expect({object}).toHaveText({quoted});")
        }
        "Frame.inputValue" if value.len() <= LONGEST => {
            format!("await expect({object}).toHaveValue({quoted});")
        }
        "Frame.isVisible" | "Frame.isHidden" => format!("await expect({object}).toBeVisible();"),
        "Frame.isChecked" => format!("await expect({object}).toBeChecked();"),
        "Frame.isEnabled" | "Frame.isDisabled" => format!("await expect({object}).toBeEnabled();"),
        _ => return None,
    })
}

/// A value of a trace as the text that it stands for.
fn text_of(value: &str) -> String {
    serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_string())
}

/// The assertion that waits for a change that a person or a test can see, if the location is such a thing, and
/// how well it is suited: the least is the best.
pub(super) fn visible(location: &str, value: &str) -> Option<(u32, String)> {
    let (element, rest) = location.split_once('.')?;
    let id = &element[element.find('#')?..];
    let is_plain = |text: &str| {
        text.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '#'))
    };
    if !is_plain(id) || id.len() < 2 {
        return None;
    }
    let property = rest.split('@').next().unwrap_or_default();
    let value = text_of(value);
    let quoted = Value::from(value.clone()).to_string();
    let object = format!("page.locator('{id}')");
    let is_unsuited = matches!(property, "childList" | "handlers" | "value" | "checked");
    if is_unsuited || value.len() > LONGEST || property.contains(['(', ')']) {
        return None;
    }
    match property {
        "disabled" => {
            let is_on = !matches!(value.as_str(), "null" | "none" | "false");
            let state = if is_on { "toBeDisabled" } else { "toBeEnabled" };
            Some((1, format!("await expect({object}).{state}();")))
        }
        "hidden" => {
            let is_on = !matches!(value.as_str(), "null" | "none" | "false");
            let state = if is_on { "toBeHidden" } else { "toBeVisible" };
            Some((1, format!("await expect({object}).{state}();")))
        }
        "text" => Some((2, format!("await expect({object}).toHaveText({quoted});"))),
        "className" | "class" => {
            Some((3, format!("await expect({object}).toHaveClass({quoted});")))
        }
        name if is_plain(name) => {
            let rank = if name.starts_with("data-") || name.starts_with("aria-") { 0 } else { 4 };
            Some((rank, format!("await expect({object}).toHaveAttribute('{name}', {quoted});")))
        }
        _ => None,
    }
}

/// The report for people: each test with its races, and a table of the tests that were shown to be flaky.
pub(super) fn report(findings: &Findings) -> String {
    let mut text = String::new();
    for tested in &findings.tests {
        if tested.findings.is_empty() && tested.note.is_none() {
            continue;
        }
        let _ = writeln!(text, "{}", title(&tested.test));
        if let Some(note) = &tested.note {
            let _ = writeln!(text, "  {note}");
        }
        for finding in &tested.findings {
            paragraph(&mut text, finding);
        }
        if tested.application > 0 {
            let (number, plural) =
                (tested.application, if tested.application == 1 { "" } else { "s" });
            let _ = writeln!(
                text,
                "  The page itself has {number} open race{plural}: interloper check {}",
                tested.recording.display()
            );
        }
        text.push('\n');
    }
    text.push_str(&table(findings));
    text
}

fn title(test: &Test) -> String {
    let project = match test.project.as_str() {
        "" => String::new(),
        project => format!("[{}] ", printable(project)),
    };
    let titles = test.titles.get(1..).unwrap_or_default().join(" › ");
    format!("{project}{}:{} › {}", printable(&test.file), test.line, printable(&titles))
}

fn place(finding: &Finding) -> String {
    format!("{}:{}", printable(&finding.step.file), finding.step.line)
}

fn cause(finding: &Finding) -> String {
    match &finding.page.source {
        Some(source) => printable(source),
        None => finding.page.event.clone(),
    }
}

fn paragraph(text: &mut String, finding: &Finding) {
    let (place, cause, does) = (place(finding), cause(finding), &finding.step.does);
    let page = &finding.page.does;
    let _ = writeln!(text, "  {place} {does}. {cause} {page}. Nothing in the test waits for that.");
    let held = finding.held.as_deref().map(printable).unwrap_or_default();
    let said = match finding.verdict {
        Verdict::Shown => {
            let error = finding.error.as_deref().map(printable).unwrap_or_default();
            format!("Fails when {held} is late: {error}")
        }
        Verdict::Waits => format!("Set aside: the test passes also when {held} is late."),
        Verdict::Undecided => {
            format!("Not decided: {held} could not be held back, or the test failed once.")
        }
        Verdict::Untried if finding.holds.is_empty() => {
            "Not tried: nothing can hold the event back.".to_string()
        }
        Verdict::Untried => "Not tried.".to_string(),
    };
    let _ = writeln!(text, "    {said}");
    if finding.verdict != Verdict::Waits {
        let _ = writeln!(
            text,
            "    Before line {}: {}",
            finding.step.line,
            printable(&finding.suggestion)
        );
    }
}

/// The tests that were shown to be flaky, with what to add.
fn table(findings: &Findings) -> String {
    let shown = |tested: &&Tested| tested.findings.iter().any(|it| it.verdict == Verdict::Shown);
    let flaky: Vec<_> = findings.tests.iter().filter(shown).collect();
    let mut text =
        format!("{} of {} recorded tests shown to be flaky\n", flaky.len(), findings.tests.len());
    for tested in flaky {
        for finding in tested.findings.iter().filter(|it| it.verdict == Verdict::Shown) {
            let held = finding.held.as_deref().map(printable).unwrap_or_default();
            let _ = writeln!(
                text,
                "  {}\n    cause       {} and {}\n    fails when  {held} is late\n    add         {}",
                title(&tested.test),
                place(finding),
                cause(finding),
                printable(&finding.suggestion)
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_shown_as_the_test_wrote_them() {
        for (selector, shown) in [
            ("internal:role=button[name=\"Menu\"i]", "getByRole('button', { name: 'Menu' })"),
            (
                "internal:role=list >> internal:role=listitem",
                "getByRole('list').getByRole('listitem')",
            ),
            ("internal:testid=[data-testid=\"cart\"s]", "getByTestId('cart')"),
            ("internal:label=\"Name\"i", "getByLabel('Name')"),
            ("internal:attr=[placeholder=\"Search\"i]", "getByPlaceholder('Search')"),
            ("#list li >> nth=0", "locator('#list li').first()"),
        ] {
            assert_eq!(locator(selector), shown);
        }
    }

    #[test]
    fn a_wait_is_suggested_for_what_can_be_seen() {
        let line = |location, value| visible(location, value).map(|(_, line)| line);
        assert_eq!(
            line("button#menu.data-ready", "\"true\"").as_deref(),
            Some("await expect(page.locator('#menu')).toHaveAttribute('data-ready', \"true\");")
        );
        assert_eq!(
            line("#note.text@2", "\"done\"").as_deref(),
            Some("await expect(page.locator('#note')).toHaveText(\"done\");")
        );
        assert_eq!(line("#menu.handlers(click)", "f"), None);
        assert_eq!(line("Window.count", "1"), None);
        assert_eq!(line("#x');evil('.text", "1"), None);
    }
}
