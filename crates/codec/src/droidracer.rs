//! DroidRacer's `abc_log`, read only; `docs/droidracer.md` describes what becomes of it.

use droidracer::import::{Import, import};

use crate::{Loaded, Origin, ReadError};

/// Reads a log.
///
/// A line that does not parse is left out with a diagnostic; only an input without a single
/// operation, or with more than the tool itself could hold, is an error.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let Import { trace, diagnostics, origin } = import(bytes).map_err(|error| {
        ReadError::new(error.at, error.message, "an abc_log, a line `1 START` and what follows it")
    })?;
    Ok(Loaded { trace, diagnostics, origin: Some(Origin::DroidRacer(Box::new(origin))) })
}

pub use droidracer::log::looks_like as detect;
