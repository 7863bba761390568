//! What a replayed page needs and a recording does not keep: secrets that steps type, cookies, storage.

use std::path::Path;

use anyhow::{Result, bail};
use replay::{Secrets, Session, secret_names};
use report::name::printable;
use url::Url;
use webrec::StorageState;

use crate::cli::GivenArgs;
use crate::commands::record::page;

/// What the environment's names of secrets start with.
const PREFIX: &str = "INTERLOPER_SECRET_";

/// What is given to a page again.
#[derive(Clone, Default)]
pub(crate) struct Supplied {
    pub(crate) secrets: Secrets,
    pub(crate) storage: StorageState,
    /// Headers for the page's own origin, which only servers need.
    pub(crate) headers: Vec<(String, String)>,
}

impl Supplied {
    /// Collects what a session needs from arguments and the environment. Fails if something is missing.
    pub(crate) fn of(args: &GivenArgs, session: &Session, path: &Path) -> Result<Supplied> {
        let name = path.display();
        let steps: Vec<_> = session.steps.iter().map(|step| step.text.as_str()).collect();
        let (secrets, missing) = secrets(&args.secrets, &steps.join("\n"))?;
        if !missing.is_empty() {
            let first = missing[0].to_ascii_uppercase();
            bail!(
                "{name}: the login cannot be replayed, because a recording does not keep secrets; give each one \
                 with --secret NAME=VALUE or in the environment, as in {PREFIX}{first} (missing: {})",
                missing.join(", ")
            );
        }
        let given = &session.given;
        let mut storage = match &args.storage_state {
            Some(path) => page::storage_state(path)?,
            None if given.storage_state => bail!(
                "{name} was recorded with --storage-state, which a recording does not keep; give it again"
            ),
            None => StorageState::default(),
        };
        if !given.cookies.is_empty() && args.cookies.is_empty() {
            let names: Vec<_> = given.cookies.iter().map(|name| printable(name)).collect();
            bail!(
                "{name} was recorded with --cookie, which a recording does not keep; give it again, for {}",
                names.join(", ")
            );
        }
        if let Ok(url) = Url::parse(&session.url) {
            for text in &args.cookies {
                storage.cookies.push(page::cookie(text, &url)?);
            }
        }
        let headers = args.headers.iter().map(|text| page::header(text)).collect::<Result<_>>()?;
        Ok(Supplied { secrets, storage, headers })
    }
}

/// The secrets that a text mentions, from arguments and the environment, and the names of those that are missing.
pub(crate) fn secrets(given: &[String], text: &str) -> Result<(Secrets, Vec<String>)> {
    let mut known = Vec::new();
    for text in given {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => {
                known.push((name.to_owned(), value.to_owned()));
            }
            // The argument may be the secret itself.
            _ => bail!("--secret needs a name, = and a value, such as password=x"),
        }
    }
    let mut missing = Vec::new();
    for name in secret_names(text) {
        if known.iter().any(|(known, _)| *known == name) {
            continue;
        }
        match std::env::var(format!("{PREFIX}{}", name.to_ascii_uppercase())) {
            Ok(value) => known.push((name, value)),
            Err(_) => missing.push(name),
        }
    }
    Ok((Secrets::new(known), missing))
}
