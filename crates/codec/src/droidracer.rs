//! Reads DroidRacer's `abc_log`. `docs/droidracer.md` describes the conversion.

use droidracer::import::{Import, import};
use droidracer::log::LastLine;
use trace::Place;

use crate::{Completeness, Loaded, Origin, ReadError};

/// Reads a log.
///
/// A line that does not parse is left out with a diagnostic. Only an input without operations, or
/// with more than the tool itself could hold, is an error. A last line without a line end may have
/// been cut, unless it belongs to the tool's report; [`Completeness`] states it.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let Import { trace, diagnostics, origin } = import(bytes).map_err(|error| {
        ReadError::new(error.at, error.message, "a log that DroidRacer could have written")
    })?;
    let completeness = match origin.log.last_line {
        LastLine::Ended => Completeness::whole(),
        LastLine::Unended(line) => Completeness::unended_line(line),
        LastLine::LeftOut(line) => {
            let at = Place::Line { line, column: 1 };
            Completeness::cut_line(&ReadError::new(at, "the line ends", "an operation or access"))
        }
    };
    let loaded = Loaded::new(trace, diagnostics, completeness);
    Ok(Loaded { origin: Some(Origin::DroidRacer(Box::new(origin))), ..loaded })
}

pub use droidracer::log::looks_like as detect;
