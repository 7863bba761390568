//! The formats of traces: detecting, reading and writing them.

use std::io::{self, Read, Write};

use trace::{Place, Trace};

use crate::{Loaded, ReadError, chrome, droidracer, eventracer, native, rapid, text};

/// A format that traces are read from or written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The text notation, `.trace`.
    Text,
    /// The native format, `.ilt`.
    Native,
    /// RAPID's traces of threads and locks, `.std`.
    Std,
    /// DroidRacer's `abc_log`, which can only be read.
    DroidRacer,
    /// EventRacer's action log, which can only be read.
    EventRacer,
    /// A Parquet table, `.parquet`; needs the feature `parquet`.
    Parquet,
    /// The Trace Event Format of Perfetto and Chrome, which can only be written.
    Chrome,
}

impl Format {
    /// The formats that can be read.
    pub const READ: &'static [Self] =
        &[Self::Text, Self::Native, Self::Std, Self::DroidRacer, Self::EventRacer, Self::Parquet];

    /// The formats that can be written.
    pub const WRITTEN: &'static [Self] =
        &[Self::Text, Self::Native, Self::Std, Self::Parquet, Self::Chrome];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Native => "native",
            Self::Std => "std",
            Self::DroidRacer => "droidracer",
            Self::EventRacer => "eventracer",
            Self::Parquet => "parquet",
            Self::Chrome => "chrome",
        }
    }

    /// Returns the format that a file name's extension stands for.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "trace" => Some(Self::Text),
            "ilt" => Some(Self::Native),
            "std" => Some(Self::Std),
            "parquet" => Some(Self::Parquet),
            "json" => Some(Self::Chrome),
            _ => None,
        }
    }

    /// Detects the format of an input by its first bytes.
    pub fn detect(start: &[u8]) -> Option<Self> {
        let without_mark = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        if without_mark.starts_with(b"interloper-trace") {
            Some(Self::Text)
        } else if native::is_native(start) {
            Some(Self::Native)
        } else if start.starts_with(b"PAR1") {
            Some(Self::Parquet)
        } else if rapid::detect(start) {
            Some(Self::Std)
        } else if droidracer::detect(start) {
            Some(Self::DroidRacer)
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
        read_all(&mut source, &mut bytes)?;
        match self {
            Self::Text => text::read(&bytes),
            Self::Std => rapid::read(&bytes),
            Self::DroidRacer => droidracer::read(&bytes),
            Self::EventRacer => eventracer::read(&bytes),
            Self::Parquet => read_parquet(bytes),
            Self::Chrome => Err(ReadError::new(
                Place::Whole,
                "is in a format that is written only",
                format!("a format that is read: {}", names(Self::READ)),
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
            Self::Parquet => write_parquet(trace, out),
            Self::Chrome => chrome::write(trace, out),
            Self::DroidRacer | Self::EventRacer => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("{} logs are read only", self.name()),
            )),
        }
    }
}

#[cfg(feature = "parquet")]
fn read_parquet(bytes: Vec<u8>) -> Result<Loaded, ReadError> {
    crate::parquet::read(bytes.into())
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(_: Vec<u8>) -> Result<Loaded, ReadError> {
    Err(ReadError::new(Place::Whole, "is a Parquet table", WITH_PARQUET))
}

/// Writes a table to memory first, because its writer needs to own its sink.
#[cfg(feature = "parquet")]
fn write_parquet(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    crate::parquet::write(trace, &mut bytes)?;
    out.write_all(&bytes)
}

#[cfg(not(feature = "parquet"))]
fn write_parquet(_: &Trace, _: &mut impl Write) -> io::Result<()> {
    let message = format!("Parquet needs {WITH_PARQUET}");
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}

#[cfg(not(feature = "parquet"))]
const WITH_PARQUET: &str = "a build with the feature parquet, as cargo's --features parquet makes";

/// Returns the names of formats, for a message.
fn names(formats: &[Format]) -> String {
    formats.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}

fn read_all(source: &mut impl Read, bytes: &mut Vec<u8>) -> Result<(), ReadError> {
    let read = source.read_to_end(bytes);
    let place = Place::Offset(bytes.len() as u64);
    read.map(drop).map_err(|error| ReadError::new(place, error.to_string(), "more input"))
}

/// The number of bytes of an input that [`Format::detect`] should get, if the input has so many.
pub const START: u64 = 64 << 10;

/// Detects the format of an input, and reads it.
pub fn read(mut source: impl Read) -> Result<(Format, Loaded), ReadError> {
    let mut bytes = Vec::new();
    read_all(&mut source.by_ref().take(START), &mut bytes)?;
    if let Some(format) = Format::detect(&bytes) {
        return Ok((format, format.read(bytes.as_slice().chain(source))?));
    }
    // EventRacer's logs do not start with fixed bytes; only their lengths must add up.
    read_all(&mut source, &mut bytes)?;
    if eventracer::detect(&bytes) {
        return Ok((Format::EventRacer, eventracer::read(&bytes)?));
    }
    let found = match bytes.as_slice() {
        [] => "nothing",
        bytes if bytes.iter().all(|&byte| byte == 0) => "nothing but zeros",
        bytes if native::holds_block(bytes) => {
            return Err(ReadError::new(
                Place::Offset(0),
                "the start of a native file (.ilt) is damaged",
                "a whole first block; `interloper doctor FILE --repair OUT` may save the rest",
            ));
        }
        _ => "no format known by its content",
    };
    Err(ReadError::new(
        Place::Whole,
        format!("holds {found}"),
        format!(
            "a trace that starts with \"interloper-trace 1\", or --from with its format, one of {}",
            names(Format::READ)
        ),
    ))
}
