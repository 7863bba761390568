//! The arguments of `interloper record web` about the page: its address, and what it finds in its
//! browser.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use replay::{Given, Secrets};
use report::name::{printable, printable_message};
use url::Url;
use webrec::{Cookie, GivenMap, Identity, PageOptions, StorageState, Viewport};

use crate::cli::record::WebArgs;

/// The default viewport of a browser without a window: the page of a laptop.
const VIEWPORT: Viewport = Viewport { width: 1280, height: 800 };
/// The largest width and height of a viewport that Chromium accepts.
const LARGEST: u32 = 10_000_000;

/// Parses the address of a page.
fn address(text: &str) -> Result<Url> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        _ if !text.contains("://") => {
            bail!("{text} is no address of a page: write http://{text}")
        }
        Ok(url) => bail!(
            "{}: pages are recorded over http or https; serve the folder, as with `python3 -m http.server`",
            url.scheme()
        ),
        Err(error) => bail!("{text} is no address of a page: {error}"),
    }
}

/// Returns the address of the page without credentials, and what the page finds in its browser.
pub(super) fn options(args: &WebArgs, secrets: Secrets) -> Result<(Url, PageOptions)> {
    let (mut url, visit) = (address(&args.url)?, &args.visit);
    let viewport = match &visit.viewport {
        Some(text) => Some(viewport(text)?),
        None if args.headed => None,
        None => Some(VIEWPORT),
    };
    let headers = visit.headers.iter().map(|text| header(text)).collect::<Result<Vec<_>>>()?;
    let mut given = Given { storage_state: visit.storage_state.is_some(), ..Given::default() };
    given.headers = headers.iter().map(|(name, _)| name.clone()).collect();
    let identity = Some(Identity::new(&mut url, headers));
    let mut storage = match &visit.storage_state {
        Some(path) => storage_state(path)?,
        None => StorageState::default(),
    };
    for text in &visit.cookies {
        let cookie = cookie(text, &url)?;
        given.cookies.push(cookie.name.clone());
        storage.cookies.push(cookie);
    }
    let maps = visit.source_maps.iter().map(|text| source_map(text));
    let source_maps = maps.collect::<Result<Vec<_>>>()?;
    Ok((url, PageOptions { viewport, identity, storage, secrets, given, source_maps }))
}

pub(crate) fn header(text: &str) -> Result<(String, String)> {
    let is_token = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
    };
    let is_value = |value: &str| !value.bytes().any(|b| b.is_ascii_control() && b != b'\t');
    let parsed = text.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
    match parsed.filter(|(name, value)| is_token(name) && is_value(value)) {
        Some((name, value)) => Ok((name.to_string(), value.to_string())),
        None => bail!(
            "--header {} is no header: write its name, a colon and its value, such as \
             'Authorization: Bearer x'",
            printable(text)
        ),
    }
}

pub(crate) fn cookie(text: &str, url: &Url) -> Result<Cookie> {
    match text.split_once('=').map(|(name, value)| (name.trim(), value)) {
        Some((name, value)) if !name.is_empty() => Ok(Cookie {
            name: name.to_string(),
            value: value.to_string(),
            url: Some(url.join("/").unwrap_or_else(|_| url.clone()).into()),
            domain: None,
            path: None,
            expires: None,
            http_only: false,
            secure: false,
            same_site: None,
        }),
        _ => bail!(
            "--cookie {} is no cookie: write its name, = and its value, such as session=x",
            printable(text)
        ),
    }
}

fn source_map(text: &str) -> Result<GivenMap> {
    // An address may contain `=`, a path of a map seldom does.
    let Some((file, path)) =
        text.rsplit_once('=').filter(|(file, path)| !file.is_empty() && !path.is_empty())
    else {
        bail!(
            "--source-map {} names no script and map: write both, such as js/app.js=build/app.js.map",
            printable(text)
        );
    };
    let bytes = fs::read(path).with_context(|| format!("--source-map: cannot read {path}"))?;
    let given = GivenMap { file: file.to_string(), text: bytes };
    if !given.is_valid() {
        bail!("--source-map: {path} is no source map, or maps nothing");
    }
    Ok(given)
}

pub(crate) fn storage_state(path: &Path) -> Result<StorageState> {
    let name = path.display();
    let text =
        fs::read_to_string(path).with_context(|| format!("--storage-state: cannot read {name}"))?;
    StorageState::parse(&text).map_err(|why| {
        anyhow!("--storage-state {name} is no storage state, as `context.storageState()` of Playwright writes it: {}", printable_message(&why))
    })
}

fn viewport(text: &str) -> Result<Viewport> {
    let size = |text: &str| text.parse().ok().filter(|size| (1..=LARGEST).contains(size));
    let parsed = text
        .split_once(['x', 'X'])
        .and_then(|(width, height)| Some(Viewport { width: size(width)?, height: size(height)? }));
    parsed.ok_or_else(|| anyhow!("--viewport {text} is no size: write the width and the height in pixels, such as 1280x800"))
}
