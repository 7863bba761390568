//! Which format an input is in, and reading whatever it is.

use trace::Place;

use crate::{Loaded, ReadError, rapid, text};

/// A format traces are read from or written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The text notation, `.trace`.
    Text,
    /// RAPID's STD logs, `.std`.
    Std,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[Self::Text, Self::Std];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Std => "std",
        }
    }

    /// The format a file name's extension stands for.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "trace" => Some(Self::Text),
            "std" => Some(Self::Std),
            _ => None,
        }
    }

    /// The format of an input, by its content.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if text.starts_with(b"interloper-trace") {
            return Some(Self::Text);
        }
        rapid::detect(bytes).then_some(Self::Std)
    }

    /// Reads an input of this format.
    pub fn read(self, bytes: &[u8]) -> Result<Loaded, ReadError> {
        match self {
            Self::Text => text::read(bytes),
            Self::Std => rapid::read(bytes),
        }
    }
}

/// Reads an input of whatever format it is in.
pub fn read(bytes: &[u8]) -> Result<(Format, Loaded), ReadError> {
    let format = Format::detect(bytes).ok_or_else(|| {
        let found = if bytes.is_empty() { "nothing" } else { "no format known by its content" };
        ReadError::new(
            Place::Whole,
            format!("holds {found}"),
            "a trace that starts with \"interloper-trace 1\" or lines as in \"T0|r(V1)|345\", or --from with \
             its format",
        )
    })?;
    Ok((format, format.read(bytes)?))
}
