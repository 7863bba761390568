//! Reads traces, and decides whether enough of them was read.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use codec::{Completeness, Extent, Format, Loaded};
use report::input::InputEntry;
use report::name::printable_message;

use crate::cli::TraceArgs;
use crate::follow;
use crate::output::{self, Problem};

/// Reads the trace that the arguments name.
pub(crate) fn load(args: &TraceArgs) -> Result<(Format, Loaded)> {
    if args.follow {
        return follow::load(args, |_| Ok(()));
    }
    load_from(args, open(&args.trace)?)
}

fn load_from(args: &TraceArgs, source: impl Read) -> Result<(Format, Loaded)> {
    let loaded = match args.from {
        Some(format) => format.read(source).map(|loaded| (format, loaded)),
        None => codec::read(source),
    };
    loaded.map_err(|error| unreadable(&args.trace, error))
}

/// An input that is open and not read yet.
pub(crate) enum Opened {
    /// A native file, which can be read in one pass.
    Native(Box<dyn Read + Send>),
    /// Anything else, which is read into memory.
    Other(Box<dyn Read + Send>),
}

impl Opened {
    /// Opens the trace that the arguments name. Its first bytes show whether it is a native file,
    /// unless the arguments state the format.
    pub(crate) fn new(args: &TraceArgs) -> Result<Self> {
        let mut source = open(&args.trace)?;
        match args.from {
            Some(Format::Native) => return Ok(Self::Native(source)),
            Some(_) => return Ok(Self::Other(source)),
            None => {}
        }
        let mut head = Vec::new();
        if source.by_ref().take(codec::START).read_to_end(&mut head).is_err() {
            // Reading fails again, with the place of the failure.
            return Ok(Self::Other(source));
        }
        let is_native = Format::detect(&head) == Some(Format::Native);
        let whole = Box::new(Cursor::new(head).chain(source));
        Ok(if is_native { Self::Native(whole) } else { Self::Other(whole) })
    }

    /// Reads the trace into memory.
    pub(crate) fn load(self, args: &TraceArgs) -> Result<(Format, Loaded)> {
        match self {
            Self::Native(source) | Self::Other(source) => load_from(args, source),
        }
    }
}

/// Returns the error that the file at `path` contains no readable trace. The cause is kept, so that
/// a report can state it.
pub(crate) fn unreadable(path: &Path, error: codec::ReadError) -> anyhow::Error {
    anyhow!(error).context(name(path))
}

/// Returns how much of an input was read, and whether that is enough for these arguments.
pub(crate) fn entry(args: &TraceArgs, completeness: &Completeness) -> InputEntry {
    let mut entry = InputEntry::new(completeness);
    entry.judged |= args.allow_damaged;
    entry
}

/// Ends a command after its results are written. Prints on standard error how incomplete the input
/// was, and fails if the results do not count for that reason.
pub(crate) fn accept(path: &Path, input: &InputEntry) -> Result<()> {
    let Some(detail) = input.detail() else { return Ok(()) };
    let (name, detail) = (name(path), printable_message(&detail));
    let what = match input.completeness {
        Extent::Whole => return Ok(()),
        Extent::TailMissing => "the end of the input is missing",
        Extent::Damaged => "the input is damaged",
        Extent::Nothing => "no operation could be read",
    };
    if !input.judged {
        let cure = match input.completeness {
            Extent::Damaged => "record it again, or accept what could be read with --allow-damaged",
            _ => "record it again, or accept it with --allow-damaged",
        };
        bail!("{name}: {what}: {detail}; {cure}");
    }
    output::problem(Problem::Warning, format_args!("{name}: {what}: {detail}"));
    Ok(())
}

/// Returns the content of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", name(path)))?;
    Ok(bytes)
}

fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(std::io::stdin()));
    }
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Box::new(file))
}

/// Returns the text of a program in the language `.evp`. For a trace or for content that is not
/// text, the error states what to do instead.
pub(crate) fn read_program(path: &Path) -> Result<String> {
    let called = name(path);
    if path.is_dir() {
        bail!("{called} is a directory; `robust` reads one program, a file in the language .evp");
    }
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).with_context(|| format!("cannot read {called}"))?;
    let is_program = path.extension().is_some_and(|extension| extension == "evp");
    let head = &bytes[..bytes.len().min(codec::START as usize)];
    if !is_program && let Some(format) = Format::detect(head) {
        bail!(
            "{called} is a trace ({}), not a program in the language .evp; `interloper check \
             --robustness` asks the same about a trace",
            format.name()
        );
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let lines: Vec<&[u8]> = valid.split(|byte| *byte == b'\n').collect();
        let (line, column) = (lines.len(), lines.last().map_or(0, |last| last.len()) + 1);
        anyhow!(
            "{called}:{line}:{column}: this is not text, so not a program in the language .evp \
             (docs/robustness.md)"
        )
    })
}

/// Returns the name of an input in messages.
pub(crate) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}
