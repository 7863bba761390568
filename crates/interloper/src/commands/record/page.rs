//! The arguments of `interloper record web` about the page: its address, and what it finds in its
//! browser.

use anyhow::{Result, anyhow, bail};
use url::Url;
use webrec::{PageOptions, Viewport};

use crate::cli::record::WebArgs;

/// The default viewport of a browser without a window: the page of a laptop.
const VIEWPORT: Viewport = Viewport { width: 1280, height: 800 };
/// The largest width and height of a viewport that Chromium accepts.
const LARGEST: u32 = 10_000_000;

/// Parses the address of a page.
pub(super) fn address(text: &str) -> Result<Url> {
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

/// Returns what the page finds in its browser.
pub(super) fn options(args: &WebArgs) -> Result<PageOptions> {
    let viewport = match &args.viewport {
        Some(text) => Some(viewport(text)?),
        None if args.headed => None,
        None => Some(VIEWPORT),
    };
    Ok(PageOptions { viewport })
}

fn viewport(text: &str) -> Result<Viewport> {
    let size = |text: &str| text.parse().ok().filter(|size| (1..=LARGEST).contains(size));
    let parsed = text
        .split_once(['x', 'X'])
        .and_then(|(width, height)| Some(Viewport { width: size(width)?, height: size(height)? }));
    parsed.ok_or_else(|| anyhow!("--viewport {text} is no size: write the width and the height in pixels, such as 1280x800"))
}
