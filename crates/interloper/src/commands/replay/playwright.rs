//! Writes a test for Playwright that shows a race which replays have shown to be harmful.
//!
//! The test performs the steps of the session, holds back what the replay held back until the second event is
//! over, and asserts what the recorded order shows. It is written once it has been seen to fail with the hold and
//! to pass without it, twice each, in the user's own installation of Playwright. Assertions are first tried
//! together in one run each way, and the first one that tells the two orders apart is kept.

mod assertion;
mod check;
mod draft;
mod holds;
mod steps;
mod text;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use replay::{Control, Differences, Hold, Recorded, Secrets, Session};
use url::Url;
use webrec::Step;

use self::assertion::Assertion;
use self::check::{Bench, Project};
use self::draft::{About, Draft, Tried};
use self::holds::{Inline, Place};
use crate::output;

/// How often the test is run each way.
const RUNS: usize = 2;
/// The longest start of an inline script by which a test finds it.
const START: usize = 400;

/// A race that was shown to be harmful.
pub(super) struct Shown<'s> {
    pub(super) race: u32,
    pub(super) fingerprint: &'s str,
    /// What the race is on, and the race in a sentence.
    pub(super) location: &'s str,
    pub(super) headline: &'s str,
    /// What the other order shows, in a sentence.
    pub(super) harm: String,
    pub(super) hold: &'s Hold,
    pub(super) differences: &'s Differences,
}

/// What a test is written from, and with.
pub(super) struct Emission<'e> {
    /// The file to write.
    pub(super) file: &'e Path,
    /// Whether to write the test although nobody has run it.
    pub(super) unchecked: bool,
    pub(super) recording: &'e Path,
    pub(super) session: &'e Session,
    pub(super) tasks: &'e Recorded<'e>,
    pub(super) browser: &'e Path,
    pub(super) secrets: &'e Secrets,
    pub(super) stop: &'e Arc<AtomicBool>,
}

/// The language of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    TypeScript,
    JavaScript,
    /// JavaScript in a file that ends in `.mjs`.
    Module,
}

impl Language {
    fn of(file: &Path) -> Result<Language> {
        match file.extension().and_then(|ending| ending.to_str()) {
            Some("ts") => Ok(Language::TypeScript),
            Some("js") => Ok(Language::JavaScript),
            Some("mjs") => Ok(Language::Module),
            _ => bail!(
                "--emit-playwright {}: the name of a test ends in .spec.ts, .spec.js or .spec.mjs",
                file.display()
            ),
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Language::TypeScript => "ts",
            Language::JavaScript => "js",
            Language::Module => "mjs",
        }
    }

    /// The ending by which other files import a file of this language.
    fn imported(self) -> &'static str {
        match self {
            Language::TypeScript | Language::JavaScript => "js",
            Language::Module => "mjs",
        }
    }
}

/// The addresses of a session, as a test writes them: relative to the origin of the page, which may be another
/// one where the test runs.
struct Address {
    page: Url,
    origin: String,
}

impl Address {
    fn of(page: &str) -> Result<Address> {
        let page = Url::parse(page).context("the session has no address")?;
        let origin = page.origin().ascii_serialization();
        Ok(Address { page, origin })
    }

    fn resolve(&self, url: &str) -> String {
        self.page.join(url).map_or_else(|_| url.to_owned(), String::from)
    }

    /// An address without the origin of the page.
    fn short<'u>(&self, url: &'u str) -> &'u str {
        url.strip_prefix(&self.origin).filter(|rest| rest.starts_with('/')).unwrap_or(url)
    }

    /// The expression of an address.
    fn code(&self, url: &str) -> String {
        match self.short(url) {
            path if path.starts_with('/') => format!("at({})", text::quoted(path)),
            url => text::quoted(url),
        }
    }
}

