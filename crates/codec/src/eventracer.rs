//! Reads EventRacer's action log. `docs/eventracer.md` describes the conversion.

use eventracer::codes;
use eventracer::import::{Import, import};
use trace::Place;

use crate::{Completeness, Loaded, Origin, ReadError};

/// Reads a log.
///
/// If the sections of cells, scopes and actions are not complete, the order is unknown, which is an
/// error. Any other anomaly is a diagnostic. A log that ends inside the later sections, which hold
/// sources and values, has its tail missing.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let Import { trace, diagnostics, origin } = import(bytes).map_err(|error| {
        let at = Place::Offset(error.offset);
        ReadError::new(at, error.message, "a whole EventRacer log: VARS, SCOPES, ACTIONS")
    })?;
    let cut = diagnostics.iter().find(|found| found.code == &codes::TRUNCATED_TABLE).cloned();
    let completeness = cut.map_or_else(Completeness::whole, Completeness::tail_missing);
    let loaded = Loaded::new(trace, diagnostics, completeness);
    Ok(Loaded { origin: Some(Origin::EventRacer(Box::new(origin))), ..loaded })
}

pub use eventracer::looks_like as detect;
