//! Writing results: to standard output, or to a file that is complete or absent.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, Result};

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
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
        .with_context(|| format!("cannot write beside {}", path.display()))?;
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// Whether what goes to `path`, or standard output, may be styled.
pub(crate) fn is_styled(path: Option<&Path>) -> bool {
    path.is_none() && AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// Whether the reader of our output went away, which is its good right.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
