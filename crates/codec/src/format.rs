//! Which format an input is in, and reading whatever it is.

use trace::Place;

use crate::{Loaded, ReadError, droidracer, eventracer, text};

/// A format traces are read from or written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The text notation, `.trace`.
    Text,
    /// DroidRacer's `abc_log`.
    DroidRacer,
    /// EventRacer's action log.
    EventRacer,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[Self::Text, Self::DroidRacer, Self::EventRacer];

    /// The formats traces can be written in.
    pub const WRITTEN: &'static [Self] = &[Self::Text];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::DroidRacer => "droidracer",
            Self::EventRacer => "eventracer",
        }
    }

    /// The format a file name's extension stands for, of those that have one.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "trace" => Some(Self::Text),
            _ => None,
        }
    }

    /// The format of an input, by its content.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        // What has no magic comes last.
        if bytes.starts_with(b"interloper-trace") {
            Some(Self::Text)
        } else if droidracer::detect(bytes) {
            Some(Self::DroidRacer)
        } else if eventracer::detect(bytes) {
            Some(Self::EventRacer)
        } else {
            None
        }
    }

    /// Reads an input of this format.
    pub fn read(self, bytes: &[u8]) -> Result<Loaded, ReadError> {
        match self {
            Self::Text => text::read(bytes),
            Self::DroidRacer => droidracer::read(bytes),
            Self::EventRacer => eventracer::read(bytes),
        }
    }
}

/// Reads an input of whatever format it is in.
pub fn read(bytes: &[u8]) -> Result<(Format, Loaded), ReadError> {
    let format = Format::detect(bytes).ok_or_else(|| {
        let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        let found = if bytes.is_empty() { "nothing" } else { "no format known by its content" };
        ReadError::new(
            Place::Whole,
            format!("holds {found}"),
            format!("one of {}, or --from with one of these", known.join(", ")),
        )
    })?;
    Ok((format, format.read(bytes)?))
}
