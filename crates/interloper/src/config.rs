//! Reads `interloper.toml`, the settings of a project for all its traces.
//!
//! `--config FILE` names the file. The default is `interloper.toml` in the working directory, if it
//! exists. Parent directories are not searched, so that the effect of a command depends only on
//! where it runs. Paths in the file are relative to its folder. Flags take precedence over it.
//! `--suppress FILE` adds suppressions from a file that contains nothing else.

mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use order::{MODELS, Model};
use report::suppress::{Matcher, Pattern, Suppression};
use triage::Lists;

use self::table::{Document, Table};
use crate::cli::{ConfigArgs, FailOn, SuppressArgs};
use crate::suggest;

/// The settings of the configuration; an absent field is not set.
pub(crate) struct Config {
    pub(crate) model: Option<&'static Model>,
    pub(crate) rules: Vec<String>,
    pub(crate) fail_on: Option<FailOn>,
    pub(crate) limit: Option<usize>,
    pub(crate) source_roots: Vec<PathBuf>,
    pub(crate) baseline: Option<PathBuf>,
    pub(crate) suppressions: Vec<Suppression>,
    /// The shipped lists and those of the project.
    pub(crate) lists: Lists,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            model: None,
            rules: Vec::new(),
            fail_on: None,
            limit: None,
            source_roots: Vec::new(),
            baseline: None,
            suppressions: Vec::new(),
            lists: Lists::builtin(),
        }
    }
}

/// The file that is read if none is named.
const DEFAULT: &str = "interloper.toml";

impl Config {
    /// Reads the configuration and the additional suppressions.
    pub(crate) fn load(args: &ConfigArgs, suppress: &SuppressArgs) -> Result<Self> {
        let mut config = Self::load_file(args)?;
        for path in &suppress.suppress {
            let document = open(path)?;
            let mut root = document.root()?;
            config.suppressions.extend(suppressions(&mut root)?);
            root.finish()?;
        }
        Ok(config)
    }

    /// Reads the file that the arguments name, or the default one.
    pub(crate) fn load_file(args: &ConfigArgs) -> Result<Self> {
        let default = Path::new(DEFAULT);
        let path = args.config.as_deref().or_else(|| default.is_file().then_some(default));
        path.map_or_else(|| Ok(Self::default()), |path| Self::read(&open(path)?, path))
    }

    fn read(document: &Document, path: &Path) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut root = document.root()?;
        let config = Self {
            model: model(&mut root)?,
            rules: rules(&mut root)?,
            fail_on: fail_on(&mut root)?,
            limit: root.count("limit")?,
            source_roots: root
                .strings("source-roots")?
                .into_iter()
                .map(|found| folder.join(found.value))
                .collect(),
            baseline: root.string("baseline")?.map(|found| folder.join(found.value)),
            suppressions: suppressions(&mut root)?,
            lists: lists(&mut root, folder)?,
        };
        root.finish()?;
        Ok(config)
    }
}

fn open(path: &Path) -> Result<Document> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    Ok(Document::new(name, text))
}

/// Returns the shipped lists, extended by the files that `lists` names.
fn lists(root: &mut Table<'_>, folder: &Path) -> Result<Lists> {
    let mut lists = Lists::builtin();
    for found in root.strings("lists")? {
        let path = folder.join(&found.value);
        let name = path.display();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| found.error(format!("cannot read the list {name}: {error}")))?;
        lists.extend(&text).map_err(|error| anyhow!("{name}:{error}"))?;
    }
    Ok(lists)
}

