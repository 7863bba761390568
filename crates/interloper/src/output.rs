//! Writes results to standard output, or to a file that is either complete or absent, and prints
//! messages.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, Result, anyhow, bail};

use report::name::visible;

use crate::replace::Replacement;

/// Runs `write` on standard output, or on a file that replaces `path` only if `write` succeeds.
pub(crate) fn to(
    path: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let Some(path) = path.filter(|p| p.as_os_str() != "-") else {
        let mut out = BufWriter::new(io::stdout().lock());
        // A reader that closed the pipe needs no more output, but the exit status must still be
        // correct.
        return match write(&mut out).and_then(|()| Ok(out.flush()?)) {
            Err(error) if is_broken_pipe(&error) => Ok(()),
            outcome => outcome,
        };
    };
    prepare(path, write)?.commit()
}

/// A file that is written, but has not replaced its target yet.
pub(crate) struct Prepared<'p> {
    path: &'p Path,
    file: Replacement,
}

/// Runs `write` on a file that will replace `path`.
pub(crate) fn prepare(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<Prepared<'_>> {
    let cannot = || format!("cannot write {}", path.display());
    let mut out = BufWriter::new(Replacement::new(path).with_context(cannot)?);
    if let Err(error) = write(&mut out) {
        // A write error is reported with the name of the file, wherever it was noticed.
        let failure = out.get_mut().failure();
        return Err(failure.map_or(error, |failure| anyhow!(failure).context(cannot())));
    }
    let file = out.into_inner().map_err(io::IntoInnerError::into_error).with_context(cannot)?;
    file.sync().with_context(cannot)?;
    Ok(Prepared { path, file })
}

impl Prepared<'_> {
    /// Moves the file to its target.
    pub(crate) fn commit(self) -> Result<()> {
        self.file.commit().with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Fails if the output `path` is the input file `read`.
pub(crate) fn refuse_input(path: Option<&Path>, read: &Path) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let (Ok(written), Ok(read)) = (path.canonicalize(), read.canonicalize()) else {
        return Ok(());
    };
    if written == read && written.is_file() {
        bail!("{} is the input and would be overwritten; name another file", path.display());
    }
    Ok(())
}

/// Prints a message on standard error, of one or more lines. Control characters in it, which names of files and texts
/// of others may contain, are shown as text. A terminal that is gone is not an error.
pub(crate) fn note(message: impl Display) {
    styled(harmless(&message.to_string()));
}

/// Prints a message after a word in colour, such as `error`.
pub(crate) fn problem(level: Problem, message: impl Display) {
    let (colour, word) = match level {
        Problem::Error => (31, "error"),
        Problem::Warning => (33, "warning"),
    };
    let message = harmless(&message.to_string());
    styled(format_args!("\x1b[1;{colour}m{word}\x1b[0m: {message}"));
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    Error,
    Warning,
}

/// Prints a message whose control characters are our own on standard error.
pub(crate) fn styled(message: impl Display) {
    let _ = writeln!(anstream::stderr(), "{message}");
}

/// Returns a message without control characters, except for ends of lines and a return before a line that
/// replaces the progress.
fn harmless(message: &str) -> String {
    let (start, rest) = match message.strip_prefix('\r') {
        Some(rest) => ("\r", rest),
        None => ("", message),
    };
    let lines: Vec<String> = rest.split('\n').map(visible).collect();
    format!("{start}{}", lines.join("\n"))
}

/// Returns whether output to `path`, or to standard output, may be styled.
pub(crate) fn is_styled(path: Option<&Path>) -> bool {
    path.is_none() && AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// Returns whether standard error may be styled.
pub(crate) fn is_styled_error() -> bool {
    AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// Returns whether the error is that the reader closed the pipe, which it may do at any time.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_no_control_characters_of_others() {
        let message = "cannot read \x1b[31mx\u{202e}y\t\nwhat to do\r";
        assert_eq!(harmless(message), "cannot read \\u{1b}[31mx\\u{202e}y\\u{9}\nwhat to do\\u{d}");
        assert_eq!(harmless("\rdone"), "\rdone");
    }
}
