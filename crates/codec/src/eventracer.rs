//! EventRacer's action log, read only; `docs/eventracer.md` describes what becomes of it.

use eventracer::import::{Import, import};
use trace::Place;

use crate::{Loaded, Origin, ReadError};

/// Reads a log.
///
/// Without whole sections of cells, scopes and actions the order is unknown: that is an error.
/// Anything else that is odd is a diagnostic.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let Import { trace, diagnostics, origin } = import(bytes).map_err(|error| {
        let at = Place::Offset(error.offset);
        ReadError::new(at, error.message, "a whole EventRacer log: VARS, SCOPES, ACTIONS")
    })?;
    Ok(Loaded { trace, diagnostics, origin: Some(Origin::EventRacer(Box::new(origin))) })
}

pub use eventracer::looks_like as detect;
