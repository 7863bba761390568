//! Writes a test from a session, what is held, and what is asserted.

use std::collections::BTreeSet;

use replay::Session;
use report::name::printable;
use webrec::Step;

use super::assertion::Assertion;
use super::holds::{self, Place};
use super::steps::{self, Action, SUBMIT};
use super::text::{Text, quoted};
use super::{Address, Language};

/// What a test is about, for its readers.
pub(super) struct About {
    pub(super) title: String,
    /// The race, in a sentence without its full stop.
    pub(super) headline: String,
    /// What the other order shows, in a sentence.
    pub(super) harm: String,
    pub(super) race: u32,
    pub(super) fingerprint: String,
    pub(super) recording: String,
    /// The name of the test's file.
    pub(super) file: String,
}

/// How a test was tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tried {
    /// Nobody has run it.
    Not,
    /// Against the server.
    Server,
    /// With the recorded answers, because the server did not answer.
    Session,
}

/// A test that can be written.
pub(super) struct Draft<'d> {
    pub(super) about: About,
    pub(super) session: &'d Session,
    pub(super) address: Address,
    pub(super) steps: Vec<Step>,
    /// How often each step changed a list.
    pub(super) changes: Vec<usize>,
    pub(super) held: Place,
    pub(super) until: Place,
    pub(super) language: Language,
    /// Steps that wait for something that the hold keeps away. With the hold they are left out.
    pub(super) without: BTreeSet<usize>,
    /// Whether the steps follow each other no faster than in the recording.
    pub(super) is_paced: bool,
}

/// The text of a test, and where its parts are.
pub(super) struct Written {
    pub(super) text: String,
    /// The line of each assertion, from 1.
    pub(super) assertions: Vec<usize>,
    /// The lines of the steps that wait for the page, each with its step.
    pub(super) waits: Vec<(usize, usize)>,
}

