//! Writing results: to standard output, or to a file that is complete or absent.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, Result};

use crate::replace::Replacement;

/// Runs `write` on standard output, or on a file that replaces `path` only when all went well.
pub(crate) fn to(
    path: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let Some(path) = path.filter(|p| p.as_os_str() != "-") else {
        let mut out = BufWriter::new(io::stdout().lock());
        write(&mut out)?;
        return Ok(out.flush()?);
    };
    let cannot = || format!("cannot write {}", path.display());
    let mut out = BufWriter::new(Replacement::new(path).with_context(cannot)?);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error).with_context(cannot)?;
    file.commit().with_context(cannot)
}

/// Whether what goes to `path`, or standard output, may be styled.
pub(crate) fn is_styled(path: Option<&Path>) -> bool {
    path.is_none() && AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// Whether standard error may be styled.
pub(crate) fn is_styled_error() -> bool {
    AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// Whether the reader of our output went away, which is its good right.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