fn model(root: &mut Table<'_>) -> Result<Option<&'static Model>> {
    let Some(found) = root.string("model")? else { return Ok(None) };
    let known = MODELS.iter().map(|model| model.name);
    Model::named(found.value.as_bytes())
        .map(Some)
        .ok_or_else(|| found.error(unknown("model", &found.value, known)))
}

fn rules(root: &mut Table<'_>) -> Result<Vec<String>> {
    let known: Vec<&str> =
        MODELS.iter().flat_map(|model| model.rules).map(|(rule, _)| rule.name).collect();
    let mut switches = Vec::new();
    for found in root.strings("rules")? {
        let Some(name) = found.value.strip_prefix(['+', '-']) else {
            return Err(found.error("a rule is switched with + or - and its name"));
        };
        if !known.contains(&name) {
            return Err(found.error(unknown("rule", name, known.iter().copied())));
        }
        switches.push(found.value);
    }
    Ok(switches)
}

fn fail_on(root: &mut Table<'_>) -> Result<Option<FailOn>> {
    let Some(found) = root.string("fail-on")? else { return Ok(None) };
    let known: Vec<_> =
        FailOn::value_variants().iter().filter_map(FailOn::to_possible_value).collect();
    let names = known.iter().map(clap::builder::PossibleValue::get_name);
    FailOn::from_str(&found.value, false)
        .map(Some)
        .map_err(|_| found.error(unknown("threshold", &found.value, names)))
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match suggest::nearest(name, known.clone()) {
        Some(nearest) => format!("unknown {what} {name}; did you mean {nearest}?"),
        None => {
            format!("unknown {what} {name}; known are {}", known.collect::<Vec<_>>().join(", "))
        }
    }
}

fn suppressions(root: &mut Table<'_>) -> Result<Vec<Suppression>> {
    root.tables("suppress")?.into_iter().map(suppression).collect()
}

fn suppression(mut table: Table<'_>) -> Result<Suppression> {
    let mut pattern = |key| -> Result<Option<Pattern>> {
        Ok(table.string(key)?.map(|found| Pattern::new(found.value)))
    };
    let (location, function) = (pattern("location")?, pattern("function")?);
    let (file, event) = (pattern("file")?, pattern("event")?);
    let fingerprint = table.string("fingerprint")?.map(|found| found.value);
    let matcher = Matcher { location, function, file, event, fingerprint };
    if matcher.is_empty() {
        let keys = "location, function, file, event, fingerprint";
        return Err(table.error(format!("a suppression needs at least one of {keys}")));
    }
    let Some(reason) = table.string("reason")?.filter(|found| !found.value.trim().is_empty())
    else {
        return Err(table.error("a suppression needs a reason"));
    };
    let expires = table.date("expires")?;
    let origin = table.origin();
    table.finish()?;
    Ok(Suppression { matcher, reason: reason.value, expires, origin })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random pieces of configurations: reading them never panics, and every error names the file.
    #[test]
    fn any_text_is_a_configuration_or_an_error() {
        let pieces = [
            "model",
            "rules",
            "fail-on",
            "limit",
            "source-roots",
            "baseline",
            "lists",
            "[[suppress]]",
            "location",
            "reason",
            "expires",
            "fingerprint",
            " = ",
            "\n",
            "\"android\"",
            "\"*a*\"",
            "[",
            "]",
            "{",
            "}",
            ",",
            "\"+NATIVE\"",
            "2027-01-31",
            "1e999",
            "-1",
            "99999999999999999999",
            "true",
            "'",
            "\"\"\"",
            "#",
            "\\u001b[31m",
            "\u{1b}",
            "\u{202e}",
            "é",
            ".",
            "nan",
            "0x",
            "\r",
        ];
        let mut random = fastrand::Rng::with_seed(11);
        let (mut read, mut errors) = (0, 0);
        for _ in 0..20_000 {
            let count = random.usize(..14);
            let text: String = (0..count).map(|_| pieces[random.usize(..pieces.len())]).collect();
            match Config::read(
                &Document::new("c.toml".to_owned(), text.clone()),
                Path::new("c.toml"),
            ) {
                Ok(_) => read += 1,
                Err(error) => {
                    errors += 1;
                    assert!(error.to_string().starts_with("c.toml:"), "{text:?}: {error}");
                }
            }
        }
        assert!(read > 500 && errors > 5000, "{read} read, {errors} errors");
    }
}