/// Fails if a test cannot be written there, before anything is replayed.
pub(super) fn check(file: &Path, unchecked: bool) -> Result<()> {
    Language::of(file)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.contains(".spec.") && !name.contains(".test.") {
        output::note(format_args!(
            "note: Playwright runs files whose names contain .spec. or .test., and {name} does not"
        ));
    }
    if !unchecked && Project::find(file).is_none() {
        bail!(
            "--emit-playwright: there is no Playwright above {} or this folder, and a test is written only once it \
             has been run; `npm install --save-dev @playwright/test` installs it, and --unchecked writes the test \
             without running it",
            file.display()
        );
    }
    Ok(())
}

impl Emission<'_> {
    /// Writes the test of the first race that a test can show.
    pub(super) fn write_first(&self, shown: &[Shown<'_>]) -> Result<()> {
        let Some((last, others)) = shown.split_last() else {
            output::note("no race was shown to be harmful, so there is no test to write");
            return Ok(());
        };
        for one in others {
            match self.write(one) {
                Err(why) if !self.stop.load(Ordering::Relaxed) => {
                    output::note(format_args!("note: {why:#}"));
                }
                done => return done,
            }
        }
        self.write(last)
    }

    /// Writes the test of a race.
    fn write(&self, shown: &Shown<'_>) -> Result<()> {
        let name = self.file.display();
        let mut draft = self.draft(shown)?;
        let all = assertion::all(shown.differences, &draft.address);
        if all.is_empty() {
            bail!(
                "race {}: what differs cannot be seen from a test, so --emit-playwright writes none",
                shown.race
            );
        }
        let (chosen, tried) = if self.unchecked {
            (all[0].clone(), Tried::Not)
        } else {
            let project = Project::find(self.file).context(
                "Playwright is gone; `npm install --save-dev @playwright/test` installs it",
            )?;
            let language = draft.language;
            let bench = Bench::new(&project, self, language)?;
            let chosen = match choose(&bench, &mut draft, &all)? {
                // Playwright is faster than a recorder, and may be too fast for the recorded order.
                Err(_) => {
                    draft.is_paced = true;
                    choose(&bench, &mut draft, &all)?
                }
                chosen => chosen,
            };
            let chosen = chosen.map_err(|why| {
                anyhow!("race {}: a test was tried and is not written: {why}", shown.race)
            })?;
            let tried = if bench.is_hermetic { Tried::Session } else { Tried::Server };
            let written = draft.write(std::slice::from_ref(&chosen), tried);
            for _ in 0..RUNS {
                confirm(&bench, &written.text, shown.race)?;
            }
            (chosen, tried)
        };
        let written = draft.write(&[chosen], tried);
        output::to(Some(self.file), |out| Ok(out.write_all(written.text.as_bytes())?))?;
        let seen = match tried {
            Tried::Not => "nobody has run it yet",
            Tried::Server => "it failed twice with the hold, and passed twice without it",
            Tried::Session => {
                "it failed twice with the hold and passed twice without it, with the recorded answers: \
                 the server did not answer"
            }
        };
        output::note(format_args!("{name}: a test of race {}; {seen}", shown.race));
        Ok(())
    }

    fn draft(&self, shown: &Shown<'_>) -> Result<Draft<'_>> {
        let session = self.session;
        let address = Address::of(&session.url)?;
        let inline = |document: &str, nth: u32| inline(session, document, nth);
        let cannot = || {
            anyhow!(
                "race {}: Playwright cannot hold what this replay held, so --emit-playwright writes no test",
                shown.race
            )
        };
        let held = match &shown.hold.control {
            Control::Task(path) => {
                let sighting = self.tasks.sighting(path).filter(|sighting| sighting.is_own);
                let place = sighting.and_then(|sighting| Place::of(sighting.landmark, inline));
                place.filter(|place| matches!(place, Place::Callback { .. })).ok_or_else(cannot)?
            }
            Control::Answer { method, url, nth } => {
                Place::Answer { method: method.clone(), url: url.clone(), nth: *nth }
            }
            Control::Inline { document, nth } => {
                Place::Inline(inline(document, *nth).ok_or_else(cannot)?)
            }
            Control::Step(step) => Place::Step(*step),
            Control::Gate { .. } => return Err(cannot()),
        };
        let until = self.tasks.sighting(&shown.hold.until);
        let until = until.and_then(|sighting| Place::of(sighting.landmark, inline));
        let until = until.filter(|until| *until != held).ok_or_else(cannot)?;
        let texts: Vec<_> = session.steps.iter().map(|step| step.text.as_str()).collect();
        let steps = Step::parse_all(&texts.join("\n")).context("the session's steps")?;
        let changes = (0..steps.len()).map(|step| self.tasks.inputs(step, "change")).collect();
        let name = |path: &Path| {
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        Ok(Draft {
            about: About {
                title: format!("race on {}", shown.location),
                headline: shown.headline.to_owned(),
                harm: shown.harm.clone(),
                race: shown.race,
                fingerprint: shown.fingerprint.to_owned(),
                recording: name(self.recording),
                file: name(self.file),
            },
            session,
            address,
            steps: steps.into_iter().map(|(_, step)| step).collect(),
            changes,
            held,
            until,
            language: Language::of(self.file)?,
            without: BTreeSet::new(),
            is_paced: false,
        })
    }
}

/// Finds an inline script in its document, by a start that nothing else in the document has.
fn inline(session: &Session, document: &str, nth: u32) -> Option<Inline> {
    let documents = session.exchanges.iter().filter(|exchange| exchange.kind == "Document");
    let found = documents.filter_map(|exchange| {
        let (html, at) = webrec::inline_script(exchange, &session.url, document, nth)?;
        // The start tag belongs to the start.
        let from = html[..at].rfind('<')?;
        let ends = (at - from..START).filter_map(|length| html.get(from..from + length));
        let is_whole = |start: &&str| start.len() >= at - from + 12 || start.ends_with('\n');
        let mut starts = ends.filter(is_whole);
        let start = starts.find(|start| html.matches(*start).count() == 1)?.to_owned();
        Some(Inline { document: exchange.url.clone(), start })
    });
    found.into_iter().next()
}

/// Finds the first assertion that fails with the hold and holds without it. Steps that wait for something that
/// the hold keeps away are left out with the hold. The inner error states why there is none.
fn choose(
    bench: &Bench,
    draft: &mut Draft<'_>,
    all: &[Assertion],
) -> Result<Result<Assertion, String>> {
    let (with, lines) = loop {
        let written = draft.write(all, Tried::Not);
        let with = bench.run(&written.text, true)?;
        let is_failed = |line: &usize| with.lines.contains(line);
        let kept_away = |(line, step): &(usize, usize)| {
            let is_early = match draft.until {
                Place::Step(until) => *step < until,
                _ => true,
            };
            is_failed(line) && is_early && !draft.without.contains(step)
        };
        match written.waits.iter().find(|wait| kept_away(wait)) {
            Some(&(_, step)) => drop(draft.without.insert(step)),
            None => break (with, written.assertions),
        }
    };
    let without = bench.run(&draft.write(all, Tried::Not).text, false)?;
    let tells = |line: &usize| with.lines.contains(line) && !without.lines.contains(line);
    let found = all.iter().zip(&lines).find(|(_, line)| tells(line)).map(|(one, _)| one.clone());
    // A step after the hold may fail itself: what the mistake took away is what it waits for.
    let stopped = !with.is_passed && !with.lines.iter().any(|line| lines.contains(line));
    let found = found.or_else(|| (stopped && without.is_passed).then(|| all[0].clone()));
    Ok(found.ok_or_else(|| match (with.is_passed, without.is_passed) {
        (true, _) => "it passes with the hold".to_owned(),
        (_, false) => format!("it fails without the hold: {}", without.message),
        _ => format!("it fails elsewhere: {}", with.message),
    }))
}

/// Fails unless a test fails with the hold and passes without it.
fn confirm(bench: &Bench, text: &str, race: u32) -> Result<()> {
    if bench.run(text, true)?.is_passed {
        bail!("race {race}: a test was tried and is not written: it passed with the hold once");
    }
    let without = bench.run(text, false)?;
    if !without.is_passed {
        let why = without.message;
        bail!(
            "race {race}: a test was tried and is not written: it failed without the hold: {why}"
        );
    }
    Ok(())
}
