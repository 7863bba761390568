//! The steps of a session as actions of Playwright.

use replay::secret_names;
use webrec::Step;

use super::Address;
use super::assertion::locator;
use super::check::variable;
use super::text::quoted;

/// How a step is performed in a test.
pub(super) struct Action {
    /// The statements, one a line.
    pub(super) code: Vec<String>,
    /// Whether the step only waits for the page.
    pub(super) is_wait: bool,
}

/// The action for a step. `changes` is how often the step changed a list in the recording.
pub(super) fn action(step: &Step, address: &Address, changes: usize) -> Action {
    let act = |code: Vec<String>| Action { code, is_wait: false };
    match step {
        Step::Goto(url) => act(vec![goto(&address.resolve(url), address, "")]),
        Step::Click(selector) => act(vec![format!("await {}.click();", locator(selector))]),
        Step::Hover(selector) => act(vec![format!("await {}.hover();", locator(selector))]),
        // The field's content is replaced, as by a step.
        Step::Type(selector, text) => act(vec![
            format!("await {}.click();", locator(selector)),
            format!("await {}.selectText();", locator(selector)),
            format!("await {}.pressSequentially({});", locator(selector), typed(text)),
        ]),
        Step::Press(key) => act(vec![format!("await page.keyboard.press({});", quoted(key))]),
        // A step selects by arrow keys, so a list may change several times on the way.
        Step::Select(selector, option) if changes <= 1 => {
            act(vec![format!("await {}.selectOption({});", locator(selector), quoted(option))])
        }
        Step::Select(selector, _) => {
            let press = format!("await {}.press('ArrowDown');", locator(selector));
            act(vec![press; changes])
        }
        Step::WaitFor(selector) => Action {
            code: vec![format!("await expect({}).toBeVisible();", locator(selector))],
            is_wait: true,
        },
        Step::Wait(time) => act(vec![format!("await page.waitForTimeout({});", time.as_millis())]),
        Step::Scroll(pixels, over) => {
            let place = match over {
                Some(selector) => format!("await {}.hover();", locator(selector)),
                None => "await page.mouse.move(100, 100);".to_owned(),
            };
            act(vec![place, format!("await page.mouse.wheel(0, {pixels});")])
        }
        Step::Submit(selector) => act(vec![format!("await submit({});", locator(selector))]),
    }
}

/// The text that a step types: a secret comes from the environment.
fn typed(text: &str) -> String {
    match secret_names(text).first() {
        Some(name) => format!("process.env.{} ?? ''", variable(name)),
        None => quoted(text),
    }
}

/// The statement that loads a page.
pub(super) fn goto(url: &str, address: &Address, options: &str) -> String {
    format!("await page.goto({}{options});", address.code(url))
}

/// The function that submits a form as a step does, if some step needs it.
pub(super) const SUBMIT: &str = "
/** Submits a form: clicks its button, or presses Enter in its field. */
async function submit(place: Locator) {
const isForm = await place.evaluate((element) => element instanceof HTMLFormElement);
const button = place.locator('[type=submit], button:not([type])').first();
if (!isForm) await place.press('Enter');
else if (await button.count()) await button.click();
else await place.locator('input, textarea').first().press('Enter');
}";