impl Draft<'_> {
    /// Writes the test. Several assertions do not end the test when they fail.
    pub(super) fn write(&self, assertions: &[Assertion], tried: Tried) -> Written {
        let is_typed = self.language == Language::TypeScript;
        let typed = |types: &'static str| if is_typed { types } else { "" };
        let mut out = Text::default();
        self.head(&mut out, tried);
        let submits = self.steps.iter().any(|step| matches!(step, Step::Submit(_)));
        let locator = if submits && is_typed { ", type Locator" } else { "" };
        out.line(format!("import {{ expect, test{locator} }} from '@playwright/test';"));
        out.line("");
        out.line("const HOLD = process.env.HOLD !== '0';");
        out.line("");
        self.circumstances(&mut out);
        out.line(format!("test({}, async ({{ page, baseURL }}) => {{", quoted(&self.about.title)));
        out.line(format!(
            "const at = (path{}) => new URL(path, baseURL ?? {}).href;",
            typed(": string"),
            quoted(&self.address.origin)
        ));
        let mut observers: Vec<&str> = Vec::new();
        for one in assertions {
            if !one.observer.is_empty() && !observers.contains(&&*one.observer) {
                observers.push(&one.observer);
                for line in one.observer.lines() {
                    match line {
                        "const errors: string[] = [];" if !is_typed => {
                            out.line("const errors = [];")
                        }
                        line => out.line(line),
                    };
                }
            }
        }
        self.holds(&mut out);
        let waits = self.perform(&mut out);
        out.line("");
        if !matches!(self.held, Place::Step(_)) {
            out.line(format!("if (HOLD) await released.within({});", self.patience()));
        }
        out.line("await page.waitForTimeout(500); // The page comes to rest.");
        let call = |code: &str| match assertions {
            [_] => code.to_owned(),
            _ => code.replacen("expect(", "expect.soft(", 1),
        };
        let assertions = assertions.iter().map(|one| out.line(call(&one.code))).collect();
        out.line("});");
        functions(&mut out, submits, is_typed);
        Written { text: out.finish(), assertions, waits }
    }

    fn words(&self, place: &Place) -> String {
        let steps: Vec<_> = self.steps.iter().map(|step| printable(&step.to_string())).collect();
        printable(&place.words(&self.address, &steps))
    }

    fn head(&self, out: &mut Text, tried: Tried) {
        let About { headline, harm, race, fingerprint, recording, file, .. } = &self.about;
        out.comment(&format!("{}.", printable(headline)));
        out.line("//");
        out.comment(&format!(
            "This test holds {} back until {} is over, an order that a browser may choose as well. \
             Then the page shows a mistake: {}.",
            self.words(&self.held),
            self.words(&self.until),
            printable(harm)
        ));
        out.line("//");
        let file = printable(file);
        out.line(format!(
            "//   npx playwright test {file}          fails as long as the mistake is there"
        ));
        out.line(format!(
            "//   HOLD=0 npx playwright test {file}   runs the steps without the hold, and passes"
        ));
        out.line("//");
        out.comment(match tried {
            Tried::Not => "Nobody has run this test yet.",
            Tried::Server => "`interloper replay` has run it twice each way.",
            Tried::Session => {
                "`interloper replay` has run it twice each way, with the recorded answers, because the \
                 server did not answer."
            }
        });
        out.comment(&format!(
            "It stands for race {race} of {} (fingerprint {}).",
            printable(recording),
            printable(fingerprint)
        ));
    }

    /// Writes what the browser must be like.
    fn circumstances(&self, out: &mut Text) {
        let mut used = Vec::new();
        if let Some((width, height)) = self.session.viewport {
            used.push(format!("viewport: {{ width: {width}, height: {height} }}"));
        }
        if let Some(agent) = &self.session.user_agent {
            used.push(format!("userAgent: {}", quoted(agent)));
        }
        if !used.is_empty() {
            out.line(format!("test.use({{ {} }});", used.join(", ")));
            out.line("");
        }
    }

    fn holds(&self, out: &mut Text) {
        let Draft { held, until, address, .. } = self;
        out.comment(&format!("Comes when {} is over.", self.words(until)));
        out.line("const second = moment();");
        if !matches!(held, Place::Step(_)) {
            if self.awaits_held() {
                out.comment("Comes when what is held is there.");
                out.line("const held = moment();");
            }
            out.comment("Comes when what is held is let go.");
            out.line("const released = moment();");
        }
        if matches!((held, until), (Place::Step(_), Place::Step(_))) {
            return;
        }
        out.line("if (HOLD) {");
        holds::observe(out, until, address);
        holds::hold(out, held, address, self.patience(), self.awaits_held());
        holds::document(out, held.inline(), until.inline(), address);
        out.line("}");
    }

    /// Writes the steps. Returns the lines of those that wait for the page, each with its step.
    fn perform(&self, out: &mut Text) -> Vec<(usize, usize)> {
        let mut waits = Vec::new();
        out.line("");
        self.load(out, None);
        for (n, step) in self.steps.iter().enumerate() {
            if self.held == Place::Step(n) {
                out.line(format!("if (HOLD) await second.within({});", self.patience()));
            }
            let Action { code, is_wait } = steps::action(step, &self.address, self.changes[n]);
            if let Step::Goto(_) = step {
                self.load(out, Some(n));
            } else if is_wait {
                let unless = if self.without.contains(&n) { "if (!HOLD) " } else { "" };
                let lines: Vec<_> =
                    code.iter().map(|code| out.line(format!("{unless}{code}"))).collect();
                waits.extend(lines.into_iter().map(|line| (line, n)));
            } else {
                for code in code {
                    out.line(code);
                }
                if self.navigates(n) {
                    let unless = if self.blocks(Some(n)) { "if (!HOLD) " } else { "" };
                    out.line(format!("{unless}await page.waitForLoadState();"));
                }
            }
            if self.until == Place::Step(n) {
                out.line("second.come();");
            }
            if self.is_paced && !is_wait && !matches!(step, Step::Goto(_) | Step::Wait(_)) {
                out.line(format!("await page.waitForTimeout({});", self.pause(n)));
            }
        }
        waits
    }

    /// Writes the statement that loads the first page, or that of a step.
    fn load(&self, out: &mut Text, step: Option<usize>) {
        let url = match step.map(|step| &self.steps[step]) {
            Some(Step::Goto(url)) => self.address.resolve(url),
            _ => self.session.url.clone(),
        };
        let blocks = self.blocks(step);
        let options = match (self.session.early_steps, blocks) {
            (true, _) => ", { waitUntil: 'commit' }",
            (false, true) => ", { waitUntil: HOLD ? 'commit' : 'load' }",
            (false, false) => "",
        };
        out.line(steps::goto(&url, &self.address, options));
        if blocks && !self.session.early_steps {
            out.line("if (HOLD) {");
            out.line("await held.within(5000);");
            out.line("await page.waitForTimeout(300);");
            out.line("}");
        }
    }

    /// When a step ran, or the first page was loaded: until the next step began.
    fn span(&self, step: Option<usize>) -> (f64, f64) {
        let steps = &self.session.steps;
        let from = step.map_or(f64::MIN, |step| steps[step].time.0);
        let to = steps.get(step.map_or(0, |step| step + 1)).map_or(f64::MAX, |next| next.time.0);
        (from, to)
    }

    /// How long a step took in the recording, with what came after it, in milliseconds.
    fn pause(&self, step: usize) -> u64 {
        let (from, to) = self.span(Some(step));
        let to = to.min(self.session.steps[step].time.1 + 1000.0);
        milliseconds(((to - from).max(0.0) / 50.0).ceil() * 50.0)
    }

    /// Whether the steps begin when what is held is there, because the page cannot load before.
    fn awaits_held(&self) -> bool {
        let steps = self.steps.iter().enumerate();
        let mut loads = steps.filter(|(_, step)| matches!(step, Step::Goto(_)));
        !self.session.early_steps
            && (self.blocks(None) || loads.any(|(step, _)| self.blocks(Some(step))))
    }

    /// Whether the load event of the page that a step loads waits for what is held.
    fn blocks(&self, step: Option<usize>) -> bool {
        let (from, to) = self.span(step);
        let asked = |time: f64| from <= time && time < to;
        match &self.held {
            Place::Inline(inline) => {
                let mut documents = self.session.exchanges.iter();
                documents.any(|one| one.url == inline.document && asked(one.time.0))
            }
            Place::Answer { method, url, nth } => {
                let all = self.session.exchanges.iter();
                let mut same = all.filter(|one| one.method == *method && one.url == *url);
                let delays = ["Script", "Stylesheet", "Image", "Document", "Font", "Media"];
                same.nth(*nth as usize)
                    .is_some_and(|one| delays.contains(&&*one.kind) && asked(one.time.0))
            }
            _ => false,
        }
    }

    /// Whether a document was loaded while a step ran or shortly after.
    fn navigates(&self, step: usize) -> bool {
        let (from, to) = self.span(Some(step));
        let mut all = self.session.exchanges.iter();
        all.any(|one| one.kind == "Document" && from <= one.time.0 && one.time.0 < to)
    }

    /// The longest time that something is held, in milliseconds: a page that makes the second event wait for the
    /// first is right.
    fn patience(&self) -> u64 {
        let last = self.session.steps.last().map_or(0.0, |step| step.time.1);
        milliseconds((5.0 + last * 2.0 / 1000.0).ceil().clamp(5.0, 20.0) * 1000.0)
    }
}

