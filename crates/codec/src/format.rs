//! Which format an input is in, and reading or writing whatever it is.

use std::io::{self, Read, Write};

use trace::{Place, Trace};

use crate::{Loaded, ReadError, chrome, native, rapid, text};

/// A format traces are read from or written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The text notation, `.trace`.
    Text,
    /// The native format, `.ilt`.
    Native,
    /// RAPID's traces of threads and locks, `.std`.
    Std,
    /// The Trace Event Format that Perfetto and Chrome open; written only.
    Chrome,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[Self::Text, Self::Native, Self::Std, Self::Chrome];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Native => "native",
            Self::Std => "std",
            Self::Chrome => "chrome",
        }
    }

    /// The format a file name's extension stands for.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "trace" => Some(Self::Text),
            "ilt" => Some(Self::Native),
            "std" => Some(Self::Std),
            "json" => Some(Self::Chrome),
            _ => None,
        }
    }

    /// The format of an input, by how it starts.
    pub fn detect(start: &[u8]) -> Option<Self> {
        let without_mark = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        if without_mark.starts_with(b"interloper-trace") {
            Some(Self::Text)
        } else if native::is_native(start) {
            Some(Self::Native)
        } else if rapid::detect(start) {
            Some(Self::Std)
        } else {
            None
        }
    }

    /// Reads an input of this format.
    pub fn read(self, mut source: impl Read) -> Result<Loaded, ReadError> {
        if self == Self::Native {
            return native::read(source);
        }
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).map_err(|error| {
            ReadError::new(Place::Offset(bytes.len() as u64), error.to_string(), "more input")
        })?;
        match self {
            Self::Text => text::read(&bytes),
            Self::Std => rapid::read(&bytes),
            Self::Chrome => Err(ReadError::new(
                Place::Whole,
                "is in a format that is written only",
                "a format that is read: text, native or std",
            )),
            Self::Native => unreachable!("read above"),
        }
    }

    /// Writes `trace` in this format.
    pub fn write(self, trace: &Trace, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Text => text::write(trace, out),
            Self::Native => native::write(trace, out, native::Options::default()),
            Self::Std => rapid::write(trace, out),
            Self::Chrome => chrome::write(trace, out),
        }
    }
}

/// How much of an input [`Format::detect`] wants to see.
const START: u64 = 4096;

/// Reads an input of whatever format it is in.
pub fn read(mut source: impl Read) -> Result<(Format, Loaded), ReadError> {
    let mut start = Vec::new();
    source.by_ref().take(START).read_to_end(&mut start).map_err(|error| {
        ReadError::new(Place::Offset(start.len() as u64), error.to_string(), "an input to read")
    })?;
    let format = Format::detect(&start).ok_or_else(|| {
        let found = if start.is_empty() { "nothing" } else { "no format known by its content" };
        ReadError::new(
            Place::Whole,
            format!("holds {found}"),
            "a trace that starts with \"interloper-trace 1\", lines like \"T0|r(V1)|345\", or --from \
             with the format",
        )
    })?;
    Ok((format, format.read(start.as_slice().chain(source))?))
}
