//! Learned synchronisation, in a program without the recorder of web pages.

use std::path::Path;

use analysis::{Analysis, Request};
use anyhow::{Result, bail};

use crate::watch::Watch;

pub(crate) fn applied(_: &Path, _: Analysis, _: &Request<'_>, _: &Watch) -> Result<Analysis> {
    bail!("--learned needs the recorder of web pages, which this program was built without")
}