/// Writes the functions that a test calls.
fn functions(out: &mut Text, submits: bool, is_typed: bool) {
    let moment = "
/** Something that comes once; `within` waits for it, but not for ever. */
function moment() {
let come = () => {};
const coming = new Promise<void>((resolve) => {
come = resolve;
});
const late = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
return { come, within: (ms: number) => Promise.race([coming, late(ms)]) };
}";
    let plain = |text: &str| {
        let text = text.replace("Promise<void>", "Promise").replace("(ms: number)", "(ms)");
        text.replace("(place: Locator)", "(place)")
    };
    for text in [Some(moment), submits.then_some(SUBMIT)].into_iter().flatten() {
        out.lines(&if is_typed { text.to_owned() } else { plain(text) });
    }
}

#[allow(clippy::cast_sign_loss, reason = "durations are not negative")]
fn milliseconds(time: f64) -> u64 {
    time as u64
}

#[cfg(test)]
mod tests {
    use replay::{Callback, Exchange, SessionStep};

    use super::*;

    fn draft(session: &Session, held: Place, until: Place, language: Language) -> Draft<'_> {
        let steps = session.steps.iter().map(|step| step.text.as_str()).collect::<Vec<_>>();
        let steps = Step::parse_all(&steps.join("\n")).expect("steps");
        Draft {
            about: About {
                title: "race on #a.text".into(),
                headline: "Two things\nwrite".into(),
                harm: "it differs".into(),
                race: 3,
                fingerprint: "f".into(),
                recording: "page.ilt".into(),
                file: "page.spec.ts".into(),
            },
            session,
            address: Address::of(&session.url).expect("an address"),
            changes: vec![0; steps.len()],
            steps: steps.into_iter().map(|(_, step)| step).collect(),
            held,
            until,
            language,
            without: BTreeSet::new(),
            is_paced: false,
        }
    }

    fn session() -> Session {
        let step =
            |text: &str, from: f64| SessionStep { text: text.into(), time: (from, from + 50.0) };
        let exchange = |kind: &str, url: &str, at: f64| Exchange {
            method: "GET".into(),
            kind: kind.into(),
            url: format!("http://h{url}"),
            time: (at, at + 10.0),
            ..Exchange::default()
        };
        Session {
            url: "http://h/".into(),
            steps: vec![
                step("click #a", 500.0),
                step("wait-for .b", 600.0),
                step("submit form", 700.0),
            ],
            exchanges: vec![exchange("Document", "/", 1.0), exchange("Script", "/a.js", 20.0)],
            ..Session::default()
        }
    }

    fn assertion() -> Assertion {
        Assertion { observer: String::new(), code: "expect(1).toBe(1);".into() }
    }

    #[test]
    fn a_script_of_the_page_is_held_until_a_step() {
        let session = session();
        let held = Place::Answer { method: "GET".into(), url: "http://h/a.js".into(), nth: 0 };
        let mut draft = draft(&session, held, Place::Step(0), Language::TypeScript);
        let Written { text, assertions, waits } = draft.write(&[assertion()], Tried::Not);
        let line = |at: usize| text.lines().nth(at - 1).expect("a line").trim().to_owned();
        assert_eq!(line(assertions[0]), "expect(1).toBe(1);");
        assert_eq!(waits.len(), 1);
        assert_eq!(line(waits[0].0), "await expect(page.locator('.b').first()).toBeVisible();");
        assert!(text.contains("waitUntil: HOLD ? 'commit' : 'load'"), "{text}");
        assert!(text.contains("url.href === at('/a.js')"), "{text}");
        assert!(text.contains("await page.locator('#a').click();\n  second.come();\n"), "{text}");
        assert!(text.contains("async function submit(place: Locator)"), "{text}");
        assert!(text.lines().all(|line| !line.starts_with("write")), "{text}");
        draft.without.insert(1);
        draft.is_paced = true;
        let text = draft.write(&[assertion(), assertion()], Tried::Not).text;
        assert!(text.contains("if (!HOLD) await expect(page.locator('.b')"), "{text}");
        assert!(text.contains("await page.waitForTimeout(100);\n  if (!HOLD)"), "{text}");
        assert_eq!(text.matches("expect.soft(1)").count(), 2);
    }

    #[test]
    fn plain_javascript_has_no_types() {
        let session = session();
        let held = Place::Step(2);
        let until = Place::Callback { of: Callback::Timer, delay: Some(0), nth: 1 };
        let draft = draft(&session, held, until, Language::JavaScript);
        let text = draft.write(&[assertion()], Tried::Session).text;
        for typed in [": string", ": number", "<void>", "Locator"] {
            assert!(!text.contains(typed), "{typed} in {text}");
        }
        assert!(text.contains("if (HOLD) await second.within(7000);\n  await submit("), "{text}");
        assert!(text.contains("(Math.trunc(rest[0]) || 0) !== 0 || ++calls !== 2"), "{text}");
    }
}
